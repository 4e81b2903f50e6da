#include "tflite/custom/benchmark/memory.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

namespace tflite::custom::benchmark {

double PeakMemoryMb() {
  // getrusage would begin with what the program had that this one replaced,
  // such as Bazel.
  std::ifstream file("/proc/self/status");
  for (std::string field; file >> field;) {
    double kilobytes = 0;
    if (field == "VmHWM:" && file >> kilobytes) return kilobytes / 1024.0;
  }
  return 0;
}

ResidentMemory CurrentMemory() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  double shared = 0;
  file >> size >> resident >> shared;
  const double page_mb =
      static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
  return {resident * page_mb, shared * page_mb};
}

PeakMemoryMonitor::PeakMemoryMonitor(std::chrono::milliseconds interval)
    : thread_([this, interval] {
        std::unique_lock<std::mutex> lock(mutex_);
        do {
          peak_mb_ = std::max(peak_mb_, CurrentMemory().total_mb);
        } while (!stop_.wait_for(lock, interval, [this] { return stopping_; }));
        peak_mb_ = std::max(peak_mb_, CurrentMemory().total_mb);
      }) {}

double PeakMemoryMonitor::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  if (thread_.joinable()) thread_.join();
  return peak_mb_;
}

}  // namespace tflite::custom::benchmark
