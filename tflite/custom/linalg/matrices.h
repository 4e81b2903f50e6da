#ifndef TFLITE_CUSTOM_LINALG_MATRICES_H_
#define TFLITE_CUSTOM_LINALG_MATRICES_H_

#include <cstdint>
#include <vector>

#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace linalg_ops {

// A tensor as matrices one after the other, row by row.
struct Matrices {
  int64_t count;
  int rows;
  int cols;
  std::vector<int> batch;  // All dimensions but the last two.

  int smaller() const { return rows < cols ? rows : cols; }
  // The shape of a tensor with the same batch dimensions.
  std::vector<int> Shape(const std::vector<int>& inner) const;
};

// Fails for another type than FLOAT32 or FLOAT64 and for a rank under two.
TfLiteStatus GetMatrices(TfLiteOpaqueContext* context, const char* op,
                         const TfLiteOpaqueTensor* tensor, Matrices* matrices);

TfLiteStatus EnsureSquare(TfLiteOpaqueContext* context, const char* op,
                          const TfLiteOpaqueTensor* tensor,
                          const Matrices& matrices);

}  // namespace linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_MATRICES_H_
