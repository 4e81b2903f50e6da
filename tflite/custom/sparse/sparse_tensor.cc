#include "tflite/custom/sparse/sparse_tensor.h"

#include <cstdint>

#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::sparse_ops {

SparseTensor::SparseTensor(const TfLiteOpaqueContext* context,
                           const TfLiteOpaqueNode* node)
    : indices(TfLiteOpaqueNodeGetInput(context, node, 0)),
      values(TfLiteOpaqueNodeGetInput(context, node, 1)),
      shape(TfLiteOpaqueNodeGetInput(context, node, 2)) {}

int64_t SparseTensor::count() const { return TfLiteOpaqueTensorDim(values, 0); }

int SparseTensor::rank() const { return TfLiteOpaqueTensorDim(shape, 0); }

TfLiteStatus EnsureSparse(TfLiteOpaqueContext* context, const char* op,
                          const SparseTensor& sparse, bool any_index) {
  if (any_index) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
        context, op, "indices", sparse.indices, {kTfLiteInt32, kTfLiteInt64}));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, op, "indices", sparse.indices, {kTfLiteInt64}));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, "shape", sparse.shape,
                 {TfLiteOpaqueTensorType(sparse.indices)}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureNumber(context, op, "values", sparse.values));
  if (TfLiteOpaqueTensorNumDims(sparse.indices) == 2 &&
      TfLiteOpaqueTensorNumDims(sparse.values) == 1 &&
      TfLiteOpaqueTensorNumDims(sparse.shape) == 1 &&
      TfLiteOpaqueTensorDim(sparse.indices, 0) == sparse.count() &&
      TfLiteOpaqueTensorDim(sparse.indices, 1) == sparse.rank()) {
    return kTfLiteOk;
  }
  return Failure(context,
                 "%s: values and shape must be vectors, and indices a matrix "
                 "with a row for each value and a column for each dimension, "
                 "but indices, values and shape are %s, %s and %s",
                 op, ShapeString(sparse.indices).c_str(),
                 ShapeString(sparse.values).c_str(),
                 ShapeString(sparse.shape).c_str());
}

TfLiteStatus EnsureIndices(TfLiteOpaqueContext* context, const char* op,
                           const SparseTensor& sparse) {
  const int64_t count = sparse.count();
  const int rank = sparse.rank();
  for (int64_t i = 0; i < count; ++i) {
    for (int d = 0; d < rank; ++d) {
      const int64_t index = IntAt(sparse.indices, i * rank + d);
      const int64_t size = IntAt(sparse.shape, d);
      if (index >= 0 && index < size) continue;
      return Failure(context,
                     "%s: index %lld must be in [0, %lld) in dimension %d, but "
                     "is %lld",
                     op, static_cast<long long>(i),
                     static_cast<long long>(size), d,
                     static_cast<long long>(index));
    }
  }
  return kTfLiteOk;
}

}  // namespace tflite::custom::sparse_ops
