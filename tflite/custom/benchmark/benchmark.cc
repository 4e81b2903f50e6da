#include "tflite/custom/benchmark/benchmark.h"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/clock.h"
#include "tflite/custom/benchmark/create_session.h"
#include "tflite/custom/benchmark/files.h"
#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/benchmark/inputs.h"
#include "tflite/custom/benchmark/json_writer.h"
#include "tflite/custom/benchmark/latencies.h"
#include "tflite/custom/benchmark/memory.h"
#include "tflite/custom/benchmark/op_report.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/plotter.h"
#include "tflite/custom/benchmark/progress.h"
#include "tflite/custom/benchmark/report.h"
#include "tflite/custom/benchmark/runs.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/benchmark/stop.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/stderr_capture.h"

namespace tflite::custom::benchmark {
namespace {

constexpr char kInfo[] = "INFO: ";

// A model with its session and contents, and what is known of it so far.
struct Loaded {
  std::unique_ptr<Session> session;
  Inputs inputs;
  ModelResults results;

  Runnable runnable() { return {session.get(), &inputs}; }
};

class Benchmark {
 public:
  Benchmark(const Options& options, StderrCapture& libraries, std::ostream& out)
      : options_(options), libraries_(libraries), out_(out) {}

  std::optional<Error> Run();

 private:
  std::optional<Error> CheckFiles();
  ErrorOr<Loaded> Load(const Options& options,
                       const std::vector<InputSpec>& specs);
  std::optional<Error> ListSignatures();
  std::optional<Error> WarmUp(Loaded& model);
  std::optional<Error> Measure(Loaded& model);
  std::optional<Error> MeasureBoth(Loaded& model, Loaded& other);
  std::optional<Error> Finish(Loaded& model);
  std::optional<Error> WriteOpProfile(const Loaded& model);
  void PrintState(const Loaded& model, const char* when);
  void PrintSummary();
  std::string SamplesText() const;

  RunPlan Plan(int64_t runs, double min_secs) const;
  void LogPlan(const RunPlan& plan);
  void ForwardLibraries();

