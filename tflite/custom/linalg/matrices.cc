#include "tflite/custom/linalg/matrices.h"

#include <vector>

#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::linalg_ops {

MatrixBatch BatchOf(const TfLiteOpaqueTensor* tensor) {
  const int rank = TfLiteOpaqueTensorNumDims(tensor);
  MatrixBatch batch = {1, TfLiteOpaqueTensorDim(tensor, rank - 2),
                       TfLiteOpaqueTensorDim(tensor, rank - 1)};
  for (int i = 0; i < rank - 2; ++i) {
    batch.count *= TfLiteOpaqueTensorDim(tensor, i);
  }
  return batch;
}

std::vector<int> Matrices::Shape(const std::vector<int>& inner) const {
  std::vector<int> shape = batch;
  shape.insert(shape.end(), inner.begin(), inner.end());
  return shape;
}

TfLiteStatus GetMatrices(TfLiteOpaqueContext* context, const char* op,
                         const TfLiteOpaqueTensor* tensor, Matrices* matrices,
                         const char* role, bool complex) {
  if (complex) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
        context, op, role, tensor,
        {kTfLiteFloat32, kTfLiteFloat64, kTfLiteComplex64, kTfLiteComplex128}));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op, role, tensor,
                                            {kTfLiteFloat32, kTfLiteFloat64}));
  }
  std::vector<int> shape = ShapeOf(tensor);
  if (shape.size() < 2) {
    TfLiteOpaqueContextReportError(
        context, "%s: %s must have rank 2 or more, but tensor '%s' is %s", op,
        role, TfLiteOpaqueTensorName(tensor), ShapeString(tensor).c_str());
    return kTfLiteError;
  }
  shape.resize(shape.size() - 2);
  *matrices = {BatchOf(tensor), shape};
  return kTfLiteOk;
}

bool BroadcastBatch(const std::vector<int>& other, std::vector<int>* batch) {
  if (other.size() > batch->size()) {
    batch->insert(batch->begin(), other.size() - batch->size(), 1);
  }
  const size_t ahead = batch->size() - other.size();
  for (size_t i = 0; i < other.size(); ++i) {
    int& size = (*batch)[ahead + i];
    if (size != other[i] && size != 1 && other[i] != 1) return false;
    if (size == 1) size = other[i];
  }
  return true;
}

TfLiteStatus EnsureSquare(TfLiteOpaqueContext* context, const char* op,
                          const TfLiteOpaqueTensor* tensor, MatrixSize size) {
  if (size.rows == size.cols) return kTfLiteOk;
  TfLiteOpaqueContextReportError(
      context, "%s: input must be square matrices, but tensor '%s' is %s", op,
      TfLiteOpaqueTensorName(tensor), ShapeString(tensor).c_str());
  return kTfLiteError;
}

TfLiteStatus PrepareSquare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                           const char* op, Matrices* matrices) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, op, 1, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(GetMatrices(context, op, input, matrices));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureSquare(context, op, input, {matrices->rows, matrices->cols}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op, "output", output,
                                          {TfLiteOpaqueTensorType(input)}));
  return Resize(context, output,
                matrices->Shape({matrices->rows, matrices->cols}));
}

}  // namespace tflite::custom::linalg_ops
