#include "tflite/custom/model/tensor_info.h"

#include <string>
#include <vector>

#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

std::string Description(const TensorInfo& tensor) {
  std::string text = std::string(TfLiteTypeGetName(tensor.type)) + " [";
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(tensor.shape[i]);
  }
  return text + "]";
}

std::string Names(const std::vector<TensorInfo>& tensors) {
  std::string text;
  for (const TensorInfo& tensor : tensors) {
    text += (text.empty() ? "'" : ", '") + tensor.name + "'";
  }
  return text.empty() ? "none" : text;
}

}  // namespace tflite::custom
