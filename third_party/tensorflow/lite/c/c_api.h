// TFLite's C API for the program that runs a model, and for naming an op and
// its methods:
//
//   TfLiteModel* model = TfLiteModelCreateFromFile("model.tflite");
//   TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
//   TfLiteInterpreterOptionsAddOperator(options, my_op);
//   TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
//   TfLiteInterpreterAllocateTensors(interpreter);
//   // Fill the inputs.
//   TfLiteInterpreterInvoke(interpreter);
//   // Read the outputs.
//   TfLiteInterpreterDelete(interpreter);
//   TfLiteInterpreterOptionsDelete(options);
//   TfLiteModelDelete(model);
#ifndef THIRD_PARTY_TENSORFLOW_LITE_C_C_API_H_
#define THIRD_PARTY_TENSORFLOW_LITE_C_C_API_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TfLiteModel TfLiteModel;
typedef struct TfLiteInterpreterOptions TfLiteInterpreterOptions;
typedef struct TfLiteInterpreter TfLiteInterpreter;
typedef struct TfLiteSignatureRunner TfLiteSignatureRunner;

// ---------------------------------------------------------------------------
// Versions

TFL_CAPI_EXPORT const char* TfLiteVersion(void);
TFL_CAPI_EXPORT const char* TfLiteExtensionApisVersion(void);
// The version of the model schema that the runtime reads.
TFL_CAPI_EXPORT int TfLiteSchemaVersion(void);

// ---------------------------------------------------------------------------
// Models

// Each returns null where the bytes are no valid model; all check the
// flatbuffer's structure first. The bytes, or the file's contents, must stay as
// they are for as long as a model or an interpreter made from it lives.
TFL_CAPI_EXPORT TfLiteModel* TfLiteModelCreate(const void* model_data,
                                               size_t model_size);
TFL_CAPI_EXPORT TfLiteModel* TfLiteModelCreateWithErrorReporter(
    const void* model_data, size_t model_size,
    void (*reporter)(void* user_data, const char* format, va_list args),
    void* user_data);
TFL_CAPI_EXPORT TfLiteModel* TfLiteModelCreateFromFile(const char* model_path);
TFL_CAPI_EXPORT TfLiteModel* TfLiteModelCreateFromFileWithErrorReporter(
    const char* model_path,
    void (*reporter)(void* user_data, const char* format, va_list args),
    void* user_data);

// May be called as soon as the interpreter exists.
TFL_CAPI_EXPORT void TfLiteModelDelete(TfLiteModel* model);

// ---------------------------------------------------------------------------
// Interpreter options

TFL_CAPI_EXPORT TfLiteInterpreterOptions* TfLiteInterpreterOptionsCreate(void);
// A shallow copy, deleted on its own.
TFL_CAPI_EXPORT TfLiteInterpreterOptions* TfLiteInterpreterOptionsCopy(
    const TfLiteInterpreterOptions* from);
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsDelete(
    TfLiteInterpreterOptions* options);

// -1 leaves the number to the runtime.
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsSetNumThreads(
    TfLiteInterpreterOptions* options, int32_t num_threads);

// The delegate must outlive every interpreter made with the options. Where it
// fails, so does TfLiteInterpreterCreate.
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsAddDelegate(
    TfLiteInterpreterOptions* options, TfLiteOpaqueDelegate* delegate);

// `reporter` is given what vprintf takes. `user_data` must outlive every
// interpreter made with the options.
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsSetErrorReporter(
    TfLiteInterpreterOptions* options,
    void (*reporter)(void* user_data, const char* format, va_list args),
    void* user_data);

// Lets models use the op. It stays the caller's and must outlive every
// interpreter made with the options.
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsAddOperator(
    TfLiteInterpreterOptions* options, TfLiteOperator* registration);

// Off unless asked for; see TfLiteInterpreterCancel.
TFL_CAPI_EXPORT TfLiteStatus TfLiteInterpreterOptionsEnableCancellation(
    TfLiteInterpreterOptions* options, bool enable);

// ---------------------------------------------------------------------------
// Interpreters

// Null on failure, an unresolved op among the reasons. `optional_options` may
// be null, and be deleted right after.
TFL_CAPI_EXPORT TfLiteInterpreter* TfLiteInterpreterCreate(
    const TfLiteModel* model, const TfLiteInterpreterOptions* optional_options);
