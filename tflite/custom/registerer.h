#ifndef TFLITE_CUSTOM_REGISTERER_H_
#define TFLITE_CUSTOM_REGISTERER_H_

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

// The name of a kernel, in alphabetical order; null past the last one.
__attribute__((visibility("default"))) const char* TfLiteCustomOpsName(
    int index);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_REGISTERER_H_
