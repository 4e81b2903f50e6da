#ifndef TFLITE_CUSTOM_ELEMENTWISE_ELEMENTWISE_H_
#define TFLITE_CUSTOM_ELEMENTWISE_ELEMENTWISE_H_

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::elementwise {

// For each op of ops.inc, such as Tan, its registration, version 1:
//   TfLiteRegistrationExternal* TanOpRegistrationExternal();
//   const TfLiteRegistration* TanOpRegistration();
// They are singletons that live as long as the process.
#define ELEMENTWISE_OP(name, inputs, shapes, types)           \
  TfLiteRegistrationExternal* name##OpRegistrationExternal(); \
  const TfLiteRegistration* name##OpRegistration();
#include "tflite/custom/elementwise/ops.inc"
#undef ELEMENTWISE_OP

}  // namespace tflite::custom::elementwise

#endif  // TFLITE_CUSTOM_ELEMENTWISE_ELEMENTWISE_H_
