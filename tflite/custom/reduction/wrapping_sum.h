#ifndef TFLITE_CUSTOM_REDUCTION_WRAPPING_SUM_H_
#define TFLITE_CUSTOM_REDUCTION_WRAPPING_SUM_H_

#include <type_traits>

namespace reduction_ops {

// The sum in the numbers' own type, as TensorFlow has it: that of integers
// wraps. Unsigned arithmetic of at least int's size does so without
// overflowing.
template <typename T>
T WrappingSum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

}  // namespace reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_WRAPPING_SUM_H_
