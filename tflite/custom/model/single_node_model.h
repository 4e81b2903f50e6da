#ifndef TFLITE_CUSTOM_MODEL_SINGLE_NODE_MODEL_H_
#define TFLITE_CUSTOM_MODEL_SINGLE_NODE_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tflite::custom {

// A node of a graph that calls a custom op: all that its kernel may ask for.
struct CustomNode {
  struct Tensor {
    enum class Kind { kAbsent, kVariable, kConstant };

    Kind kind = Kind::kVariable;
    // By the model schema's TensorType.
    int8_t type = 0;
    std::vector<int32_t> shape;
    // A constant's.
    std::string data;
    // Of a quantized one: the bits of a float for each channel, and as many
    // zero points, or one for all.
    std::vector<int32_t> scales;
    std::vector<int64_t> zero_points;
    int32_t quantized_dimension = 0;
  };

  std::string op;
  int version = 1;
  std::string options;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

// A .tflite file of one call of a custom op. Its inputs are those of the node
// that are neither absent nor constant.
std::string SingleNodeModel(const CustomNode& node);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_SINGLE_NODE_MODEL_H_
