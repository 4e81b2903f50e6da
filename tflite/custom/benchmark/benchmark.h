#ifndef TFLITE_CUSTOM_BENCHMARK_BENCHMARK_H_
#define TFLITE_CUSTOM_BENCHMARK_BENCHMARK_H_

#include <optional>
#include <ostream>

#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/stderr_capture.h"

namespace tflite::custom::benchmark {

// Loads, warms up and measures the model of options.graph, and writes to `out`
// the lines that the public benchmark_model prints, and those that libraries
// wrote to standard error. Returns what went wrong.
std::optional<Error> RunBenchmark(const Options& options,
                                  StderrCapture& libraries, std::ostream& out);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_BENCHMARK_H_
