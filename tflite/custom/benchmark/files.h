#ifndef TFLITE_CUSTOM_BENCHMARK_FILES_H_
#define TFLITE_CUSTOM_BENCHMARK_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/error_or.h"

namespace tflite::custom::benchmark {

ErrorOr<std::vector<char>> ReadFile(const std::string& path);

// Whether a file can be written at `path`, so that nobody waits for a
// benchmark whose results then have nowhere to go. Writes nothing.
std::optional<Error> CheckWritable(const std::string& path);

std::optional<Error> WriteFile(const std::string& path,
                               const std::string& content);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_FILES_H_
