#ifndef TFLITE_CUSTOM_REDUCTION_BINCOUNT_MATH_H_
#define TFLITE_CUSTOM_REDUCTION_BINCOUNT_MATH_H_

#include <algorithm>
#include <cstdint>

#include "tflite/custom/wrapping.h"

namespace reduction_ops {

using ::tflite::custom::WrappingSum;

// The first of `count` numbers that is negative; `count` where none is.
template <typename I>
int64_t FirstNegative(int64_t count, const I* numbers) {
  return std::find_if(numbers, numbers + count, [](I x) { return x < 0; }) -
         numbers;
}

// For each row of `count` numbers, none negative, writes a row of `size` sums:
// that of the weights of each number, or how often it occurs where `weights` is
// null. Where `binary` holds, whether it occurs, as 1 or 0. Numbers of `size`
// and more do not count.
template <typename T, typename I>
void CountBins(int64_t rows, int64_t count, int64_t size, bool binary,
               const I* numbers, const T* weights, T* sums) {
  std::fill(sums, sums + rows * size, T(0));
  for (int64_t row = 0; row < rows; ++row, sums += size) {
    for (int64_t i = row * count; i < (row + 1) * count; ++i) {
      const int64_t number = numbers[i];
      if (number >= size) continue;
      if (binary) {
        sums[number] = T(1);
      } else {
        sums[number] =
            WrappingSum(sums[number], weights == nullptr ? T(1) : weights[i]);
      }
    }
  }
}

}  // namespace reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_BINCOUNT_MATH_H_
