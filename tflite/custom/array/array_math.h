#ifndef TFLITE_CUSTOM_ARRAY_ARRAY_MATH_H_
#define TFLITE_CUSTOM_ARRAY_ARRAY_MATH_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tflite::custom::array_ops {

// `count` values, one or more, from `start` to `stop` in equal steps.
template <typename T>
void LinSpace(T start, T stop, int64_t count, T* values) {
  values[0] = start;
  if (count == 1) return;
  const T step = (stop - start) / static_cast<T>(count - 1);
  for (int64_t i = 1; i < count - 1; ++i) {
    values[i] = start + step * static_cast<T>(i);
  }
  values[count - 1] = stop;
}

// Whether the target is a class of which fewer than k others have a greater
// prediction. Not where a prediction that is looked at is not finite.
inline bool InTopK(int64_t classes, const float* predictions, int64_t target,
                   int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(predictions[target])) {
    return false;
  }
  int64_t greater = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(predictions[i])) return false;
    if (predictions[i] > predictions[target] && ++greater > k) return false;
  }
  return greater < k;
}

// Less, with NaN above all: an order for floats too.
template <typename T>
bool Before(T a, T b) {
  return a < b || (a == a && b != b);
}

// What would be element n of `values` in rising order, n less than `count`.
// Changes their order.
template <typename T>
T NthElement(int64_t count, int64_t n, T* values) {
  std::nth_element(values, values + n, values + count, Before<T>);
  return values[n];
}

// Writes for each value where among the sorted ones it would be put, before
// those that equal it or after them.
template <typename T, typename I>
void SearchSorted(int64_t sorted_count, const T* sorted, int64_t count,
                  const T* values, bool after, I* positions) {
  const T* end = sorted + sorted_count;
  for (int64_t i = 0; i < count; ++i) {
    const T* at = after ? std::upper_bound(sorted, end, values[i])
                        : std::lower_bound(sorted, end, values[i]);
    positions[i] = static_cast<I>(at - sorted);
  }
}

}  // namespace tflite::custom::array_ops

#endif  // TFLITE_CUSTOM_ARRAY_ARRAY_MATH_H_
