#include "tflite/custom/benchmark/stat.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>

namespace tflite::custom::benchmark {
namespace {

// Up to here, about 65 ms, a value is an index: an element to each costs less
// than the tree that the rest goes into, and the rest cannot be many.
constexpr int64_t kLongestShort = int64_t{1} << 16;

}  // namespace

void Stat::Add(int64_t value) {
  if (count_ == 0) first_ = value;
  newest_ = value;
  ++count_;
  if (value >= kLongestShort) {
    ++long_[value];
    return;
  }
  const size_t index = static_cast<size_t>(value);
  if (index >= short_.size()) short_.resize(index + 1);
  ++short_[index];
}

template <typename Visit>
void Stat::ForEach(Visit visit) const {
  for (size_t value = 0; value < short_.size(); ++value) {
    if (short_[value] == 0) continue;
    if (!visit(static_cast<int64_t>(value), short_[value])) return;
  }
  for (const auto& [value, times] : long_) {
    if (!visit(value, times)) return;
  }
}

double Stat::avg() const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  ForEach([&](int64_t value, int64_t times) {
    sum += static_cast<double>(value) * times;
    return true;
  });
  return sum / count_;
}

double Stat::std_deviation() const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const double mean = avg();
  double sum = 0;
  ForEach([&](int64_t value, int64_t times) {
    sum += (value - mean) * (value - mean) * times;
    return true;
  });
  return std::sqrt(sum / count_);
}

int64_t Stat::percentile(double percent) const {
  const int64_t rank =
      std::min(count_ - 1, static_cast<int64_t>(count_ * (percent / 100.0)));
  int64_t seen = 0;
  int64_t result = 0;
  ForEach([&](int64_t value, int64_t times) {
    result = value;
    seen += times;
    return seen <= rank;
  });
  return result;
}

std::ostream& operator<<(std::ostream& out, const Stat& stat) {
  out << "count=" << stat.count();
  if (stat.count() == 0) return out;
  if (stat.min() == stat.max()) {
    out << " curr=" << stat.newest();
    if (stat.count() > 1) out << "(all same)";
  } else {
    out << " first=" << stat.first() << " curr=" << stat.newest()
        << " min=" << stat.min() << " max=" << stat.max()
        << " avg=" << stat.avg() << " std=" << stat.std_deviation();
  }
  return out << " p5=" << stat.percentile(5)
             << " median=" << stat.percentile(50)
             << " p95=" << stat.percentile(95);
}

}  // namespace tflite::custom::benchmark
