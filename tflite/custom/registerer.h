#ifndef TFLITE_CUSTOM_REGISTERER_H_
#define TFLITE_CUSTOM_REGISTERER_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Registers every kernel with a tflite::MutableOpResolver. For
// InterpreterWithCustomOps, by this name or as a callable. 0 on success.
__attribute__((visibility("default"))) int TfLiteCustomOpsRegisterer(
    void* resolver);

// Registers every kernel with a TfLiteInterpreterOptions of the C library.
__attribute__((visibility("default"))) void TfLiteCustomOpsRegisterWithOptions(
    void* options);

// 1 if there is a kernel for an op, 0 if not.
__attribute__((visibility("default"))) int TfLiteCustomOpsHas(const char* name,
                                                              int version);

// The name of a kernel, in alphabetical order; null past the last one.
__attribute__((visibility("default"))) const char* TfLiteCustomOpsName(
    int index);

// What the C library reports on a model and its interpreters, for error
// messages. It must outlive them.
typedef struct TfLiteCustomOpsLog TfLiteCustomOpsLog;
__attribute__((visibility("default"))) TfLiteCustomOpsLog*
TfLiteCustomOpsLogCreate(void);
__attribute__((visibility("default"))) void TfLiteCustomOpsLogDelete(
    TfLiteCustomOpsLog* log);
// Has interpreters that are made with a TfLiteInterpreterOptions report to it,
// not to standard error.
__attribute__((visibility("default"))) void TfLiteCustomOpsLogUse(
    TfLiteCustomOpsLog* log, void* options);
// In one line, until the next call. Clears it.
__attribute__((visibility("default"))) const char* TfLiteCustomOpsLogTake(
    TfLiteCustomOpsLog* log);

// Contents of a file whose buffers lie after its tables, which the C library
// does not read, with them inside; `model` itself if there are none outside,
// and null if it is damaged or too large, which the log then says. `model` must
// be one that TfLiteModelCreate took. To be freed if it is another.
__attribute__((visibility("default"))) const void* TfLiteCustomOpsBuffersInside(
    const void* model, size_t size, TfLiteCustomOpsLog* log, size_t* new_size);
__attribute__((visibility("default"))) void TfLiteCustomOpsFree(
    const void* contents);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_REGISTERER_H_
