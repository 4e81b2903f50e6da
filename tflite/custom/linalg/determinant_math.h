#ifndef TFLITE_CUSTOM_LINALG_DETERMINANT_MATH_H_
#define TFLITE_CUSTOM_LINALG_DETERMINANT_MATH_H_

#include <cmath>
#include <utility>
#include <vector>

#include "Eigen/LU"
#include "tflite/custom/linalg/eigen_matrix.h"

namespace tflite::custom::linalg_ops {

template <typename T>
struct LogDeterminant {
  T sign;  // 0 of a singular matrix.
  T log_of_absolute;
};

// Determinants of matrices of one size. Its memory is all taken when it is
// made.
template <typename T>
class DeterminantSolver {
 public:
  explicit DeterminantSolver(int n) : n_(n), lu_(n), permutation_(n) {}

  LogDeterminant<T> Solve(const T* a) {
    if (n_ == 0) return {T(1), T(0)};
    lu_.compute(Eigen::Map<const RowMatrix<T>>(a, n_, n_));
    LogDeterminant<T> result = {SignOfPermutation(), T(0)};
    for (int i = 0; i < n_; ++i) {
      const T pivot = lu_.matrixLU()(i, i);
      result.sign *= pivot > T(0)   ? T(1)
                     : pivot < T(0) ? T(-1)
                                    : pivot;  // 0 or NaN.
      result.log_of_absolute += std::log(std::abs(pivot));
    }
    return result;
  }

 private:
  // Of that of the rows. Eigen's own takes memory.
  T SignOfPermutation() {
    const auto& rows = lu_.permutationP().indices();
    for (int i = 0; i < n_; ++i) permutation_[i] = rows(i);
    T sign = 1;
    for (int i = 0; i < n_; ++i) {
      while (permutation_[i] != i) {
        std::swap(permutation_[permutation_[i]], permutation_[i]);
        sign = -sign;
      }
    }
    return sign;
  }

  int n_;
  Eigen::PartialPivLU<RowMatrix<T>> lu_;
  std::vector<int> permutation_;
};

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_DETERMINANT_MATH_H_
