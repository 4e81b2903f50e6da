#ifndef TFLITE_CUSTOM_LINALG_SVD_MATH_H_
#define TFLITE_CUSTOM_LINALG_SVD_MATH_H_

#include <algorithm>
#include <limits>
#include <vector>

#include "Eigen/SVD"
#include "tflite/custom/linalg/eigen_matrix.h"
#include "tflite/custom/linalg/qr_math.h"

namespace tflite::custom::linalg_ops {

// Eigen would have the options as a template parameter, which is the same code
// once more for each of them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// Singular value decompositions of matrices of one size. Its memory is all
// taken when it is made; that is why it is Eigen's JacobiSVD, which TensorFlow
// uses under 16 columns, and not BDCSVD, which it uses above: that one takes
// memory in every step.
template <typename T>
class SvdSolver {
 public:
  SvdSolver(int rows, int cols, bool compute_uv, bool full_matrices)
      : rows_(rows),
        cols_(cols),
        smaller_(std::min(rows, cols)),
        compute_uv_(compute_uv),
        full_matrices_(full_matrices),
        reduce_(rows != cols && smaller_ > kMostUnblocked),
        // Nothing is decomposed where one side is empty, however long the
        // other.
        svd_(reduce_ || smaller_ == 0 ? smaller_ : rows,
             reduce_ || smaller_ == 0 ? smaller_ : cols,
             Flags(compute_uv, full_matrices)),
        decomposed_(svd_.rows(), svd_.cols()) {
    if (!reduce_) return;
    const int larger = std::max(rows, cols);
    const int q_cols = full_matrices ? larger : smaller_;
    tall_.resize(larger, smaller_);
    scratch_.resize(QrScratchSize(larger, smaller_));
    q_.resize(larger, q_cols);
    r_.resize(q_cols, smaller_);
  }

  // Writes the singular values in falling order to `s`, and where uv is to be
  // computed U to `u` and V to `v`, whose columns are as many as the smaller
  // dimension or, for full matrices, as their rows. All NaN where `a` is not
  // finite.
  void Solve(const T* a, T* s, T* u, T* v) {
    const Eigen::Map<const RowMatrix<T>> input(a, rows_, cols_);
    const int u_cols = full_matrices_ ? rows_ : smaller_;
    const int v_cols = full_matrices_ ? cols_ : smaller_;
    Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> s_map(s, smaller_);
    Eigen::Map<RowMatrix<T>> u_map(u, rows_, u_cols);
    Eigen::Map<RowMatrix<T>> v_map(v, cols_, v_cols);
    if (smaller_ == 0) {
      if (compute_uv_) {
        u_map.setIdentity();
        v_map.setIdentity();
      }
      return;
    }
    if (!input.allFinite()) {
      const T nan = std::numeric_limits<T>::quiet_NaN();
      s_map.setConstant(nan);
      if (compute_uv_) {
        u_map.setConstant(nan);
        v_map.setConstant(nan);
      }
      return;
    }
    if (!reduce_) {
      decomposed_ = input;
      svd_.compute(decomposed_);
      s_map = svd_.singularValues();
      if (compute_uv_) {
        u_map = svd_.matrixU();
        v_map = svd_.matrixV();
      }
      return;
    }
    // The long side first goes into an orthogonal factor: tall = Q R and
    // R = W S X^T give tall = (Q W) S X^T. JacobiSVD would do this itself, but
    // in blocks, which take memory.
    const bool wide = cols_ > rows_;
    if (wide) {
      tall_ = input.transpose();
    } else {
      tall_ = input;
    }
    const int larger = static_cast<int>(tall_.rows());
    const int q_cols = static_cast<int>(q_.cols());
    Qr(larger, smaller_, q_cols, tall_.data(), tall_.data(), scratch_.data(),
       q_.data(), r_.data());
    decomposed_ = r_.topRows(smaller_);
    svd_.compute(decomposed_);
    s_map = svd_.singularValues();
    if (!compute_uv_) return;
    Eigen::Map<RowMatrix<T>>& long_side = wide ? v_map : u_map;
    Eigen::Map<RowMatrix<T>>& short_side = wide ? u_map : v_map;
    long_side.leftCols(smaller_).noalias() =
        q_.leftCols(smaller_).lazyProduct(svd_.matrixU());
    long_side.rightCols(q_cols - smaller_) = q_.rightCols(q_cols - smaller_);
    short_side = svd_.matrixV();
  }

 private:
  // Up to here Eigen applies reflections one by one.
  static constexpr int kMostUnblocked = 48;

  static unsigned Flags(bool compute_uv, bool full_matrices) {
    if (!compute_uv) return 0;
    return full_matrices ? Eigen::ComputeFullU | Eigen::ComputeFullV
                         : Eigen::ComputeThinU | Eigen::ComputeThinV;
  }

  int rows_;
  int cols_;
  int smaller_;
  bool compute_uv_;
  bool full_matrices_;
  bool reduce_;
  Eigen::JacobiSVD<RowMatrix<T>> svd_;
  // What it is given. Of anything but such a matrix the Eigen of older releases
  // of TensorFlow takes a copy.
  RowMatrix<T> decomposed_;
  RowMatrix<T> tall_;
  std::vector<T> scratch_;
  RowMatrix<T> q_;
  RowMatrix<T> r_;
};

#pragma GCC diagnostic pop

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_SVD_MATH_H_
