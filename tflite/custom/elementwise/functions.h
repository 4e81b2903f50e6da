#ifndef TFLITE_CUSTOM_ELEMENTWISE_FUNCTIONS_H_
#define TFLITE_CUSTOM_ELEMENTWISE_FUNCTIONS_H_

#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {

// One function an op of ops.inc, over inputs of type T. Each is instantiated,
// for the types of its line there, in the file that stands above the line.
// Returns null, or what is wrong with the inputs.
#define ELEMENTWISE_OP(name, inputs, shapes, types) \
  template <typename T>                             \
  const char* name(const Run& run);
#include "tflite/custom/elementwise/ops.inc"
#undef ELEMENTWISE_OP

// tf.atan in double; that of floats is //tflite/custom:atan_math.
template <typename T>
const char* Atan(const Run& run);

}  // namespace tflite::custom::elementwise

#endif  // TFLITE_CUSTOM_ELEMENTWISE_FUNCTIONS_H_
