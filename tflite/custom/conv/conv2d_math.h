#ifndef TFLITE_CUSTOM_CONV_CONV2D_MATH_H_
#define TFLITE_CUSTOM_CONV_CONV2D_MATH_H_

#include <algorithm>
#include <cstdint>

#include "tflite/custom/mat_mul.h"
#include "tflite/custom/window_math.h"

namespace tflite::custom::conv_ops {

// A filter has fewer channels than the input if the channels are in groups,
// each of which makes so many of the output's.
struct Conv2D {
  int64_t batches;
  Window rows;
  Window cols;
  int64_t input_channels;
  int64_t filter_channels;
  int64_t output_channels;

  int64_t Groups() const { return input_channels / filter_channels; }
  // Elements of the input that a group's window takes.
  int64_t Patch() const { return rows.size * cols.size * filter_channels; }
  // Pixels that are multiplied at once.
  int64_t Block() const {
    constexpr int64_t kElements = 1 << 14;
    return std::clamp<int64_t>(kElements / Patch(), 1, 256);
  }
  // Elements that RunConv2D writes to for itself.
  int64_t Scratch() const { return Patch() * Block(); }
};

// The input is [batch, row, column, channel], the filter [row, column, input
// channel, output channel]. The windows of a block of pixels are copied one
// after the other, then multiplied with the filter.
template <typename T>
void RunConv2D(const Conv2D& conv, const T* input, const T* filter, T* scratch,
               T* output) {
  const Window &rows = conv.rows, &cols = conv.cols;
  const int64_t channels = conv.output_channels, patch = conv.Patch();
  const int64_t depth = conv.filter_channels;
  const int64_t group_channels = channels / conv.Groups();
  const int64_t pixels = conv.batches * rows.output * cols.output;
  std::fill(output, output + pixels * channels, T(0));
  for (int64_t first = 0; first < pixels; first += conv.Block()) {
    const int64_t count = std::min(conv.Block(), pixels - first);
    for (int64_t group = 0; group < conv.Groups(); ++group) {
      std::fill(scratch, scratch + count * patch, T(0));
      for (int64_t pixel = 0; pixel < count; ++pixel) {
        const int64_t line = (first + pixel) / cols.output;
        const int64_t x = (first + pixel) % cols.output;
        const int64_t y = line % rows.output, batch = line / rows.output;
        for (int64_t i = rows.First(y); i < rows.End(y); ++i) {
          const int64_t row =
              batch * rows.input + rows.Begin(y) + i * rows.rate;
          for (int64_t j = cols.First(x); j < cols.End(x); ++j) {
            const int64_t col = cols.Begin(x) + j * cols.rate;
            std::copy_n(input + (row * cols.input + col) * conv.input_channels +
                            group * depth,
                        depth,
                        scratch + pixel * patch + (i * cols.size + j) * depth);
          }
        }
      }
      AddMatMul(count, patch, group_channels, scratch, patch,
                filter + group * group_channels, channels,
                output + first * channels + group * group_channels, channels);
    }
  }
}

}  // namespace tflite::custom::conv_ops

#endif  // TFLITE_CUSTOM_CONV_CONV2D_MATH_H_
