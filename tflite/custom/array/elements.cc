// Ops whose output has the shape of their first input.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/wrapping.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::array_ops {
namespace {

// An output of the input's type and shape.
TfLiteStatus PrepareSame(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                         const char* op) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op, "output", output,
                                          {TfLiteOpaqueTensorType(input)}));
  return Resize(context, output, ShapeOf(input));
}

void Copy(const TfLiteOpaqueTensor* input, TfLiteOpaqueTensor* output) {
  if (NumElements(input) == 0) return;
  std::memcpy(TfLiteOpaqueTensorData(output), TfLiteOpaqueTensorData(input),
              TfLiteOpaqueTensorByteSize(input));
}

// AccumulateNV2.

constexpr char kAccumulate[] = "AccumulateNV2";

TfLiteStatus PrepareAccumulate(TfLiteOpaqueContext* context,
                               TfLiteOpaqueNode* node) {
  const int count = std::max(TfLiteOpaqueNodeNumberOfInputs(node), 1);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, kAccumulate, count, 1));
  const TfLiteOpaqueTensor* first = TfLiteOpaqueNodeGetInput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureNumber(context, kAccumulate, "input 0", first));
  for (int i = 1; i < count; ++i) {
    const std::string role = "input " + std::to_string(i);
    const TfLiteOpaqueTensor* input =
        TfLiteOpaqueNodeGetInput(context, node, i);
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kAccumulate, role.c_str(),
                                            input,
                                            {TfLiteOpaqueTensorType(first)}));
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSameShape(
        context, kAccumulate, role.c_str(), input, "input 0", first));
  }
  return PrepareSame(context, node, kAccumulate);
}

TfLiteStatus Accumulate(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* first = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const FlushedDenormals flushed_denormals;
  Copy(first, output);
  const int64_t size = NumElements(first);
  const int count = TfLiteOpaqueNodeNumberOfInputs(node);
  WithNumber(TfLiteOpaqueTensorType(first), [&](auto zero) {
    using T = decltype(zero);
    T* sum = MutableData<T>(output);
    for (int k = 1; k < count; ++k) {
      const T* x = Data<T>(TfLiteOpaqueNodeGetInput(context, node, k));
      for (int64_t i = 0; i < size; ++i) sum[i] = WrappingSum(sum[i], x[i]);
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kAccumulateOp = {
    kAccumulate,
    {/*init=*/nullptr, /*free=*/nullptr, PrepareAccumulate, Accumulate}};

// CheckNumericsV2.

constexpr char kCheck[] = "CheckNumericsV2";

struct CheckData : OpState {
  explicit CheckData(OpOptions& options)
      : message(options.String("message", "")) {}
  std::string message;
};

TfLiteStatus PrepareCheck(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureValid(context, kCheck, StateOf<CheckData>(node)->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kCheck, 1, 1));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
      context, kCheck, "tensor", TfLiteOpaqueNodeGetInput(context, node, 0),
      {kTfLiteFloat32, kTfLiteFloat64}));
  return PrepareSame(context, node, kCheck);
}

TfLiteStatus Check(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const int64_t size = NumElements(input);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
        using T = decltype(zero);
        const T* x = Data<T>(input);
        const int64_t at =
            std::find_if(x, x + size, [](T v) { return !std::isfinite(v); }) -
            x;
        if (at == size) return kTfLiteOk;
        return Failure(context, "%s: %s: element %lld is %s", kCheck,
                       StateOf<CheckData>(node)->message.c_str(),
                       static_cast<long long>(at),
                       std::isnan(x[at]) ? "NaN"
                       : x[at] < 0       ? "-infinity"
                                         : "infinity");
      }));
  Copy(input, TfLiteOpaqueNodeGetOutput(context, node, 0));
  return kTfLiteOk;
}

constexpr OpDefinition kCheckOp = {
    kCheck, {InitState<CheckData>, FreeState<CheckData>, PrepareCheck, Check}};

// DebugNanCount.

constexpr char kNanCount[] = "DebugNanCount";

TfLiteStatus PrepareNanCount(TfLiteOpaqueContext* context,
                             TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kNanCount, 1, 1));
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureNumber(
      context, kNanCount, "input", TfLiteOpaqueNodeGetInput(context, node, 0)));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kNanCount, "output", output, {kTfLiteInt64}));
  // A vector, as TensorFlow's.
  return Resize(context, output, {1});
}

TfLiteStatus NanCount(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const int64_t size = NumElements(input);
  WithNumber(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    const T* x = Data<T>(input);
    *MutableData<int64_t>(TfLiteOpaqueNodeGetOutput(context, node, 0)) =
        std::count_if(x, x + size, [](T v) { return v != v; });
  });
  return kTfLiteOk;
}

constexpr OpDefinition kNanCountOp = {
    kNanCount, {/*init=*/nullptr, /*free=*/nullptr, PrepareNanCount, NanCount}};

// Ops that pass their input on.

struct CopyOp {
  static constexpr char kName[] = "Copy";
};

struct CopyHostOp {
  static constexpr char kName[] = "CopyHost";
};

struct DeepCopyOp {
  static constexpr char kName[] = "DeepCopy";
};

struct GuaranteeConstOp {
  static constexpr char kName[] = "GuaranteeConst";
};

template <typename Op>
TfLiteStatus PreparePassOn(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 1, 1));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureFixedSize(
      context, Op::kName, "input", TfLiteOpaqueNodeGetInput(context, node, 0)));
  return PrepareSame(context, node, Op::kName);
}

