// TFLite's C API for kernels and delegates: accessors of the opaque tensor,
// node and context, and the TF_LITE_OPAQUE_ENSURE checks.
#ifndef THIRD_PARTY_TENSORFLOW_LITE_C_C_API_OPAQUE_H_
#define THIRD_PARTY_TENSORFLOW_LITE_C_C_API_OPAQUE_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------
// TfLiteOpaqueTensor

TFL_CAPI_EXPORT TfLiteType
TfLiteOpaqueTensorType(const TfLiteOpaqueTensor* opaque_tensor);
// -1 where the tensor has no shape yet.
TFL_CAPI_EXPORT int32_t
TfLiteOpaqueTensorNumDims(const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT int32_t TfLiteOpaqueTensorDim(
    const TfLiteOpaqueTensor* opaque_tensor, int32_t dim_index);

// The shape as the model gives it, -1 for a dimension that it leaves open.
// `num_dims` is -1 where the tensor has no such signature.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorGetNumDimsSignature(
    const TfLiteOpaqueTensor* opaque_tensor, int32_t* num_dims);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueTensorGetDimSignature(const TfLiteOpaqueTensor* opaque_tensor,
                                  int32_t dim_index, int32_t* dim_length);

TFL_CAPI_EXPORT int TfLiteOpaqueTensorIsVariable(
    const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT size_t
TfLiteOpaqueTensorByteSize(const TfLiteOpaqueTensor* opaque_tensor);
// Null until the tensor is allocated.
TFL_CAPI_EXPORT void* TfLiteOpaqueTensorData(
    const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT const char* TfLiteOpaqueTensorName(
    const TfLiteOpaqueTensor* opaque_tensor);

TFL_CAPI_EXPORT TfLiteAllocationType
TfLiteOpaqueTensorGetAllocationType(const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT TfLiteAllocationStrategy
TfLiteOpaqueTensorGetAllocationStrategy(const TfLiteOpaqueTensor* t);
TFL_CAPI_EXPORT TfLiteRunStability
TfLiteOpaqueTensorGetBufferAddressStability(const TfLiteOpaqueTensor* t);
TFL_CAPI_EXPORT TfLiteRunStability
TfLiteOpaqueTensorGetDataStability(const TfLiteOpaqueTensor* t);
TFL_CAPI_EXPORT TfLiteRunStep
TfLiteOpaqueTensorGetDataKnownStep(const TfLiteOpaqueTensor* t);
TFL_CAPI_EXPORT TfLiteRunStep
TfLiteOpaqueTensorGetShapeKnownStep(const TfLiteOpaqueTensor* t);
// For an output whose shape only Invoke can tell.
TFL_CAPI_EXPORT void TfLiteOpaqueTensorSetAllocationTypeToDynamic(
    TfLiteOpaqueTensor* tensor);

TFL_CAPI_EXPORT TfLiteQuantization
TfLiteOpaqueTensorGetQuantization(const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT TfLiteQuantizationParams
TfLiteOpaqueTensorGetQuantizationParams(
    const TfLiteOpaqueTensor* opaque_tensor);

// Both want exactly TfLiteOpaqueTensorByteSize bytes.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorCopyFromBuffer(
    TfLiteOpaqueTensor* opaque_tensor, const void* input_data,
    size_t input_data_size);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueTensorCopyToBuffer(const TfLiteOpaqueTensor* opaque_tensor,
                               void* output_data, size_t output_data_size);

// String tensors. A string that is read belongs to the tensor and need not end
// with a null character; writing replaces all that the tensor held.
TFL_CAPI_EXPORT int TfLiteOpaqueTensorGetStringCount(
    const TfLiteOpaqueTensor* tensor);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorGetString(
    const TfLiteOpaqueTensor* tensor, int index, const char** str, int* len);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorWriteStrings(
    TfLiteOpaqueTensor* tensor, const char* const* str_array, int str_array_len,
    const int* str_n_len);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorWriteString(
    TfLiteOpaqueTensor* tensor, const char* str, int len);

// ---------------------------------------------------------------------------
// TfLiteOpaqueTensorBuilder: what TfLiteOpaqueContextAddTensor makes a tensor
// of. Each setter returns its builder.

typedef struct TfLiteOpaqueTensorBuilder TfLiteOpaqueTensorBuilder;

TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderCreate(
    void);
TFL_CAPI_EXPORT void TfLiteOpaqueTensorBuilderDelete(
    TfLiteOpaqueTensorBuilder* builder);
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderSetType(
    TfLiteOpaqueTensorBuilder* builder, TfLiteType type);
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderSetData(
    TfLiteOpaqueTensorBuilder* builder, void* data);
// kTfLiteDynamic, kTfLiteArenaRw or kTfLiteArenaRwPersistent.
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder*
TfLiteOpaqueTensorBuilderSetAllocationType(
    TfLiteOpaqueTensorBuilder* builder, TfLiteAllocationType allocation_type);
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder*
TfLiteOpaqueTensorBuilderSetQuantizationParams(
    TfLiteOpaqueTensorBuilder* builder, TfLiteQuantizationParams params);
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder*
TfLiteOpaqueTensorBuilderSetQuantization(TfLiteOpaqueTensorBuilder* builder,
                                         TfLiteQuantization quantization);

// ---------------------------------------------------------------------------
// TfLiteOpaqueNode

TFL_CAPI_EXPORT const TfLiteOpaqueTensor* TfLiteOpaqueNodeGetInput(
    const TfLiteOpaqueContext* opaque_context,
    const TfLiteOpaqueNode* opaque_node, int index);
TFL_CAPI_EXPORT TfLiteOpaqueTensor* TfLiteOpaqueNodeGetOutput(
    TfLiteOpaqueContext* opaque_context, const TfLiteOpaqueNode* opaque_node,
    int index);
TFL_CAPI_EXPORT int TfLiteOpaqueNodeNumberOfInputs(
    const TfLiteOpaqueNode* opaque_node);
TFL_CAPI_EXPORT int TfLiteOpaqueNodeNumberOfOutputs(
    const TfLiteOpaqueNode* opaque_node);

// What Init returned.
TFL_CAPI_EXPORT void* TfLiteOpaqueNodeGetUserData(
    const TfLiteOpaqueNode* opaque_node);
// The parsed options of a built-in op.
TFL_CAPI_EXPORT void* TfLiteOpaqueNodeGetBuiltinData(
    const TfLiteOpaqueNode* opaque_node);
// The options of a custom op, as they stand in the model.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueNodeGetCustomInitialData(
    const TfLiteOpaqueNode* opaque_node, const void** init_data, int* size);

// Indices of the node's tensors among those of the context. The arrays are the
// runtime's.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueNodeInputs(
    const TfLiteOpaqueNode* opaque_node, const int** inputs, int* num_inputs);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueNodeOutputs(
    const TfLiteOpaqueNode* opaque_node, const int** outputs, int* num_outputs);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueNodeTemporaries(const TfLiteOpaqueNode* opaque_node,
                            const int** temporaries, int* num_temporaries);
// Copies the array.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueNodeSetTemporaries(
    TfLiteOpaqueNode* opaque_node, const int* temporaries, int num_temporaries);
