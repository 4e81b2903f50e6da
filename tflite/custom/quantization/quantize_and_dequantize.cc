#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/quantization/quantize_and_dequantize_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::quantization_ops {
namespace {

// An op is its name, where its input and the range stand, whether the bits are
// an input, and whether the range is given where no option says.

struct V3 {
  static constexpr char kName[] = "QuantizeAndDequantizeV3";
  static constexpr int kInputs = 4;
  static constexpr int kOutputs = 1;
  static constexpr int kInput = 0;
  static constexpr bool kTakesBits = true;
  static constexpr bool kRangeGiven = true;
};

struct V4 {
  static constexpr char kName[] = "QuantizeAndDequantizeV4";
  static constexpr int kInputs = 3;
  static constexpr int kOutputs = 1;
  static constexpr int kInput = 0;
  static constexpr bool kTakesBits = false;
  static constexpr bool kRangeGiven = false;
};

struct V4Grad {
  static constexpr char kName[] = "QuantizeAndDequantizeV4Grad";
  static constexpr int kInputs = 4;
  static constexpr int kOutputs = 3;
  static constexpr int kInput = 1;
  static constexpr bool kTakesBits = false;
  static constexpr bool kRangeGiven = true;
};

template <typename Op>
struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : is_signed(options.Bool("signed_input", true)),
        narrow_range(options.Bool("narrow_range", false)),
        range_given(options.Bool("range_given", Op::kRangeGiven)),
        num_bits(options.Int("num_bits", 8)),
        axis(options.Int("axis", -1)),
        round_mode(options.String("round_mode", "HALF_TO_EVEN")) {}
  bool is_signed;
  bool narrow_range;
  bool range_given;
  int64_t num_bits;
  // Along which each has a range of its own; -1 for one range.
  int64_t axis;
  std::string round_mode;
};

TfLiteStatus EnsureBits(TfLiteOpaqueContext* context, const char* op,
                        bool is_signed, int64_t num_bits) {
  const int most = is_signed ? 61 : 62;
  if (num_bits >= 1 && num_bits <= most) return kTfLiteOk;
  return Failure(context, "%s: num_bits must be in [1, %d], not %lld", op, most,
                 static_cast<long long>(num_bits));
}

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData<Op>* data = StateOf<OpData<Op>>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, data->error));
  if (data->round_mode != "HALF_TO_EVEN" && data->round_mode != "HALF_UP") {
    return Failure(context,
                   "%s: option 'round_mode' must be HALF_TO_EVEN or HALF_UP, "
                   "not '%s'",
                   Op::kName, data->round_mode.c_str());
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, Op::kName, Op::kInputs, Op::kOutputs));
  const TfLiteOpaqueTensor* input =
      TfLiteOpaqueNodeGetInput(context, node, Op::kInput);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "input", input,
                                          {kTfLiteFloat32, kTfLiteFloat64}));
  const TfLiteType type = TfLiteOpaqueTensorType(input);
  if (Op::kInput == 1) {
    const TfLiteOpaqueTensor* gradients =
        TfLiteOpaqueNodeGetInput(context, node, 0);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, Op::kName, "gradients", gradients, {type}));
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSameShape(
        context, Op::kName, "gradients", gradients, "input", input));
  }
  if (Op::kTakesBits) {
    const TfLiteOpaqueTensor* bits = TfLiteOpaqueNodeGetInput(context, node, 3);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, Op::kName, "num_bits", bits, {kTfLiteInt32}));
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureScalar(context, Op::kName, "num_bits", bits));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureBits(context, Op::kName, data->is_signed, data->num_bits));
  }
  const std::vector<int> shape = ShapeOf(input);
  const int rank = static_cast<int>(shape.size());
  if (data->axis < -1 || data->axis >= rank) {
    return Failure(context, "%s: axis must be in [-1, %d), not %lld", Op::kName,
                   rank, static_cast<long long>(data->axis));
  }
  std::vector<int> bounds;
  if (data->axis >= 0) bounds = {shape[data->axis]};
  for (int i = 0; i < 2; ++i) {
    const char* role = i == 0 ? "input_min" : "input_max";
    const TfLiteOpaqueTensor* bound =
        TfLiteOpaqueNodeGetInput(context, node, Op::kInput + 1 + i);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, Op::kName, role, bound, {type}));
    if (data->range_given && ShapeOf(bound) != bounds) {
      return Failure(
          context,
          "%s: %s must be a scalar, or with an axis a vector as long "
          "as that, but is %s for axis %lld of %s",
          Op::kName, role, ShapeString(bound).c_str(),
          static_cast<long long>(data->axis), ShapeString(input).c_str());
    }
  }
  for (int i = 0; i < Op::kOutputs; ++i) {
    TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, i);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, Op::kName, "output", output, {type}));
    TF_LITE_OPAQUE_ENSURE_STATUS(
        Resize(context, output, i == 0 ? shape : bounds));
  }
  return kTfLiteOk;
}

