#ifndef TFLITE_CUSTOM_BENCHMARK_DEFAULT_GRAPH_H_
#define TFLITE_CUSTOM_BENCHMARK_DEFAULT_GRAPH_H_

namespace tflite::custom::benchmark {

// The model that is run where no flag names one: its path, seen from the folder
// of the program. Empty where there is none. tflite_benchmark_model writes it.
extern const char kDefaultGraph[];

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_DEFAULT_GRAPH_H_
