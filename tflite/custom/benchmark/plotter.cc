#include "tflite/custom/benchmark/plotter.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "tflite/custom/benchmark/files.h"
#include "tflite/custom/model/error_or.h"

extern char** environ;

namespace tflite::custom::benchmark {
namespace {

namespace fs = std::filesystem;

constexpr char kPlotter[] = "tflite/custom/benchmark/plot_report";

// Where Bazel keeps the files that a program runs with: named by whoever
// started it, beside the program, or around it.
std::vector<fs::path> RunfilesFolders() {
  std::vector<fs::path> folders;
  for (const char* name : {"RUNFILES_DIR", "TEST_SRCDIR"}) {
    if (const char* folder = std::getenv(name)) folders.emplace_back(folder);
  }
  std::error_code error;
  std::string started;  // As it was called, which may lead through links.
  std::ifstream command("/proc/self/cmdline");
  std::getline(command, started, '\0');
  for (const fs::path& program : {fs::absolute(started, error),
                                  fs::read_symlink("/proc/self/exe", error)}) {
    folders.push_back(program.string() + ".runfiles");
    for (fs::path parent = program.parent_path(); parent != parent.root_path();
         parent = parent.parent_path()) {
      if (parent.extension() == ".runfiles") folders.push_back(parent);
    }
  }
  return folders;
}

}  // namespace

ErrorOr<std::string> FindPlotter() {
  for (const fs::path& folder : RunfilesFolders()) {
    std::error_code error;
    // A folder for each workspace, whatever its users call it.
    for (const fs::directory_entry& workspace :
         fs::directory_iterator(folder, error)) {
      const fs::path plotter = workspace.path() / kPlotter;
      if (access(plotter.c_str(), X_OK) == 0) return plotter.string();
    }
  }
  return Error{
      "cannot draw --plot: the program that draws is not among the runfiles of "
      "this one, which `bazel run` and `bazel build` put beside it; write "
      "--json=FILE and draw that with `bazel run "
      "//tflite/custom/benchmark:plot_report -- FILE PICTURE`"};
}

std::optional<Error> DrawPlot(const std::string& plotter,
                              const std::string& report,
                              const std::string& path) {
  const auto failed = [&](int error) {
    return Error{"cannot draw " + path + ": " + std::strerror(error)};
  };
  const int in = memfd_create("report", MFD_CLOEXEC);
  const int picture = memfd_create("picture", MFD_CLOEXEC);
  const std::string picture_path = "/proc/self/fd/" + std::to_string(picture);
  if (in < 0 || picture < 0) return failed(errno);
  // Into memory a write is whole.
  if (write(in, report.data(), report.size()) !=
      static_cast<ssize_t>(report.size())) {
    return failed(errno);
  }
  lseek(in, 0, SEEK_SET);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, picture, STDOUT_FILENO);
  std::string program = plotter;
  std::string format = "--format=" + path.substr(path.size() - 3);
  char* arguments[] = {program.data(), format.data(), nullptr};
  pid_t child = 0;
  int error =
      posix_spawn(&child, program.c_str(), &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  close(in);
  int status = 0;
  if (error == 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  std::optional<Error> result;
  if (error != 0) {
    result = failed(error);
  } else if (status != 0) {
    result = Error{"cannot draw " + path + ": " + plotter + " failed"};
  } else {
    const ErrorOr<std::vector<char>> drawn = ReadFile(picture_path, SIZE_MAX);
    result = drawn.ok()
                 ? WriteFile(path, std::string(drawn->begin(), drawn->end()))
                 : drawn.error();
  }
  close(picture);
  return result;
}

}  // namespace tflite::custom::benchmark
