// What Atan is measured beside, and Atan: y[i] for each x[i]. In C, so that
// atan_comparison.py can call the same code as atan_benchmark.cc.
#ifndef TFLITE_CUSTOM_ATAN_LOOPS_H_
#define TFLITE_CUSTOM_ATAN_LOOPS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The guide's loop over std::atan(float).
void AtanLoopsFloat(size_t size, const float* x, float* y);

// The loop over atan(double), which `atan(x)` is in the guide's listing in C.
void AtanLoopsDouble(size_t size, const float* x, float* y);

// The arithmetic of the kernel.
void AtanLoopsKernel(size_t size, const float* x, float* y);

// memcpy: as many bytes as the others read and write.
void AtanLoopsCopy(size_t size, const float* x, float* y);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_ATAN_LOOPS_H_
