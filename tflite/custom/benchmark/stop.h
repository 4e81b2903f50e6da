#ifndef TFLITE_CUSTOM_BENCHMARK_STOP_H_
#define TFLITE_CUSTOM_BENCHMARK_STOP_H_

namespace tflite::custom::benchmark {

// From here on the first Ctrl-C, or SIGTERM, only asks for an end: no further
// run begins, and what is there is reported. The second one ends the program.
void StopOnSignals();

// The signal that asked for an end; 0 where none did.
int StopSignal();

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_STOP_H_
