#ifndef TFLITE_CUSTOM_LINALG_CROSS_H_
#define TFLITE_CUSTOM_LINALG_CROSS_H_

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

// The custom op "Cross", version 1: the cross products of the vectors along the
// last dimension, which is 3, of two tensors of one shape. Both are singletons
// that live as long as the process.

// For TfLiteInterpreterOptionsAddOperator.
TfLiteRegistrationExternal* CrossOpRegistrationExternal(void);

// For a C++ op resolver's AddCustom.
const TfLiteRegistration* CrossOpRegistration(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_LINALG_CROSS_H_
