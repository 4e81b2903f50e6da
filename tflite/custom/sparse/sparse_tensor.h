#ifndef TFLITE_CUSTOM_SPARSE_SPARSE_TENSOR_H_
#define TFLITE_CUSTOM_SPARSE_SPARSE_TENSOR_H_

#include <cstdint>

#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::sparse_ops {

// The first three inputs of a node.
struct SparseTensor {
  SparseTensor(const TfLiteOpaqueContext* context,
               const TfLiteOpaqueNode* node);

  // How many values there are, and dimensions.
  int64_t count() const;
  int rank() const;

  const TfLiteOpaqueTensor* indices;
  const TfLiteOpaqueTensor* values;
  const TfLiteOpaqueTensor* shape;
};

// Fails where types and shapes do not go together. Indices may be INT64, or
// where `any_index` holds INT32 as well, as the shape then is.
TfLiteStatus EnsureSparse(TfLiteOpaqueContext* context, const char* op,
                          const SparseTensor& sparse, bool any_index);

// Fails where an index is outside of [0, sizes[d]) in a dimension d.
TfLiteStatus EnsureIndices(TfLiteOpaqueContext* context, const char* op,
                           const SparseTensor& sparse);

}  // namespace tflite::custom::sparse_ops

#endif  // TFLITE_CUSTOM_SPARSE_SPARSE_TENSOR_H_
