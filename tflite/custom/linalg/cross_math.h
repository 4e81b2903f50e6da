#ifndef TFLITE_CUSTOM_LINALG_CROSS_MATH_H_
#define TFLITE_CUSTOM_LINALG_CROSS_MATH_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// out[i] = a[i] x b[i] for `count` vectors of three. `out` may be `a` or `b`.
// The arithmetic of integers wraps, so it is that of unsigned ones: the bits
// are the same.
void CrossF32(size_t count, const float* a, const float* b, float* out);
void CrossF64(size_t count, const double* a, const double* b, double* out);
void CrossU8(size_t count, const uint8_t* a, const uint8_t* b, uint8_t* out);
void CrossU16(size_t count, const uint16_t* a, const uint16_t* b,
              uint16_t* out);
void CrossU32(size_t count, const uint32_t* a, const uint32_t* b,
              uint32_t* out);
void CrossU64(size_t count, const uint64_t* a, const uint64_t* b,
              uint64_t* out);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_LINALG_CROSS_MATH_H_
