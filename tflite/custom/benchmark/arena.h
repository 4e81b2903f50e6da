#ifndef TFLITE_CUSTOM_BENCHMARK_ARENA_H_
#define TFLITE_CUSTOM_BENCHMARK_ARENA_H_

#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/model/model.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom::benchmark {

// A tensor of the model's first graph that the runtime has not got memory for,
// after it allocated all: the runtime does not notice and goes on counting from
// a null pointer, so that such a model must not be run. In words: "'name', of N
// bytes".
std::optional<std::string> UnallocatedTensor(
    const TfLiteInterpreter* interpreter, const Model& model);

// The same among tensors that have memory of their own each.
std::optional<std::string> UnallocatedTensor(
    const std::vector<const TfLiteTensor*>& tensors);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_ARENA_H_
