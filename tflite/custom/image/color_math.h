// Colours of one pixel. Operations and their order are those that TensorFlow's
// results have.
#ifndef TFLITE_CUSTOM_IMAGE_COLOR_MATH_H_
#define TFLITE_CUSTOM_IMAGE_COLOR_MATH_H_

#include <algorithm>
#include <cmath>

namespace tflite::custom::image_ops {

// Hue, saturation and value, all in [0, 1] for colours in [0, 1].
template <typename T>
void RgbToHsv(const T* rgb, T* hsv) {
  const T red = rgb[0], green = rgb[1], blue = rgb[2];
  const T value = std::max(std::max(red, green), blue);
  const T range = value - std::min(std::min(red, green), blue);
  T hue = 0;
  if (range > T(0)) {
    const T scale = T(1) / range * (T(1) / T(6));
    if (red == value) {
      hue = scale * (green - blue);
    } else if (green == value) {
      hue = scale * (blue - red) + T(2) / T(6);
    } else {
      hue = scale * (red - green) + T(4) / T(6);
    }
    if (hue < T(0)) hue += T(1);
  }
  hsv[0] = hue;
  hsv[1] = value > T(0) ? range / value : T(0);
  hsv[2] = value;
}

template <typename T>
void HsvToRgb(const T* hsv, T* rgb) {
  const T sixths = hsv[0] * T(6);
  const T saturation = hsv[1], value = hsv[2];
  const auto clamp = [](T x) { return std::min(std::max(x, T(0)), T(1)); };
  const T pure[] = {clamp(std::abs(sixths - T(3)) - T(1)),
                    clamp(T(2) - std::abs(sixths - T(2))),
                    clamp(T(2) - std::abs(sixths - T(4)))};
  const T grey = T(1) - saturation;
  for (int i = 0; i < 3; ++i) rgb[i] = (grey + saturation * pure[i]) * value;
}

// `hue` brought into [0, period): by steps, as TensorFlow does it, from near,
// and at once from where steps would take long.
inline float Wrapped(float hue, float period) {
  constexpr float kFar = 1e4f;
  if (std::abs(hue) > kFar) hue = std::fmod(hue, period);
  while (hue < 0) hue += period;
  while (hue >= period) hue -= period;
  return hue;
}

// The colour with its hue turned by `delta` of a full turn.
inline void TurnHue(const float* rgb, float delta, float* turned) {
  // Which component is the largest and which the smallest, in each sixth of the
  // circle of hues that begins with red.
  static constexpr int kLargest[] = {0, 1, 1, 2, 2, 0};
  static constexpr int kSmallest[] = {2, 2, 0, 0, 1, 1};
  int sixth;
  if (rgb[0] < rgb[1]) {
    sixth = rgb[2] < rgb[0] ? 1 : rgb[2] > rgb[1] ? 3 : 2;
  } else {
    sixth = rgb[2] < rgb[1] ? 0 : rgb[2] > rgb[0] ? 4 : 5;
  }
  const float largest = rgb[kLargest[sixth]];
  const float smallest = rgb[kSmallest[sixth]];
  float hue = 0;
  if (largest != smallest) {
    const float middle = rgb[3 - kLargest[sixth] - kSmallest[sixth]];
    const float ratio = (middle - smallest) / (largest - smallest);
    hue = sixth + (sixth % 2 == 0 ? ratio : 1 - ratio);
  }
  hue = Wrapped(hue + delta * 6, 6);
  // The last sixth for a NaN.
  sixth = hue >= 0 && hue < 6 ? static_cast<int>(hue) : 5;
  const float along = hue - sixth;
  const float ratio = sixth % 2 == 0 ? along : 1 - along;
  turned[kLargest[sixth]] = largest;
  turned[kSmallest[sixth]] = smallest;
  turned[3 - kLargest[sixth] - kSmallest[sixth]] =
      smallest + ratio * (largest - smallest);
}

// The colour with its saturation times `scale`, at most 1.
inline void ScaleSaturation(const float* rgb, float scale, float* scaled) {
  const float red = rgb[0], green = rgb[1], blue = rgb[2];
  const float value = std::max(red, std::max(green, blue));
  const float range = value - std::min(red, std::min(green, blue));
  float saturation = value > 0 ? range / value : 0;
  const float norm = 1.0f / (6.0f * range);
  float hue;
  if (red == value) {
    hue = norm * (green - blue);
  } else if (green == value) {
    hue = static_cast<float>(norm * (blue - red) + 2.0 / 6.0);
  } else {
    hue = static_cast<float>(norm * (red - green) + 4.0 / 6.0);
  }
  if (range <= 0) hue = 0;
  if (hue < 0) hue += 1;
  saturation = std::min(1.0f, std::max(0.0f, saturation * scale));

  const float chroma = saturation * value;
  const float grey = value - chroma;
  const float sixths = hue * 6;
  const float other = chroma * (1 - std::abs(Wrapped(sixths, 2) - 1));
  // A hue of infinity or NaN leaves grey.
  const int sixth = sixths >= 0 && sixths < 6 ? static_cast<int>(sixths) : 6;
  static constexpr int kChroma[] = {0, 1, 1, 2, 2, 0};
  static constexpr int kOther[] = {1, 0, 2, 1, 0, 2};
  for (int i = 0; i < 3; ++i) {
    const float part = sixth == 6            ? 0
                       : i == kChroma[sixth] ? chroma
                       : i == kOther[sixth]  ? other
                                             : 0;
    scaled[i] = part + grey;
  }
}

}  // namespace tflite::custom::image_ops

#endif  // TFLITE_CUSTOM_IMAGE_COLOR_MATH_H_
