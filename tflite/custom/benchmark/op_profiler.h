#ifndef TFLITE_CUSTOM_BENCHMARK_OP_PROFILER_H_
#define TFLITE_CUSTOM_BENCHMARK_OP_PROFILER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/stat.h"
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
  int64_t calls = 0;
  int64_t first_ns = 0;
  int64_t sum_ns = 0;
  int64_t sum_start_ns = 0;  // From the run's first op, over the calls.
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

  // Events count only between these two, which stand around a run. EndRun is
  // what takes time, which is not the run's.
  void BeginRun();
  void EndRun();

  // In the order of their first calls.
  std::vector<OpTimes> ops() const;
  // What the ops of a run took together, in microseconds.
  const Stat& totals() const { return totals_; }

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

  TfLiteTelemetryProfilerStruct telemetry_ = {};
  bool running_ = false;
  int depth_ = 0;
  std::vector<Event> events_;
  std::map<std::pair<int64_t, int64_t>, std::string> names_;
  // By subgraph, node and, for a delegate's own ops, their name.
  std::map<std::tuple<int64_t, int64_t, std::string>, OpTimes> ops_;
  Stat totals_;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_OP_PROFILER_H_
