#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_SIMD_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_SIMD_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tensorflow_examples/custom_ops_doc/multiplex_2/multiplex.h"

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
struct InPlace {};

template <typename T, typename A>
[[gnu::always_inline]] inline auto Elements(A a, T* out) {
  if constexpr (std::is_same_v<A, InPlace>) {
    return static_cast<const T*>(out);
  } else {
    return a;
  }
}

// Inlined, so that it is compiled for the instructions of each caller.
template <typename T, typename Cond, typename A, typename B>
[[gnu::always_inline]] inline void Loop(const Cond* cond, A a, B b,
                                        int64_t size, T* out) {
  Multiplex(cond, Elements(a, out), Elements(b, out), size, out);
}

template <typename T, typename Cond, typename A, typename B>
void LoopForAny(const Cond* cond, A a, B b, int64_t size, T* out) {
  Loop(cond, a, b, size, out);
}

#ifdef __x86_64__

template <typename T, typename Cond, typename A, typename B>
[[gnu::target("avx2")]] void LoopForAvx2(const Cond* cond, A a, B b,
                                         int64_t size, T* out) {
  Loop(cond, a, b, size, out);
}

// Computes a few cache lines, then streams them.
template <typename T, typename Cond, typename A, typename B>
[[gnu::target("avx2")]] void StreamForAvx2(const Cond* cond, A a, B b,
                                           int64_t size, T* out) {
  // Of the lengths tried, 512 bytes keep the memory busiest.
  constexpr int64_t kBytes = 512, kBlock = kBytes / sizeof(T);
  constexpr uintptr_t kAlignment = sizeof(__m256i);
  const uintptr_t misaligned = -reinterpret_cast<uintptr_t>(out) % kAlignment;
  int64_t i = misaligned / sizeof(T);
  if (misaligned % sizeof(T) != 0 || i > size) i = size;
  Multiplex(cond, a, b, i, out);
  for (; i + kBlock <= size; i += kBlock) {
    alignas(kAlignment) unsigned char block[kBytes];
    Multiplex(cond + i, a + i, b + i, kBlock, reinterpret_cast<T*>(block));
    __m256i* to = reinterpret_cast<__m256i*>(out + i);
    const __m256i* from = reinterpret_cast<const __m256i*>(block);
    for (size_t j = 0; j < kBytes / sizeof(__m256i); ++j) {
      _mm256_stream_si256(to + j, _mm256_load_si256(from + j));
    }
  }
  Multiplex(cond + i, a + i, b + i, size - i, out + i);
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
          return StreamForAvx2(cond, a, b, size, out);
        }
      }
      return LoopForAvx2(cond, a, b, size, out);
    }
  }
#endif
  LoopForAny(cond, a, b, size, out);
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

// Does what Multiplex does, at the speed of the memory: its loop is compiled
// for any x86-64 and for AVX2, which is chosen when it runs, and `store` says
// whether the output goes past the caches. `a` and `b` are pointers to T or
// Repeated<T>.
template <typename T, typename Cond, typename A, typename B>
void MultiplexSimd(const Cond* cond, A a, B b, int64_t size, T* out,
                   Store store) {
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
void MultiplexSimd(const Cond* cond, A a, B b, int64_t size, T* out) {
  MultiplexSimd(cond, a, b, size, out,
                StoreFor(size * static_cast<int64_t>(sizeof(T))));
}

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_MULTIPLEX_2_MULTIPLEX_SIMD_H_
