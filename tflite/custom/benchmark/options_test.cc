#include "tflite/custom/benchmark/options.h"

#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/benchmark/flags.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {
namespace {

using Log = std::vector<std::pair<std::string, std::string>>;

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
  EXPECT_EQ(options->run_delay, -1.0f);
  EXPECT_EQ(options->run_frequency, -1.0f);
  EXPECT_EQ(options->op_profiling_output_mode, "stdout");
  EXPECT_EQ(options->max_profiling_buffer_entries, 1024);
  EXPECT_EQ(options->memory_footprint_check_interval_ms, 50);
  EXPECT_EQ(options->runtime, "tflite");
  // Of what was not given, only what to run.
  EXPECT_EQ(options->log, (Log{{"Graph", ""}, {"Signature to run", ""}}));
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
  EXPECT_EQ(options->warmup_min_secs, 1e-3f);
  EXPECT_EQ(options->use_xnnpack, false);
  EXPECT_TRUE(options->help);
  // In the order in which the public tool logs them.
  EXPECT_EQ(options->log, (Log{{"Min num runs", "7"},
                               {"Min runs duration (seconds)", "-1"},
                               {"Max runs duration (seconds)", "2.5"},
                               {"#threads used for CPU inference", "0"},
                               {"Min warmup runs", "0"},
                               {"Min warmup runs duration (seconds)", "0.001"},
                               {"Graph", "a=b.tflite"},
                               {"Signature to run", ""},
                               {"Use xnnpack", "0"},
                               {"Print out all supported flags", "1"}}));
}

// A value that the flag takes and that is not its default.
std::string OtherValue(const Flag& flag) {
  if (flag.name == "runtime" || flag.name == "compare_runtime") return "litert";
  if (flag.name == "op_profiling_output_mode") return "json";
  if (flag.name == "plot") return "a.svg";
  const std::string value = flag.get(Options());
  if (flag.type == "bool") return value == "true" ? "false" : "true";
  return flag.type == "string" ? "a" : "77";
}

TEST(OptionsTest, EveryFlagSetsWhatItShows) {
  for (const Flag& flag : Flags()) {
    Options options;
    EXPECT_TRUE(flag.set(OtherValue(flag), options)) << flag.name;
    EXPECT_EQ(flag.get(options), OtherValue(flag)) << flag.name;
    for (const Flag& other : Flags()) {
      if (&other == &flag) continue;
      EXPECT_EQ(other.get(options), other.get(Options()))
          << flag.name << " sets " << other.name;
    }
  }
}

