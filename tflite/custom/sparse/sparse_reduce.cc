#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/sparse/sparse_tensor.h"
#include "tflite/custom/wrapping.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::sparse_ops {
namespace {

struct Max {
  static constexpr char kName[] = "SparseReduceMax";
  template <typename T>
  static T Join(T a, T b) {
    return a < b ? b : a;
  }
};

struct Sum {
  static constexpr char kName[] = "SparseReduceSum";
  template <typename T>
  static T Join(T a, T b) {
    return WrappingSum(a, b);
  }
};

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : keep_dims(options.Bool("keep_dims", false)) {}
  bool keep_dims;
  // ResizeOutput's: how far apart in the output are results of values that are
  // next to each other in a dimension, 0 where that is reduced; and whether a
  // value has come to an element of it.
  std::vector<int64_t> strides;
  std::vector<bool> reached;
};

template <typename Op>
TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          OpData* data) {
  const SparseTensor sparse(context, node);
  const TfLiteOpaqueTensor* axes = TfLiteOpaqueNodeGetInput(context, node, 3);
  const int rank = sparse.rank();
  std::vector<bool> reduced(rank);
  const int64_t num_axes = NumElements(axes);
  for (int64_t i = 0; i < num_axes; ++i) {
    const int64_t axis = IntAt(axes, i);
    if (axis < -rank || axis >= rank) {
      return Failure(context,
                     "%s: an axis must be in [%d, %d), but element %lld is "
                     "%lld",
                     Op::kName, -rank, rank, static_cast<long long>(i),
                     static_cast<long long>(axis));
    }
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  data->strides.assign(rank, 0);
  std::vector<int> shape;
  int64_t elements = 1;
  for (int d = rank - 1; d >= 0; --d) {
    const int64_t size = IntAt(sparse.shape, d);
    constexpr int kMost = std::numeric_limits<int>::max();
    if (size < 0 || size > kMost || (size > 0 && elements > kMost / size)) {
      return Failure(context,
                     "%s: shape must be of at most %d elements, but dimension "
                     "%d is %lld",
                     Op::kName, kMost, d, static_cast<long long>(size));
    }
    if (reduced[d]) {
      if (data->keep_dims) shape.push_back(1);
      continue;
    }
    data->strides[d] = elements;
    elements *= size;
    shape.push_back(static_cast<int>(size));
  }
  std::reverse(shape.begin(), shape.end());
  data->reached.resize(elements);
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
}

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 4, 1));
  const SparseTensor sparse(context, node);
  const TfLiteOpaqueTensor* axes = TfLiteOpaqueNodeGetInput(context, node, 3);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureSparse(context, Op::kName, sparse, /*any_index=*/false));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "reduction_axes", axes, {kTfLiteInt32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output,
                 {TfLiteOpaqueTensorType(sparse.values)}));
  if (TfLiteOpaqueTensorNumDims(axes) > 1) {
    return Failure(context,
                   "%s: reduction_axes must be a scalar or a vector, not %s",
                   Op::kName, ShapeString(axes).c_str());
  }
  return ResizeInPrepare({sparse.shape, axes}, output,
                         [&] { return ResizeOutput<Op>(context, node, data); });
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  const SparseTensor sparse(context, node);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(ResizeInInvoke(
      context, Op::kName,
      {sparse.shape, TfLiteOpaqueNodeGetInput(context, node, 3)}, output,
      [&] { return ResizeOutput<Op>(context, node, data); }));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureIndices(context, Op::kName, sparse));
  const int64_t count = sparse.count();
  const int rank = sparse.rank();
  const int64_t elements = NumElements(output);
  std::fill(data->reached.begin(), data->reached.end(), false);
  const FlushedDenormals flushed_denormals;
  WithNumber(TfLiteOpaqueTensorType(output), [&](auto zero) {
    using T = decltype(zero);
    T* results = MutableData<T>(output);
    std::fill(results, results + elements, T(0));
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = 0;
      for (int d = 0; d < rank; ++d) {
        at += IntAt(sparse.indices, i * rank + d) * data->strides[d];
      }
      const T value = Data<T>(sparse.values)[i];
      results[at] = data->reached[at] ? Op::Join(results[at], value) : value;
      data->reached[at] = true;
    }
  });
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(SparseReduceMax, kDefinition<Max>)
TFLITE_CUSTOM_DEFINE_OP(SparseReduceSum, kDefinition<Sum>)

}  // namespace tflite::custom::sparse_ops
