#include "tflite/custom/benchmark/report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/json_writer.h"
#include "tflite/custom/benchmark/latencies.h"
#include "tflite/custom/benchmark/op_report.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/model/tensor_info.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {
namespace {

std::string PercentileName(double percent) {
  std::ostringstream name;
  name << "p" << percent;
  return name.str();
}

void WriteTimings(const Timings& timings, JsonWriter& json) {
  json.BeginObject().Member("count", timings.us.count());
  if (timings.us.count() > 0) {
    json.Member("first", timings.us.first())
        .Member("min", timings.us.min())
        .Member("max", timings.us.max())
        .Member("avg", timings.ns.mean() / 1e3)
        .Member("std", timings.us.std_deviation());
    for (const double percent : Percentiles()) {
      json.Member(PercentileName(percent),
                  timings.ns.percentile(percent) / 1e3);
    }
  }
  json.EndObject();
}

void WriteTensors(const std::vector<TensorInfo>& tensors, JsonWriter& json) {
  json.BeginArray();
  for (const TensorInfo& tensor : tensors) {
    json.BeginObject()
        .Member("name", tensor.name)
        .Member("type", TfLiteTypeGetName(tensor.type))
        .Key("shape")
        .BeginArray();
    for (const int size : tensor.shape) json.Value(size);
    json.EndArray()
        .Member("bytes", static_cast<int64_t>(tensor.bytes))
        .EndObject();
  }
  json.EndArray();
}

void WriteModel(const ModelResults& model, JsonWriter& json) {
  json.BeginObject()
      .Member("path", model.path)
      .Member("runtime", model.runtime)
      .Member("size_mb", model.size_mb);
  WriteTensors(model.inputs, json.Key("inputs"));
  WriteTensors(model.outputs, json.Key("outputs"));
  json.Member("init_us", model.init_us);
  WriteTimings(model.warmup, json.Key("warmup_us"));
  WriteTimings(model.inference, json.Key("inference_us"));
  if (model.ops != nullptr) WriteOps(*model.ops, json.Key("ops"));
  json.EndObject();
}

}  // namespace

const std::vector<double>& Percentiles() {
  static const auto* const percentiles =
      new std::vector<double>{50, 75, 90, 95, 99, 99.9};
  return *percentiles;
}

std::string PercentileLine(const Timings& timings) {
  std::ostringstream line;
  for (const double percent : Percentiles()) {
    line << (line.tellp() > 0 ? " " : "") << PercentileName(percent) << "="
         << timings.ns.percentile(percent) / 1e3;
  }
  return line.str();
}

Ratio SummarizeRatio(const Latencies& ratio_ppm) {
  Ratio ratio;
  ratio.pairs = ratio_ppm.count();
  if (ratio.pairs == 0) return ratio;
  // The rank of the median among n values has a binomial distribution, with a
  // standard deviation of sqrt(n) / 2; 1.96 of these on either side.
  const double half =
      100 * 1.96 / 2 / std::sqrt(static_cast<double>(ratio.pairs));
  const auto at = [&](double percent) {
    return ratio_ppm.percentile(std::clamp(percent, 0.0, 100.0)) / 1e6;
  };
  ratio.median = at(50);
  ratio.median_low = at(50 - half);
  ratio.median_high = at(50 + half);
  ratio.p5 = at(5);
  ratio.p95 = at(95);
  return ratio;
}

std::string JsonReport(const Options& options, const Results& results) {
  JsonWriter json;
  json.BeginObject()
      .Member("benchmark_name", options.benchmark_name)
      .Member("runtime", options.runtime)
      .Member("interrupted", results.interrupted)
      .Key("flags")
      .BeginObject();
  for (const auto& [name, value] : options.log) json.Member(name, value);
  json.EndObject();
  WriteModel(results.model, json.Key("model"));
  if (results.other) WriteModel(*results.other, json.Key("compare"));
  if (results.ratio) {
    json.Key("ratio")
        .BeginObject()
        .Member("median", results.ratio->median)
        .Member("median_low", results.ratio->median_low)
        .Member("median_high", results.ratio->median_high)
        .Member("p5", results.ratio->p5)
        .Member("p95", results.ratio->p95)
        .Member("pairs", results.ratio->pairs)
        .EndObject();
  }
  json.Key("memory_mb")
      .BeginObject()
      .Member("init", results.init_memory_mb)
      .Member("overall", results.overall_memory_mb);
  if (results.peak_memory_mb) json.Member("peak", *results.peak_memory_mb);
  json.EndObject().EndObject();
  return json.Text();
}

}  // namespace tflite::custom::benchmark
