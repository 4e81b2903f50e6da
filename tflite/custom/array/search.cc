// Ops over rows: of predictions, of values that have an order, of a sequence.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "tflite/custom/array/array_math.h"
#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::array_ops {
namespace {

// InTopK, with k an option, and InTopKV2, with k an input.

struct TopKOp {
  static constexpr char kName[] = "InTopK";
  static constexpr bool kTakesK = false;
};

struct TopKV2Op {
  static constexpr char kName[] = "InTopKV2";
  static constexpr bool kTakesK = true;
};

struct TopKData : OpState {
  explicit TopKData(OpOptions& options) : k(options.Int("k", 0)) {}
  int64_t k;
};

template <typename Op>
TfLiteStatus PrepareInTopK(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureValid(context, Op::kName, StateOf<TopKData>(node)->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, Op::kName, Op::kTakesK ? 3 : 2, 1));
  const TfLiteOpaqueTensor* predictions =
      TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* targets =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "predictions",
                                          predictions, {kTfLiteFloat32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
      context, Op::kName, "targets", targets, {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output, {kTfLiteBool}));
  if (Op::kTakesK) {
    const TfLiteOpaqueTensor* k = TfLiteOpaqueNodeGetInput(context, node, 2);
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "k", k,
                                            {TfLiteOpaqueTensorType(targets)}));
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScalar(context, Op::kName, "k", k));
  }
  if (TfLiteOpaqueTensorNumDims(predictions) != 2 ||
      TfLiteOpaqueTensorNumDims(targets) != 1 ||
      TfLiteOpaqueTensorDim(predictions, 0) !=
          TfLiteOpaqueTensorDim(targets, 0)) {
    return Failure(
        context,
        "%s: predictions must be a matrix, and targets a vector with "
        "one for each of its rows, but they are %s and %s",
        Op::kName, ShapeString(predictions).c_str(),
        ShapeString(targets).c_str());
  }
  return Resize(context, output, ShapeOf(targets));
}

template <typename Op>
TfLiteStatus EvalInTopK(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* predictions =
      TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* targets =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  bool* output = MutableData<bool>(TfLiteOpaqueNodeGetOutput(context, node, 0));
  const int64_t k = Op::kTakesK
                        ? IntAt(TfLiteOpaqueNodeGetInput(context, node, 2))
                        : StateOf<TopKData>(node)->k;
  const int64_t rows = TfLiteOpaqueTensorDim(predictions, 0);
  const int64_t classes = TfLiteOpaqueTensorDim(predictions, 1);
  const FlushedDenormals flushed_denormals;
  for (int64_t i = 0; i < rows; ++i) {
    output[i] = InTopK(classes, Data<float>(predictions) + i * classes,
                       IntAt(targets, i), k);
  }
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kTopKDefinition = {
    Op::kName,
    {InitState<TopKData>, FreeState<TopKData>, PrepareInTopK<Op>,
     EvalInTopK<Op>}};

// LinSpace.

constexpr char kLinSpace[] = "LinSpace";

TfLiteStatus ResizeLinSpace(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueTensor* num,
                            TfLiteOpaqueTensor* output) {
  const int64_t count = IntAt(num);
  if (count < 1 || count > std::numeric_limits<int>::max()) {
    return Failure(context, "%s: num must be in [1, %d], not %lld", kLinSpace,
                   std::numeric_limits<int>::max(),
                   static_cast<long long>(count));
  }
  return Resize(context, output, {static_cast<int>(count)});
}

TfLiteStatus PrepareLinSpace(TfLiteOpaqueContext* context,
                             TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kLinSpace, 3, 1));
  const TfLiteOpaqueTensor* start = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* stop = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* num = TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kLinSpace, "start", start,
                                          {kTfLiteFloat32, kTfLiteFloat64}));
  const TfLiteType type = TfLiteOpaqueTensorType(start);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kLinSpace, "stop", stop, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kLinSpace, "num", num, {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kLinSpace, "output", output, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureScalar(context, kLinSpace, "start", start));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScalar(context, kLinSpace, "stop", stop));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScalar(context, kLinSpace, "num", num));
  return ResizeInPrepare({num}, output,
                         [&] { return ResizeLinSpace(context, num, output); });
}

TfLiteStatus EvalLinSpace(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* start = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* stop = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* num = TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      ResizeInInvoke(context, kLinSpace, {num}, output,
                     [&] { return ResizeLinSpace(context, num, output); }));
  const FlushedDenormals flushed_denormals;
  WithFloat(TfLiteOpaqueTensorType(start), [&](auto zero) {
    using T = decltype(zero);
    LinSpace(*Data<T>(start), *Data<T>(stop), NumElements(output),
             MutableData<T>(output));
  });
  return kTfLiteOk;
}

constexpr OpDefinition kLinSpaceOp = {
    kLinSpace,
    {/*init=*/nullptr, /*free=*/nullptr, PrepareLinSpace, EvalLinSpace}};

// NthElement.

constexpr char kNthElement[] = "NthElement";

struct NthElementData : OpState {
  explicit NthElementData(OpOptions& options)
      : reverse(options.Bool("reverse", false)) {}
  bool reverse;
  // Of a row's size; Prepare's.
  std::unique_ptr<std::byte[]> row;
};

