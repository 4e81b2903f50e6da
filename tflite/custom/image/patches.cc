#include <cstdint>
#include <limits>
#include <vector>

#include "tflite/custom/image/patches_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/window_math.h"
#include "tflite/custom/window_options.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::image_ops {
namespace {

constexpr char kName[] = "ExtractImagePatches";

struct OpData : OpState {
  explicit OpData(OpOptions& options) : window(options, "ksizes", "rates") {}
  WindowOptions window;
  std::vector<Window> windows;  // Prepare's.
};

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  auto* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 1, 1));
  const TfLiteOpaqueTensor* images = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureFixedSize(context, kName, "images", images));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "output", output,
                                          {TfLiteOpaqueTensorType(images)}));
  if (TfLiteOpaqueTensorNumDims(images) != 4) {
    return Failure(context, "%s: images must have rank 4, but are %s", kName,
                   ShapeString(images).c_str());
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      PlaceWindows(context, kName, data->window, {}, images, &data->windows));
  constexpr int kMost = std::numeric_limits<int>::max();
  const int64_t places = data->windows[0].size * data->windows[1].size;
  const int64_t channels = TfLiteOpaqueTensorDim(images, 3);
  if (places > kMost || places * channels > kMost) {
    return Failure(context,
                   "%s: a patch of %lld by %lld pixels of %lld channels is "
                   "larger than a dimension can be, %d",
                   kName, static_cast<long long>(data->windows[0].size),
                   static_cast<long long>(data->windows[1].size),
                   static_cast<long long>(channels), kMost);
  }
  return Resize(context, output,
                OutputShape(images, data->windows, places * channels));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* images = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (NumElements(output) == 0) return kTfLiteOk;
  WithElementOf(TfLiteOpaqueTensorType(images), [&](auto zero) {
    using T = decltype(zero);
    ExtractPatches(TfLiteOpaqueTensorDim(images, 0), data->windows[0],
                   data->windows[1], TfLiteOpaqueTensorDim(images, 3),
                   Data<T>(images), MutableData<T>(output));
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {InitState<OpData>, FreeState<OpData>, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(ExtractImagePatches, kOp)

}  // namespace tflite::custom::image_ops
