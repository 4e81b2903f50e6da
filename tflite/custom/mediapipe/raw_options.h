// Options that are no FlexBuffer but a struct of 32-bit integers, as TFLite's
// own converter once wrote them for these ops.
#ifndef TFLITE_CUSTOM_MEDIAPIPE_RAW_OPTIONS_H_
#define TFLITE_CUSTOM_MEDIAPIPE_RAW_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::mediapipe_ops {

constexpr int32_t kSame = 1, kValid = 2;  // TfLitePadding.

// The first fields of TfLiteTransposeConvParams; what comes after is not read,
// by MediaPipe neither.
struct TransposeConvOptions {
  int32_t padding;
  int32_t stride_width;
  int32_t stride_height;
};

// Those of TfLitePoolParams.
struct PoolOptions {
  int32_t padding;
  int32_t stride_width;
  int32_t stride_height;
  int32_t filter_width;
  int32_t filter_height;
  int32_t activation;  // TfLiteFusedActivation.
};

// An op's state has these, as far as the model does.
template <typename Options>
struct RawOptions {
  RawOptions(const char* buffer, size_t length) : length(length) {
    if (length >= sizeof(Options)) {
      std::memcpy(&value, buffer, sizeof(Options));
    }
  }
  size_t length;
  Options value = {};
};

// For a State that is made of the same two.
template <typename State>
void* InitRawState(TfLiteOpaqueContext* /*context*/, const char* buffer,
                   size_t length) {
  return std::make_unique<State>(buffer, length).release();
}

// Fails where the options are too short or of no use.
template <typename Options>
TfLiteStatus EnsureRawOptions(TfLiteOpaqueContext* context, const char* op,
                              const RawOptions<Options>& options) {
  if (options.length < sizeof(Options)) {
    return Failure(context,
                   "%s: the options must be %zu bytes or more, not %zu", op,
                   sizeof(Options), options.length);
  }
  const Options& value = options.value;
  if (value.padding != kSame && value.padding != kValid) {
    return Failure(context,
                   "%s: padding must be %d (same) or %d (valid), not %d", op,
                   kSame, kValid, value.padding);
  }
  if (value.stride_width < 1 || value.stride_height < 1) {
    return Failure(context, "%s: strides must be at least 1, not %d and %d", op,
                   value.stride_height, value.stride_width);
  }
  return kTfLiteOk;
}

}  // namespace tflite::custom::mediapipe_ops

#endif  // TFLITE_CUSTOM_MEDIAPIPE_RAW_OPTIONS_H_
