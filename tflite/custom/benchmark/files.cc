#include "tflite/custom/benchmark/files.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "tflite/custom/benchmark/error_or.h"

namespace tflite::custom::benchmark {
namespace {

Error CannotWrite(const std::string& path, int error) {
  return Error{"cannot write " + path + ": " + std::strerror(error)};
}

Error CannotRead(const std::string& path, int error) {
  return Error{"cannot read " + path + ": " + std::strerror(error)};
}

}  // namespace

// Not by a stream: that of a folder throws where it is read.
ErrorOr<std::vector<char>> ReadFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return CannotRead(path, errno);
  std::vector<char> bytes;
  constexpr size_t kBlock = 1 << 16;
  for (;;) {
    const size_t size = bytes.size();
    bytes.resize(size + kBlock);
    const ssize_t got = read(file, bytes.data() + size, kBlock);
    const int error = errno;
    bytes.resize(size + static_cast<size_t>(got > 0 ? got : 0));
    if (got > 0 || (got < 0 && error == EINTR)) continue;
    close(file);
    if (got < 0) return CannotRead(path, error);
    return bytes;
  }
}

std::optional<Error> CheckWritable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) return CannotWrite(path, EISDIR);
  if (fs::exists(path, error)) {
    if (access(path.c_str(), W_OK) != 0) return CannotWrite(path, errno);
    return std::nullopt;
  }
  const fs::path folder = fs::absolute(path, error).parent_path();
  if (access(folder.c_str(), W_OK | X_OK) != 0) return CannotWrite(path, errno);
  return std::nullopt;
}

std::optional<Error> WriteFile(const std::string& path,
                               const std::string& content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) return CannotWrite(path, errno == 0 ? EIO : errno);
  return std::nullopt;
}

}  // namespace tflite::custom::benchmark
