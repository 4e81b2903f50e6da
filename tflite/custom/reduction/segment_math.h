#ifndef TFLITE_CUSTOM_REDUCTION_SEGMENT_MATH_H_
#define TFLITE_CUSTOM_REDUCTION_SEGMENT_MATH_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tflite/custom/wrapping.h"

namespace tflite::custom::reduction_ops {

// What a segment of numbers comes to: kEmpty where there are none, else
// Finish of all of them put together by Join, in their order. A segment of
// `count` numbers for which CanFinish does not hold has no result.

template <typename T>
struct MaxOf {
  static constexpr T kEmpty = 0;
  // The comparison is TensorFlow's, which decides what becomes of a NaN.
  static T Join(T a, T b) { return b < a ? a : b; }
  static T Finish(T joined, int64_t /*count*/) { return joined; }
  static bool CanFinish(int64_t /*count*/) { return true; }
};

template <typename T>
struct MinOf {
  static constexpr T kEmpty = 0;
  static T Join(T a, T b) { return a < b ? a : b; }
  static T Finish(T joined, int64_t /*count*/) { return joined; }
  static bool CanFinish(int64_t /*count*/) { return true; }
};

template <typename T>
struct ProductOf {
  static constexpr T kEmpty = 1;
  static T Join(T a, T b) { return WrappingProduct(a, b); }
  static T Finish(T joined, int64_t /*count*/) { return joined; }
  static bool CanFinish(int64_t /*count*/) { return true; }
};

// Sum and count of a mean, which TensorFlow takes in the data's own type: those
// of integers wrap. Unsigned arithmetic of at least int's size does so without
// overflowing.
template <typename T, bool is_integral = std::is_integral_v<T>>
struct MeanOf {
  static constexpr T kEmpty = 0;
  static T Join(T a, T b) { return a + b; }
  static T Finish(T sum, int64_t count) { return sum / static_cast<T>(count); }
  static bool CanFinish(int64_t /*count*/) { return true; }
};

template <typename T>
struct MeanOf<T, true> {
  using Sum = std::make_unsigned_t<T>;
  static constexpr T kEmpty = 0;
  static T Join(T a, T b) { return WrappingSum(a, b); }
  static T Finish(T sum, int64_t count) {
    const T divisor = static_cast<T>(count);
    // The one quotient that overflows; it wraps as well.
    if (std::is_signed_v<T> && divisor == static_cast<T>(-1)) {
      return static_cast<T>(Sum(0) - static_cast<Sum>(sum));
    }
    return static_cast<T>(sum / divisor);
  }
  static bool CanFinish(int64_t count) { return static_cast<T>(count) != 0; }
};

// Writes what the segments of rows come to, column by column, to `results`,
// whose rows are one more than the last of `segments`. `segments` begins at
// zero or more and does not fall. Returns -1, or the first segment that cannot
// finish.
template <typename Reducer, typename T, typename I>
int64_t ReduceSegments(int64_t rows, int64_t cols, const T* data,
                       const I* segments, T* results) {
  if (rows == 0) return -1;
  std::fill(results,
            results + (static_cast<int64_t>(segments[rows - 1]) + 1) * cols,
            Reducer::kEmpty);
  for (int64_t begin = 0; begin < rows;) {
    const int64_t segment = segments[begin];
    T* const result = results + segment * cols;
    std::copy_n(data + begin * cols, cols, result);
    int64_t end = begin + 1;
    for (; end < rows && segments[end] == segment; ++end) {
      for (int64_t j = 0; j < cols; ++j) {
        result[j] = Reducer::Join(result[j], data[end * cols + j]);
      }
    }
    if (!Reducer::CanFinish(end - begin)) return segment;
    for (int64_t j = 0; j < cols; ++j) {
      result[j] = Reducer::Finish(result[j], end - begin);
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

}  // namespace tflite::custom::reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_SEGMENT_MATH_H_
