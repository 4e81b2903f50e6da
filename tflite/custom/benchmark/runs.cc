#include "tflite/custom/benchmark/runs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <thread>

#include "tflite/custom/benchmark/clock.h"
#include "tflite/custom/benchmark/inputs.h"
#include "tflite/custom/benchmark/latencies.h"
#include "tflite/custom/benchmark/op_profiler.h"
#include "tflite/custom/benchmark/progress.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/benchmark/stop.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {
namespace {

int64_t Nanos(double seconds) {
  // Far beyond what anyone waits for, and far from overflowing a sum.
  constexpr double kLongest = 1e17;
  return static_cast<int64_t>(std::clamp(seconds * 1e9, -kLongest, kLongest));
}

// Decides whether there is another run, and waits for its time.
class Pace {
 public:
  explicit Pace(const RunPlan& plan)
      : plan_(plan),
        start_ns_(NowNanos()),
        earliest_end_ns_(start_ns_ + Nanos(plan.min_secs)),
        latest_end_ns_(start_ns_ + Nanos(plan.max_secs)),
        waits_(plan.run_delay > 0 || plan.run_frequency > 0) {
    if (plan.run_frequency > 0) gap_ns_ = Nanos(1 / plan.run_frequency);
  }

  bool More(int64_t run, int64_t now_ns) const {
    return (run < plan_.min_runs || now_ns < earliest_end_ns_) &&
           now_ns <= latest_end_ns_ && !Interrupted();
  }

  // After a run; returns the time that it is then.
  int64_t Wait(int64_t run, int64_t now_ns) const {
    if (!waits_) return now_ns;
    const int64_t next =
        gap_ns_ > 0
            ? start_ns_ + static_cast<int64_t>(static_cast<double>(gap_ns_) *
                                               static_cast<double>(run + 1))
            : now_ns + Nanos(plan_.run_delay);
    // Past the end there is no other run.
    const int64_t until = std::min(next, latest_end_ns_ + 1);
    // In parts, to notice Ctrl-C.
    constexpr int64_t kLongestNap = 50'000'000;
    for (now_ns = NowNanos(); now_ns < until && !Interrupted();
         now_ns = NowNanos()) {
      std::this_thread::sleep_for(
          std::chrono::nanoseconds(std::min(until - now_ns, kLongestNap)));
    }
    return now_ns;
  }

  int64_t start_ns() const { return start_ns_; }

 private:
  const RunPlan& plan_;
  int64_t start_ns_;
  int64_t earliest_end_ns_;
  int64_t latest_end_ns_;
  int64_t gap_ns_ = 0;
  bool waits_;
};

}  // namespace

ErrorOr<Latencies> RunModel(const Runnable& model, const RunPlan& plan,
                            Progress& progress) {
  Session& session = *model.session;
  OpProfiler* const profiler = plan.profile ? session.profiler() : nullptr;
  Latencies timings;
  const Pace pace(plan);
  int64_t now = pace.start_ns();
  for (int64_t run = 0; pace.More(run, now); ++run) {
    model.inputs->Fill(session);
    if (profiler != nullptr) profiler->BeginRun();
    const int64_t start = NowNanos();
    const bool ok = session.Invoke();
    now = NowNanos();
    if (!ok) return Error{session.InvokeError()};
    if (profiler != nullptr) profiler->EndRun();
    timings.Add(now - start);
    if (plan.samples != nullptr) plan.samples->push_back(now - start);
    progress.Update(run + 1, now);
    now = pace.Wait(run, now);
  }
  return timings;
}

ErrorOr<PairTimings> RunInterleaved(const Runnable& first,
                                    const Runnable& second, const RunPlan& plan,
                                    Progress& progress) {
  PairTimings pairs;
  const Pace pace(plan);
  int64_t now = pace.start_ns();
  for (int64_t pair = 0; pace.More(pair, now); ++pair) {
    int64_t nanos[2] = {0, 0};
    for (int i = 0; i < 2; ++i) {
      // Neither always runs in the other's wake.
      const int which = static_cast<int>((pair + i) % 2);
      const Runnable& model = which == 0 ? first : second;
      OpProfiler* const profiler =
          plan.profile ? model.session->profiler() : nullptr;
      model.inputs->Fill(*model.session);
      if (profiler != nullptr) profiler->BeginRun();
      const int64_t start = NowNanos();
      const bool ok = model.session->Invoke();
      now = NowNanos();
      if (!ok) return Error{model.session->InvokeError()};
      if (profiler != nullptr) profiler->EndRun();
      nanos[which] = now - start;
    }
    pairs.first.Add(nanos[0]);
    pairs.second.Add(nanos[1]);
    if (plan.samples != nullptr) {
      plan.samples->insert(plan.samples->end(), nanos, nanos + 2);
    }
    // The clock does not see less than a nanosecond.
    const double ratio = static_cast<double>(std::max<int64_t>(1, nanos[1])) /
                         static_cast<double>(std::max<int64_t>(1, nanos[0]));
    pairs.ratio_ppm.Add(std::llround(std::min(ratio * 1e6, 1e18)));
    progress.Update(pair + 1, now);
    now = pace.Wait(pair, now);
  }
  return pairs;
}

}  // namespace tflite::custom::benchmark
