#include <cstdint>
#include <limits>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/segment_math.h"
#include "tflite/custom/reduction/sparse_segment_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::reduction_ops {
namespace {

// What the fourth input says, if there is one.
enum class Size { kNone, kSegments, kRows };

// An op is its name, its divisor, and that input: kRows makes a gradient.
#define SPARSE_SEGMENT_OP(name, divisor, size)            \
  struct name {                                           \
    static constexpr char kName[] = #name;                \
    static constexpr Divisor kDivisor = Divisor::divisor; \
    static constexpr Size kSize = Size::size;             \
  };
SPARSE_SEGMENT_OP(SparseSegmentMean, kCount, kNone)
SPARSE_SEGMENT_OP(SparseSegmentMeanGrad, kCount, kRows)
SPARSE_SEGMENT_OP(SparseSegmentMeanWithNumSegments, kCount, kSegments)
SPARSE_SEGMENT_OP(SparseSegmentSqrtN, kRootOfCount, kNone)
SPARSE_SEGMENT_OP(SparseSegmentSqrtNGrad, kRootOfCount, kRows)
SPARSE_SEGMENT_OP(SparseSegmentSqrtNWithNumSegments, kRootOfCount, kSegments)
SPARSE_SEGMENT_OP(SparseSegmentSum, kOne, kNone)
SPARSE_SEGMENT_OP(SparseSegmentSumGrad, kOne, kRows)
SPARSE_SEGMENT_OP(SparseSegmentSumWithNumSegments, kOne, kSegments)
#undef SPARSE_SEGMENT_OP

struct OpData : OpState {
  explicit OpData(OpOptions& /*options*/) {}
  // Of segments; a gradient's.
  std::vector<double> sizes;
};

struct Inputs {
  const TfLiteOpaqueTensor* data;
  const TfLiteOpaqueTensor* rows;
  const TfLiteOpaqueTensor* segments;
  const TfLiteOpaqueTensor* size;  // Null where there is none.
};

template <typename Op>
Inputs GetInputs(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  return {TfLiteOpaqueNodeGetInput(context, node, 0),
          TfLiteOpaqueNodeGetInput(context, node, 1),
          TfLiteOpaqueNodeGetInput(context, node, 2),
          Op::kSize == Size::kNone
              ? nullptr
              : TfLiteOpaqueNodeGetInput(context, node, 3)};
}

// The input from whose values the output has its shape.
template <typename Op>
const TfLiteOpaqueTensor* ShapeInput(const Inputs& inputs) {
  return Op::kSize == Size::kNone ? inputs.segments : inputs.size;
}

template <typename Op>
TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, const Inputs& inputs,
                          TfLiteOpaqueTensor* output) {
  constexpr int kMost = std::numeric_limits<int>::max();
  const int64_t count = NumElements(inputs.segments);
  const int64_t rows = Op::kSize != Size::kNone ? IntAt(inputs.size)
                       : count == 0             ? 0
                                    : IntAt(inputs.segments, count - 1);
  const bool last = Op::kSize == Size::kNone && count > 0;
  if (rows < 0 || rows > kMost - (last ? 1 : 0)) {
    return Failure(context, "%s: %s must be in [0, %d], but is %lld", Op::kName,
                   Op::kSize == Size::kNone       ? "the last of segment_ids"
                   : Op::kSize == Size::kSegments ? "num_segments"
                                                  : "output_dim0",
                   kMost - (last ? 1 : 0), static_cast<long long>(rows));
  }
  std::vector<int> shape = ShapeOf(inputs.data);
  shape[0] = static_cast<int>(rows + (last ? 1 : 0));
  return Resize(context, output, shape);
}

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(
      context, node, Op::kName, Op::kSize == Size::kNone ? 3 : 4, 1));
  const Inputs inputs = GetInputs<Op>(context, node);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  constexpr const char* kData = Op::kSize == Size::kRows ? "grad" : "data";
  if (Op::kDivisor == Divisor::kOne && Op::kSize != Size::kRows) {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureNumber(context, Op::kName, kData, inputs.data));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, kData,
                                            inputs.data,
                                            {kTfLiteFloat32, kTfLiteFloat64}));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "indices",
                                          inputs.rows,
                                          {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "segment_ids",
                                          inputs.segments,
                                          {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output,
                 {TfLiteOpaqueTensorType(inputs.data)}));
  if (Op::kSize != Size::kNone) {
    constexpr const char* kSize =
        Op::kSize == Size::kSegments ? "num_segments" : "output_dim0";
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
        context, Op::kName, kSize, inputs.size, {kTfLiteInt32, kTfLiteInt64}));
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureScalar(context, Op::kName, kSize, inputs.size));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSameShape(context, Op::kName, "indices",
                                               inputs.rows, "segment_ids",
                                               inputs.segments));
  if (TfLiteOpaqueTensorNumDims(inputs.data) < 1 ||
      TfLiteOpaqueTensorNumDims(inputs.segments) != 1) {
    return Failure(context,
                   "%s: %s must have rank 1 or more and segment_ids be a "
                   "vector, but they are %s and %s",
                   Op::kName, kData, ShapeString(inputs.data).c_str(),
                   ShapeString(inputs.segments).c_str());
  }
  if (Op::kSize == Size::kRows) {
    // None for many rows without columns.
    const bool any = NumElements(inputs.data) > 0;
    StateOf<OpData>(node)->sizes.resize(
        any ? TfLiteOpaqueTensorDim(inputs.data, 0) : 0);
  }
  return ResizeInPrepare({ShapeInput<Op>(inputs)}, output, [&] {
    return ResizeOutput<Op>(context, inputs, output);
  });
}

