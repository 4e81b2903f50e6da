#ifndef TFLITE_CUSTOM_BENCHMARK_INTERPRETER_SESSION_H_
#define TFLITE_CUSTOM_BENCHMARK_INTERPRETER_SESSION_H_

#include <memory>
#include <ostream>
#include <vector>

#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"

namespace tflite::custom::benchmark {

// In TFLite's C library, with the custom ops of register.cc.
ErrorOr<std::unique_ptr<Session>> CreateInterpreterSession(
    Model model, const Options& options, const std::vector<InputSpec>& inputs,
    std::ostream& log);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_INTERPRETER_SESSION_H_
