#include <algorithm>
#include <cstdint>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/euclidean_norm_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::reduction_ops {
namespace {

constexpr char kName[] = "EuclideanNorm";

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : keep_dims(options.Bool("keep_dims", false)) {}
  bool keep_dims;
  // Of x; ResizeOutput's.
  std::vector<NormDimension> dimensions;
};

// Plans the reduction and gives the output its shape, for which the values of
// `axes` must be there.
TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          const TfLiteOpaqueTensor* x,
                          const TfLiteOpaqueTensor* axes, OpData* data) {
  const int rank = TfLiteOpaqueTensorNumDims(x);
  std::vector<bool> reduced(rank);
  const int64_t num_axes = NumElements(axes);
  for (int64_t i = 0; i < num_axes; ++i) {
    const int64_t axis = IntAt(axes, i);
    if (axis < -rank || axis >= rank) {
      TfLiteOpaqueContextReportError(
          context, "%s: an axis must be in [%d, %d), but element %lld is %lld",
          kName, -rank, rank, static_cast<long long>(i),
          static_cast<long long>(axis));
      return kTfLiteError;
    }
    auto seen = reduced[axis < 0 ? axis + rank : axis];
    if (seen) {
      TfLiteOpaqueContextReportError(
          context, "%s: axes must differ, but element %lld is %lld again",
          kName, static_cast<long long>(i), static_cast<long long>(axis));
      return kTfLiteError;
    }
    seen = true;
  }
  data->dimensions.resize(rank);
  std::vector<int> shape;
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {  // The output's, innermost first.
    const int size = TfLiteOpaqueTensorDim(x, i);
    data->dimensions[i] = {size, reduced[i] ? 0 : stride, 0};
    if (!reduced[i]) {
      stride *= size;
      shape.push_back(size);
    } else if (data->keep_dims) {
      shape.push_back(1);
    }
  }
  std::reverse(shape.begin(), shape.end());
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 2, 1));
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* axes = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureNumber(context, kName, "input", x));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "axis", axes, {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "output", output,
                                          {TfLiteOpaqueTensorType(x)}));
  if (TfLiteOpaqueTensorNumDims(axes) > 1) {
    TfLiteOpaqueContextReportError(
        context, "%s: axis must be a scalar or a vector, not %s", kName,
        ShapeString(axes).c_str());
    return kTfLiteError;
  }
  return ResizeInPrepare({axes}, output, [&] {
    return ResizeOutput(context, node, x, axes, data);
  });
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* axes = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(ResizeInInvoke(
      context, kName, {axes}, output,
      [&] { return ResizeOutput(context, node, x, axes, data); }));
  WithNumber(TfLiteOpaqueTensorType(x), [&](auto zero) {
    using T = decltype(zero);
    EuclideanNorm(data->dimensions.data(),
                  static_cast<int>(data->dimensions.size()), Data<T>(x),
                  NumElements(output), MutableData<T>(output));
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {InitState<OpData>, FreeState<OpData>, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(EuclideanNorm, kOp)

}  // namespace tflite::custom::reduction_ops
