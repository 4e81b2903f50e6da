#ifndef TFLITE_CUSTOM_BENCHMARK_CLOCK_H_
#define TFLITE_CUSTOM_BENCHMARK_CLOCK_H_

#include <chrono>
#include <cstdint>

namespace tflite::custom::benchmark {

// Nanoseconds on a clock that never goes back.
inline int64_t NowNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_CLOCK_H_
