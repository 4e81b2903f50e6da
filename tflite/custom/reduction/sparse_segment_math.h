#ifndef TFLITE_CUSTOM_REDUCTION_SPARSE_SEGMENT_MATH_H_
#define TFLITE_CUSTOM_REDUCTION_SPARSE_SEGMENT_MATH_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tflite/custom/wrapping.h"

namespace tflite::custom::reduction_ops {

// What a sum of `count` rows is divided by.
enum class Divisor { kOne, kCount, kRootOfCount };

inline double DivisorOf(Divisor divisor, int64_t count) {
  const double n = static_cast<double>(count);
  return divisor == Divisor::kOne     ? 1
         : divisor == Divisor::kCount ? n
                                      : std::sqrt(n);
}

// Writes the sum of `count` rows of `data`, one or more, divided. Rows are
// added in the groups in which TensorFlow adds them, so that results are the
// same: eight at a time, after two to nine that make the rest such groups.
template <typename T, typename I>
void SumRows(Divisor divisor, int64_t cols, const T* data, const I* rows,
             int64_t count, T* sum) {
  const int64_t first = count == 1      ? 1
                        : count % 8 < 2 ? count % 8 + 8
                                        : count % 8;
  const double by = DivisorOf(divisor, count);
  for (int64_t j = 0; j < cols; ++j) {
    T total = 0;
    for (int64_t begin = 0, end = first; begin < count; begin = end, end += 8) {
      T group = data[rows[begin] * cols + j];
      for (int64_t i = begin + 1; i < end; ++i) {
        group = WrappingSum(group, data[rows[i] * cols + j]);
      }
      total = begin == 0 ? group : WrappingSum(total, group);
    }
    if (divisor == Divisor::kOne) {
      sum[j] = total;
    } else if (count < 10) {  // As TensorFlow, which matters for the last bit.
      sum[j] = static_cast<T>(total * static_cast<T>(1 / by));
    } else {
      sum[j] = static_cast<T>(total / static_cast<T>(by));
    }
  }
}

// For each segment the sum of those rows of `data` that `rows` names where
// `segments`, not falling and all less than `num_segments`, names the segment;
// 0 where none does.
template <typename T, typename I, typename S>
void SumSparseSegments(Divisor divisor, int64_t cols, const T* data,
                       int64_t count, const I* rows, const S* segments,
                       int64_t num_segments, T* sums) {
  std::fill(sums, sums + num_segments * cols, T(0));
  for (int64_t begin = 0; begin < count;) {
    int64_t end = begin + 1;
    while (end < count && segments[end] == segments[begin]) ++end;
    SumRows(divisor, cols, data, rows + begin, end - begin,
            sums + segments[begin] * cols);
    begin = end;
  }
}

// The gradient of the above by `data`, which has `num_rows`. `sizes` has room
// for one number for each row of `gradients`.
template <typename T, typename I, typename S>
void SpreadSparseSegments(Divisor divisor, int64_t cols, const T* gradients,
                          int64_t num_segments, int64_t count, const I* rows,
                          const S* segments, double* sizes, int64_t num_rows,
                          T* spread) {
  std::fill(spread, spread + num_rows * cols, T(0));
  std::fill(sizes, sizes + num_segments, 0.0);
  for (int64_t i = 0; i < count; ++i) ++sizes[segments[i]];
  for (int64_t i = 0; i < count; ++i) {
    const T scale = static_cast<T>(
        1 / DivisorOf(divisor, static_cast<int64_t>(sizes[segments[i]])));
    for (int64_t j = 0; j < cols; ++j) {
      spread[rows[i] * cols + j] += gradients[segments[i] * cols + j] * scale;
    }
  }
}

// The first of `count` numbers that is outside of [0, limit); `count` where
// none is.
template <typename I>
int64_t FirstOutside(int64_t count, const I* numbers, int64_t limit) {
  return std::find_if(numbers, numbers + count,
                      [limit](I x) { return x < 0 || x >= limit; }) -
         numbers;
}

}  // namespace tflite::custom::reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_SPARSE_SEGMENT_MATH_H_