TfLiteStatus PrepareNthElement(TfLiteOpaqueContext* context,
                               TfLiteOpaqueNode* node) {
  NthElementData* data = StateOf<NthElementData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kNthElement, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kNthElement, 2, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* n = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureNumber(context, kNthElement, "input", input));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kNthElement, "n", n, {kTfLiteInt32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScalar(context, kNthElement, "n", n));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
      context, kNthElement, "output", output, {TfLiteOpaqueTensorType(input)}));
  std::vector<int> shape = ShapeOf(input);
  if (shape.empty()) {
    return Failure(context, "%s: input must have rank 1 or more, but is %s",
                   kNthElement, ShapeString(input).c_str());
  }
  const int64_t size = NumElements(input) == 0 ? 0 : shape.back();
  WithNumber(TfLiteOpaqueTensorType(input), [&](auto zero) {
    data->row = std::make_unique<std::byte[]>(size * sizeof(zero));
  });
  shape.pop_back();
  return Resize(context, output, shape);
}

TfLiteStatus EvalNthElement(TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node) {
  NthElementData* data = StateOf<NthElementData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int64_t n = IntAt(TfLiteOpaqueNodeGetInput(context, node, 1));
  const int64_t size =
      TfLiteOpaqueTensorDim(input, TfLiteOpaqueTensorNumDims(input) - 1);
  if (n < 0 || n >= size) {
    return Failure(context,
                   "%s: n must be in [0, %lld), as the last dimension of input "
                   "is, not %lld",
                   kNthElement, static_cast<long long>(size),
                   static_cast<long long>(n));
  }
  const int64_t at = data->reverse ? size - 1 - n : n;
  const int64_t rows = NumElements(output);
  const FlushedDenormals flushed_denormals;
  WithNumber(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    T* row = reinterpret_cast<T*>(data->row.get());
    for (int64_t i = 0; i < rows; ++i) {
      std::copy_n(Data<T>(input) + i * size, size, row);
      MutableData<T>(output)[i] = NthElement(size, at, row);
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kNthElementOp = {
    kNthElement,
    {InitState<NthElementData>, FreeState<NthElementData>, PrepareNthElement,
     EvalNthElement}};

// LowerBound and UpperBound.

struct LowerBoundOp {
  static constexpr char kName[] = "LowerBound";
  static constexpr bool kAfter = false;
};

struct UpperBoundOp {
  static constexpr char kName[] = "UpperBound";
  static constexpr bool kAfter = true;
};

template <typename Op>
TfLiteStatus PrepareBound(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 2, 1));
  const TfLiteOpaqueTensor* sorted = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* values = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureNumber(context, Op::kName, "sorted_inputs", sorted));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "values", values,
                                          {TfLiteOpaqueTensorType(sorted)}));
  // The option `out_type` says which.
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "output", output,
                                          {kTfLiteInt32, kTfLiteInt64}));
  if (TfLiteOpaqueTensorNumDims(sorted) != 2 ||
      TfLiteOpaqueTensorNumDims(values) != 2 ||
      TfLiteOpaqueTensorDim(sorted, 0) != TfLiteOpaqueTensorDim(values, 0)) {
    return Failure(context,
                   "%s: sorted_inputs and values must be matrices with as many "
                   "rows, but are %s and %s",
                   Op::kName, ShapeString(sorted).c_str(),
                   ShapeString(values).c_str());
  }
  return Resize(context, output, ShapeOf(values));
}

template <typename Op>
TfLiteStatus EvalBound(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* sorted = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* values = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int64_t rows = TfLiteOpaqueTensorDim(values, 0);
  const int64_t size = TfLiteOpaqueTensorDim(sorted, 1);
  const int64_t count = TfLiteOpaqueTensorDim(values, 1);
  const FlushedDenormals flushed_denormals;
  WithIndex(TfLiteOpaqueTensorType(output), [&](auto index) {
    using I = decltype(index);
    WithNumber(TfLiteOpaqueTensorType(sorted), [&](auto zero) {
      using T = decltype(zero);
      for (int64_t i = 0; i < rows; ++i) {
        SearchSorted(size, Data<T>(sorted) + i * size, count,
                     Data<T>(values) + i * count, Op::kAfter,
                     MutableData<I>(output) + i * count);
      }
    });
  });
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kBoundDefinition = {
    Op::kName,
    {/*init=*/nullptr, /*free=*/nullptr, PrepareBound<Op>, EvalBound<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(InTopK, kTopKDefinition<TopKOp>)
TFLITE_CUSTOM_DEFINE_OP(InTopKV2, kTopKDefinition<TopKV2Op>)
TFLITE_CUSTOM_DEFINE_OP(LinSpace, kLinSpaceOp)
TFLITE_CUSTOM_DEFINE_OP(LowerBound, kBoundDefinition<LowerBoundOp>)
TFLITE_CUSTOM_DEFINE_OP(NthElement, kNthElementOp)
TFLITE_CUSTOM_DEFINE_OP(UpperBound, kBoundDefinition<UpperBoundOp>)

}  // namespace tflite::custom::array_ops
