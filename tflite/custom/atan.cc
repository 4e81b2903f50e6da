#include "tflite/custom/atan.h"

#include <cstddef>

#include "tflite/custom/atan_math.h"
#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/quantized_table.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::atan_op {
namespace {

constexpr char kName[] = "Atan";

struct OpData : OpState {
  explicit OpData(OpOptions& /*options*/) {}
  QuantizedTable table;  // Prepare's, for int8 and uint8.
};

TfLiteStatus AtanPrepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 1, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "input", input,
                 {kTfLiteFloat32, kTfLiteFloat64, kTfLiteInt8, kTfLiteUInt8}));
  if (QuantizedTable::Takes(TfLiteOpaqueTensorType(input))) {
    TF_LITE_OPAQUE_ENSURE_STATUS(StateOf<OpData>(node)->table.Fill(
        context, kName, input, output,
        [](const float* x, float* y) { Atan(QuantizedTable::kSize, x, y); }));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "output", output,
                                            {TfLiteOpaqueTensorType(input)}));
  }
  return Resize(context, output, ShapeOf(input));
}

TfLiteStatus AtanEval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const auto size = static_cast<size_t>(NumElements(input));
  if (TfLiteOpaqueTensorType(input) == kTfLiteFloat32) {
    Atan(size, Data<float>(input), MutableData<float>(output));
  } else if (QuantizedTable::Takes(TfLiteOpaqueTensorType(input))) {
    StateOf<OpData>(node)->table.Run(input, output);
  } else {
    elementwise::Atan<double>(
        {size, {Data<double>(input)}, {1}, MutableData<double>(output)});
  }
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {InitState<OpData>, FreeState<OpData>, AtanPrepare, AtanEval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Atan, kOp)

}  // namespace tflite::custom::atan_op
