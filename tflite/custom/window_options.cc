#include "tflite/custom/window_options.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tflite/custom/op_options.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/window_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();

std::string Text(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (const int64_t value : values) {
    if (text.size() > 1) text += ",";
    text += std::to_string(value);
  }
  return text + "]";
}

// Fails where the list is not one of positive integers for each dimension, of
// which the first and the last are 1.
TfLiteStatus EnsureList(TfLiteOpaqueContext* context, const char* op,
                        const char* name, const std::vector<int64_t>& values,
                        int rank) {
  bool fits = values.size() == static_cast<size_t>(rank) &&
              values.front() == 1 && values.back() == 1;
  for (const int64_t value : values) fits &= value >= 1 && value <= kMost;
  if (fits) return kTfLiteOk;
  return Failure(context,
                 "%s: %s must be %d integers of at least 1, the first and the "
                 "last of them 1, not %s",
                 op, name, rank, Text(values).c_str());
}

TfLiteStatus EnsurePaddings(TfLiteOpaqueContext* context, const char* op,
                            const std::vector<int64_t>& values, int rank) {
  const size_t count = 2 * rank;
  bool fits = values.size() == count;
  for (size_t i = 0; fits && i < count; ++i) {
    const bool spatial = i >= 2 && i < count - 2;
    fits = values[i] >= 0 && values[i] <= (spatial ? kMost : 0);
  }
  if (fits) return kTfLiteOk;
  return Failure(context,
                 "%s: explicit_paddings must be %zu integers of at least 0, of "
                 "batch and channel 0, not %s",
                 op, count, Text(values).c_str());
}

}  // namespace

WindowOptions::WindowOptions(OpOptions& options, const char* sizes,
                             const char* rates)
    : sizes_name(sizes),
      rates_name(rates),
      strides(options.Ints("strides", {})),
      explicit_paddings(options.Ints("explicit_paddings", {})),
      padding(options.String("padding", "")),
      data_format(options.String("data_format", "")) {
  if (sizes != nullptr) this->sizes = options.Ints(sizes, {});
  if (rates != nullptr) this->rates = options.Ints(rates, {});
}

TfLiteStatus PlaceWindows(TfLiteOpaqueContext* context, const char* op,
                          const WindowOptions& options,
                          const std::vector<int64_t>& sizes,
                          const TfLiteOpaqueTensor* input,
                          std::vector<Window>* windows) {
  const int rank = TfLiteOpaqueTensorNumDims(input);
  const bool listed = options.sizes_name != nullptr;
  if (listed) {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureList(context, op, options.sizes_name, options.sizes, rank));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureList(context, op, "strides", options.strides, rank));
  if (!options.rates.empty()) {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureList(context, op, options.rates_name, options.rates, rank));
  }
  const std::string& format = options.data_format;
  if (!format.empty() && format != "NHWC" && format != "NDHWC") {
    return Failure(context, "%s: data_format must be %s, not %s", op,
                   rank == 4 ? "NHWC" : "NDHWC", format.c_str());
  }
  const bool is_explicit = options.padding == "EXPLICIT";
  if (!is_explicit && options.padding != "SAME" && options.padding != "VALID") {
    return Failure(context,
                   "%s: padding must be SAME, VALID or EXPLICIT, not "
                   "'%s'",
                   op, options.padding.c_str());
  }
  if (is_explicit) {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsurePaddings(context, op, options.explicit_paddings, rank));
  }
  windows->clear();
  for (int i = 1; i < rank - 1; ++i) {
    Window window = {TfLiteOpaqueTensorDim(input, i),
                     listed ? options.sizes[i] : sizes[i - 1],
                     options.strides[i]};
    if (!options.rates.empty()) window.rate = options.rates[i];
    if (is_explicit) {
      window.Fit(options.explicit_paddings[2 * i],
                 options.explicit_paddings[2 * i + 1]);
    } else if (options.padding == "SAME") {
      window.Spread();
    } else {
      window.Fit();
    }
    if (window.output < 0 || window.output > kMost) {
      return Failure(context,
                     "%s: dimension %d of an input of %s, a window of %lld and "
                     "strides of %lld give an output of %lld, which must be in "
                     "[0, %d]",
                     op, i, ShapeString(input).c_str(),
                     static_cast<long long>(window.Reach()),
                     static_cast<long long>(window.stride),
                     static_cast<long long>(window.output), kMost);
    }
    windows->push_back(window);
  }
  return kTfLiteOk;
}

std::vector<int> OutputShape(const TfLiteOpaqueTensor* input,
                             const std::vector<Window>& windows,
                             int64_t channels) {
  std::vector<int> shape = {TfLiteOpaqueTensorDim(input, 0)};
  for (const Window& window : windows) {
    shape.push_back(static_cast<int>(window.output));
  }
  shape.push_back(static_cast<int>(channels));
  return shape;
}

}  // namespace tflite::custom
