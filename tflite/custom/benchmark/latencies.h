#ifndef TFLITE_CUSTOM_BENCHMARK_LATENCIES_H_
#define TFLITE_CUSTOM_BENCHMARK_LATENCIES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tflite::custom::benchmark {

// What is measured of many runs: exact sums and extremes, and how often each
// value came, to a thousandth of the value. A fixed, small amount of memory
// however many there are. Values are whatever the user counts in, such as
// nanoseconds.
class Latencies {
 public:
  struct Bucket {
    int64_t low;   // Included.
    int64_t high;  // Not included.
    int64_t count;
  };

  // `value` is not negative.
  void Add(int64_t value) {
    const size_t index = Index(value);
    if (index >= counts_.size()) counts_.resize(index + 1);
    ++counts_[index];
    if (count_ == 0) first_ = value;
    newest_ = value;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    ++count_;
    sum_ += static_cast<double>(value);
    // Of the distance to one of them: the squares stay comparable to the
    // variance, which is what is left of them.
    const auto distance = static_cast<double>(value - first_);
    squares_ += distance * distance;
  }

  int64_t count() const { return count_; }
  int64_t first() const { return first_; }
  int64_t newest() const { return newest_; }
  int64_t min() const { return min_; }
  int64_t max() const { return max_; }
  // NaN where there is no value.
  double mean() const { return sum_ / static_cast<double>(count_); }
  // Of the whole population.
  double std_deviation() const;

  // The value below which `percent` of a hundred values lie, to a thousandth.
  // Wants at least one value.
  double percentile(double percent) const;

  // Those that are not empty, ascending.
  std::vector<Bucket> buckets() const;

 private:
  // Below two to this each value has a bucket; above, each power of two has as
  // many buckets as the last of those.
  static constexpr int kBits = 11;

  static size_t Index(int64_t value) {
    const auto v = static_cast<uint64_t>(value);
    if (v < (uint64_t{1} << kBits)) return v;
    const int shift = 63 - __builtin_clzll(v) - (kBits - 1);
    return (static_cast<size_t>(shift) << (kBits - 1)) + (v >> shift);
  }
  static int64_t Low(size_t index);

  std::vector<int64_t> counts_;
  int64_t count_ = 0;
  int64_t first_ = 0;
  int64_t newest_ = 0;
  int64_t min_ = std::numeric_limits<int64_t>::max();
  int64_t max_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

// The public tool's line on nanoseconds, in microseconds: `count=3 first=5
// curr=7 min=5 max=9 avg=7.1 std=1.6`. Each field has the form that it has
// there: single values are whole, the mean and the deviation are not.
std::string MicrosLine(const Latencies& nanos);
// The same with ` p5=5 median=7 p95=9`.
std::string MicrosLineWithPercentiles(const Latencies& nanos);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_LATENCIES_H_
