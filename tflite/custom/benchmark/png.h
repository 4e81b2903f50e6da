#ifndef TFLITE_CUSTOM_BENCHMARK_PNG_H_
#define TFLITE_CUSTOM_BENCHMARK_PNG_H_

#include <string>

#include "tflite/custom/benchmark/canvas.h"

namespace tflite::custom::benchmark {

// The bytes of a PNG file: four bits a pixel, not compressed, so that no
// compression library is needed.
std::string EncodePng(const Canvas& canvas);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_PNG_H_
