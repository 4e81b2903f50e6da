// TensorFlow's own functors, from a header of the wheel.

#include "tensorflow/core/kernels/special_math/special_math_op_misc_impl.h"
#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/packets.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {

ELEMENTWISE_EIGEN_FUNCTOR(Dawsn, Eigen::internal::dawsn_op)
ELEMENTWISE_EIGEN_FUNCTOR(Expint, Eigen::internal::expint_op)
ELEMENTWISE_EIGEN_FUNCTOR(FresnelCos, Eigen::internal::fresnel_cos_op)
ELEMENTWISE_EIGEN_FUNCTOR(FresnelSin, Eigen::internal::fresnel_sin_op)
ELEMENTWISE_EIGEN_FUNCTOR(Spence, Eigen::internal::spence_op)

}  // namespace tflite::custom::elementwise
