#ifndef TFLITE_CUSTOM_BENCHMARK_REPORT_H_
#define TFLITE_CUSTOM_BENCHMARK_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/latencies.h"
#include "tflite/custom/benchmark/op_profiler.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/model/tensor_info.h"

namespace tflite::custom::benchmark {

// One model's results.
struct ModelResults {
  std::string path;
  std::string runtime;
  double size_mb = 0;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  double init_us = 0;
  Latencies warmup;  // In nanoseconds, as is the next.
  Latencies inference;
  const OpProfiler* ops = nullptr;
  // What delegates took of it, in words; empty where that is not known.
  std::string delegation;
};

// The second model's times to the first's.
struct Ratio {
  double median = 0;
  // With 95 % confidence, whatever the distribution; the median's order
  // statistics.
  double median_low = 0;
  double median_high = 0;
  double p5 = 0;
  double p95 = 0;
  int64_t pairs = 0;
};

Ratio SummarizeRatio(const Latencies& ratio_ppm);

struct Results {
  ModelResults model;
  std::optional<ModelResults> other;
  std::optional<Ratio> ratio;
  double init_memory_mb = 0;
  double overall_memory_mb = 0;
  std::optional<double> peak_memory_mb;
  // Whether Ctrl-C ended the runs.
  bool interrupted = false;
};

// The percentiles that are reported: p50 to p99.9.
const std::vector<double>& Percentiles();

// `p50=1.234 p90=...`, in microseconds.
std::string PercentileLine(const Latencies& nanos);

// What was run, where and how long it took, in a few lines for people; of a
// comparison also the verdict.
std::string Summary(const Options& options, const Results& results);

// Everything, as --json writes it.
std::string JsonReport(const Options& options, const Results& results);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_REPORT_H_
