#ifndef TFLITE_CUSTOM_FARTHEST_POINT_SAMPLE_FARTHEST_POINT_SAMPLE_MATH_H_
#define TFLITE_CUSTOM_FARTHEST_POINT_SAMPLE_FARTHEST_POINT_SAMPLE_MATH_H_

#include <algorithm>
#include <cstdint>
#include <limits>

namespace custom_op_examples {

// Chooses points that are far from each other: the first one, and then each
// time the one whose nearest chosen point is the farthest, of several the
// first. A point is three coordinates. Sets `chosen` to the indices of
// `num_samples` of them, which are all different if as many points are.
//
// `distances` is for the function's own use and has room for `num_points`.
inline void FarthestPointSample(const float* points, int64_t num_points,
                                int64_t num_samples, float* distances,
                                int32_t* chosen) {
  std::fill_n(distances, num_points, std::numeric_limits<float>::infinity());
  int64_t last = 0;
  for (int64_t i = 0; i < num_samples; ++i) {
    chosen[i] = static_cast<int32_t>(last);
    const float* from = points + 3 * last;
    int64_t farthest = 0;
    for (int64_t j = 0; j < num_points; ++j) {
      const float* to = points + 3 * j;
      const float x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
      distances[j] = std::min(distances[j], x * x + y * y + z * z);
      if (distances[j] > distances[farthest]) farthest = j;
    }
    last = farthest;
  }
}

}  // namespace custom_op_examples

#endif  // TFLITE_CUSTOM_FARTHEST_POINT_SAMPLE_FARTHEST_POINT_SAMPLE_MATH_H_
