#ifndef TFLITE_CUSTOM_ATAN_H_
#define TFLITE_CUSTOM_ATAN_H_

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace atan_op {

// The custom op "Atan", version 1: one float32 or float64 tensor of any shape
// in, one of the same type and shape out. Both are singletons that live as long
// as the process.

// For TfLiteInterpreterOptionsAddOperator.
TfLiteRegistrationExternal* AtanOpRegistrationExternal();

// For a C++ op resolver's AddCustom.
const TfLiteRegistration* AtanOpRegistration();

}  // namespace atan_op

#endif  // TFLITE_CUSTOM_ATAN_H_