TFL_CAPI_EXPORT void TfLiteInterpreterDelete(TfLiteInterpreter* interpreter);

TFL_CAPI_EXPORT int32_t
TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter* interpreter);
TFL_CAPI_EXPORT const int* TfLiteInterpreterInputTensorIndices(
    const TfLiteInterpreter* interpreter);
TFL_CAPI_EXPORT TfLiteTensor* TfLiteInterpreterGetInputTensor(
    const TfLiteInterpreter* interpreter, int32_t input_index);

// Takes effect with the next TfLiteInterpreterAllocateTensors.
TFL_CAPI_EXPORT TfLiteStatus TfLiteInterpreterResizeInputTensor(
    TfLiteInterpreter* interpreter, int32_t input_index, const int* input_dims,
    int32_t input_dims_size);

// Runs every kernel's Prepare and lays the tensors out. Needed once before the
// first invocation and again after a resize.
TFL_CAPI_EXPORT TfLiteStatus
TfLiteInterpreterAllocateTensors(TfLiteInterpreter* interpreter);

TFL_CAPI_EXPORT TfLiteStatus
TfLiteInterpreterInvoke(TfLiteInterpreter* interpreter);

TFL_CAPI_EXPORT int32_t
TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter* interpreter);
TFL_CAPI_EXPORT const int* TfLiteInterpreterOutputTensorIndices(
    const TfLiteInterpreter* interpreter);
// Shape and data are sure to be there only after an invocation.
TFL_CAPI_EXPORT const TfLiteTensor* TfLiteInterpreterGetOutputTensor(
    const TfLiteInterpreter* interpreter, int32_t output_index);

// By index among all the tensors of the first subgraph.
TFL_CAPI_EXPORT TfLiteTensor* TfLiteInterpreterGetTensor(
    const TfLiteInterpreter* interpreter, int index);

// Stops an invocation that is under way, from any thread.
TFL_CAPI_EXPORT TfLiteStatus
TfLiteInterpreterCancel(const TfLiteInterpreter* interpreter);

// ---------------------------------------------------------------------------
// Signature runners: a model's functions, with inputs and outputs by name. A
// runner shares its tensors with its interpreter and is deleted before it.

TFL_CAPI_EXPORT int32_t
TfLiteInterpreterGetSignatureCount(const TfLiteInterpreter* interpreter);
TFL_CAPI_EXPORT const char* TfLiteInterpreterGetSignatureKey(
    const TfLiteInterpreter* interpreter, int32_t signature_index);
// Null where the model has no such signature.
TFL_CAPI_EXPORT TfLiteSignatureRunner* TfLiteInterpreterGetSignatureRunner(
    const TfLiteInterpreter* interpreter, const char* signature_key);

TFL_CAPI_EXPORT size_t TfLiteSignatureRunnerGetInputCount(
    const TfLiteSignatureRunner* signature_runner);
TFL_CAPI_EXPORT const char* TfLiteSignatureRunnerGetInputName(
    const TfLiteSignatureRunner* signature_runner, int32_t input_index);
// Only dimensions that the model leaves open can be changed.
TFL_CAPI_EXPORT TfLiteStatus TfLiteSignatureRunnerResizeInputTensor(
    TfLiteSignatureRunner* signature_runner, const char* input_name,
    const int* input_dims, int32_t input_dims_size);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteSignatureRunnerAllocateTensors(TfLiteSignatureRunner* signature_runner);
TFL_CAPI_EXPORT TfLiteTensor* TfLiteSignatureRunnerGetInputTensor(
    TfLiteSignatureRunner* signature_runner, const char* input_name);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteSignatureRunnerInvoke(TfLiteSignatureRunner* signature_runner);
TFL_CAPI_EXPORT size_t TfLiteSignatureRunnerGetOutputCount(
    const TfLiteSignatureRunner* signature_runner);
TFL_CAPI_EXPORT const char* TfLiteSignatureRunnerGetOutputName(
    const TfLiteSignatureRunner* signature_runner, int32_t output_index);
TFL_CAPI_EXPORT const TfLiteTensor* TfLiteSignatureRunnerGetOutputTensor(
    const TfLiteSignatureRunner* signature_runner, const char* output_name);
TFL_CAPI_EXPORT void TfLiteSignatureRunnerDelete(
    TfLiteSignatureRunner* signature_runner);

