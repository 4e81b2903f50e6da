#ifndef TFLITE_CUSTOM_BENCHMARK_LITERT_SESSION_H_
#define TFLITE_CUSTOM_BENCHMARK_LITERT_SESSION_H_

#include <memory>
#include <ostream>
#include <vector>

#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"

namespace tflite::custom::benchmark {

// In LiteRT's CompiledModel, with the custom ops of register.cc. Inputs and
// outputs have the names and the order that they have in the interpreter.
ErrorOr<std::unique_ptr<Session>> CreateLitertSession(
    Model model, const Options& options, const std::vector<InputSpec>& inputs,
    std::ostream& log);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_LITERT_SESSION_H_
