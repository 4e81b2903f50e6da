#ifndef TFLITE_CUSTOM_POOLING_POOLING_MATH_H_
#define TFLITE_CUSTOM_POOLING_POOLING_MATH_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tflite/custom/window_math.h"

namespace tflite::custom::pooling_ops {

struct Largest {
  template <typename T>
  static constexpr T kFirst = std::numeric_limits<T>::lowest();
  // A NaN is passed over.
  template <typename T>
  static void Join(T x, T& result) {
    if (x > result) result = x;
  }
  template <typename T>
  static T Finish(T result, int64_t /*count*/) {
    return result;
  }
};

struct Mean {
  template <typename T>
  static constexpr T kFirst = 0;
  template <typename T>
  static void Join(T x, T& result) {
    result += x;
  }
  template <typename T>
  static T Finish(T result, int64_t count) {
    return result / static_cast<T>(count);
  }
};

// What `Join` makes of the elements under each window; padding is not among
// them. The input is [batch, plane, row, column, channel].
template <typename Joiner, typename T>
void Pool3D(int64_t batches, const Window* windows, int64_t channels,
            const T* input, T* output) {
  const Window &planes = windows[0], &rows = windows[1], &cols = windows[2];
  const int64_t size = planes.input * rows.input * cols.input * channels;
  for (int64_t batch = 0; batch < batches; ++batch, input += size) {
    for (int64_t z = 0; z < planes.output; ++z) {
      for (int64_t y = 0; y < rows.output; ++y) {
        for (int64_t x = 0; x < cols.output; ++x, output += channels) {
          std::fill(output, output + channels, Joiner::template kFirst<T>);
          int64_t count = 0;
          for (int64_t i = planes.First(z); i < planes.End(z); ++i) {
            for (int64_t j = rows.First(y); j < rows.End(y); ++j) {
              for (int64_t k = cols.First(x); k < cols.End(x); ++k, ++count) {
                const T* pixel =
                    input +
                    (((planes.Begin(z) + i) * rows.input + rows.Begin(y) + j) *
                         cols.input +
                     cols.Begin(x) + k) *
                        channels;
                for (int64_t c = 0; c < channels; ++c) {
                  Joiner::Join(pixel[c], output[c]);
                }
              }
            }
          }
          for (int64_t c = 0; c < channels; ++c) {
            output[c] = Joiner::Finish(output[c], count);
          }
        }
      }
    }
  }
}

// The largest element under each window, and where it lies in the input as if
// that were a vector: of all pictures where `with_batch` holds, else of its
// own. A first element of NaN stays. The input is [batch, row, column,
// channel].
template <typename T, typename I>
void MaxPoolWithArgmax(int64_t batches, const Window& rows, const Window& cols,
                       int64_t channels, bool with_batch, const T* input,
                       T* output, I* indices) {
  const int64_t size = rows.input * cols.input * channels;
  for (int64_t line = 0; line < batches * rows.output; ++line) {
    const int64_t y = line % rows.output, batch = line / rows.output;
    const T* image = input + batch * size;
    for (int64_t x = 0; x < cols.output; ++x) {
      for (int64_t c = 0; c < channels; ++c) {
        T largest = std::numeric_limits<T>::lowest();
        int64_t index = -1;
        for (int64_t i = rows.First(y); i < rows.End(y); ++i) {
          for (int64_t j = cols.First(x); j < cols.End(x); ++j) {
            const int64_t at =
                ((rows.Begin(y) + i) * cols.input + cols.Begin(x) + j) *
                    channels +
                c;
            if (index < 0 || image[at] > largest) {
              largest = image[at];
              index = at;
            }
          }
        }
        *output++ = largest;
        *indices++ = static_cast<I>(
            index < 0 || !with_batch ? index : index + batch * size);
      }
    }
  }
}

}  // namespace tflite::custom::pooling_ops

#endif  // TFLITE_CUSTOM_POOLING_POOLING_MATH_H_
