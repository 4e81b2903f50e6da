#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "tflite/custom/mediapipe/raw_options.h"
#include "tflite/custom/mediapipe/transpose_conv_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/temporaries.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::mediapipe_ops {
namespace {

constexpr char kName[] = "Convolution2DTransposeBias";

struct OpData {
  OpData(const char* buffer, size_t length) : options(buffer, length) {}
  RawOptions<TransposeConvOptions> options;
  TransposeConv conv;  // Prepare's.
  Temporaries temporaries;
};

TfLiteStatus EnsureShapes(TfLiteOpaqueContext* context,
                          const TfLiteOpaqueTensor* input,
                          const TfLiteOpaqueTensor* filter,
                          const TfLiteOpaqueTensor* bias) {
  for (const auto& [role, tensor] :
       {std::pair{"input", input}, std::pair{"filter", filter},
        std::pair{"bias", bias}}) {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, kName, role, tensor, {kTfLiteFloat32}));
  }
  if (TfLiteOpaqueTensorNumDims(input) == 4 &&
      TfLiteOpaqueTensorNumDims(filter) == 4 &&
      TfLiteOpaqueTensorNumDims(bias) == 1 &&
      TfLiteOpaqueTensorDim(input, 3) == TfLiteOpaqueTensorDim(filter, 3) &&
      TfLiteOpaqueTensorDim(filter, 0) == TfLiteOpaqueTensorDim(bias, 0) &&
      NumElements(filter) > 0) {
    return kTfLiteOk;
  }
  return Failure(context,
                 "%s: input, filter and bias must be [batch,height,width,in], "
                 "[out,height,width,in] and [out], and the filter not empty, "
                 "but they are %s, %s and %s",
                 kName, ShapeString(input).c_str(), ShapeString(filter).c_str(),
                 ShapeString(bias).c_str());
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  auto* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 3, 1));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureRawOptions(context, kName, data->options));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* filter = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* bias = TfLiteOpaqueNodeGetInput(context, node, 2);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureShapes(context, input, filter, bias));
  const TransposeConvOptions& options = data->options.value;
  TransposeConv& conv = data->conv;
  conv.batches = TfLiteOpaqueTensorDim(input, 0);
  conv.input_channels = TfLiteOpaqueTensorDim(input, 3);
  conv.output_channels = TfLiteOpaqueTensorDim(filter, 0);
  for (const auto& [spread, dim, stride] :
       {std::tuple{&conv.rows, 1, options.stride_height},
        std::tuple{&conv.cols, 2, options.stride_width}}) {
    spread->input = TfLiteOpaqueTensorDim(input, dim);
    spread->filter = TfLiteOpaqueTensorDim(filter, dim);
    spread->stride = stride;
    spread->Place(options.padding == kSame);
    if (spread->input < 1 || spread->output < 0 ||
        spread->output > std::numeric_limits<int>::max()) {
      return Failure(context,
                     "%s: dimension %d of an input of %s, strides of %d and a "
                     "filter of %s give an output of %lld, which must be in "
                     "[0, %d]",
                     kName, dim, ShapeString(input).c_str(), stride,
                     ShapeString(filter).c_str(),
                     static_cast<long long>(spread->output),
                     std::numeric_limits<int>::max());
    }
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      data->temporaries.Add(context, node, {kTfLiteFloat32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(ResizeTemporary(
      context, kName, data->temporaries.Get(context, 0), conv.Scratch()));
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "output", output, {kTfLiteFloat32}));
  return Resize(
      context, output,
      {static_cast<int>(conv.batches), static_cast<int>(conv.rows.output),
       static_cast<int>(conv.cols.output),
       static_cast<int>(conv.output_channels)});
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<OpData>(node);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (NumElements(output) == 0) return kTfLiteOk;
  RunTransposeConv(data->conv,
                   Data<float>(TfLiteOpaqueNodeGetInput(context, node, 0)),
                   Data<float>(TfLiteOpaqueNodeGetInput(context, node, 1)),
                   Data<float>(TfLiteOpaqueNodeGetInput(context, node, 2)),
                   MutableData<float>(data->temporaries.Get(context, 0)),
                   MutableData<float>(output));
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {InitRawState<OpData>, FreeState<OpData>, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Convolution2DTransposeBias, kOp)

}  // namespace tflite::custom::mediapipe_ops
