#ifndef TFLITE_CUSTOM_QUANTIZATION_QUANTIZE_AND_DEQUANTIZE_MATH_H_
#define TFLITE_CUSTOM_QUANTIZATION_QUANTIZE_AND_DEQUANTIZE_MATH_H_

#include <cmath>
#include <cstdint>
#include <limits>

namespace tflite::custom::quantization_ops {

enum class Rounding { kHalfToEven, kHalfUp };

// How values between two are scaled to integers of some bits and back.
template <typename T>
struct Scaling {
  // The most that is scaled without leaving the integers, with 0 at 0.
  Scaling(bool is_signed, int num_bits, bool narrow_range, T low, T high)
      : min(low), max(high) {
    const int64_t half = int64_t{1} << (num_bits - 1);
    const int64_t least = !is_signed ? 0 : narrow_range ? 1 - half : -half;
    const int64_t most = is_signed ? half - 1 : 2 * half - 1;
    const T low_side = static_cast<T>(least);
    const T high_side = static_cast<T>(most);
    constexpr T kAny = std::numeric_limits<T>::max();
    const T by_low = low_side * low > T(0) ? low_side / low : kAny;
    const T by_high = high_side * high > T(0) ? high_side / high : kAny;
    if (by_low < by_high) {
      scale = by_low;
      inverse = low / low_side;
      max = high_side * inverse;
    } else {
      scale = by_high;
      inverse = high / high_side;
      min = low_side * inverse;
    }
  }

  T Clamp(T x) const {
    // The comparisons are TensorFlow's, and keep a NaN.
    const T capped = max < x ? max : x;
    return capped < min ? min : capped;
  }

  T Round(T x, Rounding rounding) const {
    const T scaled = x * scale;
    return (rounding == Rounding::kHalfUp ? std::floor(scaled + T(0.5))
                                          : std::rint(scaled)) *
           inverse;
  }

  T min;
  T max;
  T scale;
  T inverse;
};

}  // namespace tflite::custom::quantization_ops

#endif  // TFLITE_CUSTOM_QUANTIZATION_QUANTIZE_AND_DEQUANTIZE_MATH_H_
