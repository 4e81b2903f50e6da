#include "tflite/custom/linalg/matrices.h"

#include <vector>

#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace linalg_ops {

using ::tflite::custom::EnsureType;
using ::tflite::custom::ShapeOf;
using ::tflite::custom::ShapeString;

std::vector<int> Matrices::Shape(const std::vector<int>& inner) const {
  std::vector<int> shape = batch;
  shape.insert(shape.end(), inner.begin(), inner.end());
  return shape;
}

TfLiteStatus GetMatrices(TfLiteOpaqueContext* context, const char* op,
                         const TfLiteOpaqueTensor* tensor, Matrices* matrices) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op, "input", tensor,
                                          {kTfLiteFloat32, kTfLiteFloat64}));
  std::vector<int> shape = ShapeOf(tensor);
  if (shape.size() < 2) {
    TfLiteOpaqueContextReportError(
        context, "%s: input must have rank 2 or more, but tensor '%s' is %s",
        op, TfLiteOpaqueTensorName(tensor), ShapeString(tensor).c_str());
    return kTfLiteError;
  }
  matrices->cols = shape.back();
  shape.pop_back();
  matrices->rows = shape.back();
  shape.pop_back();
  matrices->count = 1;
  for (const int size : shape) matrices->count *= size;
  matrices->batch = shape;
  return kTfLiteOk;
}

TfLiteStatus EnsureSquare(TfLiteOpaqueContext* context, const char* op,
                          const TfLiteOpaqueTensor* tensor,
                          const Matrices& matrices) {
  if (matrices.rows == matrices.cols) return kTfLiteOk;
  TfLiteOpaqueContextReportError(
      context, "%s: input must be square matrices, but tensor '%s' is %s", op,
      TfLiteOpaqueTensorName(tensor), ShapeString(tensor).c_str());
  return kTfLiteError;
}

}  // namespace linalg_ops
