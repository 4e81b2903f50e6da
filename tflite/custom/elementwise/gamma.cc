// Eigen's functions, as TensorFlow's are; they call the C library's exp, log,
// pow, lgamma and sin.

#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/loops.h"
#include "tflite/custom/elementwise/packets.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {

ELEMENTWISE_EIGEN_FUNCTOR(Digamma, Eigen::internal::scalar_digamma_op)

#define EIGEN_BINARY(name, functor)                \
  template <typename T>                            \
  const char* name(const Run& run) {               \
    Binary<T>(run, Eigen::internal::functor<T>()); \
    return nullptr;                                \
  }                                                \
  ELEMENTWISE_FLOATS(name)

EIGEN_BINARY(Igamma, scalar_igamma_op)
EIGEN_BINARY(IgammaGradA, scalar_igamma_der_a_op)
EIGEN_BINARY(Igammac, scalar_igammac_op)
EIGEN_BINARY(Polygamma, scalar_polygamma_op)
EIGEN_BINARY(RandomGammaGrad, scalar_gamma_sample_der_alpha_op)
EIGEN_BINARY(Zeta, scalar_zeta_op)

template <typename T>
const char* Betainc(const Run& run) {
  Ternary<T>(run,
             [](T a, T b, T x) { return Eigen::numext::betainc(a, b, x); });
  return nullptr;
}
ELEMENTWISE_FLOATS(Betainc)

}  // namespace tflite::custom::elementwise
