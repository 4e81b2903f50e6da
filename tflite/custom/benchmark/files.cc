#include "tflite/custom/benchmark/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {
namespace {

Error CannotWrite(const std::string& path, int error) {
  return Error{"cannot write " + path + ": " + std::strerror(error)};
}

Error CannotRead(const std::string& path, int error) {
  return Error{"cannot read " + path + ": " + std::strerror(error)};
}

// As open, but does not wait for the other end of a pipe.
int OpenNow(const std::string& path, int flags) {
  constexpr mode_t kAnybody = 0666;  // But for the umask.
  const int file = open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, kAnybody);
  if (file >= 0) fcntl(file, F_SETFL, flags & O_ACCMODE);
  return file;
}

// Makes a new file beside `target`, for its owner to rename, and says by what
// name. Where anybody may make files, as in /tmp, one that is there already may
// be a link that another user put there: it is not opened.
int OpenDraft(const std::string& target, std::string* draft) {
  constexpr mode_t kAnybody = 0666;  // But for the umask.
  for (;;) {
    uint64_t random;
    if (getentropy(&random, sizeof random) != 0) return -1;
    *draft = target + "." + std::to_string(random) + ".tmp";
    const int file =
        open(draft->c_str(),
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kAnybody);
    if (file >= 0 || errno != EEXIST) return file;
  }
}

// 0 or what went wrong.
int WriteAndClose(int file, const std::string& content) {
  int error = 0;
  for (size_t at = 0; at < content.size() && error == 0;) {
    const ssize_t wrote = write(file, content.data() + at, content.size() - at);
    if (wrote >= 0) {
      at += static_cast<size_t>(wrote);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

// Not by a stream: that of a folder throws where it is read.
ErrorOr<std::vector<char>> ReadFile(const std::string& path, size_t most) {
  const int file = OpenNow(path, O_RDONLY);
  if (file < 0) return CannotRead(path, errno);
  std::vector<char> bytes;
  constexpr size_t kBlock = 1 << 16;
  int error = 0;
  for (bool more = most > 0; more;) {
    const size_t size = bytes.size();
    const size_t block = std::min(kBlock, most - size);
    bytes.resize(size + block);
    const ssize_t got = read(file, bytes.data() + size, block);
    if (got < 0 && errno != EINTR) error = errno;
    more = got != 0 && error == 0;
    bytes.resize(size + static_cast<size_t>(got > 0 ? got : 0));
    more = more && bytes.size() < most;
  }
  close(file);
  if (error != 0) return CannotRead(path, error);
  return bytes;
}

std::optional<Error> CheckFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status =
      std::filesystem::status(path, error);
  if (!exists(status) || is_regular_file(status)) return std::nullopt;
  return Error{path + " is not a file"};
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
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    return CannotWrite(path, ENOTDIR);
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) return CannotWrite(path, errno);
  return std::nullopt;
}

std::optional<Error> WriteFile(const std::string& path,
                               const std::string& content) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_new =
      fs::symlink_status(path, error).type() == fs::file_type::not_found;
  if (is_new || fs::is_regular_file(path, error)) {
    const std::string target =
        is_new ? path : fs::canonical(path, error).string();
    std::string draft;
    const int file = OpenDraft(target, &draft);
    struct stat old;
    if (file >= 0 && !is_new && stat(path.c_str(), &old) == 0 &&
        fchmod(file, old.st_mode & 07777) != 0) {
      // The draft is ours; its permissions are then those of a new file.
    }
    if (file >= 0) {
      int failed = WriteAndClose(file, content);
      if (failed == 0 && rename(draft.c_str(), target.c_str()) != 0) {
        failed = errno;
      }
      if (failed == 0) return std::nullopt;
      unlink(draft.c_str());
      return CannotWrite(path, failed);
    }
    // A folder that takes no new files may have one that can be written.
  }
  const int file = OpenNow(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (file < 0 && errno == ENXIO) {
    return Error{"cannot write " + path + ": it is a pipe that nobody reads"};
  }
  if (file < 0) return CannotWrite(path, errno);
  const int failed = WriteAndClose(file, content);
  if (failed != 0) return CannotWrite(path, failed);
  return std::nullopt;
}

}  // namespace tflite::custom::benchmark
