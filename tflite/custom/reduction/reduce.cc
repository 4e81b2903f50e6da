#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/reduce_math.h"
#include "tflite/custom/wrapping.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::reduction_ops {
namespace {

struct EuclideanNormOp {
  static constexpr char kName[] = "EuclideanNorm";
  static constexpr bool kComplex = false;
  static constexpr int kStart = 0;
  template <typename T>
  static T Add(T sum, T x) {
    return WrappingSum(sum, WrappingProduct(x, x));
  }
  template <typename T>
  static T Finish(T sum, int64_t /*count*/) {
    return RootOf(sum);
  }
};

struct SumOp {
  static constexpr char kName[] = "Sum";
  static constexpr bool kComplex = true;
  static constexpr int kStart = 0;
  template <typename T>
  static T Add(T sum, T x) {
    return WrappingSum(sum, x);
  }
  template <typename T>
  static T Finish(T sum, int64_t /*count*/) {
    return sum;
  }
};

struct MeanOp : SumOp {
  static constexpr char kName[] = "Mean";
  // Of integers rounded to 0, as TensorFlow's; of none of them 0.
  template <typename T>
  static T Finish(T sum, int64_t count) {
    if constexpr (std::is_integral_v<T>) {
      using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      if (count == 0) return T(0);
      return static_cast<T>(static_cast<Wide>(sum) / static_cast<Wide>(count));
    } else {
      return sum / T(count);
    }
  }
};

struct ProdOp : SumOp {
  static constexpr char kName[] = "Prod";
  static constexpr int kStart = 1;
  template <typename T>
  static T Add(T product, T x) {
    return WrappingProduct(product, x);
  }
};

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : keep_dims(options.Bool("keep_dims", false)) {}
  bool keep_dims;
  // Of x; ResizeOutput's.
  std::vector<ReducedDimension> dimensions;
};

bool IsComplex(const TfLiteOpaqueTensor* tensor) {
  const TfLiteType type = TfLiteOpaqueTensorType(tensor);
  return type == kTfLiteComplex64 || type == kTfLiteComplex128;
}

// Plans the reduction and gives the output its shape, for which the values of
// `axes` must be there.
template <typename Op>
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
          Op::kName, -rank, rank, static_cast<long long>(i),
          static_cast<long long>(axis));
      return kTfLiteError;
    }
    auto seen = reduced[axis < 0 ? axis + rank : axis];
    if (seen) {
      TfLiteOpaqueContextReportError(
          context, "%s: axes must differ, but element %lld is %lld again",
          Op::kName, static_cast<long long>(i), static_cast<long long>(axis));
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

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 2, 1));
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* axes = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (!Op::kComplex || !IsComplex(x)) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureNumber(context, Op::kName, "input", x));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "axis", axes,
                                          {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "output", output,
                                          {TfLiteOpaqueTensorType(x)}));
  if (TfLiteOpaqueTensorNumDims(axes) > 1) {
    TfLiteOpaqueContextReportError(
        context, "%s: axis must be a scalar or a vector, not %s", Op::kName,
        ShapeString(axes).c_str());
    return kTfLiteError;
  }
  return ResizeInPrepare({axes}, output, [&] {
    return ResizeOutput<Op>(context, node, x, axes, data);
  });
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* axes = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(ResizeInInvoke(
      context, Op::kName, {axes}, output,
      [&] { return ResizeOutput<Op>(context, node, x, axes, data); }));
  const int64_t count = NumElements(output);
  const auto reduce = [&](auto zero) {
    using T = decltype(zero);
    T* results = MutableData<T>(output);
    Reduce(data->dimensions.data(), static_cast<int>(data->dimensions.size()),
           Data<T>(x), count, T(Op::kStart), Op::template Add<T>, results);
    const int64_t each = count == 0 ? 0 : NumElements(x) / count;
    for (int64_t i = 0; i < count; ++i) {
      results[i] = Op::template Finish<T>(results[i], each);
    }
  };
  const TfLiteType type = TfLiteOpaqueTensorType(x);
  if constexpr (Op::kComplex) {
    if (type == kTfLiteComplex64) {
      reduce(std::complex<float>());
      return kTfLiteOk;
    }
    if (type == kTfLiteComplex128) {
      reduce(std::complex<double>());
      return kTfLiteOk;
    }
  }
  WithNumber(type, reduce);
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(EuclideanNorm, kDefinition<EuclideanNormOp>)
TFLITE_CUSTOM_DEFINE_OP(Mean, kDefinition<MeanOp>)
TFLITE_CUSTOM_DEFINE_OP(Prod, kDefinition<ProdOp>)
TFLITE_CUSTOM_DEFINE_OP(Sum, kDefinition<SumOp>)

}  // namespace tflite::custom::reduction_ops
