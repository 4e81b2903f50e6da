#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/bincount_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::reduction_ops {
namespace {

// What tells the rows of the output, each with the counts of a part of the
// numbers; all are one row where nothing does.
enum class Rows { kNone, kMatrix, kSplits, kIndices };

// An op is its name, its rows, what the numbers are called, and where they are
// among the inputs, and the size, which the weights follow.

struct Bincount {
  static constexpr char kName[] = "Bincount";
  static constexpr Rows kRows = Rows::kNone;
  static constexpr char kNumbers[] = "arr";
  static constexpr int kNumbersAt = 0;
  static constexpr int kSizeAt = 1;
};

struct DenseBincount {
  static constexpr char kName[] = "DenseBincount";
  static constexpr Rows kRows = Rows::kMatrix;
  static constexpr char kNumbers[] = "input";
  static constexpr int kNumbersAt = 0;
  static constexpr int kSizeAt = 1;
};

struct RaggedBincount {
  static constexpr char kName[] = "RaggedBincount";
  static constexpr Rows kRows = Rows::kSplits;
  static constexpr char kNumbers[] = "values";
  static constexpr int kNumbersAt = 1;
  static constexpr int kSizeAt = 2;
};

struct SparseBincount {
  static constexpr char kName[] = "SparseBincount";
  static constexpr Rows kRows = Rows::kIndices;
  static constexpr char kNumbers[] = "values";
  static constexpr int kNumbersAt = 1;
  static constexpr int kSizeAt = 3;
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
  // Splits or indices.
  const TfLiteOpaqueTensor* rows;
  // Of a sparse tensor; else the numbers.
  const TfLiteOpaqueTensor* shape;
};

template <typename Op>
Inputs GetInputs(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto input = [&](int i) {
    return TfLiteOpaqueNodeGetInput(context, node, i);
  };
  return {input(Op::kNumbersAt), input(Op::kSizeAt), input(Op::kSizeAt + 1),
          input(0), input(Op::kRows == Rows::kIndices ? 2 : Op::kNumbersAt)};
}

// Whether the output has rows, rather than one alone.
template <typename Op>
bool HasRows(const Inputs& inputs) {
  return Op::kRows == Rows::kSplits ||
         (Op::kRows == Rows::kMatrix &&
          TfLiteOpaqueTensorNumDims(inputs.numbers) == 2) ||
         (Op::kRows == Rows::kIndices && NumElements(inputs.shape) > 1);
}

// How many rows the output has.
template <typename Op>
int64_t CountRows(const Inputs& inputs) {
  if (!HasRows<Op>(inputs)) return 1;
  return Op::kRows == Rows::kSplits ? NumElements(inputs.rows) - 1
         : Op::kRows == Rows::kIndices
             ? IntAt(inputs.shape)
             : TfLiteOpaqueTensorDim(inputs.numbers, 0);
}

// Gives the output its shape, for which the values of `size` and `shape` must
// be there.
template <typename Op>
TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          const Inputs& inputs) {
  constexpr int kMost = std::numeric_limits<int>::max();
  const int64_t size = IntAt(inputs.size);
  if (size < 0 || size > kMost) {
    return Failure(context, "%s: size must be in [0, %d], not %lld", Op::kName,
                   kMost, static_cast<long long>(size));
  }
  std::vector<int> shape = {static_cast<int>(size)};
  if (HasRows<Op>(inputs)) {
    const int64_t rows = CountRows<Op>(inputs);
    if (rows < 0 || rows > kMost) {
      return Failure(context,
                     "%s: dense_shape must begin with [0, %d], not "
                     "%lld",
                     Op::kName, kMost, static_cast<long long>(rows));
    }
    shape.insert(shape.begin(), static_cast<int>(rows));
  }
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
}

// The tensors from whose values the output has its shape.
template <typename Op>
const TfLiteOpaqueTensor* OtherShapeInput(const Inputs& inputs) {
  return Op::kRows == Rows::kIndices ? inputs.shape : inputs.size;
}

template <typename Op>
TfLiteStatus EnsureRows(TfLiteOpaqueContext* context, const Inputs& inputs) {
  if (Op::kRows == Rows::kNone) return kTfLiteOk;
  const int rank = TfLiteOpaqueTensorNumDims(inputs.numbers);
  if (Op::kRows == Rows::kMatrix) {
    if (rank <= 2) return kTfLiteOk;
    return Failure(context, "%s: input must have at most rank 2, but is %s",
                   Op::kName, ShapeString(inputs.numbers).c_str());
  }
  if (rank != 1) {
    return Failure(context, "%s: values must be a vector, but are %s",
                   Op::kName, ShapeString(inputs.numbers).c_str());
  }
  if (Op::kRows == Rows::kSplits) {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, Op::kName, "splits", inputs.rows, {kTfLiteInt64}));
    if (TfLiteOpaqueTensorNumDims(inputs.rows) == 1 &&
        NumElements(inputs.rows) > 0) {
      return kTfLiteOk;
    }
    return Failure(context,
                   "%s: splits must be a vector of one or more, but "
                   "are %s",
                   Op::kName, ShapeString(inputs.rows).c_str());
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "indices", inputs.rows, {kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "dense_shape",
                                          inputs.shape, {kTfLiteInt64}));
  if (TfLiteOpaqueTensorNumDims(inputs.rows) == 2 &&
      TfLiteOpaqueTensorNumDims(inputs.shape) == 1 &&
      NumElements(inputs.shape) > 0 &&
      TfLiteOpaqueTensorDim(inputs.rows, 0) == NumElements(inputs.numbers) &&
      TfLiteOpaqueTensorDim(inputs.rows, 1) == NumElements(inputs.shape)) {
    return kTfLiteOk;
  }
  return Failure(
      context,
      "%s: dense_shape must be a vector, and indices a matrix with a "
      "row for each of values and a column for each dimension, but "
      "dense_shape, indices and values are %s, %s and %s",
      Op::kName, ShapeString(inputs.shape).c_str(),
      ShapeString(inputs.rows).c_str(), ShapeString(inputs.numbers).c_str());
}

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, Op::kName, Op::kSizeAt + 2, 1));
  const Inputs inputs = GetInputs<Op>(context, node);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (Op::kRows == Rows::kNone) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, Op::kNumbers,
                                            inputs.numbers, {kTfLiteInt32}));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, Op::kNumbers,
                                            inputs.numbers,
                                            {kTfLiteInt32, kTfLiteInt64}));
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
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureRows<Op>(context, inputs));
  if (NumElements(inputs.weights) != 0) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSameShape(context, Op::kName, "weights",
                                                 inputs.weights, Op::kNumbers,
                                                 inputs.numbers));
  }
  return ResizeInPrepare(
      {inputs.size, OtherShapeInput<Op>(inputs)}, output,
      [&] { return ResizeOutput<Op>(context, node, inputs); });
}