// ---------------------------------------------------------------------------
// Tensors

TFL_CAPI_EXPORT TfLiteType TfLiteTensorType(const TfLiteTensor* tensor);
// -1 where the tensor has no shape yet.
TFL_CAPI_EXPORT int32_t TfLiteTensorNumDims(const TfLiteTensor* tensor);
TFL_CAPI_EXPORT int32_t TfLiteTensorDim(const TfLiteTensor* tensor,
                                        int32_t dim_index);
TFL_CAPI_EXPORT size_t TfLiteTensorByteSize(const TfLiteTensor* tensor);
// Null until the tensor is allocated.
TFL_CAPI_EXPORT void* TfLiteTensorData(const TfLiteTensor* tensor);
TFL_CAPI_EXPORT const char* TfLiteTensorName(const TfLiteTensor* tensor);
TFL_CAPI_EXPORT TfLiteQuantizationParams
TfLiteTensorQuantizationParams(const TfLiteTensor* tensor);
// Both want exactly TfLiteTensorByteSize bytes.
TFL_CAPI_EXPORT TfLiteStatus TfLiteTensorCopyFromBuffer(TfLiteTensor* tensor,
                                                        const void* input_data,
                                                        size_t input_data_size);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteTensorCopyToBuffer(const TfLiteTensor* output_tensor, void* output_data,
                         size_t output_data_size);

// ---------------------------------------------------------------------------
// Operators: an op's identity (built-in code or custom name, and version) and
// its methods, all unset at first. An op that is to run needs at least Prepare
// and Invoke. Whoever creates an operator deletes it, after the last
// interpreter that uses it.

// For a custom op the code is kTfLiteBuiltinCustom; `custom_name` must live as
// long as the operator. `user_data` is what the ...WithData methods are given.
TFL_CAPI_EXPORT TfLiteOperator* TfLiteOperatorCreateWithData(
    TfLiteBuiltinOperator builtin_code, const char* custom_name, int version,
    void* user_data);

// The name and parameters of later releases. The 2.17 library exports this name
// too, but without `user_data`, which it would silently drop.
static inline TfLiteOperator* TfLiteOperatorCreate(
    TfLiteBuiltinOperator builtin_code, const char* custom_name, int version,
    void* user_data) {
  return TfLiteOperatorCreateWithData(builtin_code, custom_name, version,
                                      user_data);
}

TFL_CAPI_EXPORT void TfLiteOperatorDelete(TfLiteOperator* registration);

TFL_CAPI_EXPORT TfLiteBuiltinOperator
TfLiteOperatorGetBuiltInCode(const TfLiteOperator* registration);
TFL_CAPI_EXPORT const char* TfLiteOperatorGetCustomName(
    const TfLiteOperator* registration);
TFL_CAPI_EXPORT int TfLiteOperatorGetVersion(
    const TfLiteOperator* registration);
TFL_CAPI_EXPORT void* TfLiteOperatorGetUserData(
    const TfLiteOperator* registration);

// Init: called once a node, with the node's custom options; what it returns
// becomes the node's user data.
TFL_CAPI_EXPORT void TfLiteOperatorSetInit(
    TfLiteOperator* registration,
    void* (*init)(TfLiteOpaqueContext* context, const char* buffer,
                  size_t length));
TFL_CAPI_EXPORT TfLiteStatus TfLiteOperatorSetInitWithData(
    TfLiteOperator* registration,
    void* (*init)(void* user_data, TfLiteOpaqueContext* context,
                  const char* buffer, size_t length));

// Free: called once a node, with what Init returned.
TFL_CAPI_EXPORT void TfLiteOperatorSetFree(
    TfLiteOperator* registration,
    void (*free)(TfLiteOpaqueContext* context, void* data));
TFL_CAPI_EXPORT TfLiteStatus TfLiteOperatorSetFreeWithData(
    TfLiteOperator* registration,
    void (*free)(void* user_data, TfLiteOpaqueContext* context, void* data));

// Prepare: called when the shapes of a node's inputs have changed.
TFL_CAPI_EXPORT void TfLiteOperatorSetPrepare(
    TfLiteOperator* registration,
    TfLiteStatus (*prepare)(TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node));
TFL_CAPI_EXPORT TfLiteStatus TfLiteOperatorSetPrepareWithData(
    TfLiteOperator* registration,
    TfLiteStatus (*prepare)(void* user_data, TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node));

