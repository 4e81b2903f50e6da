#ifndef TFLITE_CUSTOM_BENCHMARK_PLOTTER_H_
#define TFLITE_CUSTOM_BENCHMARK_PLOTTER_H_

#include <optional>
#include <string>

#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {

// The path of plot_report.py's program among the files that this program runs
// with. An error says what to do without it.
ErrorOr<std::string> FindPlotter();

// Draws `report`, as --json writes it, into the file at `path`, whose ending is
// the picture's format. The plotter writes what goes wrong to standard error.
std::optional<Error> DrawPlot(const std::string& plotter,
                              const std::string& report,
                              const std::string& path);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_PLOTTER_H_
