#include <complex>
#include <type_traits>

#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/loops.h"
#include "tflite/custom/elementwise/run.h"
#include "tflite/custom/wrapping.h"

namespace tflite::custom::elementwise {

// T is complex.
template <typename T>
const char* Angle(const Run& run) {
  Unary<T, typename T::value_type>(run, [](T x) { return std::arg(x); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Angle)

template <typename T>
const char* Complex(const Run& run) {
  FastBinary<T, std::complex<T>>(
      run, [](T real, T imag) { return std::complex<T>(real, imag); });
  return nullptr;
}
ELEMENTWISE_FLOATS(Complex)

template <typename T>
const char* Conj(const Run& run) {
  Unary<T>(run, [](T x) { return std::conj(x); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Conj)

// What TFLite computes itself but of complex numbers, for which the converter
// leaves custom ops.

template <typename T>
const char* AddV2(const Run& run) {
  FastBinary<T>(run, [](T a, T b) { return WrappingSum(a, b); });
  return nullptr;
}
ELEMENTWISE_ARITHMETIC(AddV2)

template <typename T>
const char* Cos(const Run& run) {
  Unary<T>(run, [](T x) { return std::cos(x); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Cos)

template <typename T>
const char* DivNoNan(const Run& run) {
  FastBinary<T>(run, [](T a, T b) { return b == T(0) ? T(0) : a / b; });
  return nullptr;
}
ELEMENTWISE_COMPLEX(DivNoNan)

template <typename T>
const char* Equal(const Run& run) {
  FastBinary<T, bool>(run, [](T a, T b) { return a == b; });
  return nullptr;
}
ELEMENTWISE_ARITHMETIC(Equal)

template <typename T>
const char* Exp(const Run& run) {
  Unary<T>(run, [](T x) { return std::exp(x); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Exp)

template <typename T>
const char* Log(const Run& run) {
  Unary<T>(run, [](T x) { return std::log(x); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Log)

template <typename T>
const char* Mul(const Run& run) {
  FastBinary<T>(run, [](T a, T b) { return WrappingProduct(a, b); });
  return nullptr;
}
ELEMENTWISE_ARITHMETIC(Mul)

template <typename T>
const char* Neg(const Run& run) {
  if constexpr (std::is_integral_v<T>) {
    Unary<T>(run, [](T x) { return WrappingDifference(T(0), x); });
  } else {
    Unary<T>(run, [](T x) { return -x; });
  }
  return nullptr;
}
ELEMENTWISE_ARITHMETIC(Neg)

template <typename T>
const char* NotEqual(const Run& run) {
  FastBinary<T, bool>(run, [](T a, T b) { return a != b; });
  return nullptr;
}
ELEMENTWISE_ARITHMETIC(NotEqual)

template <typename T>
const char* Pow(const Run& run) {
  FastBinary<T>(run, [](T a, T b) { return std::pow(a, b); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Pow)

template <typename T>
const char* RealDiv(const Run& run) {
  FastBinary<T>(run, [](T a, T b) { return a / b; });
  return nullptr;
}
ELEMENTWISE_FLOATS_AND_COMPLEX(RealDiv)

template <typename T>
const char* Reciprocal(const Run& run) {
  Unary<T>(run, [](T x) { return T(1) / x; });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Reciprocal)

template <typename T>
const char* Rsqrt(const Run& run) {
  Unary<T>(run, [](T x) { return T(1) / std::sqrt(x); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Rsqrt)

template <typename T>
const char* Sigmoid(const Run& run) {
  Unary<T>(run, [](T x) { return T(1) / (T(1) + std::exp(-x)); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Sigmoid)

template <typename T>
const char* Sin(const Run& run) {
  Unary<T>(run, [](T x) { return std::sin(x); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Sin)

template <typename T>
const char* Sqrt(const Run& run) {
  Unary<T>(run, [](T x) { return std::sqrt(x); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Sqrt)

template <typename T>
const char* SquaredDifference(const Run& run) {
  FastBinary<T>(run, [](T a, T b) { return (a - b) * std::conj(a - b); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(SquaredDifference)

template <typename T>
const char* Sub(const Run& run) {
  FastBinary<T>(run, [](T a, T b) { return WrappingDifference(a, b); });
  return nullptr;
}
ELEMENTWISE_ARITHMETIC(Sub)

template <typename T>
const char* Tanh(const Run& run) {
  Unary<T>(run, [](T x) { return std::tanh(x); });
  return nullptr;
}
ELEMENTWISE_COMPLEX(Tanh)

}  // namespace tflite::custom::elementwise
