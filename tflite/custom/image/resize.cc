#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/image/resize_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::image_ops {
namespace {

TfLiteStatus EnsureImages(TfLiteOpaqueContext* context, const char* op,
                          const TfLiteOpaqueTensor* images) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureNumber(context, op, "images", images));
  if (TfLiteOpaqueTensorNumDims(images) != 4 ||
      TfLiteOpaqueTensorDim(images, 1) < 1 ||
      TfLiteOpaqueTensorDim(images, 2) < 1) {
    return Failure(
        context,
        "%s: images must be [batch,height,width,channel], not empty, "
        "but are %s",
        op, ShapeString(images).c_str());
  }
  return kTfLiteOk;
}

TfLiteStatus EnsureSize(TfLiteOpaqueContext* context, const char* op,
                        const TfLiteOpaqueTensor* size,
                        const TfLiteOpaqueTensor* output) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, "size", size, {kTfLiteInt32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, "output", output, {kTfLiteFloat32}));
  if (TfLiteOpaqueTensorNumDims(size) == 1 && NumElements(size) == 2) {
    return kTfLiteOk;
  }
  return Failure(context, "%s: size must be a vector of 2, but is %s", op,
                 ShapeString(size).c_str());
}

// Gives the output so many pictures of the size that a tensor holds.
TfLiteStatus ResizeToSize(TfLiteOpaqueContext* context, const char* op,
                          const TfLiteOpaqueTensor* images,
                          const TfLiteOpaqueTensor* size, int count,
                          TfLiteOpaqueTensor* output) {
  const int32_t* sizes = Data<int32_t>(size);
  if (sizes[0] < 1 || sizes[1] < 1) {
    return Failure(context, "%s: size must be at least 1 by 1, not %d by %d",
                   op, sizes[0], sizes[1]);
  }
  return Resize(context, output,
                {count, sizes[0], sizes[1], TfLiteOpaqueTensorDim(images, 3)});
}

// ResizeArea.

constexpr char kArea[] = "ResizeArea";

struct AreaData : OpState {
  explicit AreaData(OpOptions& options)
      : align_corners(options.Bool("align_corners", false)) {}
  bool align_corners;
};

TfLiteStatus ResizeAreaOutput(TfLiteOpaqueContext* context,
                              TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* images = TfLiteOpaqueNodeGetInput(context, node, 0);
  return ResizeToSize(context, kArea, images,
                      TfLiteOpaqueNodeGetInput(context, node, 1),
                      TfLiteOpaqueTensorDim(images, 0),
                      TfLiteOpaqueNodeGetOutput(context, node, 0));
}

TfLiteStatus PrepareArea(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureValid(context, kArea, StateOf<AreaData>(node)->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kArea, 2, 1));
  const TfLiteOpaqueTensor* size = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureImages(context, kArea, TfLiteOpaqueNodeGetInput(context, node, 0)));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSize(context, kArea, size, output));
  return ResizeInPrepare({size}, output,
                         [&] { return ResizeAreaOutput(context, node); });
}

TfLiteStatus EvalArea(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* images = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* size = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      ResizeInInvoke(context, kArea, {size}, output,
                     [&] { return ResizeAreaOutput(context, node); }));
  if (NumElements(output) == 0) return kTfLiteOk;
  const bool align = StateOf<AreaData>(node)->align_corners;
  const Side rows(TfLiteOpaqueTensorDim(images, 1),
                  TfLiteOpaqueTensorDim(output, 1), align);
  const Side cols(TfLiteOpaqueTensorDim(images, 2),
                  TfLiteOpaqueTensorDim(output, 2), align);
  const FlushedDenormals flushed_denormals;
  WithNumber(TfLiteOpaqueTensorType(images), [&](auto zero) {
    using T = decltype(zero);
    ResizeArea(TfLiteOpaqueTensorDim(images, 0), rows, cols,
               TfLiteOpaqueTensorDim(images, 3), Data<T>(images),
               MutableData<float>(output));
  });
  return kTfLiteOk;
}

// CropAndResize.

constexpr char kCrop[] = "CropAndResize";

struct CropData : OpState {
  explicit CropData(OpOptions& options)
      : method(options.String("method", "bilinear")),
        extrapolation(options.Float("extrapolation_value", 0)) {}
  std::string method;
  float extrapolation;
};

