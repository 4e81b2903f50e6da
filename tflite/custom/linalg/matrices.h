#ifndef TFLITE_CUSTOM_LINALG_MATRICES_H_
#define TFLITE_CUSTOM_LINALG_MATRICES_H_

#include <cstdint>
#include <vector>

#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::linalg_ops {

struct MatrixSize {
  int rows;
  int cols;

  int smaller() const { return rows < cols ? rows : cols; }
};

// A tensor of rank two or more as matrices one after the other, row by row.
struct MatrixBatch {
  int64_t count;
  int rows;
  int cols;

  int smaller() const { return rows < cols ? rows : cols; }
  int64_t size() const { return int64_t{rows} * cols; }  // Of one of them.
};

// Takes no memory.
MatrixBatch BatchOf(const TfLiteOpaqueTensor* tensor);

struct Matrices : MatrixBatch {
  std::vector<int> batch;  // All dimensions but the last two.

  // The shape of a tensor with the same batch dimensions.
  std::vector<int> Shape(const std::vector<int>& inner) const;
};

// Fails for another type than FLOAT32 or FLOAT64, and where complex numbers are
// taken COMPLEX64 or COMPLEX128, and for a rank under two.
TfLiteStatus GetMatrices(TfLiteOpaqueContext* context, const char* op,
                         const TfLiteOpaqueTensor* tensor, Matrices* matrices,
                         const char* role = "input", bool complex = false);

// Makes `batch` what batch dimensions broadcast to with `other`; false where
// they do not.
bool BroadcastBatch(const std::vector<int>& other, std::vector<int>* batch);

TfLiteStatus EnsureSquare(TfLiteOpaqueContext* context, const char* op,
                          const TfLiteOpaqueTensor* tensor, MatrixSize size);

// For an op from square matrices to as many of their shape and type: checks
// input and output, and gives the output its shape.
TfLiteStatus PrepareSquare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                           const char* op, Matrices* matrices);

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_MATRICES_H_
