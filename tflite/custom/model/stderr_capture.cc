#include "tflite/custom/model/stderr_capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

// There where the program is built with a sanitizer.
extern "C" void __sanitizer_set_report_fd(void* fd) __attribute__((weak));

namespace tflite::custom {

StderrCapture::StderrCapture() {
  const int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  const int file = memfd_create("stderr", MFD_CLOEXEC);
  // Appending, so that a file that was taken from and cut has no hole.
  if (copy < 0 || file < 0 || fcntl(file, F_SETFL, O_APPEND) != 0 ||
      dup2(file, STDERR_FILENO) < 0) {
    if (copy >= 0) close(copy);
    if (file >= 0) close(file);
    return;
  }
  original_ = copy;
  file_ = file;
  if (__sanitizer_set_report_fd != nullptr) {
    __sanitizer_set_report_fd(
        reinterpret_cast<void*>(static_cast<intptr_t>(copy)));
  }
}

StderrCapture::~StderrCapture() {
  if (file_ < 0) return;
  std::fflush(stderr);
  dup2(original_, STDERR_FILENO);
  close(file_);
  if (__sanitizer_set_report_fd != nullptr) {
    __sanitizer_set_report_fd(
        reinterpret_cast<void*>(static_cast<intptr_t>(STDERR_FILENO)));
  }
  close(original_);
}

std::string StderrCapture::Take() {
  std::string text;
  if (file_ < 0) return text;
  std::fflush(stderr);
  char buffer[4096];
  off_t offset = 0;
  for (ssize_t size; (size = pread(file_, buffer, sizeof(buffer), offset)) > 0;
       offset += size) {
    text.append(buffer, static_cast<size_t>(size));
  }
  if (ftruncate(file_, 0) != 0) text.clear();
  return text;
}

}  // namespace tflite::custom
