// A face's landmarks, and the part of a picture that some of them lie in.
#ifndef TFLITE_CUSTOM_MEDIAPIPE_LANDMARKS_MATH_H_
#define TFLITE_CUSTOM_MEDIAPIPE_LANDMARKS_MATH_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace tflite::custom::mediapipe_ops {

// The two upper rows of
//   a b c
//   d e f
//   0 0 1
struct Affine {
  float a, b, c;
  float d, e, f;

  static Affine Turn(float angle) {
    const float sine = std::sin(angle), cosine = std::cos(angle);
    return {cosine, -sine, 0, sine, cosine, 0};
  }
  static Affine Shift(float x, float y) { return {1, 0, x, 0, 1, y}; }
  static Affine Scale(float x, float y) { return {x, 0, 0, 0, y, 0}; }

  float X(float x, float y) const { return a * x + b * y + c; }
  float Y(float x, float y) const { return d * x + e * y + f; }

  Affine operator*(const Affine& right) const {
    return {a * right.a + b * right.d,     a * right.b + b * right.e,
            a * right.c + b * right.f + c, d * right.a + e * right.d,
            d * right.b + e * right.e,     d * right.c + e * right.f + f};
  }

  // As the 4 by 4 matrix of the ops: it leaves a third coordinate as it is.
  void Write(float* matrix) const {
    const float rows[] = {a, b, 0, c, d, e, 0, f, 0, 0, 1, 0, 0, 0, 0, 1};
    std::copy(std::begin(rows), std::end(rows), matrix);
  }
  static Affine Read(const float* matrix) {
    return {matrix[0], matrix[1], matrix[3], matrix[4], matrix[5], matrix[7]};
  }
};

// Numbers of landmarks; each landmark is x, y and z.
struct Subset {
  int64_t left;   // These two lie on a line
  int64_t right;  // that is to become level.
  std::vector<int64_t> all;
};

struct Box {
  float least_x, least_y, most_x, most_y;
};

// What surrounds the landmarks after the turn.
inline Box SurroundingBox(const Subset& subset, const Affine& turn,
                          const float* landmarks) {
  Box box = {};
  for (size_t i = 0; i < subset.all.size(); ++i) {
    const float* landmark = landmarks + 3 * subset.all[i];
    const float x = turn.X(landmark[0], landmark[1]);
    const float y = turn.Y(landmark[0], landmark[1]);
    if (i == 0) box = {x, y, x, y};
    box = {std::min(box.least_x, x), std::min(box.least_y, y),
           std::max(box.most_x, x), std::max(box.most_y, y)};
  }
  return box;
}

struct MatrixV1 {
  Subset subset;
  float landmarks_range;
  float bbox_size_multiplier;
  float input_height, input_width;
  float output_height, output_width;

  // From pixels of an output to those of the input, in which the landmarks go
  // from 0 to their range.
  Affine operator()(const float* landmarks) const {
    const float* left = landmarks + 3 * subset.left;
    const float* right = landmarks + 3 * subset.right;
    const float turn = -std::atan((right[1] - left[1]) / (right[0] - left[0]));
    const Box box = SurroundingBox(subset, Affine::Turn(turn), landmarks);
    const float middle_x = (box.most_x + box.least_x) / 2;
    const float middle_y = (box.most_y + box.least_y) / 2;
    const Affine back = Affine::Turn(-turn);
    // Relative coordinates go from -1 to 1.
    const Affine to_relative = {2 / (output_width - 1),  0, -1, 0,
                                2 / (output_height - 1), -1};
    const Affine scale = Affine::Scale(
        (box.most_x - box.least_x) * bbox_size_multiplier / landmarks_range,
        (box.most_y - box.least_y) * bbox_size_multiplier / landmarks_range);
    Affine turned = back;
    turned.c = back.X(middle_x, middle_y) / landmarks_range * 2 - 1;
    turned.f = back.Y(middle_x, middle_y) / landmarks_range * 2 - 1;
    const float half_x = (input_width - 1) / 2;
    const float half_y = (input_height - 1) / 2;
    const Affine to_absolute = {half_x, 0, half_x, 0, half_y, half_y};
    return to_absolute * turned * scale * to_relative;
  }
};

