#include <complex>

#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/loops.h"
#include "tflite/custom/elementwise/run.h"

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

}  // namespace tflite::custom::elementwise
