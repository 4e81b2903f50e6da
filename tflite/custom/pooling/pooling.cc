#include <cstdint>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/pooling/pooling_math.h"
#include "tflite/custom/window_math.h"
#include "tflite/custom/window_options.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::pooling_ops {
namespace {

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : window(options, "ksize", nullptr),
        with_batch(options.Bool("include_batch_in_index", false)) {}
  WindowOptions window;
  bool with_batch;
  std::vector<Window> windows;  // Prepare's.
};

TfLiteStatus PrepareWindows(TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node, const char* op, int rank) {
  auto* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op, "output", output,
                                          {TfLiteOpaqueTensorType(input)}));
  if (TfLiteOpaqueTensorNumDims(input) != rank) {
    return Failure(context, "%s: input must have rank %d, but is %s", op, rank,
                   ShapeString(input).c_str());
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      PlaceWindows(context, op, data->window, {}, input, &data->windows));
  return Resize(context, output,
                OutputShape(input, data->windows,
                            TfLiteOpaqueTensorDim(input, rank - 1)));
}

struct MaxPool3D {
  static constexpr char kName[] = "MaxPool3D";
  using Joiner = Largest;
};

struct AvgPool3D {
  static constexpr char kName[] = "AvgPool3D";
  using Joiner = Mean;
};

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureValid(context, Op::kName, StateOf<OpData>(node)->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 1, 1));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "input",
                 TfLiteOpaqueNodeGetInput(context, node, 0), {kTfLiteFloat32}));
  return PrepareWindows(context, node, Op::kName, 5);
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (NumElements(output) == 0) return kTfLiteOk;
  const FlushedDenormals flushed_denormals;
  Pool3D<typename Op::Joiner>(TfLiteOpaqueTensorDim(input, 0),
                              data->windows.data(),
                              TfLiteOpaqueTensorDim(input, 4),
                              Data<float>(input), MutableData<float>(output));
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

constexpr char kArgmax[] = "MaxPoolWithArgmax";

TfLiteStatus PrepareArgmax(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureValid(context, kArgmax, StateOf<OpData>(node)->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kArgmax, 1, 2));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureNumber(context, kArgmax, "input", input));
  TF_LITE_OPAQUE_ENSURE_STATUS(PrepareWindows(context, node, kArgmax, 4));
  TfLiteOpaqueTensor* argmax = TfLiteOpaqueNodeGetOutput(context, node, 1);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kArgmax, "argmax", argmax,
                                          {kTfLiteInt32, kTfLiteInt64}));
  return Resize(context, argmax,
                ShapeOf(TfLiteOpaqueNodeGetOutput(context, node, 0)));
}

TfLiteStatus EvalArgmax(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TfLiteOpaqueTensor* argmax = TfLiteOpaqueNodeGetOutput(context, node, 1);
  if (NumElements(output) == 0) return kTfLiteOk;
  WithNumber(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    WithIndex(TfLiteOpaqueTensorType(argmax), [&](auto index) {
      using I = decltype(index);
      MaxPoolWithArgmax(TfLiteOpaqueTensorDim(input, 0), data->windows[0],
                        data->windows[1], TfLiteOpaqueTensorDim(input, 3),
                        data->with_batch, Data<T>(input),
                        MutableData<T>(output), MutableData<I>(argmax));
    });
  });
  return kTfLiteOk;
}

constexpr OpDefinition kArgmaxOp = {
    kArgmax, {InitState<OpData>, FreeState<OpData>, PrepareArgmax, EvalArgmax}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(AvgPool3D, kDefinition<AvgPool3D>)
TFLITE_CUSTOM_DEFINE_OP(MaxPool3D, kDefinition<MaxPool3D>)
TFLITE_CUSTOM_DEFINE_OP(MaxPoolWithArgmax, kArgmaxOp)

}  // namespace tflite::custom::pooling_ops