// -1 where the node has no such input or output.
TFL_CAPI_EXPORT int TfLiteOpaqueNodeGetInputTensorIndex(
    const TfLiteOpaqueNode* opaque_node, int index_of_input);
TFL_CAPI_EXPORT int TfLiteOpaqueNodeGetOutputTensorIndex(
    const TfLiteOpaqueNode* opaque_node, int index_of_output);

// ---------------------------------------------------------------------------
// TfLiteOpaqueContext

// Indices of nodes in the order in which they run. The array is the runtime's,
// until the next call.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextGetExecutionPlan(
    TfLiteOpaqueContext* opaque_context, TfLiteIntArray** execution_plan);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextGetNodeAndRegistration(
    TfLiteOpaqueContext* opaque_context, int node_index,
    TfLiteOpaqueNode** node, TfLiteOperator** registration_external);

// Takes ownership of `registration_external`, not of the nodes' array.
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(
    TfLiteOpaqueContext* opaque_context, TfLiteOperator* registration_external,
    const TfLiteIntArray* nodes_to_replace,
    TfLiteOpaqueDelegate* opaque_delegate);

TFL_CAPI_EXPORT TfLiteOpaqueTensor* TfLiteOpaqueContextGetOpaqueTensor(
    const TfLiteOpaqueContext* opaque_context, int index);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextGetInputs(const TfLiteOpaqueContext* opaque_context,
                             const int** inputs, int* num_inputs);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextGetOutputs(const TfLiteOpaqueContext* opaque_context,
                              const int** outputs, int* num_outputs);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextGetVariables(const TfLiteOpaqueContext* opaque_context,
                                const int** variables, int* num_variables);
TFL_CAPI_EXPORT size_t
TfLiteOpaqueContextGetNumNodes(const TfLiteOpaqueContext* opaque_context);
TFL_CAPI_EXPORT size_t
TfLiteOpaqueContextGetNumTensors(const TfLiteOpaqueContext* opaque_context);
TFL_CAPI_EXPORT const char* TfLiteOpaqueContextGetName(
    const TfLiteOpaqueContext* opaque_context);

// Takes ownership of `new_size`, also where it fails.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextResizeTensor(
    TfLiteOpaqueContext* context, TfLiteOpaqueTensor* tensor,
    TfLiteIntArray* new_size);

// Acquire and Release come in pairs.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextAcquireSubgraphContext(
    TfLiteOpaqueContext* opaque_context, int subgraph_index,
    TfLiteOpaqueContext** acquired_opaque_context);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextReleaseSubgraphContext(
    TfLiteOpaqueContext* opaque_context, int subgraph_index);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextMarkSubgraphAsDelegationSkippable(
    TfLiteOpaqueContext* opaque_context, int subgraph_index);