// Invoke: called every time the node runs.
TFL_CAPI_EXPORT void TfLiteOperatorSetInvoke(
    TfLiteOperator* registration,
    TfLiteStatus (*invoke)(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node));
TFL_CAPI_EXPORT TfLiteStatus TfLiteOperatorSetInvokeWithData(
    TfLiteOperator* registration,
    TfLiteStatus (*invoke)(void* user_data, TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node));

// AsyncKernel: for delegate kernels that run asynchronously.
TFL_CAPI_EXPORT void TfLiteOperatorSetAsyncKernel(
    TfLiteOperator* registration,
    struct TfLiteAsyncKernel* (*async_kernel)(TfLiteOpaqueContext* context,
                                              TfLiteOpaqueNode* node));
TFL_CAPI_EXPORT TfLiteStatus TfLiteOperatorSetAsyncKernelWithData(
    TfLiteOperator* registration,
    struct TfLiteAsyncKernel* (*async_kernel)(void* user_data,
                                              TfLiteOpaqueContext* context,
                                              TfLiteOpaqueNode* node));

// A bitmask of TfLiteInPlaceOp.
TFL_CAPI_EXPORT void TfLiteOperatorSetInplaceOperator(
    TfLiteOperator* registration, uint64_t inplace_operator);

// ---------------------------------------------------------------------------
// The same under the names that older releases used. The library exports only
// the newer ones, hence the inline functions.

static inline TfLiteRegistrationExternal* TfLiteRegistrationExternalCreate(
    TfLiteBuiltinOperator builtin_code, const char* custom_name, int version) {
  return TfLiteOperatorCreate(builtin_code, custom_name, version,
                              /*user_data=*/NULL);
}

static inline void TfLiteRegistrationExternalDelete(
    TfLiteRegistrationExternal* registration) {
  TfLiteOperatorDelete(registration);
}

static inline TfLiteBuiltinOperator TfLiteRegistrationExternalGetBuiltInCode(
    const TfLiteRegistrationExternal* registration) {
  return TfLiteOperatorGetBuiltInCode(registration);
}

static inline const char* TfLiteRegistrationExternalGetCustomName(
    const TfLiteRegistrationExternal* registration) {
  return TfLiteOperatorGetCustomName(registration);
}

static inline int TfLiteRegistrationExternalGetVersion(
    const TfLiteRegistrationExternal* registration) {
  return TfLiteOperatorGetVersion(registration);
}

static inline void TfLiteRegistrationExternalSetInit(
    TfLiteRegistrationExternal* registration,
    void* (*init)(TfLiteOpaqueContext* context, const char* buffer,
                  size_t length)) {
  TfLiteOperatorSetInit(registration, init);
}

static inline void TfLiteRegistrationExternalSetFree(
    TfLiteRegistrationExternal* registration,
    void (*free)(TfLiteOpaqueContext* context, void* data)) {
  TfLiteOperatorSetFree(registration, free);
}

static inline void TfLiteRegistrationExternalSetPrepare(
    TfLiteRegistrationExternal* registration,
    TfLiteStatus (*prepare)(TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node)) {
  TfLiteOperatorSetPrepare(registration, prepare);
}

static inline void TfLiteRegistrationExternalSetInvoke(
    TfLiteRegistrationExternal* registration,
    TfLiteStatus (*invoke)(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node)) {
  TfLiteOperatorSetInvoke(registration, invoke);
}

static inline void TfLiteRegistrationExternalSetAsyncKernel(
    TfLiteRegistrationExternal* registration,
    struct TfLiteAsyncKernel* (*async_kernel)(TfLiteOpaqueContext* context,
                                              TfLiteOpaqueNode* node)) {
  TfLiteOperatorSetAsyncKernel(registration, async_kernel);
}

static inline void TfLiteRegistrationExternalSetInplaceOperator(
    TfLiteRegistrationExternal* registration, uint64_t inplace_operator) {
  TfLiteOperatorSetInplaceOperator(registration, inplace_operator);
}

static inline void TfLiteInterpreterOptionsAddRegistrationExternal(
    TfLiteInterpreterOptions* options,
    TfLiteRegistrationExternal* registration) {
  TfLiteInterpreterOptionsAddOperator(options, registration);
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_TENSORFLOW_LITE_C_C_API_H_
