#ifndef TFLITE_CUSTOM_REDUCTION_SEGMENT_MEAN_MATH_H_
#define TFLITE_CUSTOM_REDUCTION_SEGMENT_MEAN_MATH_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tflite/custom/reduction/wrapping_sum.h"

namespace reduction_ops {

// What a mean's sum is divided by, the count, TensorFlow too takes in the
// data's own type: that of integers wraps.
template <typename T, bool is_integral = std::is_integral_v<T>>
struct MeanOf {
  static T Divide(T sum, int64_t count) { return sum / static_cast<T>(count); }
  static bool CanDivide(int64_t count) { return true; }
};

template <typename T>
struct MeanOf<T, true> {
  static T Divide(T sum, int64_t count) {
    const T divisor = static_cast<T>(count);
    // The one quotient that overflows; it wraps as well.
    if (std::is_signed_v<T> && divisor == static_cast<T>(-1)) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(Unsigned(0) - static_cast<Unsigned>(sum));
    }
    return static_cast<T>(sum / divisor);
  }
  static bool CanDivide(int64_t count) { return static_cast<T>(count) != 0; }
};

// Writes the means of the segments of rows to `means`, whose rows are one more
// than the last of `segments`; a segment without rows has the mean zero.
// `segments` begins at zero or more and does not fall. Returns -1, or the first
// segment whose number of rows is zero in T, which cannot divide.
template <typename T, typename I>
int64_t SegmentMean(int64_t rows, int64_t cols, const T* data,
                    const I* segments, T* means) {
  if (rows == 0) return -1;
  std::fill(means,
            means + (static_cast<int64_t>(segments[rows - 1]) + 1) * cols,
            T(0));
  for (int64_t begin = 0; begin < rows;) {
    const int64_t segment = segments[begin];
    int64_t end = begin;
    T* const mean = means + segment * cols;
    for (; end < rows && segments[end] == segment; ++end) {
      for (int64_t j = 0; j < cols; ++j) {
        mean[j] = WrappingSum(mean[j], data[end * cols + j]);
      }
    }
    if (!MeanOf<T>::CanDivide(end - begin)) return segment;
    for (int64_t j = 0; j < cols; ++j) {
      mean[j] = MeanOf<T>::Divide(mean[j], end - begin);
    }
    begin = end;
  }
  return -1;
}

// The first row whose segment is negative or less than the one before it;
// `rows` where none is.
template <typename I>
int64_t FirstFalling(int64_t rows, const I* segments) {
  I before = 0;
  for (int64_t i = 0; i < rows; ++i) {
    if (segments[i] < before) return i;
    before = segments[i];
  }
  return rows;
}

}  // namespace reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_SEGMENT_MEAN_MATH_H_
