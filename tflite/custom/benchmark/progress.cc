#include "tflite/custom/benchmark/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "tflite/custom/benchmark/clock.h"

namespace tflite::custom::benchmark {
namespace {

constexpr int64_t kDelayNs = 2'000'000'000;
constexpr int64_t kIntervalNs = 200'000'000;

}  // namespace

Progress::Progress(int fd, std::string what, int64_t min_runs, double min_secs,
                   double max_secs)
    : fd_(fd),
      what_(std::move(what)),
      min_runs_(min_runs),
      min_secs_(min_secs),
      max_secs_(max_secs),
      start_ns_(NowNanos()) {
  if (isatty(fd) != 0) next_ns_ = start_ns_ + kDelayNs;
}

Progress::~Progress() {
  // The cursor to the line's begin, and the line away.
  if (printed_) dprintf(fd_, "\r\033[K");
}

void Progress::Print(int64_t run, int64_t now_ns) {
  const double seconds = static_cast<double>(now_ns - start_ns_) / 1e9;
  // It goes on until there are enough of both, or until the latest end.
  double done = 1;
  if (min_runs_ > 0) {
    done = std::min(done,
                    static_cast<double>(run) / static_cast<double>(min_runs_));
  }
  if (min_secs_ > 0) done = std::min(done, seconds / min_secs_);
  if (max_secs_ > 0) done = std::max(done, seconds / max_secs_);
  dprintf(fd_, "\r%s: %3.0f%%, %lld runs, %.0f s\033[K", what_.c_str(),
          100 * std::min(done, 1.0), static_cast<long long>(run), seconds);
  printed_ = true;
  next_ns_ = now_ns + kIntervalNs;
}

}  // namespace tflite::custom::benchmark
