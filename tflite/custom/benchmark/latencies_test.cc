#include "tflite/custom/benchmark/latencies.h"

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

}  // namespace
}  // namespace tflite::custom::benchmark
