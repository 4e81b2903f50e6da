#ifndef TFLITE_CUSTOM_BENCHMARK_FLAGS_H_
#define TFLITE_CUSTOM_BENCHMARK_FLAGS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/options.h"

namespace tflite::custom::benchmark {

// A flag that is served. Parsing, --help, the log and the README's table all
// come from here.
struct Flag {
  std::string name;
  std::string type;      // int32, float, bool or string.
  std::string allowed;   // Completes "... must be".
  std::string log_name;  // The public tool's description.
  std::string help;
  bool always_logged;
  // Sets the option; false where the value is not allowed.
  std::function<bool(const std::string& value, Options& options)> set;
  // The option as text; that of Options() is the flag's default.
  std::function<std::string(const Options& options)> get;
};

// In the order in which the public tool logs them.
const std::vector<Flag>& Flags();

// What --help has under a heading, by the flags' names.
struct FlagGroup {
  std::string heading;
  std::vector<std::string> flags;
};

// All flags. The first group has what most people need.
const std::vector<FlagGroup>& FlagGroups();

// More threads than any machine has cores: a number beyond it is a mistake.
constexpr int32_t kMostThreads = 1024;

// A flag of the public tool that is known but refused, unless it is given the
// value that it has anyway.
struct RefusedFlag {
  std::string name;
  std::string default_value;
  std::string reason;  // Completes "is not available: ...".
};

const std::vector<RefusedFlag>& RefusedFlags();

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_FLAGS_H_
