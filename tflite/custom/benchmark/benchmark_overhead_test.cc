// What a run costs in benchmark_model beside the model itself.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tflite/custom/benchmark/clock.h"
#include "tflite/custom/benchmark/create_session.h"
#include "tflite/custom/benchmark/inputs.h"
#include "tflite/custom/benchmark/latencies.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/progress.h"
#include "tflite/custom/benchmark/runs.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"

namespace tflite::custom::benchmark {
namespace {

constexpr int64_t kRuns = 2000;
constexpr int kRepetitions = 40;

// The bar is 1 us; a machine that does other things, or a sanitizer, gets more.
constexpr double kMostNanos = 5000;

class BenchmarkOverheadTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Runtimes, BenchmarkOverheadTest,
                         testing::Values("tflite", "litert"));

TEST_P(BenchmarkOverheadTest, RunsCostLittleMoreThanBareInvocations) {
  Options options;
  options.runtime = GetParam();
  ErrorOr<Model> model = Model::Load("tflite/custom/atan_only.tflite");
  ASSERT_TRUE(model.ok()) << model.error().message;
  std::ostringstream log;
  ErrorOr<std::unique_ptr<Session>> session =
      CreateSession(std::move(*model), options, {}, log);
  ASSERT_TRUE(session.ok()) << session.error().message;
  const ErrorOr<Inputs> inputs = Inputs::Create(**session, {});
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;

  RunPlan plan;
  plan.min_runs = kRuns;
  plan.max_secs = 1e6;
  // The least of many that are short: what else the machine does only ever
  // adds.
  int64_t bare = std::numeric_limits<int64_t>::max();
  int64_t measured = bare;
  for (int i = 0; i < kRepetitions; ++i) {
    int64_t start = NowNanos();
    for (int64_t run = 0; run < kRuns; ++run) {
      ASSERT_TRUE((*session)->Invoke());
    }
    bare = std::min(bare, NowNanos() - start);
    Progress progress(-1, "", plan.min_runs, plan.min_secs, plan.max_secs);
    start = NowNanos();
    const ErrorOr<Latencies> timings =
        RunModel({session->get(), &*inputs}, plan, progress);
    measured = std::min(measured, NowNanos() - start);
    ASSERT_TRUE(timings.ok());
    ASSERT_EQ(timings->count(), kRuns);
  }
  const double overhead = static_cast<double>(measured - bare) / kRuns;
  std::printf("%s: a bare invocation: %.1f ns; benchmark_model adds %.1f ns\n",
              GetParam(), static_cast<double>(bare) / kRuns, overhead);
  RecordProperty("overhead_ns", std::to_string(overhead));
  EXPECT_LT(overhead, kMostNanos);
}

}  // namespace
}  // namespace tflite::custom::benchmark
