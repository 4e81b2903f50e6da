#include <cstdint>
#include <limits>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/bincount_math.h"
#include "tflite/custom/reduction/reduction.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace reduction_ops {
namespace {

using ::tflite::custom::Data;
using ::tflite::custom::EnsureArity;
using ::tflite::custom::EnsureSameShape;
using ::tflite::custom::EnsureScalar;
using ::tflite::custom::EnsureType;
using ::tflite::custom::EnsureValid;
using ::tflite::custom::FreeState;
using ::tflite::custom::InitState;
using ::tflite::custom::IntAt;
using ::tflite::custom::MutableData;
using ::tflite::custom::NumElements;
using ::tflite::custom::OpDefinition;
using ::tflite::custom::OpOptions;
using ::tflite::custom::OpState;
using ::tflite::custom::Resize;
using ::tflite::custom::ResizeInInvoke;
using ::tflite::custom::ResizeInPrepare;
using ::tflite::custom::ShapeString;
using ::tflite::custom::StateOf;
using ::tflite::custom::WithIndex;
using ::tflite::custom::WithNumber;

struct Bincount {
  static constexpr char kName[] = "Bincount";
  static constexpr char kNumbers[] = "arr";
  // Whether a matrix of numbers is counted row by row, rather than as one.
  static constexpr bool kByRow = false;
};

struct DenseBincount {
  static constexpr char kName[] = "DenseBincount";
  static constexpr char kNumbers[] = "input";
  static constexpr bool kByRow = true;
};

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : binary_output(options.Bool("binary_output", false)) {}
  bool binary_output;
};

struct Inputs {
  const TfLiteOpaqueTensor* numbers;
  const TfLiteOpaqueTensor* size;
  const TfLiteOpaqueTensor* weights;
};

Inputs GetInputs(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  return {TfLiteOpaqueNodeGetInput(context, node, 0),
          TfLiteOpaqueNodeGetInput(context, node, 1),
          TfLiteOpaqueNodeGetInput(context, node, 2)};
}

// Gives the output its shape, for which the value of `size` must be there.
template <typename Op>
TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          const Inputs& inputs) {
  const int64_t size = IntAt(inputs.size);
  if (size < 0 || size > std::numeric_limits<int>::max()) {
    TfLiteOpaqueContextReportError(
        context, "%s: size must be in [0, %d], not %lld", Op::kName,
        std::numeric_limits<int>::max(), static_cast<long long>(size));
    return kTfLiteError;
  }
  std::vector<int> shape = {static_cast<int>(size)};
  if (Op::kByRow && TfLiteOpaqueTensorNumDims(inputs.numbers) == 2) {
    shape.insert(shape.begin(), TfLiteOpaqueTensorDim(inputs.numbers, 0));
  }
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
}

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 3, 1));
  const Inputs inputs = GetInputs(context, node);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (Op::kByRow) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, Op::kNumbers,
                                            inputs.numbers,
                                            {kTfLiteInt32, kTfLiteInt64}));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, Op::kNumbers,
                                            inputs.numbers, {kTfLiteInt32}));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "size", inputs.size,
                 {TfLiteOpaqueTensorType(inputs.numbers)}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureScalar(context, Op::kName, "size", inputs.size));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "weights", inputs.weights,
                 {kTfLiteInt32, kTfLiteInt64, kTfLiteFloat32, kTfLiteFloat64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output,
                 {TfLiteOpaqueTensorType(inputs.weights)}));
  if (Op::kByRow && TfLiteOpaqueTensorNumDims(inputs.numbers) > 2) {
    TfLiteOpaqueContextReportError(
        context, "%s: input must have at most rank 2, but is %s", Op::kName,
        ShapeString(inputs.numbers).c_str());
    return kTfLiteError;
  }
  if (NumElements(inputs.weights) != 0) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSameShape(context, Op::kName, "weights",
                                                 inputs.weights, Op::kNumbers,
                                                 inputs.numbers));
  }
  return ResizeInPrepare({inputs.size}, output, [&] {
    return ResizeOutput<Op>(context, node, inputs);
  });
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData* data = StateOf<OpData>(node);
  const Inputs inputs = GetInputs(context, node);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      ResizeInInvoke(context, Op::kName, {inputs.size}, output,
                     [&] { return ResizeOutput<Op>(context, node, inputs); }));
  const int64_t size = IntAt(inputs.size);
  const int64_t total = NumElements(inputs.numbers);
  const int64_t rows =
      Op::kByRow && TfLiteOpaqueTensorNumDims(inputs.numbers) == 2
          ? TfLiteOpaqueTensorDim(inputs.numbers, 0)
          : 1;
  const bool weighted = NumElements(inputs.weights) != 0;
  return WithIndex(TfLiteOpaqueTensorType(inputs.numbers), [&](auto index) {
    using I = decltype(index);
    const I* numbers = Data<I>(inputs.numbers);
    const int64_t negative = FirstNegative(total, numbers);
    if (negative != total) {
      TfLiteOpaqueContextReportError(
          context, "%s: %s must be non-negative, but element %lld is %lld",
          Op::kName, Op::kNumbers, static_cast<long long>(negative),
          static_cast<long long>(numbers[negative]));
      return kTfLiteError;
    }
    WithNumber(TfLiteOpaqueTensorType(output), [&](auto zero) {
      using T = decltype(zero);
      CountBins<T>(rows, rows == 0 ? 0 : total / rows, size,
                   Op::kByRow && data->binary_output, numbers,
                   weighted ? Data<T>(inputs.weights) : nullptr,
                   MutableData<T>(output));
    });
    return kTfLiteOk;
  });
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Bincount, kDefinition<Bincount>)
TFLITE_CUSTOM_DEFINE_OP(DenseBincount, kDefinition<DenseBincount>)

}  // namespace reduction_ops
