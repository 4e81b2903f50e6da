#ifndef TFLITE_CUSTOM_BENCHMARK_INPUT_SHAPES_H_
#define TFLITE_CUSTOM_BENCHMARK_INPUT_SHAPES_H_

#include <ostream>
#include <vector>

#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/tensor_info.h"

namespace tflite::custom::benchmark {

// The shapes that `specs` ask for, one for each of the model's `inputs`, or
// none where they ask for no shapes. An error names an input that the model
// does not have or that has another rank. Writes to `log` where the flags call
// an input by another name.
ErrorOr<std::vector<std::vector<int>>> InputShapes(
    const Model& model, const std::vector<InputSpec>& specs,
    const std::vector<TensorInfo>& inputs, std::ostream& log);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_INPUT_SHAPES_H_
