#ifndef TFLITE_CUSTOM_TENSOR_STRIDED_COPY_H_
#define TFLITE_CUSTOM_TENSOR_STRIDED_COPY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tflite::custom::tensor_ops {

// A part of one tensor that becomes a part of another, both given by where
// their first element lies and how far apart the next ones lie along each
// dimension; outermost first. A stride may be 0 or less.
struct StridedCopy {
  struct Dimension {
    int64_t size;
    int64_t from;
    int64_t to;
    int64_t position = 0;  // Copy's.
  };

  int64_t from = 0;
  int64_t to = 0;
  std::vector<Dimension> dimensions;
};

// Takes no memory.
template <typename E>
void Copy(StridedCopy& copy, const E* from, E* to) {
  from += copy.from;
  to += copy.to;
  auto& dimensions = copy.dimensions;
  for (auto& dimension : dimensions) {
    if (dimension.size == 0) return;
    dimension.position = 0;
  }
  // The last dimension is a loop, the others count.
  const StridedCopy::Dimension one = {1, 1, 1};
  const StridedCopy::Dimension& inner =
      dimensions.empty() ? one : dimensions.back();
  while (true) {
    if (inner.from == 1 && inner.to == 1) {
      std::copy_n(from, inner.size, to);
    } else {
      for (int64_t i = 0; i < inner.size; ++i) {
        to[i * inner.to] = from[i * inner.from];
      }
    }
    size_t d = dimensions.empty() ? 0 : dimensions.size() - 1;
    for (; d > 0; --d) {
      auto& dimension = dimensions[d - 1];
      from += dimension.from;
      to += dimension.to;
      if (++dimension.position < dimension.size) break;
      from -= dimension.from * dimension.size;
      to -= dimension.to * dimension.size;
      dimension.position = 0;
    }
    if (d == 0) return;
  }
}

}  // namespace tflite::custom::tensor_ops

#endif  // TFLITE_CUSTOM_TENSOR_STRIDED_COPY_H_
