#include <cstdint>
#include <vector>

#include "tflite/custom/conv/conv2d_math.h"
#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/temporaries.h"
#include "tflite/custom/window_math.h"
#include "tflite/custom/window_options.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::conv_ops {
namespace {

constexpr char kName[] = "Conv2D";

struct OpData : OpState {
  explicit OpData(OpOptions& options) : window(options, nullptr, "dilations") {}
  WindowOptions window;
  // Prepare's.
  Conv2D conv;
  Temporaries temporaries;
};

TfLiteStatus EnsureShapes(TfLiteOpaqueContext* context,
                          const TfLiteOpaqueTensor* input,
                          const TfLiteOpaqueTensor* filter) {
  if (TfLiteOpaqueTensorNumDims(input) == 4 &&
      TfLiteOpaqueTensorNumDims(filter) == 4 && NumElements(filter) > 0) {
    const int channels = TfLiteOpaqueTensorDim(input, 3);
    const int depth = TfLiteOpaqueTensorDim(filter, 2);
    if (channels >= depth && channels % depth == 0 &&
        TfLiteOpaqueTensorDim(filter, 3) % (channels / depth) == 0) {
      return kTfLiteOk;
    }
  }
  return Failure(
      context,
      "%s: input and filter must be [batch,height,width,channel] and "
      "[height,width,in,out], the channels as many as in, or groups "
      "of so many that divide out, but they are %s and %s",
      kName, ShapeString(input).c_str(), ShapeString(filter).c_str());
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  auto* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 2, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* filter = TfLiteOpaqueNodeGetInput(context, node, 1);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "input", input,
                 {kTfLiteFloat32, kTfLiteFloat64, kTfLiteInt32}));
  const TfLiteType type = TfLiteOpaqueTensorType(input);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "filter", filter, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureShapes(context, input, filter));
  std::vector<Window> windows;
  TF_LITE_OPAQUE_ENSURE_STATUS(PlaceWindows(
      context, kName, data->window,
      {TfLiteOpaqueTensorDim(filter, 0), TfLiteOpaqueTensorDim(filter, 1)},
      input, &windows));
  data->conv = {TfLiteOpaqueTensorDim(input, 0),
                windows[0],
                windows[1],
                TfLiteOpaqueTensorDim(input, 3),
                TfLiteOpaqueTensorDim(filter, 2),
                TfLiteOpaqueTensorDim(filter, 3)};
  TF_LITE_OPAQUE_ENSURE_STATUS(data->temporaries.Add(context, node, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(ResizeTemporary(
      context, kName, data->temporaries.Get(context, 0), data->conv.Scratch()));
  // Both are got anew: a new temporary has moved the tensors.
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "output", output, {type}));
  return Resize(context, output,
                OutputShape(TfLiteOpaqueNodeGetInput(context, node, 0), windows,
                            data->conv.output_channels));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* filter = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* scratch = data->temporaries.Get(context, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (NumElements(output) == 0) return kTfLiteOk;
  const FlushedDenormals flushed_denormals;
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    RunConv2D(data->conv, Data<T>(input), Data<T>(filter),
              MutableData<T>(scratch), MutableData<T>(output));
  };
  // Integers wrap, which those with a sign do not do in C++.
  if (TfLiteOpaqueTensorType(input) == kTfLiteInt32) {
    run(uint32_t());
  } else {
    WithFloat(TfLiteOpaqueTensorType(input), run);
  }
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {InitState<OpData>, FreeState<OpData>, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Conv2D, kOp)

}  // namespace tflite::custom::conv_ops
