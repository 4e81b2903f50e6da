#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/packets.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {

ELEMENTWISE_EIGEN_FUNCTOR(BesselI0, Eigen::internal::scalar_bessel_i0_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselI0e, Eigen::internal::scalar_bessel_i0e_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselI1, Eigen::internal::scalar_bessel_i1_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselI1e, Eigen::internal::scalar_bessel_i1e_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselJ0, Eigen::internal::scalar_bessel_j0_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselJ1, Eigen::internal::scalar_bessel_j1_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselK0, Eigen::internal::scalar_bessel_k0_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselK0e, Eigen::internal::scalar_bessel_k0e_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselK1, Eigen::internal::scalar_bessel_k1_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselK1e, Eigen::internal::scalar_bessel_k1e_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselY0, Eigen::internal::scalar_bessel_y0_op)
ELEMENTWISE_EIGEN_FUNCTOR(BesselY1, Eigen::internal::scalar_bessel_y1_op)

}  // namespace tflite::custom::elementwise
