// Measures how long a model with custom ops takes, as TFLite's public tool of
// the same name does. See benchmark/README.md.

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "tflite/custom/benchmark/benchmark.h"
#include "tflite/custom/benchmark/crash_report.h"
#include "tflite/custom/benchmark/default_graph.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/stop.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/stderr_capture.h"

namespace {

using ::tflite::custom::benchmark::kDefaultGraph;

// Empty where the program comes without one.
std::string DefaultGraph() {
  if (*kDefaultGraph == '\0') return "";
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / kDefaultGraph).string();
}

// `bazel run` starts the program in another folder than the one it was typed
// in, which is the one that paths are relative to, and says which that was.
void EnterFolderOfUser() {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && chdir(folder) != 0) {
    // Gone since; paths are then relative to where we are.
  }
}

// An error is one line, whatever a library or a file's name has in it.
int Fail(const tflite::custom::Error& error) {
  std::istringstream words(error.message);
  std::string line = "ERROR:";
  for (std::string word; words >> word;) line += " " + word;
  std::cerr << line << std::endl;
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tflite::custom;             // NOLINT
  using namespace tflite::custom::benchmark;  // NOLINT
  ErrorOr<Options> options = ParseOptions(
      std::vector<std::string>(argv + 1, argv + argc), DefaultGraph());
  if (!options.ok()) return Fail(options.error());
  if (options->help || options->helpfull) {
    PrintUsage(std::filesystem::path(argv[0]).filename().string(),
               options->helpfull, std::cout);
    return EXIT_SUCCESS;
  }
  if (options->graph.empty()) {
    return Fail({"--graph is missing: name the .tflite file to run"});
  }
  EnterFolderOfUser();
  std::optional<Error> error;
  {
    StderrCapture libraries;
    ReportCrashes(libraries.original(), options->graph);
    error = RunBenchmark(*options, libraries, std::cout);
  }
  if (error) return Fail(*error);
  // A shell's status for what a signal has ended.
  return Interrupted() ? 128 + SIGINT : EXIT_SUCCESS;
}
