#ifndef TFLITE_CUSTOM_BENCHMARK_SESSION_H_
#define TFLITE_CUSTOM_BENCHMARK_SESSION_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/op_profiler.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/tensor_info.h"

namespace tflite::custom::benchmark {

// A model in a runtime, ready to run. An implementation for each --runtime.
class Session {
 public:
  virtual ~Session() = default;

  virtual const Model& model() const = 0;

  // The inputs that can be filled, in the model's order.
  virtual const std::vector<TensorInfo>& inputs() const = 0;
  // Their shapes may be known only after a run.
  virtual std::vector<TensorInfo> outputs() const = 0;

  // `size` is the input's.
  virtual void SetInput(size_t index, const char* bytes, size_t size) = 0;
  // For an input of strings, one for each element. False where that failed.
  virtual bool SetStrings(size_t index,
                          const std::vector<std::string>& strings) = 0;

  // False where the run failed; the next function is then the error.
  virtual bool Invoke() = 0;
  virtual std::string InvokeError() const = 0;

  // The bytes of an output after a run.
  virtual ErrorOr<std::string> OutputBytes(size_t index) const = 0;

  // What the ops took; null where they are not measured.
  virtual OpProfiler* profiler() = 0;

  // What delegates run of the model, in words; empty where that is not known.
  virtual std::string delegation() const = 0;

  // Tensors, memory and nodes, as the public tool prints them.
  virtual void PrintState(const Options& options, std::ostream& out) const = 0;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_SESSION_H_
