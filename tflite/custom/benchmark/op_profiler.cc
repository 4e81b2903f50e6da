#include "tflite/custom/benchmark/op_profiler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/clock.h"
#include "third_party/tensorflow/lite/profiling/telemetry/c/profiler.h"

namespace tflite::custom::benchmark {

OpProfiler::OpProfiler(size_t entries) {
  // More are made room for when they are there.
  constexpr size_t kMostAtFirst = size_t{1} << 20;
  events_.reserve(std::min(entries, kMostAtFirst));
  telemetry_.data = this;
  // The runtime calls them all without looking.
  telemetry_.ReportTelemetryEvent = [](TfLiteTelemetryProfilerStruct*,
                                       const char*, uint64_t) {};
  telemetry_.ReportTelemetryOpEvent = [](TfLiteTelemetryProfilerStruct*,
                                         const char*, int64_t, int64_t,
                                         uint64_t) {};
  telemetry_.ReportSettings = [](TfLiteTelemetryProfilerStruct*, const char*,
                                 const TfLiteTelemetrySettings*) {};
  telemetry_.ReportBeginOpInvokeEvent = Begin;
  telemetry_.ReportEndOpInvokeEvent = End;
  telemetry_.ReportOpInvokeEvent = Report;
}

uint32_t OpProfiler::Begin(TfLiteTelemetryProfilerStruct* profiler,
                           const char* op_name, int64_t op_idx,
                           int64_t subgraph_idx) {
  OpProfiler* self = Self(profiler);
  if (!self->running_) return 0;
  self->events_.push_back(
      {"", op_name, op_idx, subgraph_idx, NowNanos(), 0, self->depth_});
  ++self->depth_;
  return static_cast<uint32_t>(self->events_.size() - 1);
}

void OpProfiler::End(TfLiteTelemetryProfilerStruct* profiler, uint32_t handle) {
  const int64_t now = NowNanos();
  OpProfiler* self = Self(profiler);
  if (!self->running_ || handle >= self->events_.size()) return;
  --self->depth_;
  Event& event = self->events_[handle];
  event.elapsed_ns = now - event.start_ns;
}

void OpProfiler::Report(TfLiteTelemetryProfilerStruct* profiler,
                        const char* op_name, uint64_t elapsed_us,
                        int64_t op_idx, int64_t subgraph_idx) {
  OpProfiler* self = Self(profiler);
  if (!self->running_) return;
  const int64_t elapsed_ns = static_cast<int64_t>(elapsed_us) * 1000;
  self->events_.push_back({op_name == nullptr ? "?" : op_name, nullptr, op_idx,
                           subgraph_idx, NowNanos() - elapsed_ns, elapsed_ns,
                           self->depth_});
}

void OpProfiler::BeginRun() {
  events_.clear();
  depth_ = 0;
  running_ = true;
}

void OpProfiler::EndRun() {
  running_ = false;
  if (events_.empty()) return;
  const int64_t start = events_.front().start_ns;
  std::map<int64_t, int64_t> totals;
  int64_t internal_total = 0;
  int64_t order = 0;
  for (const Event& event : events_) {
    const bool of_delegate = event.name == nullptr;
    OpTimes& op = ops_[{event.subgraph, event.op, event.internal_name}];
    if (op.calls == 0) {
      // A delegate that reports its ops is not reported as an op itself, unless
      // it runs within one.
      op.internal = of_delegate && event.depth > 0;
      op.nested = event.depth > 0;
      op.type = op.internal   ? "DelegateOpInvoke"
                : of_delegate ? event.internal_name
                              : event.name;
      const auto name = names_.find({event.subgraph, event.op});
      op.name = of_delegate            ? "Delegate/" + event.internal_name
                : name == names_.end() ? "[]"
                                       : name->second;
      op.name += ":" + std::to_string(event.op);
      op.subgraph = event.subgraph;
      op.node = event.op;
      op.order = order;
      op.first_ns = event.elapsed_ns;
    }
    ++op.calls;
    op.sum_ns += event.elapsed_ns;
    op.sum_start_ns += std::max<int64_t>(0, event.start_ns - start);
    (op.internal ? internal_total : totals[event.subgraph]) += event.elapsed_ns;
    ++order;
  }
  for (const auto& [subgraph, total] : totals) totals_[subgraph].Add(total);
  if (internal_total > 0) internal_totals_.Add(internal_total);
  ++runs_;
}

void OpProfiler::AddInitialization(const char* what, int64_t elapsed_ns,
                                   double memory_mb) {
  OpTimes* step = nullptr;
  for (OpTimes& known : initialization_) {
    if (known.type == what) step = &known;
  }
  if (step == nullptr) {
    step = &initialization_.emplace_back();
    step->type = what;
    step->name = std::string(what) + "/0";
    step->order = static_cast<int64_t>(initialization_.size());
    step->first_ns = elapsed_ns;
  }
  ++step->calls;
  step->sum_ns += elapsed_ns;
  step->memory_kb = memory_mb * 1024;
}

std::vector<OpTimes> OpProfiler::ops() const {
  std::vector<OpTimes> result;
  for (const auto& [key, op] : ops_) result.push_back(op);
  std::sort(
      result.begin(), result.end(),
      [](const OpTimes& a, const OpTimes& b) { return a.order < b.order; });
  return result;
}

}  // namespace tflite::custom::benchmark
