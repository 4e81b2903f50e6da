#include "tflite/custom/benchmark/report.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/json_writer.h"
#include "tflite/custom/benchmark/latencies.h"
#include "tflite/custom/benchmark/op_report.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/model/tensor_info.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {
namespace {

std::string RuntimeVersion(const std::string& runtime) {
  return runtime == "tflite" ? std::string("TFLite ") + TfLiteVersion()
                             : "LiteRT";
}

std::string PercentileName(double percent) {
  std::ostringstream name;
  name << "p" << percent;
  return name.str();
}

void WriteTimings(const Latencies& nanos, JsonWriter& json) {
  json.BeginObject().Member("count", nanos.count());
  if (nanos.count() > 0) {
    const auto micros = [&](const std::string& name, double value) {
      json.Member(name, value / 1e3);
    };
    micros("first", static_cast<double>(nanos.first()));
    micros("min", static_cast<double>(nanos.min()));
    micros("max", static_cast<double>(nanos.max()));
    micros("avg", nanos.mean());
    micros("std", nanos.std_deviation());
    for (const double percent : Percentiles()) {
      micros(PercentileName(percent), nanos.percentile(percent));
    }
    // How many took from the first of the three to the second, both included.
    json.Key("histogram").BeginArray();
    for (const Latencies::Bucket& bucket : nanos.buckets()) {
      json.Line<double>({static_cast<double>(bucket.low) / 1e3,
                         static_cast<double>(bucket.high - 1) / 1e3,
                         static_cast<double>(bucket.count)});
    }
    json.EndArray();
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
        .Line(tensor.shape)
        .Member("bytes", static_cast<int64_t>(tensor.bytes))
        .EndObject();
  }
  json.EndArray();
}

void WriteModel(const ModelResults& model, JsonWriter& json) {
  json.BeginObject()
      .Member("path", model.path)
      .Member("runtime", model.runtime)
      .Member("runtime_version", RuntimeVersion(model.runtime))
      .Member("delegation", model.delegation)
      .Member("size_mb", model.size_mb);
  WriteTensors(model.inputs, json.Key("inputs"));
  WriteTensors(model.outputs, json.Key("outputs"));
  json.Member("init_us", model.init_us);
  WriteTimings(model.warmup, json.Key("warmup_us"));
  WriteTimings(model.inference, json.Key("inference_us"));
  if (model.ops != nullptr) WriteOps(*model.ops, json.Key("ops"));
  json.EndObject();
}

// The processor, as the system calls it.
std::string Processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  utsname system = {};
  uname(&system);
  return system.machine;
}

// In UTC, as ISO 8601 has it.
std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

void WriteHost(JsonWriter& json) {
  utsname system = {};
  uname(&system);
  json.BeginObject()
      .Member("processor", Processor())
      .Member("cores",
              static_cast<int64_t>(std::thread::hardware_concurrency()))
      .Member("system", std::string(system.sysname) + " " + system.release)
      .EndObject();
}

std::string Digits(double value, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

// Three digits of it and a unit.
std::string Time(double nanos) {
  for (const auto& [unit, name] :
       {std::pair(1e9, " s"), std::pair(1e6, " ms"), std::pair(1e3, " us")}) {
    // What would be rounded up to the unit has it.
    if (nanos >= 0.9995 * unit) return Digits(nanos / unit, 3) + name;
  }
  return Digits(nanos, 3) + " ns";
}

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string ThreadsText(int threads) {
  if (threads < 0) return "default number of threads";
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

// `model.tflite in TFLite 2.17.1, ...` and below it what it took.
void SummarizeModel(const ModelResults& model, std::ostream& out) {
  out << BaseName(model.path) << " in " << RuntimeVersion(model.runtime);
  if (!model.delegation.empty()) out << ", " << model.delegation;
  out << "\n  inputs:";
  const char* separator = " ";
  for (const TensorInfo& tensor : model.inputs) {
    out << separator << tensor.name << " " << Description(tensor);
    separator = ", ";
  }
  if (model.inputs.empty()) out << " none";
  const Latencies& nanos = model.inference;
  out << "\n  " << nanos.count() << (nanos.count() == 1 ? " run" : " runs");
  if (nanos.count() > 0) {
    out << ": mean " << Time(nanos.mean());
    for (const double percent : {50.0, 90.0, 99.0}) {
      out << ", " << PercentileName(percent) << " "
          << Time(nanos.percentile(percent));
    }
    out << ", max " << Time(static_cast<double>(nanos.max()));
  }
  out << "\n";
}

// `litert takes 11.23x as long as tflite (95% CI 11.22 to 11.24)`.
std::string Verdict(const ModelResults& model, const ModelResults& other,
                    const Ratio& ratio) {
  // No longer than it has to be to tell them apart.
  const auto name = [&](const ModelResults& of) {
    if (model.path == other.path) {
      return model.runtime == other.runtime ? BaseName(of.path) : of.runtime;
    }
    const std::string file = BaseName(model.path) == BaseName(other.path)
                                 ? of.path
                                 : BaseName(of.path);
    return model.runtime == other.runtime ? file : file + " in " + of.runtime;
  };
  return name(other) + " takes " + Digits(ratio.median, 4) + "x as long as " +
         name(model) + " (95% CI " + Digits(ratio.median_low, 4) + " to " +
         Digits(ratio.median_high, 4) + ")";
}

}  // namespace

const std::vector<double>& Percentiles() {
  static const auto* const percentiles =
      new std::vector<double>{50, 75, 90, 95, 99, 99.9};
  return *percentiles;
}

std::string Summary(const Options& options, const Results& results) {
  std::ostringstream out;
  out << "\n"
      << Processor() << ", " << std::thread::hardware_concurrency()
      << " cores, " << ThreadsText(options.num_threads) << "\n";
  SummarizeModel(results.model, out);
  if (results.other) SummarizeModel(*results.other, out);
  if (results.other && results.ratio) {
    out << Verdict(results.model, *results.other, *results.ratio) << "\n";
  }
  return out.str();
}

std::string PercentileLine(const Latencies& nanos) {
  std::ostringstream line;
  for (const double percent : Percentiles()) {
    line << (line.tellp() > 0 ? " " : "") << PercentileName(percent) << "="
         << nanos.percentile(percent) / 1e3;
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
      .Member("date", Now())
      .Member("num_threads", options.num_threads)
      .Member("runtime", options.runtime)
      .Member("interrupted", results.interrupted)
      .Key("flags")
      .BeginObject();
  for (const auto& [name, value] : options.log) json.Member(name, value);
  json.EndObject();
  WriteHost(json.Key("host"));
  WriteModel(results.model, json.Key("model"));
  if (results.other) WriteModel(*results.other, json.Key("compare"));
  if (results.ratio && results.other) {
    json.Key("ratio")
        .BeginObject()
        .Member("median", results.ratio->median)
        .Member("median_low", results.ratio->median_low)
        .Member("median_high", results.ratio->median_high)
        .Member("p5", results.ratio->p5)
        .Member("p95", results.ratio->p95)
        .Member("pairs", results.ratio->pairs)
        .Member("verdict",
                Verdict(results.model, *results.other, *results.ratio))
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
