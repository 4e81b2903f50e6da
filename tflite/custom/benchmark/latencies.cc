#include "tflite/custom/benchmark/latencies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tflite::custom::benchmark {

int64_t Latencies::Low(size_t index) {
  constexpr size_t kHalf = size_t{1} << (kBits - 1);
  if (index < 2 * kHalf) return static_cast<int64_t>(index);
  const size_t shift = index / kHalf - 1;
  return static_cast<int64_t>((index - shift * kHalf) << shift);
}

double Latencies::percentile(double percent) const {
  const int64_t rank = std::min(
      count_ - 1,
      static_cast<int64_t>(static_cast<double>(count_) * (percent / 100.0)));
  int64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen > rank) {
      return static_cast<double>(Low(i) + Low(i + 1) - 1) / 2;
    }
  }
  return 0;
}

std::vector<Latencies::Bucket> Latencies::buckets() const {
  std::vector<Bucket> result;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0) result.push_back({Low(i), Low(i + 1), counts_[i]});
  }
  return result;
}

}  // namespace tflite::custom::benchmark