  const Options& options_;
  StderrCapture& libraries_;
  std::ostream& out_;
  Results results_;
  std::vector<int64_t> samples_;  // Of a comparison: first, second, first, ...
  std::string plotter_;           // The program, where --plot is given.
};

// LiteRT tells at length of accelerators that it looks for and does not find:
// `INFO: [file.cc:12] ...`.
void Benchmark::ForwardLibraries() {
  std::istringstream lines(libraries_.Take());
  for (std::string line; std::getline(lines, line);) {
    const size_t place = line.find(": [");
    const bool of_litert =
        place < line.find(".cc:") && line.find(".cc:") < line.find("] ");
    if (options_.verbose || !of_litert) out_ << line << "\n";
  }
  out_ << std::flush;
}

std::optional<Error> Benchmark::CheckFiles() {
  for (const std::string* path : {&options_.external_delegate_path,
                                  &options_.xnnpack_weight_cache_file_path}) {
    if (auto error = CheckFile(*path)) return error;
  }
  for (const std::string* path :
       {&options_.output_filepath, &options_.op_profiling_output_file,
        &options_.json, &options_.samples, &options_.plot,
        &options_.model_explorer}) {
    if (path->empty()) continue;
    if (auto error = CheckWritable(*path)) return error;
  }
  if (!options_.plot.empty()) {
    ErrorOr<std::string> plotter = FindPlotter();
    if (!plotter.ok()) return plotter.error();
    plotter_ = *std::move(plotter);
  }
  return std::nullopt;
}

ErrorOr<Loaded> Benchmark::Load(const Options& options,
                                const std::vector<InputSpec>& specs) {
  const int64_t start = NowNanos();
  ErrorOr<Model> model = Model::Load(options.graph);
  if (!model.ok()) return model.error();
  out_ << kInfo << "Loaded model " << options.graph << std::endl;
  const std::vector<Signature> signatures = model->Signatures();
  for (const Signature& signature : signatures) {
    if (signature.key == options.signature_to_run_for ||
        (options.signature_to_run_for.empty() && signatures.size() == 1)) {
      out_ << kInfo << "Using signature: " << signature.key << std::endl;
    }
  }
  ErrorOr<std::unique_ptr<Session>> session =
      CreateSession(std::move(*model), options, specs, out_);
  if (!session.ok()) return session.error();
  const int64_t init_us = (NowNanos() - start) / 1000;
  ForwardLibraries();
  Loaded loaded;
  loaded.session = std::move(*session);
  loaded.results.path = options.graph;
  loaded.results.runtime = options.runtime;
  loaded.results.size_mb =
      static_cast<double>(loaded.session->model().size_in_bytes()) / 1e6;
  loaded.results.init_us = static_cast<double>(init_us);
  out_ << kInfo << "The input model file size (MB): " << loaded.results.size_mb
       << "\n"
       << kInfo << "Initialized session in "
       << static_cast<double>(init_us) / 1e3 << "ms." << std::endl;
  ErrorOr<Inputs> inputs = Inputs::Create(*loaded.session, specs);
  if (!inputs.ok()) return inputs.error();
  loaded.inputs = std::move(*inputs);
  loaded.results.inputs = loaded.session->inputs();
  loaded.results.ops = loaded.session->profiler();
  loaded.results.delegation = loaded.session->delegation();
  return loaded;
}

std::optional<Error> Benchmark::ListSignatures() {
  const ErrorOr<Model> model = Model::Load(options_.graph);
  if (!model.ok()) return model.error();
  const std::vector<Signature> signatures = model->Signatures();
  out_ << kInfo << "The Model contains " << signatures.size()
       << " signature key(s).\n";
  if (!signatures.empty()) out_ << kInfo << "They are listed below: \n";
  for (const Signature& signature : signatures) {
    out_ << kInfo << "-> Signature Key: " << signature.key << "\n";
  }
  out_ << std::flush;
  return std::nullopt;
}

RunPlan Benchmark::Plan(int64_t runs, double min_secs) const {
  RunPlan plan;
  plan.min_runs = options_.dry_run ? 0 : runs;
  plan.min_secs = options_.dry_run ? -1 : min_secs;
  plan.max_secs = options_.max_secs;
  plan.run_delay = options_.run_delay;
  plan.run_frequency = options_.run_frequency;
  return plan;
}

void Benchmark::LogPlan(const RunPlan& plan) {
  out_ << kInfo << "Running benchmark for at least " << plan.min_runs
       << " iterations and at least " << plan.min_secs
       << " seconds but terminate if exceeding " << plan.max_secs << " seconds."
       << std::endl;
}

std::optional<Error> Benchmark::WarmUp(Loaded& model) {
  const RunPlan plan = Plan(options_.warmup_runs, options_.warmup_min_secs);
  LogPlan(plan);
  Progress progress(libraries_.original(), "Warming up", plan.min_runs,
                    plan.min_secs, plan.max_secs);
  ErrorOr<Latencies> timings = RunModel(model.runnable(), plan, progress);
  if (!timings.ok()) return timings.error();
  ForwardLibraries();
  out_ << kInfo << MicrosLineWithPercentiles(*timings) << "\n" << std::endl;
  model.results.warmup = std::move(*timings);
  return std::nullopt;
}

std::optional<Error> Benchmark::Measure(Loaded& model) {
  RunPlan plan = Plan(options_.num_runs, options_.min_secs);
  plan.profile = true;
  if (!options_.samples.empty()) plan.samples = &samples_;
  LogPlan(plan);
  Progress progress(libraries_.original(), "Measuring", plan.min_runs,
                    plan.min_secs, plan.max_secs);
  ErrorOr<Latencies> timings = RunModel(model.runnable(), plan, progress);
  if (!timings.ok()) return timings.error();
  ForwardLibraries();
  out_ << kInfo << MicrosLineWithPercentiles(*timings) << "\n" << std::endl;
  model.results.inference = std::move(*timings);
  return std::nullopt;
}

std::optional<Error> Benchmark::MeasureBoth(Loaded& model, Loaded& other) {
  RunPlan plan = Plan(options_.num_runs, options_.min_secs);
  plan.profile = true;
  if (!options_.samples.empty()) plan.samples = &samples_;
  LogPlan(plan);
  Progress progress(libraries_.original(), "Measuring both", plan.min_runs,
                    plan.min_secs, plan.max_secs);
  ErrorOr<PairTimings> pairs =
      RunInterleaved(model.runnable(), other.runnable(), plan, progress);
  if (!pairs.ok()) return pairs.error();
  ForwardLibraries();
  if (pairs->first.count() > 0) {
    results_.ratio = SummarizeRatio(pairs->ratio_ppm);
  }
  out_ << kInfo << MicrosLineWithPercentiles(pairs->first) << "\n" << std::endl;
  model.results.inference = std::move(pairs->first);
  other.results.inference = std::move(pairs->second);
  return std::nullopt;
}

void Benchmark::PrintState(const Loaded& model, const char* when) {
  out_ << kInfo << "\n====Printing out TfLite interpreter " << when
       << " state begins====\n";
  model.session->PrintState(options_, out_);
  out_ << kInfo << "====Printing out TfLite interpreter " << when
       << " state ends====\n"
       << std::endl;
}

std::optional<Error> Benchmark::WriteOpProfile(const Loaded& model) {
  const OpProfiler* const profiler = model.session->profiler();
  if (profiler == nullptr) return std::nullopt;
  std::string text;
  if (options_.op_profiling_output_mode == "json") {
    JsonWriter json;
    WriteOps(*profiler, json);
    text = json.Text();
  } else {
    text = OpTables(*profiler, options_.op_profiling_output_mode == "csv");
  }
  if (!options_.op_profiling_output_file.empty()) {
    return WriteFile(options_.op_profiling_output_file, text);
  }
  out_ << kInfo << text << std::flush;
  return std::nullopt;
}

void Benchmark::PrintSummary() {
  const ModelResults& model = results_.model;
  out_ << kInfo << "Inference timings in us: Init: "
       << static_cast<int64_t>(model.init_us) << ", First inference: "
       << std::llround(static_cast<double>(model.warmup.first()) / 1e3)
       << ", Warmup (avg): " << model.warmup.mean() / 1e3
       << ", Inference (avg): " << model.inference.mean() / 1e3 << "\n";
  if (model.inference.count() > 0) {
    out_ << kInfo
         << "Inference percentiles in us: " << PercentileLine(model.inference)
         << "\n";
  }
  out_ << kInfo
       << "Note: as the benchmark tool itself affects memory footprint, the "
          "following is only APPROXIMATE to the actual memory footprint of the "
          "model at runtime. Take the information at your discretion.\n"
       << kInfo << "Memory footprint delta from the start of the tool (MB): "
       << "init=" << results_.init_memory_mb
       << " overall=" << results_.overall_memory_mb << "\n";
  if (results_.peak_memory_mb) {
    const ResidentMemory memory = CurrentMemory();
    out_ << kInfo
         << "Overall peak memory footprint (MB) via periodic monitoring: "
         << *results_.peak_memory_mb << "\n"
         << kInfo << "Memory status at the end of exeution:\n"
         << kInfo
         << "- VmRSS              : " << static_cast<int64_t>(memory.total_mb)
         << " MB\n"
         << kInfo << "+ RssAnnon           : "
         << static_cast<int64_t>(memory.total_mb - memory.shared_mb) << " MB\n"
         << kInfo
         << "+ RssFile + RssShmem : " << static_cast<int64_t>(memory.shared_mb)
         << " MB\n";
  }
  if (results_.ratio && results_.other) {
    const Ratio& ratio = *results_.ratio;
    const std::string other =
        results_.other->path + " in " + results_.other->runtime;
    out_ << kInfo << "Compared with " << other << ": "
         << MicrosLineWithPercentiles(results_.other->inference) << "\n"
         << kInfo << "Its inference percentiles in us: "
         << PercentileLine(results_.other->inference) << "\n"
         << kInfo
         << "Ratio of the times of each pair of runs: median=" << ratio.median
         << " p5=" << ratio.p5 << " p95=" << ratio.p95 << " of " << ratio.pairs
         << " pairs\n";
  }
  out_ << std::flush;
}

std::optional<Error> Benchmark::Finish(Loaded& model) {
  const int64_t runs =
      model.results.warmup.count() + model.results.inference.count();
  if (!options_.output_filepath.empty() && runs > 0) {
    std::string bytes;
    for (size_t i = 0; i < model.session->outputs().size(); ++i) {
      const ErrorOr<std::string> output = model.session->OutputBytes(i);
      if (!output.ok()) return output.error();
      bytes += *output;
    }
    if (auto error = WriteFile(options_.output_filepath, bytes)) return error;
  }
  if (auto error = WriteOpProfile(model)) return error;
  const std::string report = JsonReport(options_, results_);
  if (!options_.json.empty()) {
    if (auto error = WriteFile(options_.json, report)) return error;
  }
  if (!options_.samples.empty()) {
    if (auto error = WriteFile(options_.samples, SamplesText())) return error;
  }
  if (!options_.model_explorer.empty()) {
    if (auto error = WriteFile(options_.model_explorer,
                               ModelExplorerNodeData(*model.results.ops))) {
      return error;
    }
  }
  if (!options_.plot.empty()) {
    auto error = DrawPlot(plotter_, report, options_.plot);
    // What it wrote says why.
    if (error) return Error{error->message + ": " + libraries_.Take()};
  }
  out_ << Summary(options_, results_) << std::flush;
  return std::nullopt;
}

std::string Benchmark::SamplesText() const {
  std::string text;
  for (size_t i = 0; i < samples_.size(); ++i) {
    text += std::to_string(samples_[i]) +
            (results_.other && i % 2 == 0 ? "," : "\n");
  }
  return text;
}

std::optional<Error> Benchmark::Run() {
  out_ << kInfo << "STARTING!\n"
       << kInfo << "Log parameter values verbosely: [" << options_.verbose
       << "]\n";
  for (const auto& [name, value] : options_.log) {
    out_ << kInfo << name << ": [" << value << "]\n";
  }
  if (options_.list_signatures) return ListSignatures();
  const ErrorOr<std::vector<InputSpec>> specs = ParseInputSpecs(options_);
  if (!specs.ok()) return specs.error();
  if (auto error = CheckFiles()) return error;

  std::unique_ptr<PeakMemoryMonitor> monitor;
  if (options_.report_peak_memory_footprint) {
    int32_t interval_ms = options_.memory_footprint_check_interval_ms;
    if (interval_ms <= 0) {
      interval_ms = Options().memory_footprint_check_interval_ms;
      out_ << "WARN: --memory_footprint_check_interval_ms is "
           << options_.memory_footprint_check_interval_ms
           << "; it is taken for " << interval_ms << ", the default"
           << std::endl;
    }
    monitor = std::make_unique<PeakMemoryMonitor>(
        std::chrono::milliseconds(interval_ms));
  }
  const double start_mb = PeakMemoryMb();
  ErrorOr<Loaded> model = Load(options_, *specs);
  if (!model.ok()) return model.error();
  results_.init_memory_mb = PeakMemoryMb() - start_mb;
  std::optional<ErrorOr<Loaded>> other;
  const std::optional<Options> compared = ComparedOptions(options_);
  if (compared) {
    other = Load(*compared, *specs);
    if (!other->ok()) return other->error();
  }

  if (options_.print_preinvoke_state) PrintState(*model, "pre-invoke");
  StopOnInterrupt();
  if (auto error = WarmUp(*model)) return error;
  if (other) {
    if (auto error = WarmUp(**other)) return error;
    if (auto error = MeasureBoth(*model, **other)) return error;
  } else {
    if (auto error = Measure(*model)) return error;
  }
  results_.overall_memory_mb = PeakMemoryMb() - start_mb;
  if (monitor != nullptr) results_.peak_memory_mb = monitor->Stop();

  model->results.outputs = model->session->outputs();
  results_.model = model->results;
  if (other) {
    (**other).results.outputs = (**other).session->outputs();
    results_.other = (**other).results;
  }
  results_.interrupted = Interrupted();
  if (results_.interrupted) {
    out_ << "WARN: Interrupted: the results are those of the runs until then"
         << std::endl;
  }
  PrintSummary();
  if (options_.print_postinvoke_state) PrintState(*model, "post-invoke");
  return Finish(*model);
}

}  // namespace

std::optional<Error> RunBenchmark(const Options& options,
                                  StderrCapture& libraries, std::ostream& out) {
  return Benchmark(options, libraries, out).Run();
}

}  // namespace tflite::custom::benchmark
