#ifndef TFLITE_CUSTOM_MODEL_TENSOR_INFO_H_
#define TFLITE_CUSTOM_MODEL_TENSOR_INFO_H_

#include <cstddef>
#include <string>
#include <vector>

#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

// What there is to know of a model's input or output before its contents.
struct TensorInfo {
  std::string name;
  TfLiteType type;
  std::vector<int> shape;
  size_t bytes;  // What its contents take; no meaning for strings.
};

// `FLOAT32 [1, 4]`
std::string Description(const TensorInfo& tensor);

// `'x', 'y'`, or `none`
std::string Names(const std::vector<TensorInfo>& tensors);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_TENSOR_INFO_H_
