#ifndef TFLITE_CUSTOM_ELEMENTWISE_RUN_H_
#define TFLITE_CUSTOM_ELEMENTWISE_RUN_H_

#include <cstddef>

namespace tflite::custom::elementwise {

// What one call of a function computes: `size` elements that lie one after the
// other in `output`. Input i goes along with them where steps[i] is 1, and
// gives them all its one element where it is 0; a function of one input may
// take its step for 1.
struct Run {
  static constexpr int kMaxInputs = 3;

  size_t size;
  const void* inputs[kMaxInputs];
  size_t steps[kMaxInputs];
  void* output;
  // That of an op that has one, else 0.
  float option = 0;
};

}  // namespace tflite::custom::elementwise

#endif  // TFLITE_CUSTOM_ELEMENTWISE_RUN_H_
