// Ops of a sparse tensor and a dense one.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/sparse/sparse_tensor.h"
#include "tflite/custom/wrapping.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::sparse_ops {
namespace {

struct Add {
  static constexpr char kName[] = "SparseDenseCwiseAdd";
  static constexpr bool kDivides = false;
  template <typename T>
  static T Join(T sparse, T dense) {
    return WrappingSum(sparse, dense);
  }
};

struct Div {
  static constexpr char kName[] = "SparseDenseCwiseDiv";
  static constexpr bool kDivides = true;
  template <typename T>
  static T Join(T sparse, T dense) {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      // The one quotient that overflows wraps.
      if (dense == T(-1)) return WrappingDifference(T(0), sparse);
    }
    return static_cast<T>(sparse / dense);
  }
};

struct Mul {
  static constexpr char kName[] = "SparseDenseCwiseMul";
  static constexpr bool kDivides = false;
  template <typename T>
  static T Join(T sparse, T dense) {
    return WrappingProduct(sparse, dense);
  }
};

template <typename Op>
TfLiteStatus PrepareCwise(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 4, 1));
  const SparseTensor sparse(context, node);
  const TfLiteOpaqueTensor* dense = TfLiteOpaqueNodeGetInput(context, node, 3);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureSparse(context, Op::kName, sparse, /*any_index=*/false));
  const TfLiteType type = TfLiteOpaqueTensorType(sparse.values);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "dense", dense, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output, {type}));
  return Resize(context, output, {static_cast<int>(sparse.count())});
}

template <typename Op>
TfLiteStatus EvalCwise(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const SparseTensor sparse(context, node);
  const TfLiteOpaqueTensor* dense = TfLiteOpaqueNodeGetInput(context, node, 3);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int rank = sparse.rank();
  const int dense_rank = TfLiteOpaqueTensorNumDims(dense);
  bool fits = dense_rank <= rank;
  for (int d = 0; fits && d < dense_rank; ++d) {
    const int size = TfLiteOpaqueTensorDim(dense, d);
    fits = size == 1 || size == IntAt(sparse.shape, rank - dense_rank + d);
  }
  if (!fits) {
    return Failure(context,
                   "%s: dense must broadcast to the sparse tensor's shape, of "
                   "rank %d, but is %s",
                   Op::kName, rank, ShapeString(dense).c_str());
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureIndices(context, Op::kName, sparse));
  const int64_t count = sparse.count();
  const FlushedDenormals flushed_denormals;
  return WithNumber(TfLiteOpaqueTensorType(dense), [&](auto zero) {
    using T = decltype(zero);
    const T* values = Data<T>(dense);
    if (Op::kDivides) {
      // As TensorFlow, whether or not that one is divided by.
      const int64_t size = NumElements(dense);
      for (int64_t i = 0; i < size; ++i) {
        if (values[i] != T(0)) continue;
        return Failure(context,
                       "%s: cannot divide by zero: element %lld of "
                       "dense",
                       Op::kName, static_cast<long long>(i));
      }
    }
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = 0;
      for (int d = 0; d < dense_rank; ++d) {
        const int size = TfLiteOpaqueTensorDim(dense, d);
        const int64_t index =
            IntAt(sparse.indices, i * rank + rank - dense_rank + d);
        at = at * size + (size == 1 ? 0 : index);
      }
      MutableData<T>(output)[i] =
          Op::Join(Data<T>(sparse.values)[i], values[at]);
    }
    return kTfLiteOk;
  });
}

template <typename Op>
constexpr OpDefinition kCwise = {
    Op::kName,
    {/*init=*/nullptr, /*free=*/nullptr, PrepareCwise<Op>, EvalCwise<Op>}};

// SparseTensorDenseAdd.

constexpr char kDenseAdd[] = "SparseTensorDenseAdd";

TfLiteStatus PrepareDenseAdd(TfLiteOpaqueContext* context,
                             TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kDenseAdd, 4, 1));
  const SparseTensor sparse(context, node);
  const TfLiteOpaqueTensor* b = TfLiteOpaqueNodeGetInput(context, node, 3);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureSparse(context, kDenseAdd, sparse, /*any_index=*/true));
  const TfLiteType type = TfLiteOpaqueTensorType(sparse.values);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kDenseAdd, "b", b, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kDenseAdd, "output", output, {type}));
  if (TfLiteOpaqueTensorNumDims(b) != sparse.rank()) {
    return Failure(context,
                   "%s: b must have the sparse tensor's shape, of rank %d, but "
                   "is %s",
                   kDenseAdd, sparse.rank(), ShapeString(b).c_str());
  }
  return Resize(context, output, ShapeOf(b));
}

TfLiteStatus EvalDenseAdd(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  const SparseTensor sparse(context, node);
  const TfLiteOpaqueTensor* b = TfLiteOpaqueNodeGetInput(context, node, 3);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int rank = sparse.rank();
  for (int d = 0; d < rank; ++d) {
    if (IntAt(sparse.shape, d) == TfLiteOpaqueTensorDim(b, d)) continue;
    return Failure(context,
                   "%s: b must have the sparse tensor's shape, whose dimension "
                   "%d is %lld, but is %s",
                   kDenseAdd, d, static_cast<long long>(IntAt(sparse.shape, d)),
                   ShapeString(b).c_str());
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureIndices(context, kDenseAdd, sparse));
  const int64_t count = sparse.count();
  const int64_t size = NumElements(b);
  if (size == 0) return kTfLiteOk;
  const FlushedDenormals flushed_denormals;
  WithNumber(TfLiteOpaqueTensorType(b), [&](auto zero) {
    using T = decltype(zero);
    T* sum = MutableData<T>(output);
    std::memcpy(sum, Data<T>(b), size * sizeof(T));
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = 0;
      for (int d = 0; d < rank; ++d) {
        at = at * TfLiteOpaqueTensorDim(b, d) +
             IntAt(sparse.indices, i * rank + d);
      }
      sum[at] = WrappingSum(sum[at], Data<T>(sparse.values)[i]);
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kDenseAddOp = {
    kDenseAdd,
    {/*init=*/nullptr, /*free=*/nullptr, PrepareDenseAdd, EvalDenseAdd}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(SparseDenseCwiseAdd, kCwise<Add>)
TFLITE_CUSTOM_DEFINE_OP(SparseDenseCwiseDiv, kCwise<Div>)
TFLITE_CUSTOM_DEFINE_OP(SparseDenseCwiseMul, kCwise<Mul>)
TFLITE_CUSTOM_DEFINE_OP(SparseTensorDenseAdd, kDenseAddOp)

}  // namespace tflite::custom::sparse_ops
