// Asin, Acos, Atan and Atanh are Eigen's, as TensorFlow's are. The others are
// the C library's in TensorFlow. Here those of floats are computed in double
// and rounded once: they are the correctly rounded ones but for a few in 10^8,
// whichever C library that is.

#include <cmath>

#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/loops.h"
#include "tflite/custom/elementwise/packets.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {

ELEMENTWISE_EIGEN_FUNCTOR(Acos, Eigen::internal::scalar_acos_op)
ELEMENTWISE_EIGEN_FUNCTOR(Asin, Eigen::internal::scalar_asin_op)
ELEMENTWISE_EIGEN_FUNCTOR(Atan, Eigen::internal::scalar_atan_op)
ELEMENTWISE_EIGEN_FUNCTOR(Atanh, Eigen::internal::scalar_atanh_op)

#define IN_DOUBLE(name, function)                                           \
  template <typename T>                                                     \
  const char* name(const Run& run) {                                        \
    Unary<T>(run, [](T x) { return static_cast<T>(function(double{x})); }); \
    return nullptr;                                                         \
  }                                                                         \
  ELEMENTWISE_FLOATS(name)

// For odd functions that are x near 0. A denormal equals 0 in a thread that
// takes denormals for it, and is passed on as TensorFlow passes it on.
#define ODD_IN_DOUBLE(name, function)                             \
  template <typename T>                                           \
  const char* name(const Run& run) {                              \
    Unary<T>(run, [](T x) {                                       \
      return x == T{0} ? x : static_cast<T>(function(double{x})); \
    });                                                           \
    return nullptr;                                               \
  }                                                               \
  ELEMENTWISE_FLOATS(name)

IN_DOUBLE(Acosh, std::acosh)
ODD_IN_DOUBLE(Asinh, std::asinh)
IN_DOUBLE(Cosh, std::cosh)
ODD_IN_DOUBLE(Sinh, std::sinh)
ODD_IN_DOUBLE(Tan, std::tan)

}  // namespace tflite::custom::elementwise
