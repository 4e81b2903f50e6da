#include <cstdint>
#include <limits>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/segment_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::reduction_ops {
namespace {

struct SegmentMax {
  static constexpr char kName[] = "SegmentMax";
  template <typename T>
  using Reducer = MaxOf<T>;
};

struct SegmentMean {
  static constexpr char kName[] = "SegmentMean";
  template <typename T>
  using Reducer = MeanOf<T>;
};

struct SegmentMin {
  static constexpr char kName[] = "SegmentMin";
  template <typename T>
  using Reducer = MinOf<T>;
};

struct SegmentProd {
  static constexpr char kName[] = "SegmentProd";
  template <typename T>
  using Reducer = ProductOf<T>;
};

// Checks the segments' values and gives the output its shape.
TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          const char* name, const TfLiteOpaqueTensor* data,
                          const TfLiteOpaqueTensor* segments) {
  const int64_t rows = NumElements(segments);
  const int64_t falling =
      WithIndex(TfLiteOpaqueTensorType(segments), [&](auto index) {
        return FirstFalling(rows, Data<decltype(index)>(segments));
      });
  if (falling != rows) {
    TfLiteOpaqueContextReportError(
        context,
        "%s: segment_ids must be sorted and not negative, but element %lld is "
        "%lld",
        name, static_cast<long long>(falling),
        static_cast<long long>(IntAt(segments, falling)));
    return kTfLiteError;
  }
  const int64_t last = rows == 0 ? -1 : IntAt(segments, rows - 1);
  if (last >= std::numeric_limits<int>::max()) {
    TfLiteOpaqueContextReportError(
        context, "%s: segment_ids must be less than %d, but the last is %lld",
        name, std::numeric_limits<int>::max(), static_cast<long long>(last));
    return kTfLiteError;
  }
  std::vector<int> shape = ShapeOf(data);
  shape[0] = static_cast<int>(last + 1);
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
}

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 2, 1));
  const TfLiteOpaqueTensor* data = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* segments =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureNumber(context, Op::kName, "data", data));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "segment_ids",
                                          segments,
                                          {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "output", output,
                                          {TfLiteOpaqueTensorType(data)}));
  if (TfLiteOpaqueTensorNumDims(data) < 1 ||
      TfLiteOpaqueTensorNumDims(segments) != 1 ||
      TfLiteOpaqueTensorDim(segments, 0) != TfLiteOpaqueTensorDim(data, 0)) {
    TfLiteOpaqueContextReportError(
        context,
        "%s: segment_ids must be a vector as long as the first dimension of "
        "data, but is %s for data of %s",
        Op::kName, ShapeString(segments).c_str(), ShapeString(data).c_str());
    return kTfLiteError;
  }
  return ResizeInPrepare({segments}, output, [&] {
    return ResizeOutput(context, node, Op::kName, data, segments);
  });
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* data = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* segments =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(ResizeInInvoke(
      context, Op::kName, {segments}, output,
      [&] { return ResizeOutput(context, node, Op::kName, data, segments); }));
  const int64_t rows = TfLiteOpaqueTensorDim(data, 0);
  const int64_t cols = rows == 0 ? 0 : NumElements(data) / rows;
  const int64_t uncountable =
      WithIndex(TfLiteOpaqueTensorType(segments), [&](auto index) {
        return WithNumber(TfLiteOpaqueTensorType(data), [&](auto zero) {
          using T = decltype(zero);
          return ReduceSegments<typename Op::template Reducer<T>>(
              rows, cols, Data<T>(data), Data<decltype(index)>(segments),
              MutableData<T>(output));
        });
      });
  if (uncountable < 0) return kTfLiteOk;
  TfLiteOpaqueContextReportError(
      context, "%s: segment %lld has more rows than %s can count", Op::kName,
      static_cast<long long>(uncountable),
      TfLiteTypeGetName(TfLiteOpaqueTensorType(data)));
  return kTfLiteError;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {/*init=*/nullptr, /*free=*/nullptr, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(SegmentMax, kDefinition<SegmentMax>)
TFLITE_CUSTOM_DEFINE_OP(SegmentMean, kDefinition<SegmentMean>)
TFLITE_CUSTOM_DEFINE_OP(SegmentMin, kDefinition<SegmentMin>)
TFLITE_CUSTOM_DEFINE_OP(SegmentProd, kDefinition<SegmentProd>)

}  // namespace tflite::custom::reduction_ops
