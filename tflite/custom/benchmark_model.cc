// Measures how long a model with custom ops takes, as TFLite's public tool of
// the same name does. See README.md.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "tflite/custom/benchmark/benchmark.h"
#include "tflite/custom/benchmark/error_or.h"
#include "tflite/custom/benchmark/options.h"

namespace {

constexpr char kDefaultGraph[] = "atan.tflite";

// Where the model lies that `graph` names. `bazel run` starts the program in
// another folder than the one it was typed in, and says which that was.
std::string ResolveGraph(const std::string& graph) {
  namespace fs = std::filesystem;
  if (graph.empty()) {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return (program.parent_path() / kDefaultGraph).string();
  }
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder == nullptr) return graph;
  return (fs::path(folder) / graph).string();
}

int Fail(const tflite::custom::benchmark::Error& error) {
  std::cerr << "ERROR: " << error.message << std::endl;
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tflite::custom::benchmark;  // NOLINT
  ErrorOr<Options> options =
      ParseOptions(std::vector<std::string>(argv + 1, argv + argc));
  if (!options.ok()) return Fail(options.error());
  if (options->help) {
    PrintUsage(argv[0], std::cout);
    return EXIT_SUCCESS;
  }
  options->graph = ResolveGraph(options->graph);
  const std::optional<Error> error = RunBenchmark(*options, std::cout);
  return error ? Fail(*error) : EXIT_SUCCESS;
}
