#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_H_

#include <cstdint>
#include <type_traits>

namespace custom_op_examples {
namespace multiplex_internal {

template <typename T, typename Cond>
inline void MultiplexLoop(const Cond* cond, const T* a, const T* b,
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

}  // namespace multiplex_internal

// Writes a[i] to out[i] where cond[i] holds, else b[i], for each i < size.
//
// `out` may be `a` or `b` itself, but may not overlap either in any other way.
// This is all the arithmetic of the op and knows nothing of TensorFlow, so a
// benchmark or another runtime can call it as it is.
//
// `Cond` is bool, or an integer where nobody vouches for bytes of 0 and 1.
template <typename T, typename Cond>
void Multiplex(const Cond* cond, const T* a, const T* b, int64_t size, T* out) {
  // A compiler uses SIMD on memory that overlaps only where it can see that
  // the two pointers are the same one.
  if (out == a) {
    multiplex_internal::MultiplexLoop<T>(cond, out, b, size, out);
  } else if (out == b) {
    multiplex_internal::MultiplexLoop<T>(cond, a, out, size, out);
  } else {
    multiplex_internal::MultiplexLoop<T>(cond, a, b, size, out);
  }
}

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_H_
