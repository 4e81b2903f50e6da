#ifndef TFLITE_CUSTOM_ATAN_H_
#define TFLITE_CUSTOM_ATAN_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::atan_op {

// The custom op "Atan", version 1: one float32 or float64 tensor of any shape
// in, or a quantized int8 or uint8 one, and one of the same type and shape out.
// AtanOpRegistrationExternal() is for TfLiteInterpreterOptionsAddOperator,
// AtanOpRegistration() for a C++ op resolver's AddCustom. Both are singletons
// that live as long as the process.
TFLITE_CUSTOM_DECLARE_OP(Atan)

}  // namespace tflite::custom::atan_op

namespace atan_op = ::tflite::custom::atan_op;

#endif  // TFLITE_CUSTOM_ATAN_H_
