#ifndef TFLITE_CUSTOM_LINALG_MATRIX_INVERSE_MATH_H_
#define TFLITE_CUSTOM_LINALG_MATRIX_INVERSE_MATH_H_

#include <cmath>

#include "Eigen/LU"
#include "tflite/custom/linalg/eigen_matrix.h"

namespace tflite::custom::linalg_ops {

// Inverts matrices of one size. Its memory is all taken when it is made.
template <typename T>
class MatrixInverter {
 public:
  explicit MatrixInverter(int n) : n_(n), lu_(n) {}

  // Writes the inverse of `a`, or of its adjoint, to `inverse`. False where it
  // has none: a pivot is zero or NaN.
  bool Invert(const T* a, bool adjoint, T* inverse) {
    if (n_ == 0) return true;
    const Eigen::Map<const RowMatrix<T>> input(a, n_, n_);
    if (adjoint) {
      lu_.compute(input.adjoint());
    } else {
      lu_.compute(input);
    }
    for (int i = 0; i < n_; ++i) {
      if (!(std::abs(lu_.matrixLU()(i, i)) > 0)) return false;
    }
    // As lu_.inverse() does, which takes memory for the permuted identity.
    Eigen::Map<RowMatrix<T>> result(inverse, n_, n_);
    result.setZero();
    const auto& rows = lu_.permutationP().indices();
    for (int i = 0; i < n_; ++i) result(rows(i), i) = T(1);
    lu_.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(
        result);
    lu_.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(result);
    return true;
  }

 private:
  int n_;
  Eigen::PartialPivLU<RowMatrix<T>> lu_;
};

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_MATRIX_INVERSE_MATH_H_
