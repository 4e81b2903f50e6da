// Instantiates a function of functions.h for the types that ops.inc names.
#ifndef TFLITE_CUSTOM_ELEMENTWISE_INSTANTIATE_H_
#define TFLITE_CUSTOM_ELEMENTWISE_INSTANTIATE_H_

#include <complex>
#include <cstdint>

#include "tflite/custom/elementwise/run.h"

#define ELEMENTWISE_INSTANTIATE(name, type) \
  template const char* name<type>(const Run&);

#define ELEMENTWISE_FLOATS(name)       \
  ELEMENTWISE_INSTANTIATE(name, float) \
  ELEMENTWISE_INSTANTIATE(name, double)

#define ELEMENTWISE_COMPLEX(name)                    \
  ELEMENTWISE_INSTANTIATE(name, std::complex<float>) \
  ELEMENTWISE_INSTANTIATE(name, std::complex<double>)

#define ELEMENTWISE_NUMBERS(name)        \
  ELEMENTWISE_INSTANTIATE(name, int32_t) \
  ELEMENTWISE_INSTANTIATE(name, int64_t) \
  ELEMENTWISE_FLOATS(name)

#define ELEMENTWISE_INTEGERS(name)        \
  ELEMENTWISE_INSTANTIATE(name, int8_t)   \
  ELEMENTWISE_INSTANTIATE(name, int16_t)  \
  ELEMENTWISE_INSTANTIATE(name, int32_t)  \
  ELEMENTWISE_INSTANTIATE(name, int64_t)  \
  ELEMENTWISE_INSTANTIATE(name, uint8_t)  \
  ELEMENTWISE_INSTANTIATE(name, uint16_t) \
  ELEMENTWISE_INSTANTIATE(name, uint32_t) \
  ELEMENTWISE_INSTANTIATE(name, uint64_t)

#define ELEMENTWISE_REALS(name) \
  ELEMENTWISE_INTEGERS(name)    \
  ELEMENTWISE_FLOATS(name)

#define ELEMENTWISE_FLOATS_AND_COMPLEX(name) \
  ELEMENTWISE_FLOATS(name)                   \
  ELEMENTWISE_COMPLEX(name)

#define ELEMENTWISE_ARITHMETIC(name) \
  ELEMENTWISE_REALS(name)            \
  ELEMENTWISE_COMPLEX(name)

// A function that is one of Eigen's functors.
#define ELEMENTWISE_EIGEN_FUNCTOR(name, functor) \
  template <typename T>                          \
  const char* name(const Run& run) {             \
    Packets<T, functor<T>>(run);                 \
    return nullptr;                              \
  }                                              \
  ELEMENTWISE_FLOATS(name)

#endif  // TFLITE_CUSTOM_ELEMENTWISE_INSTANTIATE_H_
