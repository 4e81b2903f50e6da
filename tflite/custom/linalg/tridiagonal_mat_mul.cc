#include <cstdint>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::linalg_ops {
namespace {

constexpr char kName[] = "TridiagonalMatMul";

// Writes the product of a matrix of three diagonals with one of n rows. The
// last of `above` and the first of `below` lie outside of it.
template <typename T>
void Multiply(int n, int cols, const T* above, const T* diagonal,
              const T* below, const T* right, T* product) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < cols; ++j) {
      const T* at = right + int64_t{i} * cols + j;
      T sum = diagonal[i] * at[0];
      if (i > 0) sum += below[i] * at[-cols];
      if (i + 1 < n) sum += above[i] * at[cols];
      product[int64_t{i} * cols + j] = sum;
    }
  }
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 4, 1));
  const TfLiteOpaqueTensor* right = TfLiteOpaqueNodeGetInput(context, node, 3);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  Matrices matrices;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetMatrices(context, kName, right, &matrices));
  const TfLiteType type = TfLiteOpaqueTensorType(right);
  for (int i = 0; i < 3; ++i) {
    static constexpr const char* kRoles[] = {"superdiag", "maindiag",
                                             "subdiag"};
    const TfLiteOpaqueTensor* diagonal =
        TfLiteOpaqueNodeGetInput(context, node, i);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, kName, kRoles[i], diagonal, {type}));
    if (ShapeOf(diagonal) != matrices.Shape({1, matrices.rows})) {
      return Failure(context,
                     "%s: %s must be a row as long as rhs has rows, but is %s "
                     "for rhs of %s",
                     kName, kRoles[i], ShapeString(diagonal).c_str(),
                     ShapeString(right).c_str());
    }
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "output", output, {type}));
  return Resize(context, output, ShapeOf(right));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* right = TfLiteOpaqueNodeGetInput(context, node, 3);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const MatrixBatch batch = BatchOf(right);
  const FlushedDenormals flushed_denormals;
  WithFloat(TfLiteOpaqueTensorType(right), [&](auto zero) {
    using T = decltype(zero);
    const auto diagonal = [&](int which, int64_t i) {
      return Data<T>(TfLiteOpaqueNodeGetInput(context, node, which)) +
             i * batch.rows;
    };
    for (int64_t i = 0; i < batch.count; ++i) {
      Multiply(batch.rows, batch.cols, diagonal(0, i), diagonal(1, i),
               diagonal(2, i), Data<T>(right) + i * batch.size(),
               MutableData<T>(output) + i * batch.size());
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {/*init=*/nullptr, /*free=*/nullptr, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(TridiagonalMatMul, kOp)

}  // namespace tflite::custom::linalg_ops
