#ifndef TFLITE_CUSTOM_BENCHMARK_STAT_H_
#define TFLITE_CUSTOM_BENCHMARK_STAT_H_

#include <cstdint>
#include <map>
#include <ostream>
#include <vector>

namespace tflite::custom::benchmark {

// Durations in whole microseconds. Exact, and small however many there are: it
// counts how often each value came.
class Stat {
 public:
  // `value` is not negative.
  void Add(int64_t value);

  int64_t count() const { return count_; }
  int64_t first() const { return first_; }
  int64_t newest() const { return newest_; }

  // NaN where there is no value.
  double avg() const;
  double std_deviation() const;

  // The value below which `percent` of a hundred values lie, 0 to 100. Wants at
  // least one value.
  int64_t percentile(double percent) const;
  int64_t min() const { return percentile(0); }
  int64_t max() const { return percentile(100); }

 private:
  // Calls visit(value, times) in ascending order, until it returns false.
  template <typename Visit>
  void ForEach(Visit visit) const;

  int64_t count_ = 0;
  int64_t first_ = 0;
  int64_t newest_ = 0;
  std::vector<int64_t> short_;       // Times each value came, by value.
  std::map<int64_t, int64_t> long_;  // The same for the larger ones.
};

// The public tool's line: `count=3 first=5 curr=7 min=5 max=9 avg=7 std=1.6
// ...`
std::ostream& operator<<(std::ostream& out, const Stat& stat);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_STAT_H_
