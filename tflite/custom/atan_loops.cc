#include "tflite/custom/atan_loops.h"

#include <cmath>
#include <cstddef>
#include <cstring>

#include "tflite/custom/atan_math.h"

void AtanLoopsFloat(size_t size, const float* x, float* y) {
  for (size_t i = 0; i < size; ++i) y[i] = std::atan(x[i]);
}

void AtanLoopsDouble(size_t size, const float* x, float* y) {
  for (size_t i = 0; i < size; ++i) {
    y[i] = static_cast<float>(std::atan(static_cast<double>(x[i])));
  }
}

void AtanLoopsKernel(size_t size, const float* x, float* y) {
  tflite::custom::atan_op::Atan(size, x, y);
}

void AtanLoopsCopy(size_t size, const float* x, float* y) {
  std::memcpy(y, x, size * sizeof(float));
}
