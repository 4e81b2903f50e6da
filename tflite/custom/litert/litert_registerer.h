#ifndef TFLITE_CUSTOM_LITERT_LITERT_REGISTERER_H_
#define TFLITE_CUSTOM_LITERT_LITERT_REGISTERER_H_

// What libtflite_custom_ops_litert.so exports: custom ops for LiteRT's
// CompiledModel, in C. If something fails, the function says so in its result,
// and TfLiteCustomOpsLiteRtError says what, in one line, until the thread's
// next call.

#include <stddef.h>
#include <stdint.h>

#include "third_party/litert/c/litert_options.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TFLITE_CUSTOM_OPS_EXPORT __attribute__((visibility("default")))

TFLITE_CUSTOM_OPS_EXPORT const char* TfLiteCustomOpsLiteRtError(void);

// Where kernels come from: the functions TfLiteCustomOpsHas and
// TfLiteCustomOpsRegisterWithOptions of a library of tflite_registerer. The
// library stays loaded for as long as the process. Of kernels with one name and
// version the last library's is taken.
typedef struct TfLiteCustomOpsLibrary {
  int (*has)(const char* name, int version);
  void (*register_with_options)(void* options);
} TfLiteCustomOpsLibrary;

// For code that calls LiteRT's C API itself: kernels for one model, added to
// the options that it is compiled with. What to load with
// LiteRtCreateModelFromBuffer is the model that ...Model gives. They must
// outlive the compiled model. Null where they could not be added.
typedef struct TfLiteCustomOpsLiteRtKernels TfLiteCustomOpsLiteRtKernels;
TFLITE_CUSTOM_OPS_EXPORT TfLiteCustomOpsLiteRtKernels*
TfLiteCustomOpsAddToLiteRtOptions(const void* model, size_t size,
                                  LiteRtOptions options,
                                  const TfLiteCustomOpsLibrary* libraries,
                                  int library_count);
TFLITE_CUSTOM_OPS_EXPORT const void* TfLiteCustomOpsLiteRtKernelsModel(
    const TfLiteCustomOpsLiteRtKernels* kernels, size_t* size);
// 0 where no kernel failed since the last call: LiteRT itself does not tell.
TFLITE_CUSTOM_OPS_EXPORT int TfLiteCustomOpsLiteRtKernelsCheck(
    TfLiteCustomOpsLiteRtKernels* kernels);
TFLITE_CUSTOM_OPS_EXPORT void TfLiteCustomOpsLiteRtKernelsDelete(
    TfLiteCustomOpsLiteRtKernels* kernels);

// A compiled model, for code that need not know LiteRT: what
// tflite.custom.python.interpreter calls. Indices must be below the counts.
// Tensors are those of the signature that was selected last.
typedef struct TfLiteCustomOpsLiteRtModel TfLiteCustomOpsLiteRtModel;
// Copies the model. Null where it cannot be prepared.
TFLITE_CUSTOM_OPS_EXPORT TfLiteCustomOpsLiteRtModel*
TfLiteCustomOpsLiteRtModelCreate(const void* model, size_t size,
                                 int num_threads,
                                 const TfLiteCustomOpsLibrary* libraries,
                                 int library_count);
TFLITE_CUSTOM_OPS_EXPORT void TfLiteCustomOpsLiteRtModelDelete(
    TfLiteCustomOpsLiteRtModel* model);
TFLITE_CUSTOM_OPS_EXPORT int TfLiteCustomOpsLiteRtModelTensorCount(
    const TfLiteCustomOpsLiteRtModel* model, int is_output);
TFLITE_CUSTOM_OPS_EXPORT const char* TfLiteCustomOpsLiteRtModelTensorName(
    const TfLiteCustomOpsLiteRtModel* model, int is_output, int index);
// As a TfLiteType.
TFLITE_CUSTOM_OPS_EXPORT int TfLiteCustomOpsLiteRtModelTensorType(
    const TfLiteCustomOpsLiteRtModel* model, int is_output, int index);
// The rank. `dims` has room for 8.
TFLITE_CUSTOM_OPS_EXPORT int TfLiteCustomOpsLiteRtModelTensorShape(
    const TfLiteCustomOpsLiteRtModel* model, int is_output, int index,
    int32_t* dims);
// The rest return 0 on success.
// By its place in the model, the first one without this.
TFLITE_CUSTOM_OPS_EXPORT int TfLiteCustomOpsLiteRtModelSelectSignature(
    TfLiteCustomOpsLiteRtModel* model, int signature);
// Gives each input a shape: `ranks` has one for each, `dims` the dimensions of
// one after the other. All inputs lose their values.
TFLITE_CUSTOM_OPS_EXPORT int TfLiteCustomOpsLiteRtModelResize(
    TfLiteCustomOpsLiteRtModel* model, const int32_t* dims,
    const int32_t* ranks);
TFLITE_CUSTOM_OPS_EXPORT int TfLiteCustomOpsLiteRtModelWrite(
    TfLiteCustomOpsLiteRtModel* model, int index, const void* data,
    size_t size);
TFLITE_CUSTOM_OPS_EXPORT int TfLiteCustomOpsLiteRtModelRun(
    TfLiteCustomOpsLiteRtModel* model);
TFLITE_CUSTOM_OPS_EXPORT int TfLiteCustomOpsLiteRtModelRead(
    const TfLiteCustomOpsLiteRtModel* model, int index, void* data,
    size_t size);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_LITERT_LITERT_REGISTERER_H_
