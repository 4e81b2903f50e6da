#ifndef TFLITE_CUSTOM_LINALG_MATRIX_SQUARE_ROOT_MATH_H_
#define TFLITE_CUSTOM_LINALG_MATRIX_SQUARE_ROOT_MATH_H_

#include <algorithm>
#include <limits>
#include <type_traits>

#include "Eigen/Eigenvalues"
#include "tflite/custom/linalg/eigen_matrix.h"
#include "unsupported/Eigen/MatrixFunctions"

namespace tflite::custom::linalg_ops {

// Principal square roots of matrices of one size, as Eigen computes them: by
// the Schur decomposition. Its memory is all taken when it is made.
template <typename T>
class MatrixSquareRootSolver {
 public:
  explicit MatrixSquareRootSolver(int n)
      : n_(n), input_(n, n), triangle_(n, n), product_(n, n), schur_(n) {}

  // Writes the r with r r = a; NaN where there is none of T.
  void Solve(const T* a, T* root) {
    if (n_ == 0) return;
    input_ = Eigen::Map<const RowMatrix<T>>(a, n_, n_);
    Eigen::Map<RowMatrix<T>> result(root, n_, n_);
    if (!input_.allFinite()) {
      result.setConstant(T(std::numeric_limits<double>::quiet_NaN()));
      return;
    }
    schur_.compute(input_);
    triangle_.setZero();
    if constexpr (kIsReal) {
      Eigen::matrix_sqrt_quasi_triangular(schur_.matrixT(), triangle_);
    } else {
      Eigen::matrix_sqrt_triangular(schur_.matrixT(), triangle_);
    }
    product_.noalias() = schur_.matrixU().lazyProduct(triangle_);
    result.noalias() = product_.lazyProduct(schur_.matrixU().adjoint());
  }

 private:
  static constexpr bool kIsReal = std::is_floating_point_v<T>;
  // Eigen's own order.
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Schur = std::conditional_t<kIsReal, Eigen::RealSchur<Matrix>,
                                   Eigen::ComplexSchur<Matrix>>;

  int n_;
  Matrix input_;
  Matrix triangle_;
  Matrix product_;
  Schur schur_;
};

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_MATRIX_SQUARE_ROOT_MATH_H_
