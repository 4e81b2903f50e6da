// What custom_ops.inc lists, declared: for each op, such as Qr, the functions
// QrOpRegistrationExternal and QrOpRegistration in its namespace. Both return
// singletons that live as long as the process.
#ifndef TFLITE_CUSTOM_CUSTOM_OPS_H_
#define TFLITE_CUSTOM_CUSTOM_OPS_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

#define TFLITE_CUSTOM_OP(name_space, name) \
  namespace name_space {                   \
  TFLITE_CUSTOM_DECLARE_OP(name)           \
  }
// A function in C is one function, whichever namespace declares it.
#define TFLITE_CUSTOM_C_OP(name) \
  namespace c_ops {              \
  extern "C" {                   \
  TFLITE_CUSTOM_DECLARE_OP(name) \
  }                              \
  }
#include "tflite/custom/custom_ops.inc"
#undef TFLITE_CUSTOM_OP

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_CUSTOM_OPS_H_
