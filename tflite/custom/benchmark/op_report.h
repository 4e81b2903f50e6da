#ifndef TFLITE_CUSTOM_BENCHMARK_OP_REPORT_H_
#define TFLITE_CUSTOM_BENCHMARK_OP_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/json_writer.h"
#include "tflite/custom/benchmark/op_profiler.h"

namespace tflite::custom::benchmark {

// All ops of one type together.
struct TypeTimes {
  std::string type;
  int64_t nodes = 0;
  int64_t calls = 0;
  int64_t sum_ns = 0;
  double memory_kb = 0;
};

// The longest first.
std::vector<TypeTimes> TimesByType(const std::vector<OpTimes>& ops);

// The public tool's tables, of the initialization and of the runs: in order,
// the ten that took longest, and by type. `csv` separates by commas.
std::string OpTables(const OpProfiler& profiler, bool csv);

// What each op took in a run, in microseconds, as node data for Model Explorer
// (ai-edge-model-explorer's node_data_builder.ModelNodeData): by the graph's
// name, and the op's index as its TFLite adapter has it.
std::string ModelExplorerNodeData(const OpProfiler& profiler);

// The ops as a JSON array.
void WriteOps(const OpProfiler& profiler, JsonWriter& json);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_OP_REPORT_H_
