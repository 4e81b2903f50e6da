#ifndef TFLITE_CUSTOM_IMAGE_ADJUST_CONTRAST_MATH_H_
#define TFLITE_CUSTOM_IMAGE_ADJUST_CONTRAST_MATH_H_

#include <cstdint>

namespace tflite::custom::image_ops {

// Writes the image with each channel's distance from its mean times `factor`.
// Both are `pixels` by `channels`, and not the same.
//
// Pixels are added as TensorFlow adds them: the second half to the first, again
// and again, where the result is going to be.
inline void AdjustContrast(int64_t pixels, int64_t channels, const float* image,
                           float factor, float* adjusted) {
  const float* from = image;
  for (int64_t left = pixels; left > 1 || from == image;) {
    const int64_t added = left / 2;
    left -= added;
    for (int64_t i = 0; i < added * channels; ++i) {
      adjusted[i] = from[i] + from[left * channels + i];
    }
    for (int64_t i = added * channels; i < left * channels; ++i) {
      adjusted[i] = from[i];
    }
    from = adjusted;
  }
  // The first pixel has the sums, and is the last to be written.
  const float scale = 1.0f / static_cast<float>(pixels);
  for (int64_t i = 0; i < channels; ++i) adjusted[i] *= scale;
  for (int64_t pixel = pixels - 1; pixel >= 0; --pixel) {
    for (int64_t i = 0; i < channels; ++i) {
      const int64_t at = pixel * channels + i;
      adjusted[at] = adjusted[i] + (image[at] - adjusted[i]) * factor;
    }
  }
}

}  // namespace tflite::custom::image_ops

#endif  // TFLITE_CUSTOM_IMAGE_ADJUST_CONTRAST_MATH_H_
