#ifndef TFLITE_CUSTOM_BENCHMARK_INPUTS_H_
#define TFLITE_CUSTOM_BENCHMARK_INPUTS_H_

#include <cstddef>
#include <vector>

#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {

// Contents for a model's inputs: from a file, or random in the range that the
// flags give, the same at every start. Without a range:
//
//   floating point and complex   -0.5 up to 0.5
//   int8                         -127 to 127
//   uint8                        0 to 254
//   other integers               0 to 99
//   bool                         false or true
//   string                       one sentence in each element
class Inputs {
 public:
  // `specs` are in the order of the session's inputs or, where they have no
  // shapes, by name. An error names the input and what is wrong.
  static ErrorOr<Inputs> Create(Session& session,
                                const std::vector<InputSpec>& specs);

  // Copies the contents into the inputs: a run may leave anything in them.
  void Fill(Session& session) const {
    for (const Input& input : inputs_) {
      session.SetInput(input.index, input.bytes.data(), input.bytes.size());
    }
  }

  // All that Fill copies.
  size_t bytes() const;

 private:
  struct Input {
    size_t index;
    std::vector<char> bytes;
  };

  std::vector<Input> inputs_;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_INPUTS_H_
