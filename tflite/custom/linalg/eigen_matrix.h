#ifndef TFLITE_CUSTOM_LINALG_EIGEN_MATRIX_H_
#define TFLITE_CUSTOM_LINALG_EIGEN_MATRIX_H_

#include "Eigen/Core"

namespace tflite::custom::linalg_ops {

// As tensors lie in memory, and as TensorFlow's kernels give them to Eigen.
template <typename T>
using RowMatrix =
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_EIGEN_MATRIX_H_
