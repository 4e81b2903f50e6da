#ifndef TFLITE_CUSTOM_BENCHMARK_MEMORY_H_
#define TFLITE_CUSTOM_BENCHMARK_MEMORY_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <ostream>
#include <thread>

namespace tflite::custom::benchmark {

// The most memory that the process has had, in MB.
double PeakMemoryMb();

// The process's memory now, and the part of it that is files', in MB.
struct ResidentMemory {
  double total_mb = 0;
  double shared_mb = 0;
};
ResidentMemory CurrentMemory();

// Looks at the process's memory every so often, from a thread of its own.
class PeakMemoryMonitor {
 public:
  explicit PeakMemoryMonitor(std::chrono::milliseconds interval);
  ~PeakMemoryMonitor() { Stop(); }
  PeakMemoryMonitor(const PeakMemoryMonitor&) = delete;
  PeakMemoryMonitor& operator=(const PeakMemoryMonitor&) = delete;

  // Returns the most that was seen, in MB.
  double Stop();

 private:
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  double peak_mb_ = 0;
  std::thread thread_;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_MEMORY_H_