// Fails where one of the numbers is outside of [0, limit).
TfLiteStatus EnsureInside(TfLiteOpaqueContext* context, const char* op,
                          const char* role, const TfLiteOpaqueTensor* numbers,
                          int64_t limit) {
  const int64_t count = NumElements(numbers);
  const int64_t outside =
      WithIndex(TfLiteOpaqueTensorType(numbers), [&](auto index) {
        return FirstOutside(count, Data<decltype(index)>(numbers), limit);
      });
  if (outside == count) return kTfLiteOk;
  return Failure(context,
                 "%s: %s must be in [0, %lld), but element %lld is "
                 "%lld",
                 op, role, static_cast<long long>(limit),
                 static_cast<long long>(outside),
                 static_cast<long long>(IntAt(numbers, outside)));
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const Inputs inputs = GetInputs<Op>(context, node);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int64_t count = NumElements(inputs.segments);
  const TfLiteType segment_type = TfLiteOpaqueTensorType(inputs.segments);
  if (Op::kSize != Size::kRows) {
    // First: the last of them makes the shape.
    const int64_t falling = WithIndex(segment_type, [&](auto index) {
      return FirstFalling(count, Data<decltype(index)>(inputs.segments));
    });
    if (falling != count) {
      return Failure(context,
                     "%s: segment_ids must be sorted and not negative, but "
                     "element %lld is %lld",
                     Op::kName, static_cast<long long>(falling),
                     static_cast<long long>(IntAt(inputs.segments, falling)));
    }
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(ResizeInInvoke(
      context, Op::kName, {ShapeInput<Op>(inputs)}, output,
      [&] { return ResizeOutput<Op>(context, inputs, output); }));
  const int64_t data_rows = TfLiteOpaqueTensorDim(inputs.data, 0);
  const int64_t output_rows = TfLiteOpaqueTensorDim(output, 0);
  const bool gradient = Op::kSize == Size::kRows;
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureInside(context, Op::kName, "indices", inputs.rows,
                   gradient ? output_rows : data_rows));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureInside(context, Op::kName, "segment_ids", inputs.segments,
                   gradient ? data_rows : output_rows));
  int64_t cols = 1;
  for (int i = 1; i < TfLiteOpaqueTensorNumDims(inputs.data); ++i) {
    cols *= TfLiteOpaqueTensorDim(inputs.data, i);
  }
  if (NumElements(output) == 0) return kTfLiteOk;
  const FlushedDenormals flushed_denormals;
  WithIndex(TfLiteOpaqueTensorType(inputs.rows), [&](auto row) {
    WithIndex(segment_type, [&](auto segment) {
      const auto* rows = Data<decltype(row)>(inputs.rows);
      const auto* segments = Data<decltype(segment)>(inputs.segments);
      const auto run = [&](auto zero) {
        using T = decltype(zero);
        if constexpr (Op::kSize == Size::kRows) {
          SpreadSparseSegments(Op::kDivisor, cols, Data<T>(inputs.data),
                               data_rows, count, rows, segments,
                               StateOf<OpData>(node)->sizes.data(), output_rows,
                               MutableData<T>(output));
        } else {
          SumSparseSegments(Op::kDivisor, cols, Data<T>(inputs.data), count,
                            rows, segments, output_rows,
                            MutableData<T>(output));
        }
      };
      if constexpr (Op::kDivisor == Divisor::kOne && Op::kSize != Size::kRows) {
        WithNumber(TfLiteOpaqueTensorType(inputs.data), run);
      } else {
        WithFloat(TfLiteOpaqueTensorType(inputs.data), run);
      }
    });
  });
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(SparseSegmentMean, kDefinition<SparseSegmentMean>)
TFLITE_CUSTOM_DEFINE_OP(SparseSegmentMeanGrad,
                        kDefinition<SparseSegmentMeanGrad>)
TFLITE_CUSTOM_DEFINE_OP(SparseSegmentMeanWithNumSegments,
                        kDefinition<SparseSegmentMeanWithNumSegments>)
TFLITE_CUSTOM_DEFINE_OP(SparseSegmentSqrtN, kDefinition<SparseSegmentSqrtN>)
TFLITE_CUSTOM_DEFINE_OP(SparseSegmentSqrtNGrad,
                        kDefinition<SparseSegmentSqrtNGrad>)
TFLITE_CUSTOM_DEFINE_OP(SparseSegmentSqrtNWithNumSegments,
                        kDefinition<SparseSegmentSqrtNWithNumSegments>)
TFLITE_CUSTOM_DEFINE_OP(SparseSegmentSum, kDefinition<SparseSegmentSum>)
TFLITE_CUSTOM_DEFINE_OP(SparseSegmentSumGrad, kDefinition<SparseSegmentSumGrad>)
TFLITE_CUSTOM_DEFINE_OP(SparseSegmentSumWithNumSegments,
                        kDefinition<SparseSegmentSumWithNumSegments>)

}  // namespace tflite::custom::reduction_ops
