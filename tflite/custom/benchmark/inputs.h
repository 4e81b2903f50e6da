#ifndef TFLITE_CUSTOM_BENCHMARK_INPUTS_H_
#define TFLITE_CUSTOM_BENCHMARK_INPUTS_H_

#include <vector>

#include "tflite/custom/benchmark/error_or.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom::benchmark {

// Random contents for a model's inputs, the same at every start:
//
//   floating point and complex   -0.5 up to 0.5
//   int8                         -127 to 127
//   uint8                        0 to 254
//   other integers               0 to 99
//   bool                         false or true
//   string                       one sentence in each element
class Inputs {
 public:
  // `interpreter` has its tensors allocated, and must outlive the object. An
  // error names an input whose type cannot be filled.
  static ErrorOr<Inputs> Create(TfLiteInterpreter* interpreter);

  // Copies the contents into the inputs: a run may leave anything in them.
  void Fill() const;

 private:
  struct Input {
    TfLiteTensor* tensor;
    std::vector<char> bytes;
  };

  std::vector<Input> inputs_;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_INPUTS_H_
