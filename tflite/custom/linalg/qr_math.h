#ifndef TFLITE_CUSTOM_LINALG_QR_MATH_H_
#define TFLITE_CUSTOM_LINALG_QR_MATH_H_

#include <algorithm>

#include "Eigen/Householder"
#include "tflite/custom/linalg/eigen_matrix.h"

namespace tflite::custom::linalg_ops {

// How many elements of scratch memory Qr needs beside the factored matrix.
inline int QrScratchSize(int rows, int cols) {
  return std::min(rows, cols) + std::max(rows, cols);
}

// Writes Q, rows by `q_cols`, and R, `q_cols` by cols, with Q R = a; `q_cols`
// is `rows` or the smaller of `rows` and `cols`.
//
// `factored` has the size of `a` and may be `a`; `scratch` has QrScratchSize
// elements. Eigen's HouseholderQR would take memory of its own as soon as it
// works in blocks; these are its steps, one column after the other.
template <typename T>
void Qr(int rows, int cols, int q_cols, const T* a, T* factored, T* scratch,
        T* q, T* r) {
  const int reflections = std::min(rows, cols);
  T* const coefficients = scratch;
  T* const row = scratch + reflections;
  Eigen::Map<RowMatrix<T>> work(factored, rows, cols);
  if (factored != a) work = Eigen::Map<const RowMatrix<T>>(a, rows, cols);
  for (int k = 0; k < reflections; ++k) {
    const int below = rows - k - 1;
    const int right = cols - k - 1;
    T beta;
    work.col(k).tail(below + 1).makeHouseholderInPlace(coefficients[k], beta);
    work(k, k) = beta;
    work.bottomRightCorner(below + 1, right)
        .applyHouseholderOnTheLeft(work.col(k).tail(below), coefficients[k],
                                   row);
  }
  // The last reflection first, so that each finds the columns before its own
  // still those of the identity.
  Eigen::Map<RowMatrix<T>> q_map(q, rows, q_cols);
  q_map.setIdentity();
  for (int k = reflections - 1; k >= 0; --k) {
    const int below = rows - k - 1;
    q_map.bottomRightCorner(below + 1, q_cols - k)
        .applyHouseholderOnTheLeft(work.col(k).tail(below), coefficients[k],
                                   row);
  }
  Eigen::Map<RowMatrix<T>> r_map(r, q_cols, cols);
  r_map.setZero();
  r_map.topRows(reflections).template triangularView<Eigen::Upper>() =
      work.topRows(reflections);
}

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_QR_MATH_H_
