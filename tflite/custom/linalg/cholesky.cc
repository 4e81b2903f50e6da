#include <cstdint>

#include "tflite/custom/linalg/cholesky_math.h"
#include "tflite/custom/linalg/linalg.h"
#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace linalg_ops {
namespace {

using ::tflite::custom::Data;
using ::tflite::custom::EnsureArity;
using ::tflite::custom::EnsureType;
using ::tflite::custom::MutableData;
using ::tflite::custom::OpDefinition;
using ::tflite::custom::Resize;
using ::tflite::custom::WithFloat;

constexpr char kName[] = "Cholesky";

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 1, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  Matrices matrices;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetMatrices(context, kName, input, &matrices));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSquare(context, kName, input, matrices));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "output", output,
                                          {TfLiteOpaqueTensorType(input)}));
  return Resize(context, output,
                matrices.Shape({matrices.rows, matrices.cols}));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int n =
      TfLiteOpaqueTensorDim(input, TfLiteOpaqueTensorNumDims(input) - 1);
  const int64_t size = int64_t{n} * n;
  const int64_t elements = tflite::custom::NumElements(input);
  WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t at = 0; at < elements; at += size) {
      Cholesky(n, Data<T>(input) + at, MutableData<T>(output) + at);
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {/*init=*/nullptr, /*free=*/nullptr, Prepare, Eval}};

}  // namespace

TfLiteRegistrationExternal* CholeskyOpRegistrationExternal() {
  return tflite::custom::RegistrationExternalOf<kOp>();
}

const TfLiteRegistration* CholeskyOpRegistration() {
  return tflite::custom::RegistrationOf<kOp>();
}

}  // namespace linalg_ops
