#ifndef TFLITE_CUSTOM_ATAN_MATH_H_
#define TFLITE_CUSTOM_ATAN_MATH_H_

#include <cstddef>

namespace tflite::custom::atan_op {

// y[i] = atan(x[i]), in radians, within 1 ULP of the correctly rounded value; a
// NaN gives a NaN. `y` may be `x`.
void Atan(size_t size, const float* x, float* y);

}  // namespace tflite::custom::atan_op

#endif  // TFLITE_CUSTOM_ATAN_MATH_H_
