#include "tflite/custom/benchmark/input_shapes.h"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/tensor_info.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::benchmark {

ErrorOr<std::vector<std::vector<int>>> InputShapes(
    const Model& model, const std::vector<InputSpec>& specs,
    const std::vector<TensorInfo>& inputs, std::ostream& log) {
  std::vector<std::vector<int>> shapes;
  const bool by_order = !specs.empty() && specs.front().shape.has_value();
  if (!by_order) {
    for (const InputSpec& spec : specs) {
      const auto has_name = [&](const TensorInfo& tensor) {
        return tensor.name == spec.name;
      };
      if (std::none_of(inputs.begin(), inputs.end(), has_name)) {
        return Error{model.path() + " has no input '" + spec.name +
                     "'; its inputs are " + Names(inputs)};
      }
    }
    return shapes;
  }
  if (specs.size() != inputs.size()) {
    return Error{"--input_layer names " + std::to_string(specs.size()) +
                 " inputs, but " + model.path() + " has " +
                 std::to_string(inputs.size()) + ": " + Names(inputs)};
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    const TensorInfo& tensor = inputs[i];
    if (specs[i].name != tensor.name) {
      log << "WARN: Tensor # " << i << " is named " << tensor.name
          << " but flags call it " << specs[i].name << std::endl;
    }
    shapes.push_back(*specs[i].shape);
    if (tensor.type == kTfLiteString) {
      // The strings that are written give it its shape.
      shapes.back() = tensor.shape;
    } else if (shapes.back().size() != tensor.shape.size()) {
      return Error{"--input_layer_shape has " +
                   std::to_string(shapes.back().size()) +
                   " dimensions for input '" + tensor.name + "', " +
                   Description(tensor) + ", which has " +
                   std::to_string(tensor.shape.size())};
    }
  }
  return shapes;
}

}  // namespace tflite::custom::benchmark
