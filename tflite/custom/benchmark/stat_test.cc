#include "tflite/custom/benchmark/stat.h"

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace tflite::custom::benchmark {
namespace {

std::string Line(const Stat& stat) {
  std::ostringstream out;
  out << stat;
  return out.str();
}

TEST(StatTest, NoValues) {
  const Stat stat;
  EXPECT_EQ(Line(stat), "count=0");
  EXPECT_TRUE(std::isnan(stat.avg()));
  EXPECT_TRUE(std::isnan(stat.std_deviation()));
}

TEST(StatTest, EqualValues) {
  Stat stat;
  stat.Add(4);
  EXPECT_EQ(Line(stat), "count=1 curr=4 p5=4 median=4 p95=4");
  stat.Add(4);
  EXPECT_EQ(Line(stat), "count=2 curr=4(all same) p5=4 median=4 p95=4");
  EXPECT_EQ(stat.std_deviation(), 0);
}

TEST(StatTest, DifferentValues) {
  Stat stat;
  for (const int64_t value : {5, 9, 1, 5}) stat.Add(value);
  EXPECT_EQ(Line(stat),
            "count=4 first=5 curr=5 min=1 max=9 avg=5 std=2.82843 p5=1 "
            "median=5 p95=9");
}

TEST(StatTest, LongAndShortValuesAreOrderedTogether) {
  Stat stat;
  const int64_t hour = int64_t{3600} * 1000 * 1000;
  for (const int64_t value : {hour, int64_t{0}, int64_t{65536}, int64_t{65535}})
    stat.Add(value);
  EXPECT_EQ(stat.min(), 0);
  EXPECT_EQ(stat.percentile(25), 65535);
  EXPECT_EQ(stat.percentile(50), 65536);
  EXPECT_EQ(stat.max(), hour);
  EXPECT_EQ(stat.first(), hour);
  EXPECT_DOUBLE_EQ(stat.avg(), (hour + 65536.0 + 65535.0) / 4);
}

TEST(StatTest, PercentilesOfAThousandValues) {
  Stat stat;
  for (int64_t value = 1000; value > 0; --value) stat.Add(value);
  EXPECT_EQ(stat.percentile(5), 51);
  EXPECT_EQ(stat.percentile(50), 501);
  EXPECT_EQ(stat.percentile(99.9), 1000);
  EXPECT_NEAR(stat.std_deviation(), std::sqrt((1000.0 * 1000 - 1) / 12), 1e-9);
}

}  // namespace
}  // namespace tflite::custom::benchmark
