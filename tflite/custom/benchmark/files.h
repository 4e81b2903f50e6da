#ifndef TFLITE_CUSTOM_BENCHMARK_FILES_H_
#define TFLITE_CUSTOM_BENCHMARK_FILES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {

// The first `most` bytes of what is at `path`, which may be a pipe.
ErrorOr<std::vector<char>> ReadFile(const std::string& path, size_t most);

// An error where what is at `path` is no file, such as a pipe: a library that
// opens it might wait for ever. None where nothing is there.
std::optional<Error> CheckFile(const std::string& path);

// Whether a file can be written at `path`, so that nobody waits for a
// benchmark whose results then have nowhere to go. Writes nothing.
std::optional<Error> CheckWritable(const std::string& path);

// A file takes the place of another at once: of several programs that write the
// same one, one is there whole.
std::optional<Error> WriteFile(const std::string& path,
                               const std::string& content);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_FILES_H_
