#include "tflite/custom/benchmark/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <thread>

namespace tflite::custom::benchmark {

double PeakMemoryMb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
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
