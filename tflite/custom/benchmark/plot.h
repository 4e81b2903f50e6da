#ifndef TFLITE_CUSTOM_BENCHMARK_PLOT_H_
#define TFLITE_CUSTOM_BENCHMARK_PLOT_H_

#include "tflite/custom/benchmark/canvas.h"
#include "tflite/custom/benchmark/report.h"

namespace tflite::custom::benchmark {

// The histogram of the times of the runs, of both models where there are two,
// and below it what each op took, where that was measured.
Canvas Plot(const Results& results);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_PLOT_H_
