#include "tflite/custom/atan_math.h"

#include <cmath>
#include <cstddef>

namespace atan_op {

void Atan(size_t size, const float* x, float* y) {
  for (size_t i = 0; i < size; ++i) y[i] = std::atan(x[i]);
}

}  // namespace atan_op
