#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace custom_op_examples {

// A scalar in the place of an array: each of its elements is `value`.
template <typename T>
struct Repeated {
  const T& operator[](int64_t) const { return value; }
  Repeated operator+(int64_t) const { return *this; }

  // A string or a handle is costly to copy. A number is not, and a copy is seen
  // to stay the same while the output is written.
  std::conditional_t<std::is_trivially_copyable_v<T>, const T, const T&> value;
};

// How the output is written.
enum class Store {
  kCached,
  // Past the caches, which saves reading each line of it before it is written:
  // a quarter of the time of large outputs, which no cache would hold anyway.
  kStreamed,
};

// How an output of so many bytes is best written.
inline Store StoreFor(int64_t bytes) {
  return bytes < (int64_t{16} << 20) ? Store::kCached : Store::kStreamed;
}

namespace multiplex_internal {

// Stands for an input in whose place the output is written. A compiler uses
// SIMD on memory that overlaps only where it can see that it is one array.
struct InPlace {
  InPlace operator+(int64_t) const { return {}; }
};

template <typename T, typename A>
[[gnu::always_inline]] inline const T& Element(const A& a, int64_t i,
                                               const T* out) {
  if constexpr (std::is_same_v<A, InPlace>) {
    return out[i];
  } else {
    return a[i];
  }
}

// Inlined, so that it is compiled for the instructions of each caller.
template <typename T, typename Cond, typename A, typename B>
[[gnu::always_inline]] inline void Loop(const Cond* cond, A a, B b,
                                        int64_t size, T* out) {
  for (int64_t i = 0; i < size; ++i) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      // Reading both sides first leaves no branch, so the loop can use SIMD.
      const T if_true = Element(a, i, out);
      const T if_false = Element(b, i, out);
      out[i] = cond[i] ? if_true : if_false;
    } else {
      // A string or a handle is costly to copy: touch only the chosen one.
      const T& chosen = cond[i] ? Element(a, i, out) : Element(b, i, out);
      if (&chosen != &out[i]) out[i] = chosen;
    }
  }
}

#ifdef __x86_64__

template <typename T, typename Cond, typename A, typename B>
[[gnu::target("avx2")]] void LoopAvx2(const Cond* cond, A a, B b, int64_t size,
                                      T* out) {
  Loop(cond, a, b, size, out);
}

// Computes a few cache lines, then streams them.
template <typename T, typename Cond, typename A, typename B>
[[gnu::target("avx2")]] void StreamAvx2(const Cond* cond, A a, B b,
                                        int64_t size, T* out) {
  // Of the lengths tried, 512 bytes keep the memory busiest.
  constexpr int64_t kBytes = 512, kBlock = kBytes / sizeof(T);
  constexpr uintptr_t kAlignment = sizeof(__m256i);
  const uintptr_t misaligned = -reinterpret_cast<uintptr_t>(out) % kAlignment;
  int64_t i = misaligned / sizeof(T);
  if (misaligned % sizeof(T) != 0 || i > size) i = size;
  Loop(cond, a, b, i, out);
  for (; i + kBlock <= size; i += kBlock) {
    alignas(kAlignment) unsigned char block[kBytes];
    Loop(cond + i, a + i, b + i, kBlock, reinterpret_cast<T*>(block));
    __m256i* to = reinterpret_cast<__m256i*>(out + i);
    const __m256i* from = reinterpret_cast<const __m256i*>(block);
    for (size_t j = 0; j < kBytes / sizeof(__m256i); ++j) {
      _mm256_stream_si256(to + j, _mm256_load_si256(from + j));
    }
  }
  Loop(cond + i, a + i, b + i, size - i, out + i);
  // What is streamed is seen by other threads only after a fence.
  _mm_sfence();
}

#endif  // __x86_64__

template <typename T, typename Cond, typename A, typename B>
void Run(const Cond* cond, A a, B b, int64_t size, T* out, Store store) {
#ifdef __x86_64__
  if constexpr (std::is_trivially_copyable_v<T>) {
    if (__builtin_cpu_supports("avx2")) {
      if constexpr (!std::is_same_v<A, InPlace> &&
                    !std::is_same_v<B, InPlace>) {
        if (store == Store::kStreamed) {
          return StreamAvx2(cond, a, b, size, out);
        }
      }
      return LoopAvx2(cond, a, b, size, out);
    }
  }
#endif
  Loop(cond, a, b, size, out);
}

template <typename T, typename A>
bool IsSame(const A& a, const T* out) {
  if constexpr (std::is_pointer_v<A>) {
    return a == out;
  } else {
    return false;
  }
}

}  // namespace multiplex_internal

// Writes a[i] to out[i] where cond[i] holds, else b[i], for each i < size.
//
// `a` and `b` are pointers to T or Repeated<T>. `out` may be `a` or `b` itself,
// but may not overlap either in any other way. This is all the arithmetic of
// the op and knows nothing of TensorFlow, so a benchmark or another runtime can
// call it as it is.
//
// `Cond` is bool, or an integer where nobody vouches for bytes of 0 and 1.
template <typename T, typename Cond, typename A, typename B>
void Multiplex(const Cond* cond, A a, B b, int64_t size, T* out, Store store) {
  using multiplex_internal::InPlace;
  if (multiplex_internal::IsSame(a, out)) {
    multiplex_internal::Run(cond, InPlace(), b, size, out, store);
  } else if (multiplex_internal::IsSame(b, out)) {
    multiplex_internal::Run(cond, a, InPlace(), size, out, store);
  } else {
    multiplex_internal::Run(cond, a, b, size, out, store);
  }
}

template <typename T, typename Cond, typename A, typename B>
void Multiplex(const Cond* cond, A a, B b, int64_t size, T* out) {
  Multiplex(cond, a, b, size, out,
            StoreFor(size * static_cast<int64_t>(sizeof(T))));
}

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_H_
