// The product of two matrices without memory of its own, for kernels that must
// not take any while they run.
#ifndef TFLITE_CUSTOM_MAT_MUL_H_
#define TFLITE_CUSTOM_MAT_MUL_H_

#include <cstdint>

#include "Eigen/Core"

namespace tflite::custom {
namespace mat_mul_internal {

// Adds to kRows by kCols elements of c. The sums stay in registers.
template <int kRows, int kCols, typename T>
void AddTile(int64_t inner, const T* a, int64_t a_stride, const T* b,
             int64_t b_stride, T* c, int64_t c_stride) {
  using Vector = Eigen::Array<T, kCols, 1>;
  Vector sums[kRows];
  for (int i = 0; i < kRows; ++i) {
    sums[i] = Eigen::Map<const Vector>(c + i * c_stride);
  }
  for (int64_t k = 0; k < inner; ++k) {
    const Vector row = Eigen::Map<const Vector>(b + k * b_stride);
    for (int i = 0; i < kRows; ++i) sums[i] += row * a[i * a_stride + k];
  }
  for (int i = 0; i < kRows; ++i) {
    Eigen::Map<Vector>(c + i * c_stride) = sums[i];
  }
}

template <int kCols, typename T>
void AddColumns(int64_t rows, int64_t inner, const T* a, int64_t a_stride,
                const T* b, int64_t b_stride, T* c, int64_t c_stride) {
  constexpr int kRows = 4;
  int64_t i = 0;
  for (; i + kRows <= rows; i += kRows) {
    AddTile<kRows, kCols>(inner, a + i * a_stride, a_stride, b, b_stride,
                          c + i * c_stride, c_stride);
  }
  for (; i < rows; ++i) {
    AddTile<1, kCols>(inner, a + i * a_stride, a_stride, b, b_stride,
                      c + i * c_stride, c_stride);
  }
}

}  // namespace mat_mul_internal

// c += a b, of `rows` by `inner` and `inner` by `cols` elements. All lie row by
// row, so many elements from one to the next. Each sum is made in the order of
// `inner`, whatever the sizes are. Integers wrap where they are unsigned.
template <typename T>
void AddMatMul(int64_t rows, int64_t inner, int64_t cols, const T* a,
               int64_t a_stride, const T* b, int64_t b_stride, T* c,
               int64_t c_stride) {
  using mat_mul_internal::AddColumns;
  constexpr int kCols = 32 / sizeof(T);
  int64_t j = 0;
  for (; j + kCols <= cols; j += kCols) {
    AddColumns<kCols>(rows, inner, a, a_stride, b + j, b_stride, c + j,
                      c_stride);
  }
  for (; j + kCols / 2 <= cols; j += kCols / 2) {
    AddColumns<kCols / 2>(rows, inner, a, a_stride, b + j, b_stride, c + j,
                          c_stride);
  }
  for (; j < cols; ++j) {
    AddColumns<1>(rows, inner, a, a_stride, b + j, b_stride, c + j, c_stride);
  }
}

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MAT_MUL_H_
