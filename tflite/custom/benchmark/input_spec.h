#ifndef TFLITE_CUSTOM_BENCHMARK_INPUT_SPEC_H_
#define TFLITE_CUSTOM_BENCHMARK_INPUT_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {

// What the --input_layer flags say of one input.
struct InputSpec {
  std::string name;
  std::optional<std::vector<int>> shape;
  std::optional<std::pair<int32_t, int32_t>> range;  // Both included.
  std::string file;                                  // Empty: random values.
};

// Reads the four flags. With --input_layer there is one for each of its names,
// in its order, which stands for the order of the model's inputs. Without, the
// ranges and files are for inputs by the model's own names.
ErrorOr<std::vector<InputSpec>> ParseInputSpecs(const Options& options);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_INPUT_SPEC_H_
