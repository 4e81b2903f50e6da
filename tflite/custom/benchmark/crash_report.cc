#include "tflite/custom/benchmark/crash_report.h"

#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

// There where the program is built with a sanitizer.
extern "C" void __sanitizer_set_report_fd(void* fd) __attribute__((weak));

namespace tflite::custom::benchmark {
namespace {

// Made before the crash: its handler may not allocate.
std::string* g_line = nullptr;
int g_fd = STDERR_FILENO;

void Report(int) {
  if (write(g_fd, g_line->data(), g_line->size()) < 0) {
    // There is nobody left to tell.
  }
  _exit(EXIT_FAILURE);
}

}  // namespace

void ReportCrashes(int fd, const std::string& model) {
  if (__sanitizer_set_report_fd != nullptr) return;
  g_fd = fd;
  g_line = new std::string("ERROR: TFLite crashed with " + model +
                           ", which is damaged or meets a fault of its "
                           "kernels\n");
  // A stack of its own, should the other have overflowed.
  constexpr size_t kStackSize = 65536;
  stack_t stack = {};
  stack.ss_sp = std::malloc(kStackSize);
  stack.ss_size = kStackSize;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = Report;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace tflite::custom::benchmark
