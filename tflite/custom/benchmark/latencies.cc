#include "tflite/custom/benchmark/latencies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace tflite::custom::benchmark {
namespace {

int64_t WholeMicros(double nanos) { return std::llround(nanos / 1e3); }

}  // namespace

int64_t Latencies::Low(size_t index) {
  constexpr size_t kHalf = size_t{1} << (kBits - 1);
  if (index < 2 * kHalf) return static_cast<int64_t>(index);
  const size_t shift = index / kHalf - 1;
  return static_cast<int64_t>((index - shift * kHalf) << shift);
}

double Latencies::std_deviation() const {
  const double offset = mean() - static_cast<double>(first_);
  const double variance =
      squares_ / static_cast<double>(count_) - offset * offset;
  // Rounding may leave a little less than nothing; NaN stays.
  return std::sqrt(variance < 0 ? 0 : variance);
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

std::string MicrosLine(const Latencies& nanos) {
  std::ostringstream line;
  line << "count=" << nanos.count();
  if (nanos.count() == 0) return line.str();
  const auto field = [&](const char* name, int64_t value) {
    line << " " << name << "=" << WholeMicros(static_cast<double>(value));
  };
  if (nanos.min() == nanos.max()) {
    field("curr", nanos.newest());
    if (nanos.count() > 1) line << "(all same)";
    return line.str();
  }
  field("first", nanos.first());
  field("curr", nanos.newest());
  field("min", nanos.min());
  field("max", nanos.max());
  line << " avg=" << nanos.mean() / 1e3
       << " std=" << nanos.std_deviation() / 1e3;
  return line.str();
}

std::string MicrosLineWithPercentiles(const Latencies& nanos) {
  std::ostringstream line;
  line << MicrosLine(nanos);
  if (nanos.count() == 0) return line.str();
  line << " p5=" << WholeMicros(nanos.percentile(5))
       << " median=" << WholeMicros(nanos.percentile(50))
       << " p95=" << WholeMicros(nanos.percentile(95));
  return line.str();
}

}  // namespace tflite::custom::benchmark
