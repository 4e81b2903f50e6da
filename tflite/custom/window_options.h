// The options of an op with a window, as TensorFlow's convolutions and poolings
// have them: lists with an integer for each dimension of the input.
#ifndef TFLITE_CUSTOM_WINDOW_OPTIONS_H_
#define TFLITE_CUSTOM_WINDOW_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tflite/custom/op_options.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/window_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

struct WindowOptions {
  // By the names of the two lists in the model; null for one that the op does
  // not have.
  WindowOptions(OpOptions& options, const char* sizes, const char* rates);

  const char* sizes_name;
  const char* rates_name;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::vector<int64_t> rates;
  std::vector<int64_t> explicit_paddings;
  std::string padding;
  std::string data_format;
};

// Makes a window for each dimension of the input but the first and the last,
// which are batch and channel. `sizes` are theirs if the op has no list of
// them. Fails where the options are not of use with the input, and where an
// output would be negative or larger than a dimension can be.
TfLiteStatus PlaceWindows(TfLiteOpaqueContext* context, const char* op,
                          const WindowOptions& options,
                          const std::vector<int64_t>& sizes,
                          const TfLiteOpaqueTensor* input,
                          std::vector<Window>* windows);

// The shape of what the windows make of an input.
std::vector<int> OutputShape(const TfLiteOpaqueTensor* input,
                             const std::vector<Window>& windows,
                             int64_t channels);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_WINDOW_OPTIONS_H_
