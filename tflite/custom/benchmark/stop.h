#ifndef TFLITE_CUSTOM_BENCHMARK_STOP_H_
#define TFLITE_CUSTOM_BENCHMARK_STOP_H_

namespace tflite::custom::benchmark {

// From here on the first Ctrl-C only asks for an end: no further run begins,
// and what is there is reported. The second one ends the program.
void StopOnInterrupt();

// Whether it was asked for.
bool Interrupted();

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_STOP_H_
