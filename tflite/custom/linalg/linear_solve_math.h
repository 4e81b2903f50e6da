#ifndef TFLITE_CUSTOM_LINALG_LINEAR_SOLVE_MATH_H_
#define TFLITE_CUSTOM_LINALG_LINEAR_SOLVE_MATH_H_

#include <cmath>

#include "Eigen/LU"
#include "tflite/custom/linalg/eigen_matrix.h"

namespace tflite::custom::linalg_ops {

// Solves systems of n linear equations with a general matrix, by LU with
// partial pivoting. Its memory is all taken when it is made.
template <typename T>
class LinearSolver {
 public:
  LinearSolver(int n, int cols) : n_(n), cols_(cols), lu_(n) {}

  // Writes x, n by `cols`, with a x = b, or a's adjoint for a. False where `a`
  // is singular: a pivot is zero or NaN.
  bool Solve(const T* a, bool adjoint, const T* b, T* x) {
    if (n_ == 0 || cols_ == 0) return true;
    const Eigen::Map<const RowMatrix<T>> matrix(a, n_, n_);
    if (adjoint) {
      lu_.compute(matrix.adjoint());
    } else {
      lu_.compute(matrix);
    }
    for (int i = 0; i < n_; ++i) {
      if (!(std::abs(lu_.matrixLU()(i, i)) > 0)) return false;
    }
    // As lu_.solve() does, which takes memory for the permuted right side.
    const Eigen::Map<const RowMatrix<T>> right(b, n_, cols_);
    Eigen::Map<RowMatrix<T>> result(x, n_, cols_);
    const auto& rows = lu_.permutationP().indices();
    for (int i = 0; i < n_; ++i) result.row(rows(i)) = right.row(i);
    lu_.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(
        result);
    lu_.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(result);
    return true;
  }

 private:
  int n_;
  int cols_;
  Eigen::PartialPivLU<RowMatrix<T>> lu_;
};

// Writes x, n by `cols`, with a x = b for a triangle of `a`, or its adjoint for
// `a`. Zeros on the diagonal give infinity and NaN.
template <typename T>
void SolveTriangular(int n, int cols, const T* a, bool lower, bool adjoint,
                     const T* b, T* x) {
  if (n == 0 || cols == 0) return;
  const Eigen::Map<const RowMatrix<T>> matrix(a, n, n);
  Eigen::Map<RowMatrix<T>> result(x, n, cols);
  result = Eigen::Map<const RowMatrix<T>>(b, n, cols);
  const auto solve = [&result](const auto& triangle) {
    triangle.solveInPlace(result);
  };
  if (adjoint && lower) {
    solve(matrix.template triangularView<Eigen::Lower>().adjoint());
  } else if (adjoint) {
    solve(matrix.template triangularView<Eigen::Upper>().adjoint());
  } else if (lower) {
    solve(matrix.template triangularView<Eigen::Lower>());
  } else {
    solve(matrix.template triangularView<Eigen::Upper>());
  }
}

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_LINEAR_SOLVE_MATH_H_