TfLiteStatus PassOn(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  Copy(TfLiteOpaqueNodeGetInput(context, node, 0),
       TfLiteOpaqueNodeGetOutput(context, node, 0));
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kPassOn = {
    Op::kName, {/*init=*/nullptr, /*free=*/nullptr, PreparePassOn<Op>, PassOn}};

// DataFormatDimMap and DataFormatVecPermute.

struct FormatData : OpState {
  explicit FormatData(OpOptions& options)
      : from(options.String("src_format", "NHWC")),
        to(options.String("dst_format", "NCHW")) {}
  std::string from;
  std::string to;
};

TfLiteStatus PrepareFormat(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                           const char* op) {
  const FormatData* data = StateOf<FormatData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, op, data->error));
  const size_t size = data->from.size();
  std::string sorted = data->from;
  std::sort(sorted.begin(), sorted.end());
  if ((size != 4 && size != 5) ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() ||
      data->to.size() != size ||
      !std::is_permutation(sorted.begin(), sorted.end(), data->to.begin())) {
    return Failure(context,
                   "%s: src_format and dst_format must be 4 or 5 letters, all "
                   "different, and the same but for their order, not '%s' and "
                   "'%s'",
                   op, data->from.c_str(), data->to.c_str());
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, op, 1, 1));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, "x", TfLiteOpaqueNodeGetInput(context, node, 0),
                 {kTfLiteInt32, kTfLiteInt64}));
  return PrepareSame(context, node, op);
}

constexpr char kDimMap[] = "DataFormatDimMap";

TfLiteStatus PrepareDimMap(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node) {
  return PrepareFormat(context, node, kDimMap);
}

TfLiteStatus DimMap(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const FormatData* data = StateOf<FormatData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int64_t rank = data->from.size();
  const int64_t count = NumElements(input);
  WithIndex(TfLiteOpaqueTensorType(input), [&](auto index) {
    using I = decltype(index);
    const I* x = Data<I>(input);
    I* y = MutableData<I>(output);
    for (int64_t i = 0; i < count; ++i) {
      // As TensorFlow, any other number is the last dimension's.
      const bool inside = x[i] >= -rank && x[i] < rank;
      const int64_t at = !inside ? rank - 1 : x[i] < 0 ? x[i] + rank : x[i];
      y[i] = static_cast<I>(data->to.find(data->from[at]));
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kDimMapOp = {
    kDimMap,
    {InitState<FormatData>, FreeState<FormatData>, PrepareDimMap, DimMap}};

constexpr char kVecPermute[] = "DataFormatVecPermute";

// What of a format goes with so many elements: all, or the spatial dimensions.
size_t LettersOf(const std::string& format, size_t count, char* letters) {
  size_t found = 0;
  for (const char letter : format) {
    const bool spatial = letter == 'D' || letter == 'H' || letter == 'W';
    if (count == format.size() || spatial) letters[found++] = letter;
  }
  return found;
}

TfLiteStatus PrepareVecPermute(TfLiteOpaqueContext* context,
                               TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(PrepareFormat(context, node, kVecPermute));
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const std::string& format = StateOf<FormatData>(node)->from;
  const int rank = TfLiteOpaqueTensorNumDims(x);
  char letters[5];
  const size_t size =
      rank == 0 ? 0 : static_cast<size_t>(TfLiteOpaqueTensorDim(x, 0));
  if ((rank == 1 || (rank == 2 && TfLiteOpaqueTensorDim(x, 1) == 2)) &&
      (size == format.size() || (size == format.size() - 2 &&
                                 LettersOf(format, size, letters) == size))) {
    return kTfLiteOk;
  }
  return Failure(
      context,
      "%s: x must have a number, or a row of two, for each dimension "
      "or each of D, H and W of '%s', but is %s",
      kVecPermute, format.c_str(), ShapeString(x).c_str());
}

TfLiteStatus VecPermute(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const FormatData* data = StateOf<FormatData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const size_t size = TfLiteOpaqueTensorDim(input, 0);
  const size_t row = TfLiteOpaqueTensorNumDims(input) == 2 ? 2 : 1;
  char from[5], to[5];
  LettersOf(data->from, size, from);
  LettersOf(data->to, size, to);
  WithIndex(TfLiteOpaqueTensorType(input), [&](auto index) {
    using I = decltype(index);
    for (size_t i = 0; i < size; ++i) {
      const size_t at = std::find(to, to + size, from[i]) - to;
      std::copy_n(Data<I>(input) + i * row, row,
                  MutableData<I>(output) + at * row);
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kVecPermuteOp = {
    kVecPermute,
    {InitState<FormatData>, FreeState<FormatData>, PrepareVecPermute,
     VecPermute}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(AccumulateNV2, kAccumulateOp)
TFLITE_CUSTOM_DEFINE_OP(CheckNumericsV2, kCheckOp)
TFLITE_CUSTOM_DEFINE_OP(Copy, kPassOn<CopyOp>)
TFLITE_CUSTOM_DEFINE_OP(CopyHost, kPassOn<CopyHostOp>)
TFLITE_CUSTOM_DEFINE_OP(DataFormatDimMap, kDimMapOp)
TFLITE_CUSTOM_DEFINE_OP(DataFormatVecPermute, kVecPermuteOp)
TFLITE_CUSTOM_DEFINE_OP(DebugNanCount, kNanCountOp)
TFLITE_CUSTOM_DEFINE_OP(DeepCopy, kPassOn<DeepCopyOp>)
TFLITE_CUSTOM_DEFINE_OP(GuaranteeConst, kPassOn<GuaranteeConstOp>)

}  // namespace tflite::custom::array_ops
