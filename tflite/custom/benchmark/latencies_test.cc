#include "tflite/custom/benchmark/latencies.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tflite::custom::benchmark {
namespace {

TEST(LatenciesTest, SmallValuesAreExact) {
  Latencies latencies;
  for (int64_t value = 2047; value >= 0; --value) latencies.Add(value);
  EXPECT_EQ(latencies.count(), 2048);
  EXPECT_EQ(latencies.percentile(0), 0);
  EXPECT_EQ(latencies.percentile(50), 1024);
  EXPECT_EQ(latencies.percentile(99.9), 2045);
  EXPECT_EQ(latencies.percentile(100), 2047);
  EXPECT_DOUBLE_EQ(latencies.mean(), 1023.5);
}

TEST(LatenciesTest, EveryValueIsKeptToAThousandth) {
  for (int64_t value = 1; value < int64_t{1} << 59; value += value / 3 + 1) {
    Latencies latencies;
    latencies.Add(value);
    EXPECT_NEAR(latencies.percentile(50), static_cast<double>(value),
                static_cast<double>(value) / 1000)
        << value;
    const std::vector<Latencies::Bucket> buckets = latencies.buckets();
    ASSERT_EQ(buckets.size(), 1);
    EXPECT_LE(buckets[0].low, value);
    EXPECT_GT(buckets[0].high, value);
  }
}

TEST(LatenciesTest, BucketsMeetWithoutGaps) {
  Latencies latencies;
  for (int64_t value = 0; value < 100000; ++value) latencies.Add(value);
  int64_t end = 0;
  for (const Latencies::Bucket& bucket : latencies.buckets()) {
    EXPECT_EQ(bucket.low, end);
    if (bucket.high <= 100000)
      EXPECT_EQ(bucket.count, bucket.high - bucket.low);
    end = bucket.high;
  }
}

TEST(LatenciesTest, SumsAndExtremesAreExact) {
  // A run of 0.2 us, whole microseconds apart from an hour.
  for (const int64_t base :
       {int64_t{200}, int64_t{50'000'000}, int64_t{3600} * 1'000'000'000}) {
    Latencies latencies;
    double sum = 0;
    for (int64_t i = 1000; i > 0; --i) {
      latencies.Add(base + i);
      sum += static_cast<double>(base + i);
    }
    EXPECT_EQ(latencies.first(), base + 1000);
    EXPECT_EQ(latencies.newest(), base + 1);
    EXPECT_EQ(latencies.min(), base + 1);
    EXPECT_EQ(latencies.max(), base + 1000);
    EXPECT_DOUBLE_EQ(latencies.mean(), sum / 1000);
    EXPECT_NEAR(latencies.std_deviation(), std::sqrt((1e6 - 1) / 12), 1e-2);
  }
}

TEST(LatenciesTest, NoValues) {
  const Latencies latencies;
  EXPECT_TRUE(std::isnan(latencies.mean()));
  EXPECT_TRUE(std::isnan(latencies.std_deviation()));
  EXPECT_EQ(MicrosLineWithPercentiles(latencies), "count=0");
}

TEST(LatenciesTest, EqualValues) {
  Latencies latencies;
  latencies.Add(4000);
  EXPECT_EQ(MicrosLineWithPercentiles(latencies),
            "count=1 curr=4 p5=4 median=4 p95=4");
  latencies.Add(4000);
  EXPECT_EQ(MicrosLine(latencies), "count=2 curr=4(all same)");
  EXPECT_EQ(latencies.std_deviation(), 0);
}

TEST(LatenciesTest, DifferentValues) {
  Latencies latencies;
  for (const int64_t value : {5000, 9000, 1000, 5000}) latencies.Add(value);
  EXPECT_EQ(MicrosLineWithPercentiles(latencies),
            "count=4 first=5 curr=5 min=1 max=9 avg=5 std=2.82843 p5=1 "
            "median=5 p95=9");
}

TEST(LatenciesTest, MeanOfLessThanAMicrosecondIsNotFlooredToZero) {
  Latencies latencies;
  for (const int64_t value : {100, 200, 210, 900}) latencies.Add(value);
  EXPECT_EQ(MicrosLine(latencies),
            "count=4 first=0 curr=1 min=0 max=1 avg=0.3525 std=0.319012");
}

}  // namespace
}  // namespace tflite::custom::benchmark
