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
};

// The longest first.
std::vector<TypeTimes> TimesByType(const std::vector<OpTimes>& ops);

// The public tool's tables: in the order of the runs, the ten that took
// longest, and by type. `csv` separates by commas.
std::string OpTables(const OpProfiler& profiler, bool csv);

// The ops as a JSON array.
void WriteOps(const OpProfiler& profiler, JsonWriter& json);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_OP_REPORT_H_
