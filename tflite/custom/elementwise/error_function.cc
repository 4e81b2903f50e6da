#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/packets.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {
namespace {

// erfinv(x) = ndtri((x + 1) / 2) / sqrt(2), as TensorFlow has it.
template <typename T>
struct ErfinvFunctor {
  static constexpr T kHalf = T(0.5);
  static constexpr T kSqrtHalf = T(0.70710678118654752440);

  T operator()(const T& x) const {
    return Eigen::numext::ndtri(kHalf * x + kHalf) * kSqrtHalf;
  }
  template <typename Packet>
  Packet packetOp(const Packet& x) const {
    using namespace Eigen::internal;  // NOLINT: found by argument elsewhere.
    const Packet half = pset1<Packet>(kHalf);
    return pmul(pndtri(pmadd(half, x, half)), pset1<Packet>(kSqrtHalf));
  }
};

}  // namespace
}  // namespace tflite::custom::elementwise

namespace Eigen::internal {

template <typename T>
struct functor_traits<tflite::custom::elementwise::ErfinvFunctor<T>>
    : functor_traits<scalar_ndtri_op<T>> {};

}  // namespace Eigen::internal

namespace tflite::custom::elementwise {

ELEMENTWISE_EIGEN_FUNCTOR(Erf, Eigen::internal::scalar_erf_op)
ELEMENTWISE_EIGEN_FUNCTOR(Erfc, Eigen::internal::scalar_erfc_op)
ELEMENTWISE_EIGEN_FUNCTOR(Erfinv, ErfinvFunctor)
ELEMENTWISE_EIGEN_FUNCTOR(Ndtri, Eigen::internal::scalar_ndtri_op)

}  // namespace tflite::custom::elementwise
