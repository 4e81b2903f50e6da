#ifndef TFLITE_CUSTOM_QUANTIZATION_FAKE_QUANT_MATH_H_
#define TFLITE_CUSTOM_QUANTIZATION_FAKE_QUANT_MATH_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tflite::custom::quantization_ops {

// The integers that values are quantized to, from `low` to `high`.
struct QuantizedRange {
  float low;
  float high;
};

inline QuantizedRange RangeOf(int num_bits, bool narrow_range) {
  return {narrow_range ? 1.0f : 0.0f, static_cast<float>((1 << num_bits) - 1)};
}

// The range of values that the integers stand for, moved so that one of them
// stands for 0.
struct Nudged {
  Nudged(QuantizedRange range, float given_min, float given_max)
      : scale((given_max - given_min) / (range.high - range.low)) {
    const float from_min = range.low - given_min / scale;
    const float zero = from_min < range.low ? range.low
                       : from_min > range.high
                           ? range.high
                           // Low for a NaN.
                           : std::max(range.low, std::round(from_min));
    min = (range.low - zero) * scale;
    max = (range.high - zero) * scale;
  }

  float scale;
  float min;
  float max;
};

// The value that the nearest integer stands for.
inline float FakeQuantized(const Nudged& nudged, float x) {
  const float inverse = 1.0f / nudged.scale;
  const float zero = std::floor(-nudged.min * inverse + 0.5f);
  // The comparisons are TensorFlow's, and keep a NaN.
  const float capped = nudged.max < x ? nudged.max : x;
  const float clamped = capped < nudged.min ? nudged.min : capped;
  return std::floor((clamped - nudged.min) * inverse - zero + 0.5f) *
         nudged.scale;
}

}  // namespace tflite::custom::quantization_ops

#endif  // TFLITE_CUSTOM_QUANTIZATION_FAKE_QUANT_MATH_H_
