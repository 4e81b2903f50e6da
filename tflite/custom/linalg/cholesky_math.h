#ifndef TFLITE_CUSTOM_LINALG_CHOLESKY_MATH_H_
#define TFLITE_CUSTOM_LINALG_CHOLESKY_MATH_H_

#include <limits>

#include "Eigen/Cholesky"
#include "tflite/custom/linalg/eigen_matrix.h"

namespace tflite::custom::linalg_ops {

// Writes the lower triangular L with L L^T = a to `l`, zeros above it. Reads
// the lower triangle of `a` alone. Where `a` is not positive definite the
// triangle is NaN.
template <typename T>
void Cholesky(int n, const T* a, T* l) {
  if (n == 0) return;
  Eigen::Map<RowMatrix<T>> lower(l, n, n);
  lower = Eigen::Map<const RowMatrix<T>>(a, n, n);
  lower.template triangularView<Eigen::StrictlyUpper>().setZero();
  Eigen::Ref<RowMatrix<T>> in_place(lower);
  const Eigen::LLT<Eigen::Ref<RowMatrix<T>>> decomposition(in_place);
  if (decomposition.info() != Eigen::Success) {
    lower.template triangularView<Eigen::Lower>().fill(
        std::numeric_limits<T>::quiet_NaN());
  }
}

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_CHOLESKY_MATH_H_
