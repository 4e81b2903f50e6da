#include "tflite/custom/linalg/cross_math.h"

#include <stddef.h>
#include <stdint.h>

// `W` is a type in which a product of two `T` neither overflows an int nor, for
// floats, is computed in another precision.
#define DEFINE_CROSS(NAME, T, W)                                   \
  void NAME(size_t count, const T* a, const T* b, T* out) {        \
    for (size_t i = 0; i < count; ++i, a += 3, b += 3, out += 3) { \
      const W a0 = a[0], a1 = a[1], a2 = a[2];                     \
      const W b0 = b[0], b1 = b[1], b2 = b[2];                     \
      out[0] = (T)(a1 * b2 - a2 * b1);                             \
      out[1] = (T)(a2 * b0 - a0 * b2);                             \
      out[2] = (T)(a0 * b1 - a1 * b0);                             \
    }                                                              \
  }

DEFINE_CROSS(CrossF32, float, float)
DEFINE_CROSS(CrossF64, double, double)
DEFINE_CROSS(CrossU8, uint8_t, uint32_t)
DEFINE_CROSS(CrossU16, uint16_t, uint32_t)
DEFINE_CROSS(CrossU32, uint32_t, uint32_t)
DEFINE_CROSS(CrossU64, uint64_t, uint64_t)