// Where in the model's file a node's custom options lie; -1 where it has none.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextGetNodeInitDataMmapInfo(
    const TfLiteOpaqueContext* context, const TfLiteOpaqueNode* node, int* fd,
    int64_t* custom_initial_data_offset_in_file,
    int64_t* custom_initial_data_size);

// Adds a tensor, for a kernel's temporaries. `new_tensor_index` may be null.
// Pointers to tensors got earlier are no longer valid.
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextAddTensor(
    TfLiteOpaqueContext* context, TfLiteOpaqueTensorBuilder* builder,
    int* new_tensor_index);

TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextGetSizeOfType(
    TfLiteOpaqueContext* context, TfLiteType type, size_t* bytes);

// Formats as printf does.
TFL_CAPI_EXPORT void TfLiteOpaqueContextReportError(
    TfLiteOpaqueContext* opaque_context, const char* format, ...);
TFL_CAPI_EXPORT void TfLiteOpaqueContextReportErrorVa(
    TfLiteOpaqueContext* opaque_context, const char* format, va_list vlist);

// ---------------------------------------------------------------------------
// Delegates

// Null for a null builder. What the builder points to must outlive every
// interpreter that uses the delegate.
TFL_CAPI_EXPORT TfLiteOpaqueDelegate* TfLiteOpaqueDelegateCreate(
    const TfLiteOpaqueDelegateBuilder* opaque_delegate_builder);
TFL_CAPI_EXPORT void TfLiteOpaqueDelegateDelete(TfLiteOpaqueDelegate* delegate);
TFL_CAPI_EXPORT void* TfLiteOpaqueDelegateGetData(
    const TfLiteOpaqueDelegate* delegate);

// ---------------------------------------------------------------------------
// Checks. Each returns kTfLiteError from the function that it stands in, and
// reports the failed condition and where it stands. Use them before anything
// is acquired that the early return would leak.

#define TF_LITE_OPAQUE_KERNEL_LOG(opaque_context, ...)             \
  do {                                                             \
    TfLiteOpaqueContextReportError((opaque_context), __VA_ARGS__); \
  } while (false)

#define TF_LITE_OPAQUE_MAYBE_KERNEL_LOG(opaque_context, ...)    \
  do {                                                          \
    if ((opaque_context) != NULL) {                             \
      TF_LITE_OPAQUE_KERNEL_LOG((opaque_context), __VA_ARGS__); \
    }                                                           \
  } while (false)

#define TF_LITE_OPAQUE_ENSURE_MSG(opaque_context, value, msg)        \
  do {                                                               \
    if (!(value)) {                                                  \
      TF_LITE_OPAQUE_KERNEL_LOG((opaque_context), __FILE__ " " msg); \
      return kTfLiteError;                                           \
    }                                                                \
  } while (false)

#define TF_LITE_OPAQUE_ENSURE(opaque_context, a)                             \
  do {                                                                       \
    if (!(a)) {                                                              \
      TF_LITE_OPAQUE_KERNEL_LOG((opaque_context), "%s:%d: %s was not true.", \
                                __FILE__, __LINE__, #a);                     \
      return kTfLiteError;                                                   \
    }                                                                        \
  } while (false)

// Evaluates `a` and `b`, which are ints, again when they differ.
#define TF_LITE_OPAQUE_ENSURE_EQ(opaque_context, a, b)                  \
  do {                                                                  \
    if ((a) != (b)) {                                                   \
      TF_LITE_OPAQUE_KERNEL_LOG((opaque_context),                       \
                                "%s:%d: %s != %s (%d != %d)", __FILE__, \
                                __LINE__, #a, #b, (a), (b));            \
      return kTfLiteError;                                              \
    }                                                                   \
  } while (false)

#define TF_LITE_OPAQUE_ENSURE_TYPES_EQ(opaque_context, a, b)                  \
  do {                                                                        \
    if ((a) != (b)) {                                                         \
      TF_LITE_OPAQUE_KERNEL_LOG(                                              \
          (opaque_context), "%s:%d: %s != %s (%s != %s)", __FILE__, __LINE__, \
          #a, #b, TfLiteTypeGetName(a), TfLiteTypeGetName(b));                \
      return kTfLiteError;                                                    \
    }                                                                         \
  } while (false)

#define TF_LITE_OPAQUE_ENSURE_NEAR(opaque_context, a, b, epsilon)             \
  do {                                                                        \
    const double tf_lite_delta_ = ((a) > (b)) ? ((a) - (b)) : ((b) - (a));    \
    if (tf_lite_delta_ > (epsilon)) {                                         \
      TF_LITE_OPAQUE_KERNEL_LOG((opaque_context),                             \
                                "%s:%d: %s not near %s (%f != %f)", __FILE__, \
                                __LINE__, #a, #b, (double)(a), (double)(b));  \
      return kTfLiteError;                                                    \
    }                                                                         \
  } while (false)

#define TF_LITE_OPAQUE_ENSURE_STATUS(a) TF_LITE_ENSURE_STATUS(a)

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_TENSORFLOW_LITE_C_C_API_OPAQUE_H_