TEST(OptionsTest, VerboseLogsEveryFlag) {
  const ErrorOr<Options> options = ParseOptions({"--verbose"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->log.size(), Flags().size());
}

TEST(OptionsTest, FlagsOfOtherBuildsAreRefusedByNameUnlessTheyAskForNothing) {
  for (const RefusedFlag& flag : RefusedFlags()) {
    const std::string argument = "--" + flag.name + "=";
    EXPECT_EQ(ErrorOf({argument + "9"}),
              "--" + flag.name + " is not available: " + flag.reason);
    EXPECT_TRUE(ParseOptions({argument + flag.default_value}).ok())
        << flag.name;
    for (const Flag& served : Flags()) EXPECT_NE(served.name, flag.name);
  }
  EXPECT_EQ(ErrorOf({"--use_gpu"}),
            "--use_gpu is not available: TFLite's C library has no GPU "
            "delegate");
  EXPECT_EQ(ErrorOf({"--use_gpu=0"}), "no error");
  EXPECT_NE(ErrorOf({"--use_gpu=1"}), "no error");
}

TEST(OptionsTest, FlagsThatContradictOneAnother) {
  EXPECT_EQ(ErrorOf({"--input_layer=x"}),
            "--input_layer is given without --input_layer_shape");
  EXPECT_EQ(ErrorOf({"--input_layer_shape=1"}),
            "--input_layer_shape is given without --input_layer");
  EXPECT_EQ(ErrorOf({"--external_delegate_options=a:b"}),
            "--external_delegate_options is given without "
            "--external_delegate_path");
  EXPECT_EQ(ErrorOf({"--use_xnnpack=false", "--xnnpack_force_fp16"}),
            "--xnnpack_force_fp16 is given, but --use_xnnpack is false");
  EXPECT_EQ(ErrorOf({"--dry_run", "--compare=a"}),
            "--compare has nothing to compare if --dry_run is true");
  EXPECT_EQ(ErrorOf({"--dry_run", "--compare_runtime=litert"}),
            "--compare_runtime has nothing to compare if --dry_run is true");
}

TEST(OptionsTest, LitertRefusesWhatItCannotDoUnlessItAsksForNothing) {
  EXPECT_EQ(ErrorOf({"--enable_op_profiling", "--runtime=litert"}),
            "--enable_op_profiling is 'true', which is not available with "
            "--runtime=litert: LiteRT's CompiledModel does not show its ops");
  EXPECT_EQ(ErrorOf({"--use_xnnpack=0", "--runtime=litert"}),
            "--use_xnnpack is 'false', which is not available with "
            "--runtime=litert: LiteRT's CompiledModel applies delegates of its "
            "own");
  EXPECT_EQ(ErrorOf({"--use_xnnpack=1", "--enable_op_profiling=0",
                     "--runtime=litert"}),
            "no error");
}

TEST(OptionsTest, LitertRefusesTheSameWhereItIsComparedWith) {
  EXPECT_EQ(ErrorOf({"--enable_op_profiling", "--compare_runtime=litert"}),
            "--enable_op_profiling is 'true', which is not available with "
            "--compare_runtime=litert: LiteRT's CompiledModel does not show "
            "its ops");
  EXPECT_EQ(ErrorOf({"--enable_op_profiling", "--compare_runtime=tflite"}),
            "no error");
}

TEST(OptionsTest, ComparedModelAndRuntimeAreTheFirstOnesWhereNotGiven) {
  const auto compared = [](std::vector<std::string> arguments) {
    arguments.push_back("--graph=a");
    const ErrorOr<Options> options = ParseOptions(arguments);
    EXPECT_TRUE(options.ok());
    const std::optional<Options> other = ComparedOptions(*options);
    return other ? other->graph + " in " + other->runtime : "none";
  };
  EXPECT_EQ(compared({}), "none");
  EXPECT_EQ(compared({"--compare=b"}), "b in tflite");
  EXPECT_EQ(compared({"--compare=b", "--runtime=litert"}), "b in litert");
  EXPECT_EQ(compared({"--compare_runtime=litert"}), "a in litert");
  EXPECT_EQ(compared({"--compare_runtime=tflite", "--runtime=litert"}),
            "a in tflite");
  EXPECT_EQ(compared({"--compare=b", "--compare_runtime=litert"}),
            "b in litert");
}

TEST(OptionsTest, TheOldFlagForCsvStandsForTheNewOnes) {
  const ErrorOr<Options> options =
      ParseOptions({"--profiling_output_csv_file=a.csv"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->op_profiling_output_mode, "csv");
  EXPECT_EQ(options->op_profiling_output_file, "a.csv");
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
            "--num_threads is '-2'; it must be an integer from -1 to 1024");
  EXPECT_EQ(ErrorOf({"--num_threads=100000"}),
            "--num_threads is '100000'; it must be an integer from -1 to 1024");
  EXPECT_EQ(ErrorOf({"--plot=a.jpg"}),
            "--plot is 'a.jpg'; it must be the path of a .png or .svg file");
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
  EXPECT_EQ(ErrorOf({"-num_runs=1"}),
            "unexpected argument '-num_runs=1'; flags are written "
            "--name=value");
  EXPECT_EQ(ErrorOf({"a.tflite", "b.tflite"}),
            "unexpected argument 'b.tflite'; the model is a.tflite, and a "
            "second one goes to --compare=FILE");
}

TEST(OptionsTest, ValueMayFollowItsFlagAndModelStandsAlone) {
  const ErrorOr<Options> options = ParseOptions(
      {"--num_runs", "5", "a.tflite", "--num_threads", "-1", "--use_xnnpack",
       "false", "--use_gpu", "false", "--verbose"},
      "default.tflite");
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->num_runs, 5);
  EXPECT_EQ(options->graph, "a.tflite");
  EXPECT_EQ(options->num_threads, -1);
  EXPECT_EQ(options->use_xnnpack, false);
  EXPECT_TRUE(options->verbose);
  // A switch does not take the model for its value.
  const ErrorOr<Options> other = ParseOptions({"--verbose", "a.tflite"});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->graph, "a.tflite");
  EXPECT_EQ(ParseOptions({}, "default.tflite")->graph, "default.tflite");
  EXPECT_TRUE(ParseOptions({"-h"})->help);
}

TEST(OptionsTest, ModelExplorerNeedsTheOpsOfTheModel) {
  EXPECT_NE(ErrorOf({"--model_explorer=a"}).find("--use_xnnpack=false"),
            std::string::npos);
  const ErrorOr<Options> options =
      ParseOptions({"--model_explorer=a", "--use_xnnpack=false"});
  ASSERT_TRUE(options.ok());
  EXPECT_TRUE(options->enable_op_profiling);
}

TEST(OptionsTest, UsageShowsEveryFlagOnceAndTheRefusedOnesWhereAskedFor) {
  std::multiset<std::string> grouped;
  for (const FlagGroup& group : FlagGroups()) {
    grouped.insert(group.flags.begin(), group.flags.end());
  }
  std::multiset<std::string> all;
  for (const Flag& flag : Flags()) all.insert(flag.name);
  EXPECT_EQ(grouped, all);
  std::ostringstream usage;
  PrintUsage("benchmark_model", false, usage);
  std::ostringstream full;
  PrintUsage("benchmark_model", true, full);
  const auto has = [](const std::ostringstream& out, const std::string& name,
                      const std::string& value) {
    return out.str().find("  --" + name + "=" + value) != std::string::npos;
  };
  for (const Flag& flag : Flags()) {
    EXPECT_TRUE(has(usage, flag.name, flag.get(Options()))) << flag.name;
  }
  for (const RefusedFlag& flag : RefusedFlags()) {
    EXPECT_TRUE(has(full, flag.name, flag.default_value)) << flag.name;
    EXPECT_FALSE(has(usage, flag.name, flag.default_value)) << flag.name;
  }
}

}  // namespace
}  // namespace tflite::custom::benchmark
