// Times Atan on one thread beside the guide's scalar loop and memcpy, which
// copies as many bytes as Atan reads and writes, and samples its error:
//   atan_benchmark [SECONDS]
// Runs of the three are interleaved, and the best of each counts: whatever else
// the machine does only ever makes one slower.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tflite/custom/atan_loops.h"
#include "tflite/custom/atan_math.h"

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// The compiler must not drop or merge runs whose results nobody reads.
void Keep(float* data) { asm volatile("" : : "r"(data) : "memory"); }

struct Contender {
  const char* name;
  void (*run)(size_t size, const float* x, float* y);
  double best = HUGE_VAL;
};

void Compare(size_t size, Seconds limit) {
  std::vector<float> x(size), y(size);
  for (size_t i = 0; i < size; ++i) {
    x[i] = static_cast<float>(i * 7919 % 20001) * 1e-3f - 10;
  }
  Contender contenders[] = {
      {"scalar std::atan (float)", AtanLoopsFloat},
      {"scalar atan (double)", AtanLoopsDouble},
      {"Atan", AtanLoopsKernel},
      {"memcpy", AtanLoopsCopy},
  };
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  do {
    for (Contender& contender : contenders) {
      // Many short runs in a row rather than a long one: an interruption then
      // spoils few of them.
      for (int i = 0; i < 5; ++i) {
        const Clock::time_point begin = Clock::now();
        contender.run(size, x.data(), y.data());
        Keep(y.data());
        contender.best =
            std::min(contender.best, Seconds(Clock::now() - begin).count());
      }
    }
  } while (Clock::now() < end);

  std::printf("%zu floats\n", size);
  const double atan = contenders[2].best;
  for (const Contender& contender : contenders) {
    std::printf("  %-26s %8.3f ns an element, %6.2f times Atan\n",
                contender.name, contender.best / size * 1e9,
                contender.best / atan);
  }
  std::printf(
      "  Atan is %.1f times as fast as std::atan and takes %.2f times as "
      "long as memcpy\n",
      contenders[0].best / atan, atan / contenders[3].best);
}

// The place of a float in the order of all floats.
int64_t Order(float x) {
  int32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits < 0 ? -static_cast<int64_t>(bits & 0x7fffffff) : bits;
}

void SampleError() {
  constexpr uint64_t kStep = 997;
  std::vector<float> x;
  for (uint64_t word = 0; word < uint64_t{1} << 32; word += kStep) {
    const uint32_t bits = static_cast<uint32_t>(word);
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isnan(value)) x.push_back(value);
  }
  std::vector<float> y(x.size());
  tflite::custom::atan_op::Atan(x.size(), x.data(), y.data());
  int64_t worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::atan(static_cast<double>(x[i]));
    worst = std::max(worst,
                     std::abs(Order(static_cast<float>(exact)) - Order(y[i])));
  }
  std::printf(
      "%zu floats of all exponents: at most %lld ULP from the correctly "
      "rounded value\n",
      x.size(), static_cast<long long>(worst));
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  if (!(seconds > 0)) {
    std::fprintf(stderr, "usage: %s [SECONDS], SECONDS > 0, not '%s'\n",
                 argv[0], argv[1]);
    return 1;
  }
  Compare(size_t{1} << 16, Seconds(seconds));
  Compare(size_t{1} << 24, Seconds(seconds));
  SampleError();
}
