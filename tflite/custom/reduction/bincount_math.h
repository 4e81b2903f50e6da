#ifndef TFLITE_CUSTOM_REDUCTION_BINCOUNT_MATH_H_
#define TFLITE_CUSTOM_REDUCTION_BINCOUNT_MATH_H_

#include <algorithm>
#include <cstdint>

#include "tflite/custom/wrapping.h"

namespace tflite::custom::reduction_ops {

// The first of `count` numbers that is negative; `count` where none is.
template <typename I>
int64_t FirstNegative(int64_t count, const I* numbers) {
  return std::find_if(numbers, numbers + count, [](I x) { return x < 0; }) -
         numbers;
}

// Adds to the `size` sums the weights of `count` numbers, none negative: to
// that of each number its weight, or 1 where `weights` is null. Where `binary`
// holds, sets it to 1. Numbers of `size` and more do not count.
template <typename T, typename I>
void CountBins(int64_t count, int64_t size, bool binary, const I* numbers,
               const T* weights, T* sums) {
  for (int64_t i = 0; i < count; ++i) {
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

}  // namespace tflite::custom::reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_BINCOUNT_MATH_H_