// Calls count(row, begin, end) for the numbers from `begin` to `end`, which the
// row counts, until all are counted.
template <typename Op, typename F>
TfLiteStatus ForEachRow(TfLiteOpaqueContext* context, const Inputs& inputs,
                        const F& count) {
  const int64_t total = NumElements(inputs.numbers);
  const int64_t rows = CountRows<Op>(inputs);
  if (Op::kRows == Rows::kSplits) {
    const int64_t* splits = Data<int64_t>(inputs.rows);
    for (int64_t i = 0; i <= rows; ++i) {
      const int64_t least = i == 0 ? 0 : splits[i - 1];
      const int64_t most = i == 0 ? 0 : total;
      if (splits[i] < least || splits[i] > most ||
          (i == rows && splits[i] != total)) {
        return Failure(context,
                       "%s: splits must go from 0 to the number of values, "
                       "%lld, and not fall, but element %lld is %lld",
                       Op::kName, static_cast<long long>(total),
                       static_cast<long long>(i),
                       static_cast<long long>(splits[i]));
      }
    }
    for (int64_t i = 0; i < rows; ++i) count(i, splits[i], splits[i + 1]);
    return kTfLiteOk;
  }
  if (Op::kRows == Rows::kIndices && HasRows<Op>(inputs)) {
    const int64_t rank = NumElements(inputs.shape);
    for (int64_t i = 0; i < total; ++i) {
      const int64_t row = IntAt(inputs.rows, i * rank);
      if (row < 0 || row >= rows) {
        return Failure(context,
                       "%s: indices must begin with [0, %lld), but row %lld "
                       "with %lld",
                       Op::kName, static_cast<long long>(rows),
                       static_cast<long long>(i), static_cast<long long>(row));
      }
      count(row, i, i + 1);
    }
    return kTfLiteOk;
  }
  const int64_t cols = rows == 0 ? 0 : total / rows;
  for (int64_t i = 0; i < rows; ++i) count(i, i * cols, (i + 1) * cols);
  return kTfLiteOk;
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData* data = StateOf<OpData>(node);
  const Inputs inputs = GetInputs<Op>(context, node);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(ResizeInInvoke(
      context, Op::kName, {inputs.size, OtherShapeInput<Op>(inputs)}, output,
      [&] { return ResizeOutput<Op>(context, node, inputs); }));
  const int64_t size = IntAt(inputs.size);
  const int64_t total = NumElements(inputs.numbers);
  const int64_t elements = NumElements(output);
  const bool binary = Op::kRows != Rows::kNone && data->binary_output;
  const bool weighted = NumElements(inputs.weights) != 0;
  return WithIndex(TfLiteOpaqueTensorType(inputs.numbers), [&](auto index) {
    using I = decltype(index);
    const I* numbers = Data<I>(inputs.numbers);
    const int64_t negative = FirstNegative(total, numbers);
    if (negative != total) {
      return Failure(context,
                     "%s: %s must be non-negative, but element %lld is %lld",
                     Op::kName, Op::kNumbers, static_cast<long long>(negative),
                     static_cast<long long>(numbers[negative]));
    }
    return WithNumber(TfLiteOpaqueTensorType(output), [&](auto zero) {
      using T = decltype(zero);
      const T* weights = weighted ? Data<T>(inputs.weights) : nullptr;
      T* sums = MutableData<T>(output);
      std::fill(sums, sums + elements, T(0));
      return ForEachRow<Op>(
          context, inputs, [&](int64_t row, int64_t begin, int64_t end) {
            CountBins(end - begin, size, binary, numbers + begin,
                      weights == nullptr ? nullptr : weights + begin,
                      sums + row * size);
          });
    });
  });
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Bincount, kDefinition<Bincount>)
TFLITE_CUSTOM_DEFINE_OP(DenseBincount, kDefinition<DenseBincount>)
TFLITE_CUSTOM_DEFINE_OP(RaggedBincount, kDefinition<RaggedBincount>)
TFLITE_CUSTOM_DEFINE_OP(SparseBincount, kDefinition<SparseBincount>)

}  // namespace tflite::custom::reduction_ops
