#ifndef TFLITE_CUSTOM_REDUCTION_REDUCE_MATH_H_
#define TFLITE_CUSTOM_REDUCTION_REDUCE_MATH_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tflite/custom/wrapping.h"

namespace tflite::custom::reduction_ops {

// The root of a sum, of integers rounded down. A sum that has wrapped to less
// than 0 has none: as in TensorFlow that is the least integer, of at least 32
// bits, which in fewer bits is 0.
template <typename T>
T RootOf(T sum) {
  if constexpr (std::is_integral_v<T>) {
    if (sum < T(0)) return sizeof(T) < 4 ? T(0) : std::numeric_limits<T>::min();
    return static_cast<T>(std::sqrt(static_cast<double>(sum)));
  } else {
    return std::sqrt(sum);
  }
}

// A dimension of x, and how far apart in `results` are the results of elements
// that are next to each other along it: 0 along a dimension that is reduced.
struct ReducedDimension {
  int64_t size;
  int64_t stride;
  int64_t position;  // Reduce's own.
};

// Reduces x to `count` results: each is `start` and then what `add` makes of it
// and an element of x that belongs to it, in their order. `dimensions` are x's
// `rank`, outermost first.
template <typename T, typename F>
void Reduce(ReducedDimension* dimensions, int rank, const T* x, int64_t count,
            T start, const F& add, T* results) {
  std::fill_n(results, count, start);
  int64_t total = 1;
  for (int i = 0; i < rank; ++i) {
    total *= dimensions[i].size;
    dimensions[i].position = 0;
  }
  int64_t at = 0;
  for (int64_t i = 0; i < total; ++i) {
    results[at] = add(results[at], x[i]);
    for (int d = rank - 1; d >= 0; --d) {
      ReducedDimension& dimension = dimensions[d];
      at += dimension.stride;
      if (++dimension.position < dimension.size) break;
      at -= dimension.stride * dimension.size;
      dimension.position = 0;
    }
  }
}

}  // namespace tflite::custom::reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_REDUCE_MATH_H_
