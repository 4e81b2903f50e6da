#include "tflite/custom/elementwise/broadcast.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {

bool Broadcast::Plan(const std::vector<Shape>& shapes) {
  num_inputs_ = static_cast<int>(shapes.size());
  size_t rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.size());
  shape_.assign(rank, 1);
  dimensions_.clear();

  // How many elements each input has inward of the dimension at hand.
  size_t inward[Run::kMaxInputs] = {1, 1, 1};
  for (size_t i = 0; i < rank; ++i) {  // From the last dimension.
    int sizes[Run::kMaxInputs];
    int& size = shape_[rank - 1 - i];
    for (int input = 0; input < num_inputs_; ++input) {
      const Shape& shape = shapes[input];
      sizes[input] = i < shape.size() ? shape[shape.size() - 1 - i] : 1;
      if (sizes[input] == 1) continue;
      if (size != 1 && sizes[input] != size) return false;
      size = sizes[input];
    }
    if (size == 1) continue;

    Dimension dimension = {static_cast<size_t>(size), {}};
    bool joins = !dimensions_.empty();
    for (int input = 0; input < num_inputs_; ++input) {
      if (sizes[input] != 1) dimension.strides[input] = inward[input];
      inward[input] *= sizes[input];
      if (joins) {
        const Dimension& last = dimensions_.back();
        joins = dimension.strides[input] == last.strides[input] * last.size;
      }
    }
    if (joins) {
      dimensions_.back().size *= dimension.size;
    } else {
      dimensions_.push_back(dimension);
    }
  }
  // A scalar is a run of one.
  if (dimensions_.empty()) dimensions_.push_back({1, {1, 1, 1}});
  empty_ = std::find(shape_.begin(), shape_.end(), 0) != shape_.end();
  position_.assign(dimensions_.size(), 0);
  return true;
}

const char* Broadcast::ForEachRun(const char* (*function)(const Run&),
                                  const void* const* inputs, size_t input_size,
                                  void* output, size_t output_size,
                                  float option) {
  if (empty_) return nullptr;
  const Dimension& inner = dimensions_.front();
  Run run = {inner.size, {}, {}, output, option};
  for (int input = 0; input < num_inputs_; ++input) {
    run.inputs[input] = inputs[input];
    run.steps[input] = inner.strides[input];
  }
  std::fill(position_.begin(), position_.end(), 0);
  while (true) {
    if (const char* error = function(run)) return error;
    run.output = static_cast<char*>(run.output) + inner.size * output_size;
    // The next one: count up the innermost dimension that can be, and take back
    // those that cannot.
    size_t d = 1;
    for (; d < dimensions_.size(); ++d) {
      const Dimension& dimension = dimensions_[d];
      const bool more = ++position_[d] < dimension.size;
      for (int input = 0; input < num_inputs_; ++input) {
        const size_t stride = dimension.strides[input] * input_size;
        const char* at = static_cast<const char*>(run.inputs[input]);
        run.inputs[input] =
            more ? at + stride : at - stride * (dimension.size - 1);
      }
      if (more) break;
      position_[d] = 0;
    }
    if (d == dimensions_.size()) return nullptr;
  }
}

}  // namespace tflite::custom::elementwise
