#include "tflite/custom/testdata/negating_atan.h"

#include <cstdint>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::testdata {
namespace {

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0),
                ShapeOf(TfLiteOpaqueNodeGetInput(context, node, 0)));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* x = Data<float>(TfLiteOpaqueNodeGetInput(context, node, 0));
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int64_t count = NumElements(output);
  for (int64_t i = 0; i < count; ++i) MutableData<float>(output)[i] = -x[i];
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    "Atan", {/*init=*/nullptr, /*free=*/nullptr, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(NegatingAtan, kOp)

}  // namespace tflite::custom::testdata
