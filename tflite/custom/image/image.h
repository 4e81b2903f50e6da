// Kernels over the colours of images, whose last dimension is the channels. All
// results are singletons that live as long as the process.
#ifndef TFLITE_CUSTOM_IMAGE_IMAGE_H_
#define TFLITE_CUSTOM_IMAGE_IMAGE_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::image_ops {

// Images of height, width and channels, and a scalar.
TFLITE_CUSTOM_DECLARE_OP(AdjustContrastv2)
TFLITE_CUSTOM_DECLARE_OP(AdjustHue)
TFLITE_CUSTOM_DECLARE_OP(AdjustSaturation)

// Pixels of three channels.
TFLITE_CUSTOM_DECLARE_OP(HSVToRGB)
TFLITE_CUSTOM_DECLARE_OP(RGBToHSV)

}  // namespace tflite::custom::image_ops

#endif  // TFLITE_CUSTOM_IMAGE_IMAGE_H_
