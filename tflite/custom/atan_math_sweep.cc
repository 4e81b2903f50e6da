// Holds Atan against the correctly rounded value for all 2^32 floats, or for
// each N-th of them: `atan_math_sweep [N]`.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "tflite/custom/atan_math.h"

namespace {

struct Worst {
  int64_t ulps = 0;
  float at = 0;
};

// The place of a float in the order of all floats.
int64_t Order(float x) {
  int32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits < 0 ? -static_cast<int64_t>(bits & 0x7fffffff) : bits;
}

// The distance between Atan(x) and atan(x), correctly rounded; a NaN that is
// not answered by a NaN is infinitely far.
int64_t Distance(float x, float y) {
  if (std::isnan(x) || std::isnan(y)) {
    return std::isnan(x) == std::isnan(y) ? 0 : INT64_MAX;
  }
  const double exact = std::atan(static_cast<double>(x));
  return std::abs(Order(static_cast<float>(exact)) - Order(y));
}

void Sweep(uint64_t begin, uint64_t end, uint64_t step, Worst* worst) {
  constexpr uint64_t kBlock = 1 << 14;
  std::vector<float> x(kBlock), y(kBlock);
  for (uint64_t block = begin; block < end; block += kBlock * step) {
    for (uint64_t i = 0; i < kBlock; ++i) {
      const uint32_t bits = static_cast<uint32_t>(block + i * step);
      std::memcpy(&x[i], &bits, sizeof(bits));
    }
    tflite::custom::atan_op::Atan(kBlock, x.data(), y.data());
    for (uint64_t i = 0; i < kBlock; ++i) {
      const int64_t ulps = Distance(x[i], y[i]);
      if (ulps > worst->ulps) *worst = {ulps, x[i]};
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t step = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  if (step == 0) {
    std::fprintf(stderr, "usage: %s [N], N >= 1\n", argv[0]);
    return 1;
  }
  constexpr uint64_t kAll = uint64_t{1} << 32;
  const unsigned count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Worst> worst(count);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back(Sweep, kAll * i / count, kAll * (i + 1) / count, step,
                         &worst[i]);
  }
  for (std::thread& thread : threads) thread.join();
  Worst all;
  for (const Worst& w : worst) {
    if (w.ulps > all.ulps) all = w;
  }
  std::printf("every %llu of 2^32 floats: at most %lld ULP, first at %a\n",
              static_cast<unsigned long long>(step),
              static_cast<long long>(all.ulps), all.at);
  return all.ulps <= 1 ? 0 : 1;
}
