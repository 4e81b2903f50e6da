#ifndef TFLITE_CUSTOM_BENCHMARK_CRASH_REPORT_H_
#define TFLITE_CUSTOM_BENCHMARK_CRASH_REPORT_H_

#include <string>

namespace tflite::custom::benchmark {

// From here on, a crash of this process ends it with one line on `fd` and exit
// status 1: the runtime's own kernels trust a model more than they should, and
// divide by its zeros. Leaves crashes to a sanitizer where there is one.
void ReportCrashes(int fd, const std::string& model);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_CRASH_REPORT_H_
