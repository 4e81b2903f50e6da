// A function of one float over quantized bytes: the byte for each of the 256
// that there are.
#ifndef TFLITE_CUSTOM_QUANTIZED_TABLE_H_
#define TFLITE_CUSTOM_QUANTIZED_TABLE_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

class QuantizedTable {
 public:
  static constexpr int kSize = 256;

  // Whether it is for a tensor of this type.
  static bool Takes(TfLiteType type) {
    return type == kTfLiteInt8 || type == kTfLiteUInt8;
  }

  // In Prepare: fills the table by run(x, y), which writes the function of
  // kSize floats. Fails where the tensors differ in type or either has no scale
  // for all of it.
  template <typename F>
  TfLiteStatus Fill(TfLiteOpaqueContext* context, const char* op,
                    const TfLiteOpaqueTensor* input,
                    const TfLiteOpaqueTensor* output, const F& run) {
    const TfLiteType type = TfLiteOpaqueTensorType(input);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, op, "output", output, {type}));
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScale(context, op, "input", input));
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScale(context, op, "output", output));
    const TfLiteQuantizationParams from =
        TfLiteOpaqueTensorGetQuantizationParams(input);
    const TfLiteQuantizationParams to =
        TfLiteOpaqueTensorGetQuantizationParams(output);
    float x[kSize], y[kSize];
    for (int i = 0; i < kSize; ++i) {
      const int value = type == kTfLiteInt8 ? static_cast<int8_t>(i) : i;
      x[i] = from.scale * static_cast<float>(int64_t{value} - from.zero_point);
    }
    run(x, y);
    const int least = type == kTfLiteInt8 ? -128 : 0;
    for (int i = 0; i < kSize; ++i) {
      // Not a number is the nearest to none: it becomes zero.
      const double steps =
          std::isnan(y[i]) ? 0 : std::round(double{y[i]} / double{to.scale});
      bytes_[i] = static_cast<uint8_t>(static_cast<int>(
          std::clamp(steps + to.zero_point, double(least), least + 255.0)));
    }
    return kTfLiteOk;
  }

  void Run(const TfLiteOpaqueTensor* input, TfLiteOpaqueTensor* output) const {
    const auto* from = Data<uint8_t>(input);
    std::transform(from, from + NumElements(input),
                   MutableData<uint8_t>(output),
                   [this](uint8_t byte) { return bytes_[byte]; });
  }

 private:
  static TfLiteStatus EnsureScale(TfLiteOpaqueContext* context, const char* op,
                                  const char* role,
                                  const TfLiteOpaqueTensor* tensor) {
    const float scale = TfLiteOpaqueTensorGetQuantizationParams(tensor).scale;
    if (scale > 0 && scale <= std::numeric_limits<float>::max()) {
      return kTfLiteOk;
    }
    return Failure(context,
                   "%s: %s of type %s must have one scale above 0, but that of "
                   "tensor '%s' is %g",
                   op, role, TfLiteTypeGetName(TfLiteOpaqueTensorType(tensor)),
                   TfLiteOpaqueTensorName(tensor), scale);
  }

  std::array<uint8_t, kSize> bytes_;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_QUANTIZED_TABLE_H_
