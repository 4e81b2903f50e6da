#include "tflite/custom/benchmark/benchmark.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <utility>

#include "tflite/custom/benchmark/error_or.h"
#include "tflite/custom/benchmark/inputs.h"
#include "tflite/custom/benchmark/model.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/benchmark/stat.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom::benchmark {
namespace {

constexpr char kInfo[] = "INFO: ";

int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double PeakMemoryMb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

ErrorOr<Stat> Run(Session& session, const Inputs& inputs, int32_t min_runs,
                  double min_secs, double max_secs, std::ostream& out) {
  out << kInfo << "Running benchmark for at least " << min_runs
      << " iterations and at least " << min_secs
      << " seconds but terminate if exceeding " << max_secs << " seconds."
      << std::endl;
  Stat stat;
  int64_t now = NowMicros();
  const int64_t earliest_end = now + static_cast<int64_t>(min_secs * 1e6);
  const int64_t latest_end = now + static_cast<int64_t>(max_secs * 1e6);
  for (int64_t run = 0;
       (run < min_runs || now < earliest_end) && now <= latest_end; ++run) {
    inputs.Fill();
    const int64_t start = NowMicros();
    const TfLiteStatus status = TfLiteInterpreterInvoke(session.interpreter());
    now = NowMicros();
    if (status != kTfLiteOk) {
      return Error{"cannot run " + session.model().path() + ": " +
                   session.log().Line()};
    }
    stat.Add(now - start);
  }
  out << kInfo << stat << "\n" << std::endl;
  return stat;
}

}  // namespace

std::optional<Error> RunBenchmark(const Options& options, std::ostream& out) {
  out << kInfo << "STARTING!\n"
      << kInfo << "Log parameter values verbosely: [0]\n";
  for (const auto& [name, value] : options.set) {
    out << kInfo << name << ": [" << value << "]\n";
  }

  const double start_mb = PeakMemoryMb();
  const int64_t start = NowMicros();
  ErrorOr<Model> model = Model::Load(options.graph);
  if (!model.ok()) return model.error();
  out << kInfo << "Loaded model " << options.graph << std::endl;
  ErrorOr<Session> session = Session::Create(std::move(*model), options);
  if (!session.ok()) return session.error();
  const int64_t init_us = NowMicros() - start;
  const double init_mb = PeakMemoryMb() - start_mb;
  out << kInfo << "The input model file size (MB): "
      << session->model().size_in_bytes() / 1e6 << "\n"
      << kInfo << "Initialized session in " << init_us / 1e3 << "ms."
      << std::endl;

  const ErrorOr<Inputs> inputs = Inputs::Create(session->interpreter());
  if (!inputs.ok()) return inputs.error();
  const ErrorOr<Stat> warmup =
      Run(*session, *inputs, options.warmup_runs, options.warmup_min_secs,
          options.max_secs, out);
  if (!warmup.ok()) return warmup.error();
  const ErrorOr<Stat> inference = Run(*session, *inputs, options.num_runs,
                                      options.min_secs, options.max_secs, out);
  if (!inference.ok()) return inference.error();
  const double overall_mb = PeakMemoryMb() - start_mb;

  out << kInfo << "Inference timings in us: Init: " << init_us
      << ", First inference: " << warmup->first()
      << ", Warmup (avg): " << warmup->avg()
      << ", Inference (avg): " << inference->avg() << "\n"
      << kInfo
      << "Note: as the benchmark tool itself affects memory footprint, the "
         "following is only APPROXIMATE to the actual memory footprint of the "
         "model at runtime. Take the information at your discretion.\n"
      << kInfo << "Memory footprint delta from the start of the tool (MB): "
      << "init=" << init_mb << " overall=" << overall_mb << std::endl;
  return std::nullopt;
}

}  // namespace tflite::custom::benchmark
