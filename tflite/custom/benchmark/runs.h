#ifndef TFLITE_CUSTOM_BENCHMARK_RUNS_H_
#define TFLITE_CUSTOM_BENCHMARK_RUNS_H_

#include <cstdint>
#include <vector>

#include "tflite/custom/benchmark/inputs.h"
#include "tflite/custom/benchmark/latencies.h"
#include "tflite/custom/benchmark/progress.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {

// A model that is ready, with what to run it on.
struct Runnable {
  Session* session;
  const Inputs* inputs;
};

// How often and how long, as the flags of these names say.
struct RunPlan {
  int64_t min_runs = 0;
  double min_secs = 0;
  double max_secs = 0;
  double run_delay = -1;
  double run_frequency = -1;
  bool profile = false;
  // Where not null, what each run took is added to it, in nanoseconds.
  std::vector<int64_t>* samples = nullptr;
};

// Fills the inputs and runs, again and again, and times the runs alone, in
// nanoseconds.
ErrorOr<Latencies> RunModel(const Runnable& model, const RunPlan& plan,
                            Progress& progress);

// Two models whose runs alternate, so that what slows the machine down for a
// while slows both.
struct PairTimings {
  Latencies first;
  Latencies second;
  Latencies ratio_ppm;  // Second to first, in millionths, for each pair.
};

ErrorOr<PairTimings> RunInterleaved(const Runnable& first,
                                    const Runnable& second, const RunPlan& plan,
                                    Progress& progress);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_RUNS_H_
