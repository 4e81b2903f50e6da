#ifndef TFLITE_CUSTOM_ELEMENTWISE_PACKETS_H_
#define TFLITE_CUSTOM_ELEMENTWISE_PACKETS_H_

#include <algorithm>
#include <cstddef>

#include "Eigen/Core"
#include "tflite/custom/elementwise/loops.h"
#include "tflite/custom/elementwise/run.h"
#include "unsupported/Eigen/SpecialFunctions"

#if defined(EIGEN_VECTORIZE_SSE) && !defined(EIGEN_VECTORIZE_AVX) && \
    !defined(EIGEN_VECTORIZE_FMA) && EIGEN_FAST_MATH
namespace Eigen::internal {

// Eigen approximates a reciprocal with AVX, for which TensorFlow is compiled,
// and divides with plain SSE, for which this is. Erfc and Ndtri would be
// several ULP from TensorFlow's. The instruction's last bits are the
// processor's own choice, in TensorFlow too.
template <>
EIGEN_STRONG_INLINE Packet4f preciprocal<Packet4f>(const Packet4f& x) {
  return generic_reciprocal_newton_step<Packet4f, /*Steps=*/1>::run(
      x, _mm_rcp_ps(x));
}

}  // namespace Eigen::internal
#endif

namespace tflite::custom::elementwise {

// Eigen's functor over `kInputs` inputs, all with step 1, in SIMD where Eigen
// has that for it. The last few elements go through the same packet functions
// as the others, so that an element's value does not depend on where it stands.
template <typename T, typename Functor, int kInputs = 1>
void Packets(const Run& run) {
  using Eigen::internal::ploadu;
  using Eigen::internal::pstoreu;
  using Packet = typename Eigen::internal::packet_traits<T>::type;
  constexpr size_t kSize = Eigen::internal::unpacket_traits<Packet>::size;
  static_assert(kInputs == 1 || kInputs == 2);

  const Functor functor;
  const T* inputs[kInputs];
  for (int i = 0; i < kInputs; ++i) inputs[i] = InputOf<T>(run, i);
  T* y = static_cast<T*>(run.output);
  if constexpr (Eigen::internal::functor_traits<Functor>::PacketAccess) {
    const auto packet = [&functor](const T* const* in, size_t at) {
      if constexpr (kInputs == 1) {
        return functor.packetOp(ploadu<Packet>(in[0] + at));
      } else {
        return functor.packetOp(ploadu<Packet>(in[0] + at),
                                ploadu<Packet>(in[1] + at));
      }
    };
    size_t i = 0;
    for (; i + kSize <= run.size; i += kSize) pstoreu(y + i, packet(inputs, i));
    if (i == run.size) return;
    T rest[kInputs][kSize];
    const T* rests[kInputs];
    for (int input = 0; input < kInputs; ++input) {
      // The first of them again, rather than a value that could be slow.
      std::fill_n(rest[input], kSize, inputs[input][i]);
      std::copy(inputs[input] + i, inputs[input] + run.size, rest[input]);
      rests[input] = rest[input];
    }
    T result[kSize];
    pstoreu(result, packet(rests, 0));
    std::copy_n(result, run.size - i, y + i);
  } else if constexpr (kInputs == 1) {
    Unary<T>(run, functor);
  } else {
    Binary<T>(run, functor);
  }
}

}  // namespace tflite::custom::elementwise

#endif  // TFLITE_CUSTOM_ELEMENTWISE_PACKETS_H_