// A tensor as [outer, channels, inner].
struct Channels {
  Channels(const TfLiteOpaqueTensor* tensor, int64_t axis) {
    const int rank = TfLiteOpaqueTensorNumDims(tensor);
    for (int i = 0; i < rank; ++i) {
      int64_t& part = i < axis ? outer : i == axis ? count : inner;
      part *= TfLiteOpaqueTensorDim(tensor, i);
    }
  }

  // Calls f(index) for each element of a channel.
  template <typename F>
  void ForEach(int64_t channel, const F& f) const {
    for (int64_t i = 0; i < outer; ++i) {
      const int64_t at = (i * count + channel) * inner;
      for (int64_t j = 0; j < inner; ++j) f(at + j);
    }
  }

  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;
};

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData<Op>* data = StateOf<OpData<Op>>(node);
  const TfLiteOpaqueTensor* input =
      TfLiteOpaqueNodeGetInput(context, node, Op::kInput);
  const TfLiteOpaqueTensor* mins =
      TfLiteOpaqueNodeGetInput(context, node, Op::kInput + 1);
  const TfLiteOpaqueTensor* maxs =
      TfLiteOpaqueNodeGetInput(context, node, Op::kInput + 2);
  int64_t num_bits = data->num_bits;
  if (Op::kTakesBits) {
    num_bits = IntAt(TfLiteOpaqueNodeGetInput(context, node, 3));
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureBits(context, Op::kName, data->is_signed, num_bits));
  }
  const Rounding rounding =
      data->round_mode == "HALF_UP" ? Rounding::kHalfUp : Rounding::kHalfToEven;
  const Channels channels(input, data->axis);
  const FlushedDenormals flushed_denormals;
  return WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    const T* x = Data<T>(input);
    T* y = MutableData<T>(TfLiteOpaqueNodeGetOutput(context, node, 0));
    for (int64_t channel = 0; channel < channels.count; ++channel) {
      T low = std::numeric_limits<T>::infinity();
      T high = -low;
      if (data->range_given) {
        low = Data<T>(mins)[channel];
        high = Data<T>(maxs)[channel];
      } else {
        channels.ForEach(channel, [&](int64_t i) {
          if (x[i] < low) low = x[i];
          if (high < x[i]) high = x[i];
        });
      }
      if constexpr (Op::kOutputs == 3) {
        const T* gradients =
            Data<T>(TfLiteOpaqueNodeGetInput(context, node, 0));
        channels.ForEach(channel, [&](int64_t i) {
          y[i] = gradients[i] * (x[i] >= low && x[i] <= high ? T(1) : T(0));
        });
        for (int k = 1; k < 3; ++k) {
          MutableData<T>(TfLiteOpaqueNodeGetOutput(context, node, k))[channel] =
              T(0);
        }
        continue;
      }
      if (data->range_given && data->axis < 0 && !(low <= high)) {
        return Failure(context,
                       "%s: input_min must be at most input_max, but they are "
                       "%g and %g",
                       Op::kName, static_cast<double>(low),
                       static_cast<double>(high));
      }
      const Scaling<T> scaling(data->is_signed, static_cast<int>(num_bits),
                               data->narrow_range, low, high);
      channels.ForEach(channel, [&](int64_t i) {
        y[i] = scaling.Round(data->range_given ? scaling.Clamp(x[i]) : x[i],
                             rounding);
      });
    }
    return kTfLiteOk;
  });
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName,
    {InitState<OpData<Op>>, FreeState<OpData<Op>>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(QuantizeAndDequantizeV3, kDefinition<V3>)
TFLITE_CUSTOM_DEFINE_OP(QuantizeAndDequantizeV4, kDefinition<V4>)
TFLITE_CUSTOM_DEFINE_OP(QuantizeAndDequantizeV4Grad, kDefinition<V4Grad>)

}  // namespace tflite::custom::quantization_ops
