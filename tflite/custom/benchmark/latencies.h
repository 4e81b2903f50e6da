#ifndef TFLITE_CUSTOM_BENCHMARK_LATENCIES_H_
#define TFLITE_CUSTOM_BENCHMARK_LATENCIES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tflite::custom::benchmark {

// How often each value came, to a thousandth of the value: a fixed, small
// amount of memory however many there are. For what whole microseconds are too
// coarse for; values are whatever the user counts in, such as nanoseconds.
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
    ++count_;
    sum_ += static_cast<double>(value);
  }

  int64_t count() const { return count_; }
  double mean() const { return sum_ / static_cast<double>(count_); }

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
  double sum_ = 0;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_LATENCIES_H_
