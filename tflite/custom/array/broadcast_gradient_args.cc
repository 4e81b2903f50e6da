// BroadcastGradientArgs: along which axes the gradient of a broadcast
// operation is summed, for each of its two arguments.

#include <algorithm>
#include <cstdint>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::array_ops {
namespace {

constexpr char kBroadcastGradientArgs[] = "BroadcastGradientArgs";

// Calls f(argument, axis) for each axis along which one is summed, in rising
// order. Where both have 1 both are, as in TensorFlow, unless the shapes are
// the same.
template <typename F>
TfLiteStatus ForEachAxis(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                         const F& f) {
  const TfLiteOpaqueTensor* shapes[] = {
      TfLiteOpaqueNodeGetInput(context, node, 0),
      TfLiteOpaqueNodeGetInput(context, node, 1)};
  const int64_t ranks[] = {NumElements(shapes[0]), NumElements(shapes[1])};
  const int64_t rank = std::max(ranks[0], ranks[1]);
  // The shapes are aligned at their last dimensions.
  const auto size = [&](int argument, int64_t axis) -> int64_t {
    const int64_t at = axis - (rank - ranks[argument]);
    return at < 0 ? 1 : IntAt(shapes[argument], at);
  };
  bool same = ranks[0] == ranks[1];
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t a = size(0, axis), b = size(1, axis);
    if (a != b && a != 1 && b != 1) {
      return Failure(context,
                     "%s: sizes of an axis must be equal, or one of them 1, "
                     "but those of axis %lld are %lld and %lld",
                     kBroadcastGradientArgs, static_cast<long long>(axis),
                     static_cast<long long>(a), static_cast<long long>(b));
    }
    same = same && a == b;
  }
  if (same) return kTfLiteOk;
  for (int64_t axis = 0; axis < rank; ++axis) {
    for (const int argument : {0, 1}) {
      if (size(argument, axis) == 1) f(argument, axis);
    }
  }
  return kTfLiteOk;
}

TfLiteStatus ResizeBoth(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  int counts[] = {0, 0};
  TF_LITE_OPAQUE_ENSURE_STATUS(ForEachAxis(
      context, node, [&](int argument, int64_t) { ++counts[argument]; }));
  for (const int i : {0, 1}) {
    TF_LITE_OPAQUE_ENSURE_STATUS(Resize(
        context, TfLiteOpaqueNodeGetOutput(context, node, i), {counts[i]}));
  }
  return kTfLiteOk;
}

bool IsKnown(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  return AreConstant({TfLiteOpaqueNodeGetInput(context, node, 0),
                      TfLiteOpaqueNodeGetInput(context, node, 1)});
}

TfLiteStatus PrepareBroadcastGradientArgs(TfLiteOpaqueContext* context,
                                          TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, kBroadcastGradientArgs, 2, 2));
  const TfLiteOpaqueTensor* s0 = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* s1 = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteType type = TfLiteOpaqueTensorType(s0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kBroadcastGradientArgs, "s0",
                                          s0, {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kBroadcastGradientArgs, "s1", s1, {type}));
  if (TfLiteOpaqueTensorNumDims(s0) != 1 ||
      TfLiteOpaqueTensorNumDims(s1) != 1) {
    return Failure(context, "%s: s0 and s1 must be vectors, but are %s and %s",
                   kBroadcastGradientArgs, ShapeString(s0).c_str(),
                   ShapeString(s1).c_str());
  }
  const bool known = IsKnown(context, node);
  for (const int i : {0, 1}) {
    TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, i);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, kBroadcastGradientArgs, "output", output, {type}));
    if (!known) TfLiteOpaqueTensorSetAllocationTypeToDynamic(output);
  }
  return known ? ResizeBoth(context, node) : kTfLiteOk;
}

TfLiteStatus EvalBroadcastGradientArgs(TfLiteOpaqueContext* context,
                                       TfLiteOpaqueNode* node) {
  TfLiteOpaqueTensor* outputs[] = {TfLiteOpaqueNodeGetOutput(context, node, 0),
                                   TfLiteOpaqueNodeGetOutput(context, node, 1)};
  if (!IsKnown(context, node)) {
    TF_LITE_OPAQUE_ENSURE_STATUS(ResizeBoth(context, node));
    for (const TfLiteOpaqueTensor* output : outputs) {
      TF_LITE_OPAQUE_ENSURE_STATUS(
          EnsureMemory(context, kBroadcastGradientArgs, "output", output));
    }
  }
  return WithIndex(TfLiteOpaqueTensorType(outputs[0]), [&](auto zero) {
    using I = decltype(zero);
    I* to[] = {MutableData<I>(outputs[0]), MutableData<I>(outputs[1])};
    return ForEachAxis(context, node, [&](int argument, int64_t axis) {
      *to[argument]++ = static_cast<I>(axis);
    });
  });
}

constexpr OpDefinition kBroadcastGradientArgsOp = {
    kBroadcastGradientArgs,
    {/*init=*/nullptr, /*free=*/nullptr, PrepareBroadcastGradientArgs,
     EvalBroadcastGradientArgs}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(BroadcastGradientArgs, kBroadcastGradientArgsOp)

}  // namespace tflite::custom::array_ops
