#include <cstdint>
#include <limits>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/cumulative_math.h"
#include "tflite/custom/wrapping.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::reduction_ops {
namespace {

// An op is its name, the types of x, and what Accumulate takes for one of them.

struct CumulativeLogsumexp {
  static constexpr char kName[] = "CumulativeLogsumexp";
  static TfLiteStatus EnsureTypeOfX(TfLiteOpaqueContext* context,
                                    const TfLiteOpaqueTensor* x) {
    return EnsureType(context, kName, "x", x, {kTfLiteFloat32, kTfLiteFloat64});
  }
  template <typename F>
  static void WithType(TfLiteType type, const F& f) {
    WithFloat(type, f);
  }
  template <typename T>
  static constexpr T kStart = -std::numeric_limits<T>::infinity();
  template <typename T>
  static T Join(T a, T b) {
    return LogSumExp(a, b);
  }
};

struct Cumprod {
  static constexpr char kName[] = "Cumprod";
  static TfLiteStatus EnsureTypeOfX(TfLiteOpaqueContext* context,
                                    const TfLiteOpaqueTensor* x) {
    return EnsureNumber(context, kName, "x", x);
  }
  template <typename F>
  static void WithType(TfLiteType type, const F& f) {
    WithNumber(type, f);
  }
  template <typename T>
  static constexpr T kStart = 1;
  template <typename T>
  static T Join(T a, T b) {
    return WrappingProduct(a, b);
  }
};

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : exclusive(options.Bool("exclusive", false)),
        reverse(options.Bool("reverse", false)) {}
  bool exclusive;
  bool reverse;
};

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 2, 1));
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* axis = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(Op::EnsureTypeOfX(context, x));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "axis", axis,
                                          {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScalar(context, Op::kName, "axis", axis));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "output", output,
                                          {TfLiteOpaqueTensorType(x)}));
  return Resize(context, output, ShapeOf(x));
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* axis_tensor =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int rank = TfLiteOpaqueTensorNumDims(x);
  const int64_t given = IntAt(axis_tensor);
  if (given < -rank || given >= rank) {
    TfLiteOpaqueContextReportError(
        context, "%s: axis must be in [%d, %d), not %lld", Op::kName, -rank,
        rank, static_cast<long long>(given));
    return kTfLiteError;
  }
  const int axis = static_cast<int>(given < 0 ? given + rank : given);
  int64_t outer = 1;
  int64_t inner = 1;
  for (int i = 0; i < axis; ++i) outer *= TfLiteOpaqueTensorDim(x, i);
  for (int i = axis + 1; i < rank; ++i) inner *= TfLiteOpaqueTensorDim(x, i);
  Op::WithType(TfLiteOpaqueTensorType(x), [&](auto zero) {
    using T = decltype(zero);
    Accumulate(outer, TfLiteOpaqueTensorDim(x, axis), inner, data->exclusive,
               data->reverse, Op::template kStart<T>, Op::template Join<T>,
               Data<T>(x), MutableData<T>(output));
  });
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(CumulativeLogsumexp, kDefinition<CumulativeLogsumexp>)
TFLITE_CUSTOM_DEFINE_OP(Cumprod, kDefinition<Cumprod>)

}  // namespace tflite::custom::reduction_ops
