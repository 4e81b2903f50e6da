#ifndef TFLITE_CUSTOM_REDUCTION_HISTOGRAM_FIXED_WIDTH_MATH_H_
#define TFLITE_CUSTOM_REDUCTION_HISTOGRAM_FIXED_WIDTH_MATH_H_

#include <algorithm>
#include <cstdint>

namespace tflite::custom::reduction_ops {

// The first of `count` values that is NaN; `count` where none is.
template <typename T>
int64_t FirstNan(int64_t count, const T* values) {
  return std::find_if(values, values + count, [](T x) { return x != x; }) -
         values;
}

// Counts the values, none NaN, in `bins` bins of one width between `low` and
// `high`, which is greater. What lies outside goes into the first or the last.
template <typename T, typename Count>
void HistogramFixedWidth(int64_t count, const T* values, T low, T high,
                         int bins, Count* histogram) {
  std::fill(histogram, histogram + bins, Count(0));
  // As doubles before the subtraction: that of integers might overflow.
  const double width =
      (static_cast<double>(high) - static_cast<double>(low)) / bins;
  const double last = bins - 1;
  for (int64_t i = 0; i < count; ++i) {
    const double bin = (static_cast<double>(std::max(values[i], low)) -
                        static_cast<double>(low)) /
                       width;
    // A NaN, of an infinite range, is not greater either.
    ++histogram[bin > 0 ? static_cast<int>(std::min(bin, last)) : 0];
  }
}

}  // namespace tflite::custom::reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_HISTOGRAM_FIXED_WIDTH_MATH_H_
