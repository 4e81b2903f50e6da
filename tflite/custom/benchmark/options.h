#ifndef TFLITE_CUSTOM_BENCHMARK_OPTIONS_H_
#define TFLITE_CUSTOM_BENCHMARK_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/error_or.h"

namespace tflite::custom::benchmark {

// What the command line says. Names, defaults and meaning are those of the
// public benchmark_model.
struct Options {
  std::string graph;  // Empty: the model beside the program.
  int32_t num_threads = -1;
  int32_t num_runs = 50;
  double min_secs = 1.0;
  double max_secs = 150.0;
  int32_t warmup_runs = 1;
  double warmup_min_secs = 0.5;
  // Unset: applied where it can be. The public tool's runtime does so too
  // unless the flag says false.
  std::optional<bool> use_xnnpack;
  bool help = false;

  // What was set, as the public tool logs it: description and value.
  std::vector<std::pair<std::string, std::string>> set;
};

// `arguments` without the program's name. An error names the flag, the value
// and what is allowed, and for an unknown flag the nearest that there is.
ErrorOr<Options> ParseOptions(const std::vector<std::string>& arguments);

// What --help prints.
void PrintUsage(const std::string& program, std::ostream& out);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_OPTIONS_H_
