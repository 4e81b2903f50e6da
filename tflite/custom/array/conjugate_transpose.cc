#include <complex>
#include <cstdint>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::array_ops {
namespace {

constexpr char kName[] = "ConjugateTranspose";

// A dimension of the output, and how far apart in x are elements that are next
// to each other along it.
struct Dimension {
  int64_t size;
  int64_t stride;
  int64_t position;
};

struct OpData : OpState {
  explicit OpData(OpOptions& /*options*/) {}
  // ResizeOutput's, outermost first.
  std::vector<Dimension> dimensions;
};

TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          std::vector<Dimension>* dimensions) {
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* perm = TfLiteOpaqueNodeGetInput(context, node, 1);
  const int rank = TfLiteOpaqueTensorNumDims(x);
  std::vector<int64_t> strides(rank, 1);
  for (int i = rank - 2; i >= 0; --i) {
    strides[i] = strides[i + 1] * TfLiteOpaqueTensorDim(x, i + 1);
  }
  std::vector<bool> seen(rank);
  std::vector<int> shape;
  dimensions->clear();
  for (int i = 0; i < rank; ++i) {
    const int64_t given = IntAt(perm, i);
    const int64_t from = given < 0 ? given + rank : given;
    if (from < 0 || from >= rank || seen[from]) {
      return Failure(context,
                     "%s: perm must be all dimensions of x, [0, %d), in some "
                     "order, but element %d is %lld",
                     kName, rank, i, static_cast<long long>(given));
    }
    seen[from] = true;
    const int size = TfLiteOpaqueTensorDim(x, static_cast<int>(from));
    shape.push_back(size);
    dimensions->push_back({size, strides[from], 0});
  }
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 2, 1));
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* perm = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureFixedSize(context, kName, "x", x));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "perm", perm, {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "output", output,
                                          {TfLiteOpaqueTensorType(x)}));
  if (TfLiteOpaqueTensorNumDims(perm) != 1 ||
      TfLiteOpaqueTensorDim(perm, 0) != TfLiteOpaqueTensorNumDims(x)) {
    return Failure(context,
                   "%s: perm must be a vector with a number for each dimension "
                   "of x, but is %s for x of %s",
                   kName, ShapeString(perm).c_str(), ShapeString(x).c_str());
  }
  return ResizeInPrepare({perm}, output, [&] {
    return ResizeOutput(context, node, &StateOf<OpData>(node)->dimensions);
  });
}

template <typename T>
T Conjugate(T x) {
  return x;
}

template <typename T>
std::complex<T> Conjugate(std::complex<T> x) {
  return std::conj(x);
}

template <typename T>
void Transpose(std::vector<Dimension>& dimensions, const T* x, int64_t count,
               T* y) {
  for (Dimension& dimension : dimensions) dimension.position = 0;
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    y[i] = Conjugate(x[at]);
    for (size_t d = dimensions.size(); d-- > 0;) {
      Dimension& dimension = dimensions[d];
      at += dimension.stride;
      if (++dimension.position < dimension.size) break;
      at -= dimension.stride * dimension.size;
      dimension.position = 0;
    }
  }
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* perm = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  std::vector<Dimension>& dimensions = StateOf<OpData>(node)->dimensions;
  TF_LITE_OPAQUE_ENSURE_STATUS(
      ResizeInInvoke(context, kName, {perm}, output,
                     [&] { return ResizeOutput(context, node, &dimensions); }));
  const int64_t count = NumElements(x);
  const auto transpose = [&](auto zero) {
    using T = decltype(zero);
    Transpose(dimensions, Data<T>(x), count, MutableData<T>(output));
  };
  const TfLiteType type = TfLiteOpaqueTensorType(x);
  if (type == kTfLiteComplex64) {
    transpose(std::complex<float>());
  } else if (type == kTfLiteComplex128) {
    transpose(std::complex<double>());
  } else {
    WithElementOf(type, transpose);
  }
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {InitState<OpData>, FreeState<OpData>, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(ConjugateTranspose, kOp)

}  // namespace tflite::custom::array_ops
