#include <cstdint>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/image/adjust_contrast_math.h"
#include "tflite/custom/image/color_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::image_ops {
namespace {

// An op is its name, the name of the scalar that it takes or null, whether it
// knows of three channels only, and what it does to a tensor.

template <typename T, typename F>
void ForEachPixel(const TfLiteOpaqueTensor* images, TfLiteOpaqueTensor* output,
                  const F& convert) {
  const int64_t count = NumElements(images);
  const T* from = Data<T>(images);
  T* to = MutableData<T>(output);
  for (int64_t i = 0; i < count; i += 3) convert(from + i, to + i);
}

struct AdjustContrastv2 {
  static constexpr char kName[] = "AdjustContrastv2";
  static constexpr const char* kScalar = "contrast_factor";
  static constexpr bool kThreeChannels = false;
  static void Run(const TfLiteOpaqueTensor* images, float factor,
                  TfLiteOpaqueTensor* output) {
    const int rank = TfLiteOpaqueTensorNumDims(images);
    const int64_t pixels = int64_t{TfLiteOpaqueTensorDim(images, rank - 3)} *
                           TfLiteOpaqueTensorDim(images, rank - 2);
    const int64_t channels = TfLiteOpaqueTensorDim(images, rank - 1);
    const int64_t count = NumElements(images);
    for (int64_t at = 0; at < count; at += pixels * channels) {
      AdjustContrast(pixels, channels, Data<float>(images) + at, factor,
                     MutableData<float>(output) + at);
    }
  }
};

struct AdjustHue {
  static constexpr char kName[] = "AdjustHue";
  static constexpr const char* kScalar = "delta";
  static constexpr bool kThreeChannels = true;
  static void Run(const TfLiteOpaqueTensor* images, float delta,
                  TfLiteOpaqueTensor* output) {
    ForEachPixel<float>(images, output, [delta](const float* x, float* y) {
      TurnHue(x, delta, y);
    });
  }
};

struct AdjustSaturation {
  static constexpr char kName[] = "AdjustSaturation";
  static constexpr const char* kScalar = "scale";
  static constexpr bool kThreeChannels = true;
  static void Run(const TfLiteOpaqueTensor* images, float scale,
                  TfLiteOpaqueTensor* output) {
    ForEachPixel<float>(images, output, [scale](const float* x, float* y) {
      ScaleSaturation(x, scale, y);
    });
  }
};

struct HSVToRGB {
  static constexpr char kName[] = "HSVToRGB";
  static constexpr const char* kScalar = nullptr;
  static constexpr bool kThreeChannels = true;
  static void Run(const TfLiteOpaqueTensor* images, float /*scalar*/,
                  TfLiteOpaqueTensor* output) {
    WithFloat(TfLiteOpaqueTensorType(images), [&](auto zero) {
      using T = decltype(zero);
      ForEachPixel<T>(images, output, HsvToRgb<T>);
    });
  }
};

struct RGBToHSV {
  static constexpr char kName[] = "RGBToHSV";
  static constexpr const char* kScalar = nullptr;
  static constexpr bool kThreeChannels = true;
  static void Run(const TfLiteOpaqueTensor* images, float /*scalar*/,
                  TfLiteOpaqueTensor* output) {
    WithFloat(TfLiteOpaqueTensorType(images), [&](auto zero) {
      using T = decltype(zero);
      ForEachPixel<T>(images, output, RgbToHsv<T>);
    });
  }
};

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  constexpr bool kScalar = Op::kScalar != nullptr;
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, Op::kName, kScalar ? 2 : 1, 1));
  const TfLiteOpaqueTensor* images = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (kScalar) {
    const TfLiteOpaqueTensor* scalar =
        TfLiteOpaqueNodeGetInput(context, node, 1);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, Op::kName, "images", images, {kTfLiteFloat32}));
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, Op::kName, Op::kScalar, scalar, {kTfLiteFloat32}));
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureScalar(context, Op::kName, Op::kScalar, scalar));
  } else {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "images",
                                            images,
                                            {kTfLiteFloat32, kTfLiteFloat64}));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "output", output,
                                          {TfLiteOpaqueTensorType(images)}));
  const int rank = TfLiteOpaqueTensorNumDims(images);
  constexpr int kLeastRank = kScalar ? 3 : 1;
  if (rank < kLeastRank) {
    return Failure(context, "%s: images must have rank %d or more, but are %s",
                   Op::kName, kLeastRank, ShapeString(images).c_str());
  }
  if (Op::kThreeChannels && TfLiteOpaqueTensorDim(images, rank - 1) != 3) {
    return Failure(context, "%s: images must have 3 channels, but are %s",
                   Op::kName, ShapeString(images).c_str());
  }
  return Resize(context, output, ShapeOf(images));
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const FlushedDenormals flushed_denormals;
  Op::Run(TfLiteOpaqueNodeGetInput(context, node, 0),
          Op::kScalar == nullptr
              ? 0
              : *Data<float>(TfLiteOpaqueNodeGetInput(context, node, 1)),
          TfLiteOpaqueNodeGetOutput(context, node, 0));
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {/*init=*/nullptr, /*free=*/nullptr, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(AdjustContrastv2, kDefinition<AdjustContrastv2>)
TFLITE_CUSTOM_DEFINE_OP(AdjustHue, kDefinition<AdjustHue>)
TFLITE_CUSTOM_DEFINE_OP(AdjustSaturation, kDefinition<AdjustSaturation>)
TFLITE_CUSTOM_DEFINE_OP(HSVToRGB, kDefinition<HSVToRGB>)
TFLITE_CUSTOM_DEFINE_OP(RGBToHSV, kDefinition<RGBToHSV>)

}  // namespace tflite::custom::image_ops
