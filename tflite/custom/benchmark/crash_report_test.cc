#include "tflite/custom/benchmark/crash_report.h"

#include <signal.h>
#include <unistd.h>

#include "gtest/gtest.h"

extern "C" void __sanitizer_set_report_fd(void* fd) __attribute__((weak));

namespace tflite::custom::benchmark {
namespace {

TEST(CrashReportDeathTest, ACrashIsOneLineAndStatusOne) {
  if (__sanitizer_set_report_fd != nullptr) {
    GTEST_SKIP() << "a sanitizer reports crashes itself";
  }
  for (const int signal : {SIGSEGV, SIGFPE, SIGABRT}) {
    EXPECT_EXIT(
        {
          ReportCrashes(STDERR_FILENO, "m.tflite");
          raise(signal);
        },
        testing::ExitedWithCode(1), "ERROR: TFLite crashed with m.tflite");
  }
}

}  // namespace
}  // namespace tflite::custom::benchmark
