#ifndef TFLITE_CUSTOM_LINALG_SELF_ADJOINT_EIG_MATH_H_
#define TFLITE_CUSTOM_LINALG_SELF_ADJOINT_EIG_MATH_H_

#include "Eigen/Eigenvalues"
#include "tflite/custom/linalg/eigen_matrix.h"

namespace tflite::custom::linalg_ops {

// Eigenvalues and eigenvectors of self-adjoint matrices of one size. Its memory
// is all taken when it is made.
template <typename T>
class SelfAdjointEig {
 public:
  explicit SelfAdjointEig(int n) : n_(n), input_(n, n), solver_(n) {}

  // Reads the lower triangle of `a` and writes its eigenvalues in rising order,
  // and unless `vectors` is null the eigenvectors as columns. False where there
  // are none: `a` is not finite.
  bool Solve(const T* a, T* values, T* vectors) {
    if (n_ == 0) return true;
    input_ = Eigen::Map<const RowMatrix<T>>(a, n_, n_);
    solver_.compute(input_, vectors == nullptr ? Eigen::EigenvaluesOnly
                                               : Eigen::ComputeEigenvectors);
    if (solver_.info() != Eigen::Success) return false;
    Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(values, n_) =
        solver_.eigenvalues().template cast<T>();
    if (vectors != nullptr) {
      Eigen::Map<RowMatrix<T>>(vectors, n_, n_) = solver_.eigenvectors();
    }
    return true;
  }

 private:
  int n_;
  RowMatrix<T> input_;  // Eigen would copy anything else.
  Eigen::SelfAdjointEigenSolver<RowMatrix<T>> solver_;
};

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_SELF_ADJOINT_EIG_MATH_H_
