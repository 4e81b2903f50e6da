#ifndef TFLITE_CUSTOM_REDUCTION_CUMULATIVE_MATH_H_
#define TFLITE_CUSTOM_REDUCTION_CUMULATIVE_MATH_H_

#include <cmath>
#include <cstdint>
#include <limits>

namespace tflite::custom::reduction_ops {

// log(exp(a) + exp(b)). The comparisons are those of TensorFlow, which decide
// what becomes of a NaN: one in `b` counts as another `a`.
template <typename T>
T LogSumExp(T a, T b) {
  const T smaller = b < a ? b : a;
  const T larger = a < b ? b : a;
  if (smaller == -std::numeric_limits<T>::infinity()) return larger;
  return larger + std::log1p(std::exp(smaller - larger));
}

// For x and y of shape [outer, n, inner], y[:, k, :] is `start` joined with all
// of x[:, :k + 1, :] in turn, or with x[:, :k, :] where `exclusive` holds;
// `reverse` counts from the other end. `y` must not be `x`.
template <typename T, typename F>
void Accumulate(int64_t outer, int64_t n, int64_t inner, bool exclusive,
                bool reverse, T start, F join, const T* x, T* y) {
  const int64_t step = reverse ? -inner : inner;
  for (int64_t i = 0; i < outer; ++i) {
    const int64_t first = i * n * inner + (reverse ? (n - 1) * inner : 0);
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = first + k * step;
      const int64_t from = exclusive ? at - step : at;
      for (int64_t j = 0; j < inner; ++j) {
        const T before = k == 0 ? start : y[at - step + j];
        y[at + j] = exclusive && k == 0 ? before : join(before, x[from + j]);
      }
    }
  }
}

}  // namespace tflite::custom::reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_CUMULATIVE_MATH_H_
