#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/scatter/scatter_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::scatter_ops {
namespace {

struct ScatterNdNonAliasingAdd {
  static constexpr char kName[] = "ScatterNdNonAliasingAdd";
  using Join = Add;
};

struct TensorScatterMax {
  static constexpr char kName[] = "TensorScatterMax";
  using Join = Max;
};

struct TensorScatterMin {
  static constexpr char kName[] = "TensorScatterMin";
  using Join = Min;
};

struct TensorScatterSub {
  static constexpr char kName[] = "TensorScatterSub";
  using Join = Subtract;
};

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : policy(options.String("bad_indices_policy", "")) {}
  // What becomes of an index outside: an error, or nothing for "IGNORE".
  std::string policy;
  // Prepare's: the dimensions of the tensor that an index counts along, and the
  // elements of what it points at.
  std::vector<int> sizes;
  int64_t slice = 0;
};

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, data->error));
  if (!data->policy.empty() && data->policy != "DEFAULT" &&
      data->policy != "ERROR" && data->policy != "IGNORE") {
    return Failure(context,
                   "%s: option 'bad_indices_policy' must be DEFAULT, ERROR or "
                   "IGNORE, not '%s'",
                   Op::kName, data->policy.c_str());
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 3, 1));
  const TfLiteOpaqueTensor* tensor = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* indices =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* updates =
      TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureNumber(context, Op::kName, "tensor", tensor));
  const TfLiteType type = TfLiteOpaqueTensorType(tensor);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
      context, Op::kName, "indices", indices, {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "updates", updates, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output, {type}));

  const std::vector<int> shape = ShapeOf(tensor);
  std::vector<int> wanted = ShapeOf(indices);
  const size_t depth = wanted.empty() ? 0 : wanted.back();
  bool fits = depth >= 1 && depth <= shape.size();
  if (fits) {
    wanted.pop_back();
    wanted.insert(wanted.end(), shape.begin() + depth, shape.end());
    fits = ShapeOf(updates) == wanted;
  }
  if (!fits) {
    return Failure(
        context,
        "%s: indices must end with the depth of an index, 1 to the rank of "
        "tensor, and updates have their other dimensions and then those of "
        "tensor beyond that depth; but tensor, indices and updates are %s, %s "
        "and %s",
        Op::kName, ShapeString(tensor).c_str(), ShapeString(indices).c_str(),
        ShapeString(updates).c_str());
  }
  data->sizes.assign(shape.begin(), shape.begin() + depth);
  data->slice = 1;
  for (size_t i = depth; i < shape.size(); ++i) data->slice *= shape[i];
  return Resize(context, output, shape);
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* tensor = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* indices =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* updates =
      TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int depth = static_cast<int>(data->sizes.size());
  const int64_t slice = data->slice;
  int64_t count = 1;
  for (int i = 0; i < TfLiteOpaqueTensorNumDims(indices) - 1; ++i) {
    count *= TfLiteOpaqueTensorDim(indices, i);
  }
  const int64_t size = NumElements(tensor);
  const FlushedDenormals flushed_denormals;
  const int64_t outside =
      WithIndex(TfLiteOpaqueTensorType(indices), [&](auto index) {
        const auto* at = Data<decltype(index)>(indices);
        return WithNumber(TfLiteOpaqueTensorType(tensor), [&](auto zero) {
          using T = decltype(zero);
          T* result = MutableData<T>(output);
          if (size != 0) {
            std::memcpy(result, Data<T>(tensor), size * sizeof(T));
          }
          for (int64_t i = 0; i < count; ++i) {
            const int64_t to =
                SliceAt(depth, at + i * depth, data->sizes.data());
            if (to >= 0) {
              JoinRow<typename Op::Join>(slice, Data<T>(updates) + i * slice,
                                         result + to * slice);
            } else if (data->policy != "IGNORE") {
              return i;
            }
          }
          return int64_t{-1};
        });
      });
  if (outside < 0) return kTfLiteOk;
  std::string index;
  for (int i = 0; i < depth; ++i) {
    index += (i == 0 ? "" : ",") +
             std::to_string(IntAt(indices, outside * depth + i));
  }
  return Failure(context, "%s: index %lld is [%s], outside of tensor, %s",
                 Op::kName, static_cast<long long>(outside), index.c_str(),
                 ShapeString(tensor).c_str());
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(ScatterNdNonAliasingAdd,
                        kDefinition<ScatterNdNonAliasingAdd>)
TFLITE_CUSTOM_DEFINE_OP(TensorScatterMax, kDefinition<TensorScatterMax>)
TFLITE_CUSTOM_DEFINE_OP(TensorScatterMin, kDefinition<TensorScatterMin>)
TFLITE_CUSTOM_DEFINE_OP(TensorScatterSub, kDefinition<TensorScatterSub>)

}  // namespace tflite::custom::scatter_ops
