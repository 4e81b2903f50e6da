#include "tflite/custom/atan_math.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tflite::custom::atan_op {
namespace {

uint32_t BitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

float FloatOf(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// atan(x) without a branch, so that a loop over it becomes SIMD, and with
// nothing but IEEE operations in a fixed order: every machine computes the same
// bits, whatever its C library and its vector width.
//
// A magnitude a above 1 is reduced by atan(a) = pi/2 + atan(-1/a). On [0, 1],
// atan(r) = r + r * z * P(z) with z = r * r, where P is the polynomial of
// degree 8 with the least greatest relative error, 2^-28.5 (fitted by Lawson's
// algorithm on Chebyshev points).
float AtanOf(float x) {
  constexpr uint32_t kSignBit = 0x80000000;
  constexpr uint32_t kOne = 0x3f800000;
  constexpr uint32_t kTiny = 0x39800000;  // 2^-12
  const uint32_t sign = BitsOf(x) & kSignBit;
  const uint32_t magnitude = BitsOf(x) ^ sign;
  const float a = FloatOf(magnitude);
  const bool reduced = magnitude > kOne;
  const float r = reduced ? -1.0f / a : a;
  const float z = r * r;
  // P in pairs, and pairs of pairs (Estrin's scheme): Horner's one chain of 16
  // operations keeps the processor waiting.
  const float z2 = z * z;
  const float z4 = z2 * z2;
  const float p01 = -0.33333298563957214f + z * 0.19998548924922943f;
  const float p23 = -0.14264242351055145f + z * 0.10952185839414597f;
  const float p45 = -0.0840345025062561f + z * 0.057957593351602554f;
  const float p67 = -0.03117784671485424f + z * 0.010914606042206287f;
  const float p8 = -0.0017936218064278364f;
  const float p = (p01 + z2 * p23) + z4 * (p45 + z2 * (p67 + z2 * p8));
  // pi/2 in two parts: what a float holds of it, and what that leaves out.
  const float low = r * (z * p) + (reduced ? -4.37113883e-8f : 0.0f);
  float y = (reduced ? 1.57079637f : 0.0f) + (r + low);
  // A tiny one is its own arc tangent. It is compared and passed on as bits, so
  // a denormal survives in a thread that flushes them to zero.
  y = magnitude < kTiny ? a : y;
  return FloatOf(BitsOf(y) | sign);
}

}  // namespace

// The loader picks the widest that the processor has. They compute the same
// bits: no fused operation is allowed. The features are named, as a processor's
// name ("arch=haswell") would leave out the other maker's.
__attribute__((target_clones("avx512f", "avx2", "default"))) void Atan(
    size_t size, const float* x, float* y) {
  // Four vectors at once hide the latency of the division.
#pragma clang loop interleave_count(4)
  for (size_t i = 0; i < size; ++i) y[i] = AtanOf(x[i]);
}

}  // namespace tflite::custom::atan_op
