#ifndef TFLITE_CUSTOM_MEDIAPIPE_MAX_POOLING_MATH_H_
#define TFLITE_CUSTOM_MEDIAPIPE_MAX_POOLING_MATH_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tflite/custom/window_math.h"

namespace tflite::custom::mediapipe_ops {

// Both ops number the places of a window row by row, from 0. A place is a float
// and a little more than its number, so that a GPU's rounding does no harm.
constexpr float kMoreThanPlace = 0.1f;

// The largest element under each window, limited to [least, most], and where in
// the window it lies. The input is [batch, row, column, channel].
inline void MaxPoolingWithArgmax(int64_t batches, const Window& rows,
                                 const Window& cols, int64_t channels,
                                 float least, float most, const float* input,
                                 float* output, float* places) {
  for (int64_t line = 0; line < batches * rows.output; ++line) {
    const int64_t y = line % rows.output;
    const float* image =
        input + line / rows.output * rows.input * cols.input * channels;
    for (int64_t x = 0; x < cols.output; ++x) {
      for (int64_t channel = 0; channel < channels; ++channel) {
        float largest = std::numeric_limits<float>::lowest();
        int64_t place = 0;
        for (int64_t i = rows.First(y); i < rows.End(y); ++i) {
          const float* row =
              image + (rows.Begin(y) + i) * cols.input * channels;
          for (int64_t j = cols.First(x); j < cols.End(x); ++j) {
            const float value = row[(cols.Begin(x) + j) * channels + channel];
            if (value > largest) {
              largest = value;
              place = i * cols.size + j;
            }
          }
        }
        *output++ = std::min(std::max(largest, least), most);
        *places++ = static_cast<float>(place) + kMoreThanPlace;
      }
    }
  }
}

// The number of a place, from a float. XNNPACK, which may have done the
// pooling, writes integers into the float tensor, and numbers places column by
// column. Read as floats its numbers are denormals, of which we write none.
inline float NumberOfPlace(float place, const Window& rows,
                           const Window& cols) {
  uint32_t bits;
  std::memcpy(&bits, &place, sizeof(bits));
  constexpr uint32_t kSmallestNormal = 0x00800000;
  if (bits >= kSmallestNormal) return place;
  return static_cast<float>(bits % rows.size * cols.size + bits / rows.size);
}

// Undoes it: each element of the input goes to its place under its window,
// which lies in an output of zeros. The windows go along the output:
// `rows.input` is how many rows that has. A place outside the output is passed
// over.
inline void MaxUnpooling(int64_t batches, const Window& rows,
                         const Window& cols, int64_t channels,
                         const float* input, const float* places,
                         float* output) {
  std::fill(output, output + batches * rows.input * cols.input * channels,
            0.0f);
  for (int64_t line = 0; line < batches * rows.output; ++line) {
    float* image =
        output + line / rows.output * rows.input * cols.input * channels;
    for (int64_t x = 0; x < cols.output; ++x) {
      for (int64_t channel = 0; channel < channels; ++channel) {
        const float value = *input++;
        const float number = NumberOfPlace(*places++, rows, cols);
        // No number of a place, such as a NaN.
        if (!(number > -1 && number < 0x1p31f)) continue;
        const auto place = static_cast<int64_t>(number);
        const int64_t out_y =
            rows.Begin(line % rows.output) + place / cols.size;
        const int64_t out_x = cols.Begin(x) + place % cols.size;
        if (out_y < 0 || out_y >= rows.input || out_x < 0 ||
            out_x >= cols.input) {
          continue;
        }
        image[(out_y * cols.input + out_x) * channels + channel] = value;
      }
    }
  }
}

}  // namespace tflite::custom::mediapipe_ops

#endif  // TFLITE_CUSTOM_MEDIAPIPE_MAX_POOLING_MATH_H_
