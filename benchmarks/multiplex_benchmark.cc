// Times MultiplexSimd beside two ways to copy, over memory that is there:
//   multiplex_benchmark [--items=N] [--threads=N] [--benchmark_...]
// Each of the threads has a part of the items to itself.

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "benchmark/benchmark.h"
#include "tensorflow_examples/custom_ops_doc/multiplex_2/multiplex_simd.h"

namespace {

// What MultiplexSimd moves for an item: a bool and two floats in, one out. A
// copy moves each byte twice, in and out.
constexpr int64_t kBytesMoved = sizeof(bool) + 3 * sizeof(float);

using Copy = void(char* to, const char* from, int64_t size);

void CopyByMemcpy(char* to, const char* from, int64_t size) {
  std::memcpy(to, from, static_cast<size_t>(size));
}

// As fast as copies get where nothing fits in a cache: the C library's memcpy
// is not everywhere.
void CopyByStreaming(char* to, const char* from, int64_t size) {
  const int64_t head = -reinterpret_cast<uintptr_t>(to) % sizeof(__m128i);
  if (head > size) return CopyByMemcpy(to, from, size);
  CopyByMemcpy(to, from, head);
  int64_t i = head;
  for (; i + 64 <= size; i += 64) {
    for (int64_t j = i; j < i + 64; j += sizeof(__m128i)) {
      _mm_stream_si128(
          reinterpret_cast<__m128i*>(to + j),
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + j)));
    }
  }
  CopyByMemcpy(to + i, from + i, size - i);
  _mm_sfence();
}

struct Buffers {
  explicit Buffers(int64_t items)
      : cond(new bool[items]),
        a(new float[items]),
        b(new float[items]),
        out(new float[items]()),
        copy_from(new char[items * kBytesMoved / 2]()),
        copy_to(new char[items * kBytesMoved / 2]()) {
    std::mt19937 random;
    for (int64_t i = 0; i < items; ++i) {
      const uint32_t bits = random();
      cond[i] = bits & 1;
      a[i] = static_cast<float>(bits);
      b[i] = -static_cast<float>(bits);
    }
  }

  std::unique_ptr<bool[]> cond;
  std::unique_ptr<float[]> a, b, out;
  std::unique_ptr<char[]> copy_from, copy_to;
};

// The part of the items that is the thread's own.
struct Part {
  Part(const benchmark::State& state, int64_t items)
      : begin(items * state.thread_index() / state.threads()),
        size(items * (state.thread_index() + 1) / state.threads() - begin) {}

  int64_t begin;
  int64_t size;
};

void TimeMultiplex(benchmark::State& state, int64_t items,
                   const Buffers& buffers) {
  const Part part(state, items);
  for (auto _ : state) {
    custom_op_examples::MultiplexSimd(buffers.cond.get() + part.begin,
                                      buffers.a.get() + part.begin,
                                      buffers.b.get() + part.begin, part.size,
                                      buffers.out.get() + part.begin);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * part.size);
}

template <Copy copy>
void TimeCopy(benchmark::State& state, int64_t items, const Buffers& buffers) {
  const Part part(state, items);
  const int64_t begin = part.begin * kBytesMoved / 2;
  for (auto _ : state) {
    copy(buffers.copy_to.get() + begin, buffers.copy_from.get() + begin,
         part.size * kBytesMoved / 2);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * part.size);
}

// Takes `--NAME=VALUE` out of the arguments; returns the value, or `otherwise`.
int64_t TakeFlag(const std::string& name, int64_t otherwise, int* argc,
                 char** argv) {
  const std::string prefix = "--" + name + "=";
  for (int i = 1; i < *argc; ++i) {
    if (std::strncmp(argv[i], prefix.c_str(), prefix.size()) != 0) continue;
    const char* text = argv[i] + prefix.size();
    char* end;
    const int64_t value = std::strtoll(text, &end, 10);
    if (*end || value < 1) {
      std::fprintf(stderr, "--%s must be a whole number above 0: '%s'\n",
                   name.c_str(), text);
      std::exit(1);
    }
    for (int j = i; j < *argc; ++j) argv[j] = argv[j + 1];
    --*argc;
    return value;
  }
  return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t items = TakeFlag("items", 20'000'000, &argc, argv);
  const int threads = static_cast<int>(TakeFlag("threads", 1, &argc, argv));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const Buffers buffers(items);
  for (const auto& [name, function] :
       {std::make_pair("multiplex", TimeMultiplex),
        std::make_pair("memcpy", TimeCopy<CopyByMemcpy>),
        std::make_pair("streaming_copy", TimeCopy<CopyByStreaming>)}) {
    benchmark::RegisterBenchmark(
        name, [items, &buffers, function = function](
                  benchmark::State& state) { function(state, items, buffers); })
        ->Threads(threads)
        ->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
