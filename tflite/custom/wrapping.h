#ifndef TFLITE_CUSTOM_WRAPPING_H_
#define TFLITE_CUSTOM_WRAPPING_H_

#include <cstdint>
#include <type_traits>

namespace tflite::custom {

// a * b. Integers wrap, as TensorFlow's do: in unsigned arithmetic, which has
// no overflow, and of 64 bits, as that of 16 would be done in int.
template <typename T>
T WrappingProduct(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

// a + b and a - b, likewise.
template <typename T>
T WrappingSum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

template <typename T>
T WrappingDifference(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  } else {
    return a - b;
  }
}

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_WRAPPING_H_