struct MatrixV2 {
  Subset subset;
  float target_rotation_radians;
  float output_height, output_width;
  float scale_x, scale_y;

  // From pixels of an output to the landmarks' coordinates.
  Affine operator()(const float* landmarks) const {
    const float* left = landmarks + 3 * subset.left;
    const float* right = landmarks + 3 * subset.right;
    const float turn = target_rotation_radians -
                       std::atan2(right[1] - left[1], right[0] - left[0]);
    const Box box = SurroundingBox(subset, Affine::Turn(turn), landmarks);
    const Affine back = Affine::Turn(-turn);
    const float middle_x = (box.least_x + box.most_x) / 2;
    const float middle_y = (box.least_y + box.most_y) / 2;
    return Affine::Shift(back.X(middle_x, middle_y),
                         back.Y(middle_x, middle_y)) *
           back *
           Affine::Scale(scale_x * (box.most_x - box.least_x) / output_width,
                         scale_y * (box.most_y - box.least_y) / output_height) *
           Affine::Shift(-output_width / 2, -output_height / 2);
  }
};

// Moves landmarks of 2 or 3 coordinates, the third of which stays.
inline void TransformLandmarks(int64_t count, int dimensions,
                               const Affine& matrix, const float* landmarks,
                               float* moved) {
  for (int64_t i = 0; i < count; ++i) {
    const float x = landmarks[0], y = landmarks[1];
    moved[0] = matrix.X(x, y);
    moved[1] = matrix.Y(x, y);
    if (dimensions == 3) moved[2] = landmarks[2];
    landmarks += dimensions;
    moved += dimensions;
  }
}

// Each pixel of the output is what lies in the input where the matrix takes it,
// between four pixels, and zero outside.
inline void TransformBilinear(int64_t input_height, int64_t input_width,
                              int64_t output_height, int64_t output_width,
                              int64_t channels, const Affine& matrix,
                              const float* input, float* output) {
  for (int64_t i = 0; i < output_height * output_width; ++i) {
    float* pixel = output + i * channels;
    const auto out_x = static_cast<float>(i % output_width);
    const auto out_y = static_cast<float>(i / output_width);
    const float x = matrix.X(out_x, out_y), y = matrix.Y(out_x, out_y);
    // A NaN is outside.
    if (!(x >= 0 && x <= static_cast<float>(input_width - 1) && y >= 0 &&
          y <= static_cast<float>(input_height - 1))) {
      std::fill(pixel, pixel + channels, 0.0f);
      continue;
    }
    // A size that no float is may be rounded up.
    const int64_t left = std::min(static_cast<int64_t>(x), input_width - 1);
    const int64_t top = std::min(static_cast<int64_t>(y), input_height - 1);
    const bool has_right = left + 1 < input_width;
    const bool has_lower = top + 1 < input_height;
    const float along_x = x - static_cast<float>(left);
    const float along_y = y - static_cast<float>(top);
    const float* corner = input + (top * input_width + left) * channels;
    for (int64_t channel = 0; channel < channels; ++channel) {
      const auto at = [&](bool right, bool lower) {
        return (right && !has_right) || (lower && !has_lower)
                   ? 0.0f
                   : corner[((lower ? input_width : 0) + (right ? 1 : 0)) *
                                channels +
                            channel];
      };
      const float upper =
          (1 - along_x) * at(false, false) + along_x * at(true, false);
      const float lower =
          (1 - along_x) * at(false, true) + along_x * at(true, true);
      pixel[channel] = along_y * lower + (1 - along_y) * upper;
    }
  }
}

}  // namespace tflite::custom::mediapipe_ops

#endif  // TFLITE_CUSTOM_MEDIAPIPE_LANDMARKS_MATH_H_
