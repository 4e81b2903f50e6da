#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/signal/fourier_transform.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::signal_ops {
namespace {

struct Op {
  const char* name;
  FourierKind kind;
  int rank;  // How many of the last dimensions; 0 for an input that says which.

  bool FromReal() const { return kind == FourierKind::kRealToComplex; }
  bool ToReal() const { return kind == FourierKind::kComplexToReal; }
  bool HasLength() const { return FromReal() || ToReal() || rank == 0; }
};

template <typename T>
using Transform = std::unique_ptr<FourierTransform<T>>;

struct OpData : OpState {
  explicit OpData(OpOptions& /*options*/) {}
  FourierSize size;
  // Of the input's type; the other is null. Both are where there is nothing to
  // transform.
  std::tuple<Transform<float>, Transform<double>> transforms;
};

bool IsDouble(TfLiteType type) {
  return type == kTfLiteFloat64 || type == kTfLiteComplex128;
}

// Calls f(T()) for the real type of a tensor.
template <typename F>
auto WithReal(const TfLiteOpaqueTensor* tensor, const F& f) {
  return IsDouble(TfLiteOpaqueTensorType(tensor)) ? f(double()) : f(float());
}

TfLiteStatus EnsureIntVector(TfLiteOpaqueContext* context, const char* op,
                             const char* role,
                             const TfLiteOpaqueTensor* tensor) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, role, tensor, {kTfLiteInt32}));
  if (TfLiteOpaqueTensorNumDims(tensor) == 1) return kTfLiteOk;
  return Failure(context, "%s: %s must be a vector, not %s", op, role,
                 ShapeString(tensor).c_str());
}

// Which dimensions are transformed, in the order of fft_length.
TfLiteStatus GetAxes(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                     const Op& op, std::vector<int>* axes) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const int rank = TfLiteOpaqueTensorNumDims(input);
  axes->clear();
  if (op.rank > 0) {
    for (int i = rank - op.rank; i < rank; ++i) axes->push_back(i);
    return kTfLiteOk;
  }
  const TfLiteOpaqueTensor* given = TfLiteOpaqueNodeGetInput(context, node, 2);
  const int count = TfLiteOpaqueTensorDim(given, 0);
  for (int i = 0; i < count; ++i) {
    const int64_t axis = IntAt(given, i);
    const int at = static_cast<int>(axis < 0 ? axis + rank : axis);
    if (axis < -rank || axis >= rank ||
        std::find(axes->begin(), axes->end(), at) != axes->end()) {
      return Failure(context,
                     "%s: axes must be different dimensions of input, in [%d, "
                     "%d), but element %d is %lld",
                     op.name, -rank, rank, i, static_cast<long long>(axis));
    }
    axes->push_back(at);
  }
  return kTfLiteOk;
}

TfLiteStatus GetSize(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                     const Op& op, FourierSize* size) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const std::vector<int> shape = ShapeOf(input);
  size->kind = op.kind;
  size->shape.assign(shape.begin(), shape.end());
  size->lengths.clear();
  TF_LITE_OPAQUE_ENSURE_STATUS(GetAxes(context, node, op, &size->axes));
  const size_t count = size->axes.size();
  for (size_t i = 0; i < count; ++i) {
    const int64_t dimension = size->shape[size->axes[i]];
    if (!op.HasLength()) {
      size->lengths.push_back(dimension);
      continue;
    }
    const int64_t length = IntAt(TfLiteOpaqueNodeGetInput(context, node, 1),
                                 static_cast<int64_t>(i));
    if (length < 0) {
      return Failure(context, "%s: fft_length[%zu] must be 0 or more, not %lld",
                     op.name, i, static_cast<long long>(length));
    }
    const bool half = op.ToReal() && i + 1 == count;
    const int64_t least = half ? length / 2 + 1 : length;
    if (dimension != 0 && dimension < least) {
      return Failure(context,
                     "%s: dimension %d of input must be %lld or more for "
                     "fft_length[%zu] of %lld, but is %lld",
                     op.name, size->axes[i], static_cast<long long>(least), i,
                     static_cast<long long>(length),
                     static_cast<long long>(dimension));
    }
    size->lengths.push_back(length);
  }
  return kTfLiteOk;
}

TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          const Op& op) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  OpData* data = StateOf<OpData>(node);
  FourierSize& size = data->size;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetSize(context, node, op, &size));
  const std::vector<int64_t> shape = size.OutputShape();
  TF_LITE_OPAQUE_ENSURE_STATUS(
      Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0),
             std::vector<int>(shape.begin(), shape.end())));
  return WithReal(input, [&](auto zero) {
    using T = decltype(zero);
    Transform<T>& transform = std::get<Transform<T>>(data->transforms);
    transform = nullptr;
    if (NumElements(input) == 0 || size.axes.empty()) return kTfLiteOk;
    transform = FourierTransform<T>::Make(size);
    if (transform != nullptr) return kTfLiteOk;
    return Failure(context, "%s: no memory for the transform of input of %s",
                   op.name, ShapeString(input).c_str());
  });
}

