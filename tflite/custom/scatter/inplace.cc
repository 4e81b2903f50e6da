#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/scatter/scatter_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::scatter_ops {
namespace {

struct InplaceAdd {
  static constexpr char kName[] = "InplaceAdd";
  using Join = Add;
};

struct InplaceSub {
  static constexpr char kName[] = "InplaceSub";
  using Join = Subtract;
};

struct InplaceUpdate {
  static constexpr char kName[] = "InplaceUpdate";
  using Join = Replace;
};

template <typename Op>
constexpr bool kReplaces = std::is_same_v<typename Op::Join, Replace>;

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 3, 1));
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* rows = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* v = TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if constexpr (kReplaces<Op>) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureFixedSize(context, Op::kName, "x", x));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureNumber(context, Op::kName, "x", x));
  }
  const TfLiteType type = TfLiteOpaqueTensorType(x);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "i", rows, {kTfLiteInt32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "v", v, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output, {type}));
  std::vector<int> shape = ShapeOf(x);
  const bool has_rows = !shape.empty() && TfLiteOpaqueTensorNumDims(rows) == 1;
  if (has_rows) shape[0] = TfLiteOpaqueTensorDim(rows, 0);
  if (!has_rows || ShapeOf(v) != shape) {
    return Failure(context,
                   "%s: i must be a vector, and v have the shape of x but for "
                   "the first dimension, which is i's; but x, i and v are %s, "
                   "%s and %s",
                   Op::kName, ShapeString(x).c_str(), ShapeString(rows).c_str(),
                   ShapeString(v).c_str());
  }
  return Resize(context, output, ShapeOf(x));
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* rows = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* v = TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int64_t count = NumElements(x);
  if (count == 0) return kTfLiteOk;
  const FlushedDenormals flushed_denormals;
  const auto scatter = [&](auto zero) {
    using T = decltype(zero);
    T* data = MutableData<T>(output);
    std::memcpy(data, Data<T>(x), count * sizeof(T));
    const int64_t first = TfLiteOpaqueTensorDim(x, 0);
    ScatterRows<typename Op::Join>(first, count / first, NumElements(rows),
                                   Data<int32_t>(rows), Data<T>(v), data);
  };
  if constexpr (kReplaces<Op>) {
    WithElementOf(TfLiteOpaqueTensorType(x), scatter);
  } else {
    WithNumber(TfLiteOpaqueTensorType(x), scatter);
  }
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {/*init=*/nullptr, /*free=*/nullptr, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(InplaceAdd, kDefinition<InplaceAdd>)
TFLITE_CUSTOM_DEFINE_OP(InplaceSub, kDefinition<InplaceSub>)
TFLITE_CUSTOM_DEFINE_OP(InplaceUpdate, kDefinition<InplaceUpdate>)

}  // namespace tflite::custom::scatter_ops
