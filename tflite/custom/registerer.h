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

// A model that the C library may trust: verified, checked and with its buffers
// where that library reads them. Null if `contents`, of a .tflite file, are no
// such thing, which the log then says. They must outlive the model, and the
// model its interpreters.
typedef struct TfLiteCustomOpsModel TfLiteCustomOpsModel;
__attribute__((visibility("default"))) TfLiteCustomOpsModel*
TfLiteCustomOpsModelCreate(const void* contents, size_t size,
                           TfLiteCustomOpsLog* log);
__attribute__((visibility("default"))) void TfLiteCustomOpsModelDelete(
    TfLiteCustomOpsModel* model);
// What TfLiteInterpreterCreate takes.
__attribute__((visibility("default"))) const void* TfLiteCustomOpsModelGet(
    const TfLiteCustomOpsModel* model);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_REGISTERER_H_
