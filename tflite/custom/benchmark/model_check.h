#ifndef TFLITE_CUSTOM_BENCHMARK_MODEL_CHECK_H_
#define TFLITE_CUSTOM_BENCHMARK_MODEL_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>

namespace tflite::custom::benchmark {

// What the runtime takes on trust in a model's flatbuffer, whose structure it
// has verified; null where all is well. Otherwise what is wrong, to go after
// "FILE is damaged: ". `model` is the flatbuffer's root table.
//
// The runtime itself refuses a constant whose bytes are not as many as its
// shape and type need, unless it is of strings or sparse: these are looked at
// here.
std::optional<std::string> CheckModel(const uint8_t* model);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_MODEL_CHECK_H_
