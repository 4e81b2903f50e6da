#ifndef TFLITE_CUSTOM_FUZZ_FUZZ_TARGET_H_
#define TFLITE_CUSTOM_FUZZ_FUZZ_TARGET_H_

#include <cstddef>
#include <cstdint>

// What libFuzzer calls, and replay.cc, with bytes of any kind. 0: done; -1: not
// worth keeping.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif  // TFLITE_CUSTOM_FUZZ_FUZZ_TARGET_H_
