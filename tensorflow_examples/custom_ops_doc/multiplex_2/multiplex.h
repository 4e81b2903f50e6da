#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace custom_op_examples {

// Cycles an element, by which a kernel decides how many threads the work is
// worth: a core moves some 16 bytes a cycle, and a string takes a hundred.
template <typename T>
inline constexpr int64_t kCyclesPerElement =
    std::is_trivially_copyable_v<T>
        ? std::max<int64_t>(1, (sizeof(bool) + 3 * sizeof(T)) / 16)
        : 100;

// Writes a[i] to out[i] where cond[i] holds, else b[i], for each i < size.
//
// This is all the arithmetic of the op and knows nothing of TensorFlow, so a
// test, a benchmark or another runtime can call it as it is. `a` and `b` are
// pointers to T, or anything with an operator[] that gives a T. `out` may be
// one of them, but may not overlap either in any other way. `Cond` is bool, or
// an integer where nobody vouches for bytes of 0 and 1.
//
// multiplex_simd.h makes the most of a CPU's instructions and caches with it.
template <typename T, typename Cond, typename A, typename B>
[[gnu::always_inline]] inline void Multiplex(const Cond* cond, A a, B b,
                                             int64_t size, T* out) {
  for (int64_t i = 0; i < size; ++i) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      // Reading both sides first leaves no branch, so the loop can use SIMD.
      const T if_true = a[i];
      const T if_false = b[i];
      out[i] = cond[i] ? if_true : if_false;
    } else {
      // A string or a handle is costly to copy: touch only the chosen one.
      const T& chosen = cond[i] ? a[i] : b[i];
      if (&chosen != &out[i]) out[i] = chosen;
    }
  }
}

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_H_
