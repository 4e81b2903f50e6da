#include "tflite/custom/benchmark/create_session.h"

#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/benchmark/interpreter_session.h"
#include "tflite/custom/benchmark/litert_session.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"

namespace tflite::custom::benchmark {

ErrorOr<std::unique_ptr<Session>> CreateSession(
    Model model, const Options& options, const std::vector<InputSpec>& inputs,
    std::ostream& log) {
  if (options.runtime == "litert") {
    return CreateLitertSession(std::move(model), options, inputs, log);
  }
  return CreateInterpreterSession(std::move(model), options, inputs, log);
}

}  // namespace tflite::custom::benchmark
