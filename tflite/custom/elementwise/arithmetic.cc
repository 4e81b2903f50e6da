#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/loops.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {
namespace {

// The remainder with the sign of `a`. An integer `b` is not 0.
template <typename T>
T Remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    // The least integer by -1 has a quotient that does not fit.
    return b == T{-1} ? T{0} : a % b;
  }
}

template <typename T>
const char* Remainders(const Run& run) {
  if constexpr (std::is_integral_v<T>) {
    const T* b = InputOf<T>(run, 1);
    // Looked for first: the quotient's test is the dearer one.
    const size_t size = run.steps[1] == 1 ? run.size : 1;
    if (std::find(b, b + size, T{0}) != b + size) {
      return "integer division by zero";
    }
  }
  Binary<T>(run, Remainder<T>);
  return nullptr;
}

// TensorFlow's, down to what becomes of a NaN and of a `low` above `high`.
template <typename T>
T Clip(T x, T low, T high) {
  const T capped = high < x ? high : x;
  return capped < low ? low : capped;
}

uint8_t CountBits(uint64_t bits) {
  return static_cast<uint8_t>(__builtin_popcountll(bits));
}

}  // namespace

template <typename T>
const char* ApproximateEqual(const Run& run) {
  const T tolerance = static_cast<T>(run.option);
  // TensorFlow documents less, and computes less or equal.
  FastBinary<T, bool>(
      run, [tolerance](T a, T b) { return std::abs(a - b) <= tolerance; });
  return nullptr;
}
ELEMENTWISE_FLOATS(ApproximateEqual)

template <typename T>
const char* BitwiseAnd(const Run& run) {
  FastBinary<T>(run, [](T a, T b) { return static_cast<T>(a & b); });
  return nullptr;
}
ELEMENTWISE_INTEGERS(BitwiseAnd)

template <typename T>
const char* BitwiseOr(const Run& run) {
  FastBinary<T>(run, [](T a, T b) { return static_cast<T>(a | b); });
  return nullptr;
}
ELEMENTWISE_INTEGERS(BitwiseOr)

template <typename T>
const char* ClipByValue(const Run& run) {
  if (run.steps[1] == 0 && run.steps[2] == 0) {
    // What most models have, and what the compiler can vectorise.
    Unary<T>(run, [low = *InputOf<T>(run, 1), high = *InputOf<T>(run, 2)](T x) {
      return Clip(x, low, high);
    });
  } else {
    Ternary<T>(run, Clip<T>);
  }
  return nullptr;
}
ELEMENTWISE_REALS(ClipByValue)

template <typename T>
const char* Invert(const Run& run) {
  Unary<T>(run, [](T x) { return static_cast<T>(~x); });
  return nullptr;
}
ELEMENTWISE_INTEGERS(Invert)

// As TensorFlow, a shift by less than 0 is one by 0, and one by more than the
// width is one by the width less 1.
template <typename T>
const char* LeftShift(const Run& run) {
  FastBinary<T>(run, [](T a, T b) {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr T kMost = std::numeric_limits<Unsigned>::digits - 1;
    const T by = std::clamp(b, T{0}, kMost);
    return static_cast<T>(static_cast<uint64_t>(a) << by);
  });
  return nullptr;
}
ELEMENTWISE_INTEGERS(LeftShift)

template <typename T>
const char* Mod(const Run& run) {
  return Remainders<T>(run);
}
ELEMENTWISE_NUMBERS(Mod)

template <typename T>
const char* NextAfter(const Run& run) {
  Binary<T>(run, [](T from, T to) { return std::nextafter(from, to); });
  return nullptr;
}
ELEMENTWISE_FLOATS(NextAfter)

template <typename T>
const char* PopulationCount(const Run& run) {
  Unary<T, uint8_t>(run,
                    [](T x) { return CountBits(std::make_unsigned_t<T>(x)); });
  return nullptr;
}
ELEMENTWISE_INTEGERS(PopulationCount)

template <typename T>
const char* TruncateMod(const Run& run) {
  return Remainders<T>(run);
}
ELEMENTWISE_NUMBERS(TruncateMod)

}  // namespace tflite::custom::elementwise