// Whether what is transformed, and how, is known in Prepare.
template <typename F>
auto WithInputsOfShape(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                       const Op& op, const F& f) {
  const auto input = [&](int i) {
    return TfLiteOpaqueNodeGetInput(context, node, i);
  };
  if (!op.HasLength()) return f({});
  if (op.rank > 0) return f({input(1)});
  return f({input(1), input(2)});
}

template <const Op& op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  using Tensors = std::initializer_list<const TfLiteOpaqueTensor*>;
  const int inputs = op.rank == 0 ? 3 : op.HasLength() ? 2 : 1;
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, op.name, inputs, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (op.FromReal()) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op.name, "input", input,
                                            {kTfLiteFloat32, kTfLiteFloat64}));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, op.name, "input", input,
                   {kTfLiteComplex64, kTfLiteComplex128}));
  }
  const bool is_double = IsDouble(TfLiteOpaqueTensorType(input));
  const TfLiteType real = is_double ? kTfLiteFloat64 : kTfLiteFloat32;
  const TfLiteType complex = is_double ? kTfLiteComplex128 : kTfLiteComplex64;
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op.name, "output", output,
                                          {op.ToReal() ? real : complex}));
  const int rank = TfLiteOpaqueTensorNumDims(input);
  if (rank < op.rank) {
    return Failure(context, "%s: input must have rank %d or more, but is %s",
                   op.name, op.rank, ShapeString(input).c_str());
  }
  if (op.HasLength()) {
    const TfLiteOpaqueTensor* length =
        TfLiteOpaqueNodeGetInput(context, node, 1);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureIntVector(context, op.name, "fft_length", length));
    int count = op.rank;
    if (op.rank == 0) {
      const TfLiteOpaqueTensor* axes =
          TfLiteOpaqueNodeGetInput(context, node, 2);
      TF_LITE_OPAQUE_ENSURE_STATUS(
          EnsureIntVector(context, op.name, "axes", axes));
      count = TfLiteOpaqueTensorDim(axes, 0);
      if (count == 0) {
        return Failure(context, "%s: axes must name a dimension, but are empty",
                       op.name);
      }
    }
    if (TfLiteOpaqueTensorDim(length, 0) != count) {
      return Failure(context,
                     "%s: fft_length must have %d elements, one for each "
                     "dimension that is transformed, not %d",
                     op.name, count, TfLiteOpaqueTensorDim(length, 0));
    }
  }
  return WithInputsOfShape(context, node, op, [&](Tensors tensors) {
    return ResizeInPrepare(tensors, output,
                           [&] { return ResizeOutput(context, node, op); });
  });
}

template <const Op& op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  using Tensors = std::initializer_list<const TfLiteOpaqueTensor*>;
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      WithInputsOfShape(context, node, op, [&](Tensors tensors) {
        return ResizeInInvoke(context, op.name, tensors, output,
                              [&] { return ResizeOutput(context, node, op); });
      }));
  OpData* data = StateOf<OpData>(node);
  const FlushedDenormals flushed_denormals;
  WithReal(input, [&](auto zero) {
    using T = decltype(zero);
    const Transform<T>& transform = std::get<Transform<T>>(data->transforms);
    if (transform != nullptr) {
      transform->Run(TfLiteOpaqueTensorData(input),
                     TfLiteOpaqueTensorData(output));
      return;
    }
    // Of no elements an output may have some: of zeros, which they are filled
    // up with.
    const int64_t count = NumElements(output) * (op.ToReal() ? 1 : 2);
    if (count > 0) std::fill_n(MutableData<T>(output), count, T{0});
  });
  return kTfLiteOk;
}

template <const Op& op>
constexpr OpDefinition kDefinition = {
    op.name, {InitState<OpData>, FreeState<OpData>, Prepare<op>, Eval<op>}};

}  // namespace

#define SIGNAL_FFT(name, kind, rank)                           \
  namespace {                                                  \
  constexpr Op k##name##Op = {#name, FourierKind::kind, rank}; \
  }                                                            \
  TFLITE_CUSTOM_DEFINE_OP(name, kDefinition<k##name##Op>)

SIGNAL_FFT(FFT, kComplex, 1)
SIGNAL_FFT(FFT2D, kComplex, 2)
SIGNAL_FFT(FFT3D, kComplex, 3)
SIGNAL_FFT(FFTND, kComplex, 0)
SIGNAL_FFT(IFFT, kComplexInverse, 1)
SIGNAL_FFT(IFFT2D, kComplexInverse, 2)
SIGNAL_FFT(IFFT3D, kComplexInverse, 3)
SIGNAL_FFT(IFFTND, kComplexInverse, 0)
SIGNAL_FFT(RFFT, kRealToComplex, 1)
SIGNAL_FFT(RFFT2D, kRealToComplex, 2)
SIGNAL_FFT(RFFT3D, kRealToComplex, 3)
SIGNAL_FFT(RFFTND, kRealToComplex, 0)
SIGNAL_FFT(IRFFT, kComplexToReal, 1)
SIGNAL_FFT(IRFFT2D, kComplexToReal, 2)
SIGNAL_FFT(IRFFT3D, kComplexToReal, 3)
SIGNAL_FFT(IRFFTND, kComplexToReal, 0)

#undef SIGNAL_FFT

}  // namespace tflite::custom::signal_ops
