#ifndef TFLITE_CUSTOM_MEDIAPIPE_TRANSPOSE_CONV_MATH_H_
#define TFLITE_CUSTOM_MEDIAPIPE_TRANSPOSE_CONV_MATH_H_

#include <algorithm>
#include <cstdint>

#include "tflite/custom/mat_mul.h"

namespace tflite::custom::mediapipe_ops {

// A transposed convolution along one dimension: input element i is added to
// the outputs from i * stride - before on, `filter` of them.
struct Spread {
  int64_t input;
  int64_t filter;
  int64_t stride;
  int64_t before;
  int64_t output;

  // Without padding, or with that which MediaPipe computes for "same".
  void Place(bool same) {
    const int64_t padding =
        same ? std::max<int64_t>(filter - (input - 1) % stride - 1, 0) : 0;
    before = padding / 2;
    output = stride * (input - 1) + filter - padding;
  }
};

struct TransposeConv {
  int64_t batches;
  Spread rows;
  Spread cols;
  int64_t input_channels;
  int64_t output_channels;

  // What one input pixel adds to.
  int64_t Taps() const { return rows.filter * cols.filter * output_channels; }
  // Pixels of a row that are multiplied at once.
  int64_t Block() const {
    constexpr int64_t kFloats = 1 << 14;
    return std::clamp<int64_t>(kFloats / std::max<int64_t>(Taps(), 1), 1,
                               std::max<int64_t>(cols.input, 1));
  }
  // Floats that RunTransposeConv writes to for itself.
  int64_t Scratch() const { return Taps() * (input_channels + Block()); }
};

// The input is [batch, row, column, channel], the filter [output channel, row,
// column, input channel], the bias has a number for each output channel. Each
// block of pixels is multiplied with the filter, then added to the output.
inline void RunTransposeConv(const TransposeConv& conv, const float* input,
                             const float* filter, const float* bias,
                             float* scratch, float* output) {
  const int64_t taps = conv.Taps(), depth = conv.input_channels;
  const int64_t channels = conv.output_channels;
  const Spread &rows = conv.rows, &cols = conv.cols;
  // The filter with the input channel first, the output channel last.
  float* turned = scratch;
  float* products = scratch + taps * depth;
  const int64_t places = rows.filter * cols.filter;
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t place = 0; place < places; ++place) {
      for (int64_t i = 0; i < depth; ++i) {
        turned[i * taps + place * channels + channel] = *filter++;
      }
    }
  }
  const int64_t pixels = conv.batches * rows.output * cols.output;
  for (int64_t i = 0; i < pixels; ++i) {
    std::copy(bias, bias + channels, output + i * channels);
  }
  for (int64_t line = 0; line < conv.batches * rows.input; ++line) {
    const int64_t batch = line / rows.input, y = line % rows.input;
    const int64_t top = y * rows.stride - rows.before;
    for (int64_t x = 0; x < cols.input; x += conv.Block()) {
      const int64_t count = std::min(conv.Block(), cols.input - x);
      std::fill(products, products + count * taps, 0.0f);
      AddMatMul(count, depth, taps, input + (line * cols.input + x) * depth,
                depth, turned, taps, products, taps);
      for (int64_t i = 0; i < count; ++i) {
        const float* product = products + i * taps;
        const int64_t left = (x + i) * cols.stride - cols.before;
        for (int64_t place = 0; place < places; ++place) {
          const int64_t out_y = top + place / cols.filter;
          const int64_t out_x = left + place % cols.filter;
          if (out_y < 0 || out_y >= rows.output || out_x < 0 ||
              out_x >= cols.output) {
            continue;
          }
          float* pixel =
              output +
              ((batch * rows.output + out_y) * cols.output + out_x) * channels;
          for (int64_t channel = 0; channel < channels; ++channel) {
            pixel[channel] += product[place * channels + channel];
          }
        }
      }
    }
  }
}

}  // namespace tflite::custom::mediapipe_ops

#endif  // TFLITE_CUSTOM_MEDIAPIPE_TRANSPOSE_CONV_MATH_H_
