#ifndef TFLITE_CUSTOM_MODEL_TENSOR_MEMORY_H_
#define TFLITE_CUSTOM_MODEL_TENSOR_MEMORY_H_

#include <optional>

#include "tflite/custom/model/error_or.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom {

// For whoever is about to copy into an input that has been allocated, or out of
// an output of a run: an error if the tensor has no memory for its elements.
// The runtime itself does not look at what its allocation gave.
std::optional<Error> CheckMemory(const TfLiteTensor* tensor);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_TENSOR_MEMORY_H_
