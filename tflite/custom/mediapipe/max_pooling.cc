#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tflite/custom/mediapipe/max_pooling_math.h"
#include "tflite/custom/mediapipe/raw_options.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/window_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::mediapipe_ops {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();

struct OpData {
  OpData(const char* buffer, size_t length) : options(buffer, length) {}
  RawOptions<PoolOptions> options;
  // Prepare's.
  Window rows, cols;
};

// What TfLiteFusedActivation limits the largest elements to.
struct Limits {
  float least = std::numeric_limits<float>::lowest();
  float most = std::numeric_limits<float>::max();
};

bool GetLimits(int32_t activation, Limits* limits) {
  switch (activation) {
    case 0:  // None.
      return true;
    case 1:  // Relu.
      limits->least = 0;
      return true;
    case 2:  // Relu from -1 to 1.
      *limits = {-1, 1};
      return true;
    case 3:  // Relu from 0 to 6.
      *limits = {0, 6};
      return true;
    default:
      return false;
  }
}

// The windows but for what the shapes make of them.
TfLiteStatus SetWindows(TfLiteOpaqueContext* context, const char* op,
                        OpData* data) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureRawOptions(context, op, data->options));
  const PoolOptions& options = data->options.value;
  if (options.filter_height < 1 || options.filter_width < 1) {
    return Failure(context,
                   "%s: the window must be at least 1 by 1, not %d by %d", op,
                   options.filter_height, options.filter_width);
  }
  Limits limits;
  if (!GetLimits(options.activation, &limits)) {
    return Failure(
        context,
        "%s: activation must be 0 to 3 (none, relu, relu of -1 to 1, "
        "relu6), not %d",
        op, options.activation);
  }
  data->rows = {0, options.filter_height, options.stride_height};
  data->cols = {0, options.filter_width, options.stride_width};
  return kTfLiteOk;
}

TfLiteStatus EnsureImages(TfLiteOpaqueContext* context, const char* op,
                          const char* role, const TfLiteOpaqueTensor* tensor) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, role, tensor, {kTfLiteFloat32}));
  if (TfLiteOpaqueTensorNumDims(tensor) == 4) return kTfLiteOk;
  return Failure(context, "%s: %s must be [batch,height,width,channel], not %s",
                 op, role, ShapeString(tensor).c_str());
}

TfLiteStatus EnsureSize(TfLiteOpaqueContext* context, const char* op,
                        const TfLiteOpaqueTensor* input, int64_t height,
                        int64_t width) {
  if (height >= 0 && height <= kMost && width >= 0 && width <= kMost) {
    return kTfLiteOk;
  }
  return Failure(context,
                 "%s: an input of %s would give an output of height %lld and "
                 "width %lld, which must be in [0, %d]",
                 op, ShapeString(input).c_str(), static_cast<long long>(height),
                 static_cast<long long>(width), kMost);
}

constexpr char kPooling[] = "MaxPoolingWithArgmax2D";

TfLiteStatus PreparePooling(TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node) {
  auto* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kPooling, 1, 2));
  TF_LITE_OPAQUE_ENSURE_STATUS(SetWindows(context, kPooling, data));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureImages(context, kPooling, "input", input));
  std::vector<int> shape = ShapeOf(input);
  for (auto& [window, dim] :
       {std::pair{&data->rows, 1}, std::pair{&data->cols, 2}}) {
    window->input = shape[dim];
    if (data->options.value.padding == kSame) {
      window->Spread();
    } else {
      window->Fit();
    }
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSize(
      context, kPooling, input, data->rows.output, data->cols.output));
  shape[1] = static_cast<int>(data->rows.output);
  shape[2] = static_cast<int>(data->cols.output);
  for (int i = 0; i < 2; ++i) {
    TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, i);
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kPooling,
                                            i == 0 ? "output" : "indices",
                                            output, {kTfLiteFloat32}));
    TF_LITE_OPAQUE_ENSURE_STATUS(Resize(context, output, shape));
  }
  return kTfLiteOk;
}

TfLiteStatus EvalPooling(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TfLiteOpaqueTensor* places = TfLiteOpaqueNodeGetOutput(context, node, 1);
  if (NumElements(output) == 0) return kTfLiteOk;
  Limits limits;
  GetLimits(data->options.value.activation, &limits);
  MaxPoolingWithArgmax(TfLiteOpaqueTensorDim(input, 0), data->rows, data->cols,
                       TfLiteOpaqueTensorDim(input, 3), limits.least,
                       limits.most, Data<float>(input),
                       MutableData<float>(output), MutableData<float>(places));
  return kTfLiteOk;
}

constexpr char kUnpooling[] = "MaxUnpooling2D";

TfLiteStatus PrepareUnpooling(TfLiteOpaqueContext* context,
                              TfLiteOpaqueNode* node) {
  auto* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kUnpooling, 2, 1));
  TF_LITE_OPAQUE_ENSURE_STATUS(SetWindows(context, kUnpooling, data));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* places = TfLiteOpaqueNodeGetInput(context, node, 1);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureImages(context, kUnpooling, "input", input));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureImages(context, kUnpooling, "indices", places));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureSameShape(context, kUnpooling, "indices", places, "input", input));
  std::vector<int> shape = ShapeOf(input);
  for (auto& [window, dim] :
       {std::pair{&data->rows, 1}, std::pair{&data->cols, 2}}) {
    // MediaPipe has as many windows as the input has elements, whatever the
    // strides are.
    window->output = shape[dim];
    window->input = window->output * window->size;
    window->before = std::max<int64_t>((window->output - 1) * window->stride +
                                           window->size - window->input,
                                       0) /
                     2;
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSize(context, kUnpooling, input,
                                          data->rows.input, data->cols.input));
  shape[1] = static_cast<int>(data->rows.input);
  shape[2] = static_cast<int>(data->cols.input);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kUnpooling, "output", output, {kTfLiteFloat32}));
  return Resize(context, output, shape);
}

TfLiteStatus EvalUnpooling(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node) {
  const auto* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (NumElements(output) == 0) return kTfLiteOk;
  MaxUnpooling(TfLiteOpaqueTensorDim(input, 0), data->rows, data->cols,
               TfLiteOpaqueTensorDim(input, 3), Data<float>(input),
               Data<float>(TfLiteOpaqueNodeGetInput(context, node, 1)),
               MutableData<float>(output));
  return kTfLiteOk;
}

constexpr OpDefinition kPoolingOp = {
    kPooling,
    {InitRawState<OpData>, FreeState<OpData>, PreparePooling, EvalPooling}};
constexpr OpDefinition kUnpoolingOp = {
    kUnpooling,
    {InitRawState<OpData>, FreeState<OpData>, PrepareUnpooling, EvalUnpooling}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(MaxPoolingWithArgmax2D, kPoolingOp)
TFLITE_CUSTOM_DEFINE_OP(MaxUnpooling2D, kUnpoolingOp)

}  // namespace tflite::custom::mediapipe_ops
