#ifndef TFLITE_CUSTOM_BENCHMARK_OP_PROFILER_H_
#define TFLITE_CUSTOM_BENCHMARK_OP_PROFILER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/clock.h"
#include "tflite/custom/benchmark/latencies.h"
#include "tflite/custom/benchmark/memory.h"
#include "third_party/tensorflow/lite/profiling/telemetry/c/profiler.h"

namespace tflite::custom::benchmark {

// What one op took over all runs.
struct OpTimes {
  std::string type;
  std::string name;  // The op's outputs, and its index.
  int64_t subgraph = 0;
  int64_t node = 0;
  int64_t order = 0;      // Of its first call, within the run.
  bool internal = false;  // Measured by a delegate, within the delegate's op.
  bool nested = false;    // Within another op, such as While.
  int64_t calls = 0;
  int64_t first_ns = 0;
  int64_t sum_ns = 0;
  int64_t sum_start_ns = 0;  // From the run's first op, over the calls.
  double memory_kb = 0;      // Of a step of the initialization.
};

// Receives the runtime's telemetry. Holds its address in the runtime: neither
// copied nor moved.
class OpProfiler {
 public:
  explicit OpProfiler(size_t entries);
  OpProfiler(const OpProfiler&) = delete;
  OpProfiler& operator=(const OpProfiler&) = delete;

  TfLiteTelemetryProfilerStruct* telemetry() { return &telemetry_; }

  void SetNodeName(int64_t subgraph, int64_t node, std::string name) {
    names_[{subgraph, node}] = std::move(name);
  }

  void SetSubgraphName(int64_t subgraph, std::string name) {
    subgraph_names_[subgraph] = std::move(name);
  }
  std::string SubgraphName(int64_t subgraph) const {
    const auto name = subgraph_names_.find(subgraph);
    return name == subgraph_names_.end() ? "" : name->second;
  }

  // Calls `step`, a part of the initialization such as AllocateTensors, and
  // notes what it takes. Returns what it returns.
  template <typename Step>
  auto Initialize(const char* what, const Step& step) {
    const double memory_mb = PeakMemoryMb();
    const int64_t start = NowNanos();
    const auto result = step();
    AddInitialization(what, NowNanos() - start, PeakMemoryMb() - memory_mb);
    return result;
  }

  // Events count only between these two, which stand around a run. EndRun is
  // what takes time, which is not the run's.
  void BeginRun();
  void EndRun();

  // In the order of their first calls.
  std::vector<OpTimes> ops() const;
  // In the order in which they were taken.
  const std::vector<OpTimes>& initialization() const { return initialization_; }
  // What was measured, by run.
  int64_t runs() const { return runs_; }
  // What the ops of a subgraph took in a run, in nanoseconds.
  Latencies Totals(int64_t subgraph) const {
    const auto totals = totals_.find(subgraph);
    return totals == totals_.end() ? Latencies() : totals->second;
  }
  // The same of the ops that delegates measure within their own.
  const Latencies& internal_totals() const { return internal_totals_; }

 private:
  struct Event {
    std::string internal_name;  // Only of a delegate's own op.
    const char* name;           // Lives as long as the interpreter.
    int64_t op;
    int64_t subgraph;
    int64_t start_ns;
    int64_t elapsed_ns;
    int depth;  // How many ops it runs within.
  };

  static OpProfiler* Self(TfLiteTelemetryProfilerStruct* profiler) {
    return static_cast<OpProfiler*>(profiler->data);
  }
  static uint32_t Begin(TfLiteTelemetryProfilerStruct* profiler,
                        const char* op_name, int64_t op_idx,
                        int64_t subgraph_idx);
  static void End(TfLiteTelemetryProfilerStruct* profiler, uint32_t handle);
  static void Report(TfLiteTelemetryProfilerStruct* profiler,
                     const char* op_name, uint64_t elapsed_us, int64_t op_idx,
                     int64_t subgraph_idx);

  void AddInitialization(const char* what, int64_t elapsed_ns,
                         double memory_mb);

  TfLiteTelemetryProfilerStruct telemetry_ = {};
  bool running_ = false;
  int depth_ = 0;
  std::vector<Event> events_;
  std::map<std::pair<int64_t, int64_t>, std::string> names_;
  // By subgraph, node and, for a delegate's own ops, their name.
  std::map<std::tuple<int64_t, int64_t, std::string>, OpTimes> ops_;
  std::map<int64_t, std::string> subgraph_names_;
  std::map<int64_t, Latencies> totals_;
  Latencies internal_totals_;
  int64_t runs_ = 0;
  std::vector<OpTimes> initialization_;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_OP_PROFILER_H_
