// Pictures of another size. Operations and their order are those that
// TensorFlow's results have. All tensors are [batch, row, column, channel].
#ifndef TFLITE_CUSTOM_IMAGE_RESIZE_MATH_H_
#define TFLITE_CUSTOM_IMAGE_RESIZE_MATH_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tflite::custom::image_ops {

// One side of a picture and of what is made of it.
struct Side {
  int64_t input, output;
  float scale;  // Elements of the input for one of the output.

  Side(int64_t input, int64_t output, bool align_corners)
      : input(input),
        output(output),
        scale(align_corners && input > 1 && output > 1
                  ? static_cast<float>(input - 1) /
                        static_cast<float>(output - 1)
                  : static_cast<float>(input) / static_cast<float>(output)) {}

  // Calls add(i, weight) for each input element that output element `at`
  // covers, with the part of it that it covers. Those beyond the end are the
  // last.
  template <typename F>
  void ForEach(int64_t at, const F& add) const {
    const float begin = static_cast<float>(at) * scale;
    const float end = static_cast<float>(at + 1) * scale;
    const auto first = static_cast<int64_t>(std::floor(begin));
    const auto last = static_cast<int64_t>(std::ceil(end));
    for (int64_t i = first; i < last; ++i) {
      const auto element = static_cast<float>(i);
      const bool ends = element + 1 > end;
      const float weight = element < begin
                               ? (ends ? scale : element + 1 - begin)
                               : (ends ? end - element : 1.0f);
      add(std::clamp<int64_t>(i, 0, input - 1), weight);
    }
  }
};

// The mean of what each output pixel covers of the input.
template <typename T>
void ResizeArea(int64_t batches, const Side& rows, const Side& cols,
                int64_t channels, const T* input, float* output) {
  const float norm = 1.0f / (rows.scale * cols.scale);
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t y = 0; y < rows.output; ++y) {
      for (int64_t x = 0; x < cols.output; ++x, output += channels) {
        for (int64_t channel = 0; channel < channels; ++channel) {
          float sum = 0;
          rows.ForEach(y, [&](int64_t i, float row_weight) {
            float row_sum = 0;
            cols.ForEach(x, [&](int64_t j, float weight) {
              row_sum += static_cast<float>(
                             input[(i * cols.input + j) * channels + channel]) *
                         weight;
            });
            sum += row_sum * row_weight;
          });
          output[channel] = sum * norm;
        }
      }
    }
    input += rows.input * cols.input * channels;
  }
}

// Where the side's element `at` of a crop lies in the picture; the crop goes
// from `begin` to `end` of the side, which is from 0 to 1.
inline float CropCoordinate(const Side& side, int64_t at, float begin,
                            float end) {
  const auto last = static_cast<float>(side.input - 1);
  if (side.output <= 1) return 0.5f * (begin + end) * last;
  const float scale =
      (end - begin) * last / static_cast<float>(side.output - 1);
  return begin * last + static_cast<float>(at) * scale;
}

// One crop of one picture: `box` is its first row and column and the last ones.
// What lies outside is `extrapolation`.
template <typename T>
void CropAndResize(const Side& rows, const Side& cols, int64_t channels,
                   const float* box, bool nearest, float extrapolation,
                   const T* image, float* crop) {
  const auto inside = [](float at, const Side& side) {
    return at >= 0 && at <= static_cast<float>(side.input - 1);
  };
  // A size that no float is may be rounded up.
  const auto element = [](float at, const Side& side) {
    return std::min(static_cast<int64_t>(at), side.input - 1);
  };
  for (int64_t y = 0; y < rows.output; ++y) {
    const float row = CropCoordinate(rows, y, box[0], box[2]);
    for (int64_t x = 0; x < cols.output; ++x, crop += channels) {
      const float col = CropCoordinate(cols, x, box[1], box[3]);
      if (!inside(row, rows) || !inside(col, cols)) {
        std::fill(crop, crop + channels, extrapolation);
        continue;
      }
      const auto pixel = [&](int64_t i, int64_t j) {
        return image + (i * cols.input + j) * channels;
      };
      if (nearest) {
        const T* from = pixel(element(std::round(row), rows),
                              element(std::round(col), cols));
        for (int64_t i = 0; i < channels; ++i) {
          crop[i] = static_cast<float>(from[i]);
        }
        continue;
      }
      const int64_t top = element(row, rows), left = element(col, cols);
      const int64_t bottom = element(std::ceil(row), rows);
      const int64_t right = element(std::ceil(col), cols);
      const float down = row - static_cast<float>(top);
      const float along = col - static_cast<float>(left);
      for (int64_t i = 0; i < channels; ++i) {
        const auto at = [i](const T* from) {
          return static_cast<float>(from[i]);
        };
        const float top_left = at(pixel(top, left));
        const float bottom_left = at(pixel(bottom, left));
        const float upper =
            top_left + (at(pixel(top, right)) - top_left) * along;
        const float lower =
            bottom_left + (at(pixel(bottom, right)) - bottom_left) * along;
        crop[i] = upper + (lower - upper) * down;
      }
    }
  }
}

}  // namespace tflite::custom::image_ops

#endif  // TFLITE_CUSTOM_IMAGE_RESIZE_MATH_H_
