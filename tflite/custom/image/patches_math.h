#ifndef TFLITE_CUSTOM_IMAGE_PATCHES_MATH_H_
#define TFLITE_CUSTOM_IMAGE_PATCHES_MATH_H_

#include <algorithm>
#include <cstdint>

#include "tflite/custom/window_math.h"

namespace tflite::custom::image_ops {

// Writes the pixels under each window one after the other, zeros for those of
// the padding. The input is [batch, row, column, channel].
template <typename T>
void ExtractPatches(int64_t batches, const Window& rows, const Window& cols,
                    int64_t channels, const T* input, T* patches) {
  const int64_t size = rows.input * cols.input * channels;
  const int64_t line = cols.size * channels;
  for (int64_t batch = 0; batch < batches; ++batch, input += size) {
    for (int64_t y = 0; y < rows.output; ++y) {
      for (int64_t x = 0; x < cols.output; ++x, patches += rows.size * line) {
        std::fill(patches, patches + rows.size * line, T(0));
        for (int64_t i = rows.First(y); i < rows.End(y); ++i) {
          const T* row =
              input + (rows.Begin(y) + i * rows.rate) * cols.input * channels;
          for (int64_t j = cols.First(x); j < cols.End(x); ++j) {
            std::copy_n(row + (cols.Begin(x) + j * cols.rate) * channels,
                        channels, patches + i * line + j * channels);
          }
        }
      }
    }
  }
}

}  // namespace tflite::custom::image_ops

#endif  // TFLITE_CUSTOM_IMAGE_PATCHES_MATH_H_
