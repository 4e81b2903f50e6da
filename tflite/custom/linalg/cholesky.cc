#include <cstdint>

#include "tflite/custom/linalg/cholesky_math.h"
#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::linalg_ops {
namespace {

constexpr char kName[] = "Cholesky";

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  Matrices matrices;
  return PrepareSquare(context, node, kName, &matrices);
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const MatrixBatch batch = BatchOf(input);
  WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < batch.count; ++i) {
      const int64_t at = i * batch.size();
      Cholesky(batch.rows, Data<T>(input) + at, MutableData<T>(output) + at);
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {/*init=*/nullptr, /*free=*/nullptr, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Cholesky, kOp)

}  // namespace tflite::custom::linalg_ops
