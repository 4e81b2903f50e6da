#include <cstdint>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/quantization/fake_quant_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::quantization_ops {
namespace {

// An op is its name, whether it is a gradient, and where the range is.

enum class Range { kOptions, kScalars, kVectors };

struct ArgsGradient {
  static constexpr char kName[] = "FakeQuantWithMinMaxArgsGradient";
  static constexpr bool kGradient = true;
  static constexpr Range kRange = Range::kOptions;
};

struct VarsGradient {
  static constexpr char kName[] = "FakeQuantWithMinMaxVarsGradient";
  static constexpr bool kGradient = true;
  static constexpr Range kRange = Range::kScalars;
};

struct PerChannel {
  static constexpr char kName[] = "FakeQuantWithMinMaxVarsPerChannel";
  static constexpr bool kGradient = false;
  static constexpr Range kRange = Range::kVectors;
};

struct PerChannelGradient {
  static constexpr char kName[] = "FakeQuantWithMinMaxVarsPerChannelGradient";
  static constexpr bool kGradient = true;
  static constexpr Range kRange = Range::kVectors;
};

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : num_bits(options.Int("num_bits", 8)),
        narrow_range(options.Bool("narrow_range", false)),
        min(options.Float("min", -6)),
        max(options.Float("max", 6)) {}
  int64_t num_bits;
  bool narrow_range;
  // Of an op that has its range in options.
  float min;
  float max;
};

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  constexpr bool kInputs = Op::kRange != Range::kOptions;
  const OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, data->error));
  if (data->num_bits < 2 || data->num_bits > 16) {
    return Failure(context, "%s: num_bits must be in [2, 16], not %lld",
                   Op::kName, static_cast<long long>(data->num_bits));
  }
  if (!kInputs && !(data->min < data->max)) {
    return Failure(context,
                   "%s: min must be less than max, but they are %g "
                   "and %g",
                   Op::kName, data->min, data->max);
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(
      context, node, Op::kName, 1 + (Op::kGradient ? 1 : 0) + (kInputs ? 2 : 0),
      Op::kGradient && kInputs ? 3 : 1));
  for (int i = 0; i < TfLiteOpaqueNodeNumberOfInputs(node); ++i) {
    static constexpr const char* kRoles[] = {"gradients", "inputs", "min",
                                             "max"};
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
        context, Op::kName, kRoles[i + (Op::kGradient ? 0 : 1)],
        TfLiteOpaqueNodeGetInput(context, node, i), {kTfLiteFloat32}));
  }
  for (int i = 0; i < TfLiteOpaqueNodeNumberOfOutputs(node); ++i) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
        context, Op::kName, "output",
        TfLiteOpaqueNodeGetOutput(context, node, i), {kTfLiteFloat32}));
  }
  const TfLiteOpaqueTensor* first = TfLiteOpaqueNodeGetInput(context, node, 0);
  if (Op::kGradient) {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureSameShape(context, Op::kName, "gradients", first, "inputs",
                        TfLiteOpaqueNodeGetInput(context, node, 1)));
  }
  const std::vector<int> shape = ShapeOf(first);
  if (kInputs) {
    std::vector<int> wanted;
    if (Op::kRange == Range::kVectors) {
      if (shape.empty()) {
        return Failure(context,
                       "%s: inputs must have rank 1 or more, but are "
                       "[]",
                       Op::kName);
      }
      wanted = {shape.back()};
    }
    for (int i = 0; i < 2; ++i) {
      const TfLiteOpaqueTensor* bound =
          TfLiteOpaqueNodeGetInput(context, node, (Op::kGradient ? 2 : 1) + i);
      if (ShapeOf(bound) != wanted) {
        return Failure(context,
                       "%s: min and max must be %s, but %s is %s for "
                       "inputs of %s",
                       Op::kName,
                       wanted.empty() ? "scalars"
                                      : "vectors as long as the last dimension",
                       i == 0 ? "min" : "max", ShapeString(bound).c_str(),
                       ShapeString(first).c_str());
      }
      if (Op::kGradient) {
        TF_LITE_OPAQUE_ENSURE_STATUS(Resize(
            context, TfLiteOpaqueNodeGetOutput(context, node, 1 + i), wanted));
      }
    }
  }
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData* data = StateOf<OpData>(node);
  const auto input = [&](int i) {
    return Data<float>(TfLiteOpaqueNodeGetInput(context, node, i));
  };
  const auto output = [&](int i) {
    return MutableData<float>(TfLiteOpaqueNodeGetOutput(context, node, i));
  };
  constexpr bool kInputs = Op::kRange != Range::kOptions;
  constexpr int kX = Op::kGradient ? 1 : 0;
  const TfLiteOpaqueTensor* first = TfLiteOpaqueNodeGetInput(context, node, 0);
  const int rank = TfLiteOpaqueTensorNumDims(first);
  const int64_t size = NumElements(first);
  const int64_t channels = Op::kRange == Range::kVectors
                               ? TfLiteOpaqueTensorDim(first, rank - 1)
                               : 1;
  const QuantizedRange range =
      RangeOf(static_cast<int>(data->num_bits), data->narrow_range);
  const FlushedDenormals flushed_denormals;
  for (int64_t channel = 0; channel < channels; ++channel) {
    const Nudged nudged(range, kInputs ? input(kX + 1)[channel] : data->min,
                        kInputs ? input(kX + 2)[channel] : data->max);
    float below = 0;
    float above = 0;
    for (int64_t i = channel; i < size; i += channels) {
      const float x = input(kX)[i];
      if constexpr (Op::kGradient) {
        const float gradient = input(0)[i];
        // A product as TensorFlow's: NaN for an infinite gradient outside.
        const auto where = [gradient](bool holds) {
          return gradient * (holds ? 1.0f : 0.0f);
        };
        output(0)[i] = where(x >= nudged.min && x <= nudged.max);
        below += where(x < nudged.min);
        above += where(x > nudged.max);
      } else {
        output(0)[i] = FakeQuantized(nudged, x);
      }
    }
    if constexpr (Op::kGradient && kInputs) {
      output(1)[channel] = below;
      output(2)[channel] = above;
    }
  }
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(FakeQuantWithMinMaxArgsGradient,
                        kDefinition<ArgsGradient>)
TFLITE_CUSTOM_DEFINE_OP(FakeQuantWithMinMaxVarsGradient,
                        kDefinition<VarsGradient>)
TFLITE_CUSTOM_DEFINE_OP(FakeQuantWithMinMaxVarsPerChannel,
                        kDefinition<PerChannel>)
TFLITE_CUSTOM_DEFINE_OP(FakeQuantWithMinMaxVarsPerChannelGradient,
                        kDefinition<PerChannelGradient>)

}  // namespace tflite::custom::quantization_ops