TfLiteStatus ResizeCropOutput(TfLiteOpaqueContext* context,
                              TfLiteOpaqueNode* node) {
  return ResizeToSize(
      context, kCrop, TfLiteOpaqueNodeGetInput(context, node, 0),
      TfLiteOpaqueNodeGetInput(context, node, 3),
      TfLiteOpaqueTensorDim(TfLiteOpaqueNodeGetInput(context, node, 1), 0),
      TfLiteOpaqueNodeGetOutput(context, node, 0));
}

TfLiteStatus PrepareCrop(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<CropData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kCrop, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kCrop, 4, 1));
  if (data->method != "bilinear" && data->method != "nearest") {
    return Failure(context, "%s: method must be bilinear or nearest, not '%s'",
                   kCrop, data->method.c_str());
  }
  const TfLiteOpaqueTensor* boxes = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* which = TfLiteOpaqueNodeGetInput(context, node, 2);
  const TfLiteOpaqueTensor* size = TfLiteOpaqueNodeGetInput(context, node, 3);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureImages(context, kCrop, TfLiteOpaqueNodeGetInput(context, node, 0)));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kCrop, "boxes", boxes, {kTfLiteFloat32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kCrop, "box_ind", which, {kTfLiteInt32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSize(context, kCrop, size, output));
  if (TfLiteOpaqueTensorNumDims(boxes) != 2 ||
      TfLiteOpaqueTensorDim(boxes, 1) != 4 ||
      TfLiteOpaqueTensorNumDims(which) != 1 ||
      TfLiteOpaqueTensorDim(which, 0) != TfLiteOpaqueTensorDim(boxes, 0)) {
    return Failure(
        context,
        "%s: boxes and box_ind must be [n,4] and [n], but are %s and "
        "%s",
        kCrop, ShapeString(boxes).c_str(), ShapeString(which).c_str());
  }
  return ResizeInPrepare({size}, output,
                         [&] { return ResizeCropOutput(context, node); });
}

TfLiteStatus EvalCrop(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<CropData>(node);
  const TfLiteOpaqueTensor* images = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* boxes = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* which = TfLiteOpaqueNodeGetInput(context, node, 2);
  const TfLiteOpaqueTensor* size = TfLiteOpaqueNodeGetInput(context, node, 3);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      ResizeInInvoke(context, kCrop, {size}, output,
                     [&] { return ResizeCropOutput(context, node); }));
  const int batches = TfLiteOpaqueTensorDim(images, 0);
  const int count = TfLiteOpaqueTensorDim(boxes, 0);
  for (int i = 0; i < count; ++i) {
    const int32_t index = Data<int32_t>(which)[i];
    if (index < 0 || index >= batches) {
      return Failure(context,
                     "%s: box_ind must be in [0, %d), but element %d is "
                     "%d",
                     kCrop, batches, i, index);
    }
  }
  for (int64_t i = 0; i < NumElements(boxes); ++i) {
    const float edge = Data<float>(boxes)[i];
    if (!std::isfinite(edge)) {
      return Failure(context,
                     "%s: boxes must be finite, but element %lld is %g", kCrop,
                     static_cast<long long>(i), edge);
    }
  }
  if (NumElements(output) == 0) return kTfLiteOk;
  const Side rows(TfLiteOpaqueTensorDim(images, 1),
                  TfLiteOpaqueTensorDim(output, 1), false);
  const Side cols(TfLiteOpaqueTensorDim(images, 2),
                  TfLiteOpaqueTensorDim(output, 2), false);
  const int64_t channels = TfLiteOpaqueTensorDim(images, 3);
  const FlushedDenormals flushed_denormals;
  WithNumber(TfLiteOpaqueTensorType(images), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      CropAndResize(rows, cols, channels, Data<float>(boxes) + 4 * i,
                    data->method == "nearest", data->extrapolation,
                    Data<T>(images) + Data<int32_t>(which)[i] * rows.input *
                                          cols.input * channels,
                    MutableData<float>(output) +
                        i * rows.output * cols.output * channels);
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kAreaOp = {
    kArea, {InitState<AreaData>, FreeState<AreaData>, PrepareArea, EvalArea}};
constexpr OpDefinition kCropOp = {
    kCrop, {InitState<CropData>, FreeState<CropData>, PrepareCrop, EvalCrop}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(CropAndResize, kCropOp)
TFLITE_CUSTOM_DEFINE_OP(ResizeArea, kAreaOp)

}  // namespace tflite::custom::image_ops
