#ifndef TFLITE_CUSTOM_ELEMENTWISE_BROADCAST_H_
#define TFLITE_CUSTOM_ELEMENTWISE_BROADCAST_H_

#include <cstddef>
#include <vector>

#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {

using Shape = std::vector<int>;

// How one to three inputs go together: shapes are aligned at their last
// dimension, and a dimension that is 1 or missing goes along with any other.
class Broadcast {
 public:
  // Plans for these shapes. False where they do not go together.
  [[nodiscard]] bool Plan(const std::vector<Shape>& shapes);

  // That of the output.
  const Shape& shape() const { return shape_; }

  // Calls `function` for runs that make up the output, until one returns
  // something else than null, and returns that. Allocates nothing. Sizes of
  // elements are in bytes; `option` is each run's.
  const char* ForEachRun(const char* (*function)(const Run&),
                         const void* const* inputs, size_t input_size,
                         void* output, size_t output_size, float option = 0);

 private:
  // A dimension of the output, or several that lie alike in every input.
  struct Dimension {
    size_t size;
    // From an element to the next along this dimension, 0 where the input has
    // one for all.
    size_t strides[Run::kMaxInputs];
  };

  int num_inputs_ = 0;
  Shape shape_;
  bool empty_ = true;
  // The innermost first, which makes the runs.
  std::vector<Dimension> dimensions_;
  // Where ForEachRun is in all but the first.
  std::vector<size_t> position_;
};

}  // namespace tflite::custom::elementwise

#endif  // TFLITE_CUSTOM_ELEMENTWISE_BROADCAST_H_
