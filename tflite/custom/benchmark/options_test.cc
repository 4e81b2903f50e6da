#include "tflite/custom/benchmark/options.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/benchmark/error_or.h"

namespace tflite::custom::benchmark {
namespace {

std::string ErrorOf(const std::vector<std::string>& arguments) {
  const ErrorOr<Options> options = ParseOptions(arguments);
  return options.ok() ? "no error" : options.error().message;
}

TEST(OptionsTest, DefaultsAreThePublicTools) {
  const ErrorOr<Options> options = ParseOptions({});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->graph, "");
  EXPECT_EQ(options->num_threads, -1);
  EXPECT_EQ(options->num_runs, 50);
  EXPECT_EQ(options->min_secs, 1.0);
  EXPECT_EQ(options->max_secs, 150.0);
  EXPECT_EQ(options->warmup_runs, 1);
  EXPECT_EQ(options->warmup_min_secs, 0.5);
  EXPECT_FALSE(options->use_xnnpack.has_value());
  EXPECT_FALSE(options->help);
  EXPECT_TRUE(options->set.empty());
}

TEST(OptionsTest, ReadsEveryFlag) {
  const ErrorOr<Options> options =
      ParseOptions({"--graph=a=b.tflite", "--num_threads=0", "--num_runs=7",
                    "--min_secs=-1", "--max_secs=2.5", "--warmup_runs=0",
                    "--warmup_min_secs=1e-3", "--use_xnnpack=0", "--help"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->graph, "a=b.tflite");
  EXPECT_EQ(options->num_threads, 0);
  EXPECT_EQ(options->num_runs, 7);
  EXPECT_EQ(options->min_secs, -1.0);
  EXPECT_EQ(options->max_secs, 2.5);
  EXPECT_EQ(options->warmup_runs, 0);
  EXPECT_EQ(options->warmup_min_secs, 1e-3);
  EXPECT_EQ(options->use_xnnpack, false);
  EXPECT_TRUE(options->help);
  ASSERT_EQ(options->set.size(), 9);
  EXPECT_EQ(options->set[0],
            (std::pair<std::string, std::string>("Graph", "a=b.tflite")));
}

TEST(OptionsTest, LastOfTwoWins) {
  const ErrorOr<Options> options =
      ParseOptions({"--num_runs=1", "--num_runs=2"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->num_runs, 2);
}

TEST(OptionsTest, UnknownFlagNamesTheNearest) {
  EXPECT_EQ(ErrorOf({"--num_run=1"}),
            "unknown flag --num_run; the nearest is --num_runs, and --help "
            "lists all");
  EXPECT_NE(ErrorOf({"--grpah=x"}).find("--graph"), std::string::npos);
  EXPECT_NE(ErrorOf({"--xnnpack=true"}).find("--use_xnnpack"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"--="}).find("unknown flag --;"), std::string::npos);
}

TEST(OptionsTest, BadValueNamesFlagValueAndWhatIsAllowed) {
  EXPECT_EQ(ErrorOf({"--num_runs=many"}),
            "--num_runs is 'many'; it must be an integer of at least 0");
  EXPECT_EQ(ErrorOf({"--num_threads=-2"}),
            "--num_threads is '-2'; it must be an integer of at least -1");
  EXPECT_EQ(ErrorOf({"--max_secs=-0.5"}),
            "--max_secs is '-0.5'; it must be a number of seconds, at least 0");
  EXPECT_EQ(ErrorOf({"--use_xnnpack=yes"}),
            "--use_xnnpack is 'yes'; it must be true or false");
  for (const char* argument :
       {"--num_runs=", "--num_runs=1.5", "--num_runs= 1", "--num_runs=1x",
        "--num_runs=99999999999", "--min_secs=nan", "--min_secs=inf",
        "--min_secs=", "--graph=", "--help=perhaps"}) {
    EXPECT_NE(ErrorOf({argument}).find("it must be"), std::string::npos)
        << argument;
  }
}

TEST(OptionsTest, FlagWithoutValueAndArgumentWithoutFlagAreErrors) {
  EXPECT_EQ(ErrorOf({"--num_runs"}),
            "--num_runs has no value; write --num_runs=VALUE, where VALUE must "
            "be an integer of at least 0");
  EXPECT_NE(ErrorOf({"model.tflite"}).find("--graph=FILE"), std::string::npos);
  EXPECT_NE(ErrorOf({"-h"}).find("unexpected argument '-h'"),
            std::string::npos);
}

TEST(OptionsTest, UsageShowsEveryFlagWithItsDefault) {
  std::ostringstream out;
  PrintUsage("benchmark_model", out);
  for (const char* flag :
       {"--graph=", "--num_threads=-1", "--num_runs=50", "--min_secs=1",
        "--max_secs=150", "--warmup_runs=1", "--warmup_min_secs=0.5",
        "--use_xnnpack=true", "--help=false"}) {
    EXPECT_NE(out.str().find(flag), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace tflite::custom::benchmark
