#ifndef TFLITE_CUSTOM_BENCHMARK_PROGRESS_H_
#define TFLITE_CUSTOM_BENCHMARK_PROGRESS_H_

#include <cstdint>
#include <limits>
#include <string>

namespace tflite::custom::benchmark {

// A line on a terminal that says how far a series of runs is, from its third
// second on. Elsewhere nothing.
class Progress {
 public:
  // `fd` is where the line goes if it is a terminal.
  Progress(int fd, std::string what, int64_t min_runs, double min_secs,
           double max_secs);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap until it is time for the next line.
  void Update(int64_t run, int64_t now_ns) {
    if (now_ns >= next_ns_) Print(run, now_ns);
  }

 private:
  void Print(int64_t run, int64_t now_ns);

  int fd_;
  std::string what_;
  int64_t min_runs_;
  double min_secs_;
  double max_secs_;
  int64_t start_ns_;
  int64_t next_ns_ = std::numeric_limits<int64_t>::max();
  bool printed_ = false;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_PROGRESS_H_
