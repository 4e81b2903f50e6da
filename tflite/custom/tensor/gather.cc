// GatherV2: slices of a tensor along an axis, by their indices.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::tensor_ops {
namespace {

constexpr char kGatherV2[] = "GatherV2";

struct GatherData : OpState {
  explicit GatherData(OpOptions& options)
      : batch_dims(options.Int("batch_dims", 0)) {}
  int64_t batch_dims;
  // Params are [batches, outer, size, inner], indices [batches, count].
  int64_t batches, outer, size, inner, count;
};

TfLiteStatus ResizeGather(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  GatherData* data = StateOf<GatherData>(node);
  const std::vector<int> params =
      ShapeOf(TfLiteOpaqueNodeGetInput(context, node, 0));
  const std::vector<int> indices =
      ShapeOf(TfLiteOpaqueNodeGetInput(context, node, 1));
  const int rank = static_cast<int>(params.size());
  const int indices_rank = static_cast<int>(indices.size());
  const int64_t given_axis = IntAt(TfLiteOpaqueNodeGetInput(context, node, 2));
  if (given_axis < -rank || given_axis >= rank) {
    return Failure(context, "%s: axis must be in [%d, %d), not %lld", kGatherV2,
                   -rank, rank, static_cast<long long>(given_axis));
  }
  const int axis =
      static_cast<int>(given_axis < 0 ? given_axis + rank : given_axis);
  const int64_t given = data->batch_dims;
  const int64_t batch = given < 0 ? given + indices_rank : given;
  if (batch < 0 || batch > std::min(axis, indices_rank)) {
    return Failure(context,
                   "%s: batch_dims must be in [%d, %d] and at most axis, %d, "
                   "but is %lld",
                   kGatherV2, -indices_rank, indices_rank, axis,
                   static_cast<long long>(given));
  }
  if (!std::equal(params.begin(), params.begin() + batch, indices.begin())) {
    return Failure(context,
                   "%s: params and indices must agree in the first %lld "
                   "dimensions, but are %s and %s",
                   kGatherV2, static_cast<long long>(batch),
                   ShapeString(params).c_str(), ShapeString(indices).c_str());
  }
  std::vector<int> shape(params.begin(), params.begin() + axis);
  shape.insert(shape.end(), indices.begin() + batch, indices.end());
  shape.insert(shape.end(), params.begin() + axis + 1, params.end());
  int64_t elements = 1;
  for (const int size : shape) {
    if (size > 0 && elements > (int64_t{1} << 31) / size) {
      return Failure(context, "%s: an output of %s is too large", kGatherV2,
                     ShapeString(shape).c_str());
    }
    elements *= size;
  }
  const auto product = [](auto first, auto last) {
    int64_t product = 1;
    for (; first != last; ++first) product *= *first;
    return product;
  };
  data->batches = product(params.begin(), params.begin() + batch);
  data->outer = product(params.begin() + batch, params.begin() + axis);
  data->size = params[axis];
  data->inner = product(params.begin() + axis + 1, params.end());
  data->count = product(indices.begin() + batch, indices.end());
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
}

TfLiteStatus PrepareGather(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureValid(context, kGatherV2, StateOf<GatherData>(node)->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kGatherV2, 3, 1));
  const TfLiteOpaqueTensor* params = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* indices =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* axis = TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureFixedSize(context, kGatherV2, "params", params));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
      context, kGatherV2, "indices", indices, {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kGatherV2, "axis", axis,
                                          {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScalar(context, kGatherV2, "axis", axis));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kGatherV2, "output", output,
                                          {TfLiteOpaqueTensorType(params)}));
  return ResizeInPrepare({axis}, output,
                         [&] { return ResizeGather(context, node); });
}

TfLiteStatus EvalGather(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* params = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* indices =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(ResizeInInvoke(
      context, kGatherV2, {TfLiteOpaqueNodeGetInput(context, node, 2)}, output,
      [&] { return ResizeGather(context, node); }));
  if (NumElements(output) == 0) return kTfLiteOk;
  const GatherData& data = *StateOf<GatherData>(node);
  for (int64_t i = 0; i < data.batches * data.count; ++i) {
    const int64_t index = IntAt(indices, i);
    if (index < 0 || index >= data.size) {
      return Failure(context,
                     "%s: indices must be in [0, %lld), but element %lld is "
                     "%lld",
                     kGatherV2, static_cast<long long>(data.size),
                     static_cast<long long>(i), static_cast<long long>(index));
    }
  }
  WithElementOf(TfLiteOpaqueTensorType(params), [&](auto zero) {
    using E = decltype(zero);
    const E* from = Data<E>(params);
    E* to = MutableData<E>(output);
    for (int64_t row = 0; row < data.batches * data.outer; ++row) {
      const int64_t first = row / data.outer * data.count;
      for (int64_t i = 0; i < data.count; ++i) {
        to = std::copy_n(from + IntAt(indices, first + i) * data.inner,
                         data.inner, to);
      }
      from += data.size * data.inner;
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kGatherV2Op = {
    kGatherV2,
    {InitState<GatherData>, FreeState<GatherData>, PrepareGather, EvalGather}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(GatherV2, kGatherV2Op)

}  // namespace tflite::custom::tensor_ops
