#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/sharded_map.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/test_pool.h"

namespace custom_op_examples {
namespace {

constexpr int64_t kDear = 1'000'000;

TEST(OnThreadsTest, DoesEveryUnitOnce) {
  Pool pool(3);
  for (const int64_t total : {0, 1, 2, 3, 11, 12, 13, 1000}) {
    for (const int64_t cost : {int64_t{0}, int64_t{100}, kDear}) {
      const auto times = std::make_unique<std::atomic<int>[]>(total);
      InPool(&pool, 4)(total, cost, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++times[i];
      });
      for (int64_t i = 0; i < total; ++i) ASSERT_EQ(times[i], 1);
    }
  }
}

TEST(OnThreadsTest, UsesThePoolForWhatIsDearOnly) {
  int scheduled = 0;
  const OnThreads threads(4, [&](const auto& f) { ++scheduled; });
  const auto nothing = [](int64_t, int64_t) {};
  threads(1000, 10, nothing);
  EXPECT_EQ(scheduled, 0);
  threads(1000, 20, nothing);
  EXPECT_EQ(scheduled, 1);
  threads(1000, 1000, nothing);
  EXPECT_EQ(scheduled, 4);
}

TEST(OnThreadsTest, PoolWhoseThreadsWaitForTheCallerDoesNotHoldItUp) {
  constexpr int kThreads = 2;
  std::mutex mu;
  std::atomic<int> waiting{0};
  std::atomic<int64_t> sum{0};
  Pool pool(kThreads);
  {
    std::lock_guard<std::mutex> l(mu);
    for (int i = 0; i < kThreads; ++i) {
      pool.Schedule([&] {
        ++waiting;
        std::lock_guard<std::mutex> l(mu);
      });
    }
    while (waiting < kThreads) std::this_thread::yield();
    InPool(&pool, kThreads)(100, kDear, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum += i;
    });
  }
  EXPECT_EQ(sum, 4950);
}

TEST(OnThreadsTest, FrozenMapIsReadWhileThePoolWaitsToWriteToIt) {
  constexpr int kThreads = 2;
  using Map = ShardedMap<int64_t, int64_t>;
  constexpr int64_t kKeys = 20'000;
  std::vector<int64_t> keys(kKeys);
  for (int64_t i = 0; i < kKeys; ++i) keys[i] = i;
  Map map;
  std::atomic<int> waiting{0};
  std::atomic<int64_t> sum{0};
  {
    Pool pool(kThreads);
    ASSERT_TRUE(
        map.Insert(keys.data(), kKeys, keys.data(), InPool(&pool, kThreads)));
    const Map::Frozen frozen(&map);
    for (int i = 0; i < kThreads; ++i) {
      pool.Schedule([&] {
        ++waiting;
        const std::vector<int64_t> ones(kKeys, 1);
        EXPECT_TRUE(map.Accumulate<int64_t>(keys.data(), kKeys, ones.data(),
                                            InPool(&pool, kThreads)));
      });
    }
    while (waiting < kThreads) std::this_thread::yield();
    InPool(&pool, kThreads)(
        map.num_shards(), kDear, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int shard = static_cast<int>(i);
            const int64_t size = frozen.ShardSize(shard);
            std::vector<int64_t> shard_keys(size), values(size);
            frozen.Export(shard, shard_keys.data(), values.data());
            for (int64_t j = 0; j < size; ++j) {
              EXPECT_EQ(values[j], shard_keys[j]);
              sum += values[j];
            }
          }
        });
  }
  EXPECT_EQ(sum, kKeys * (kKeys - 1) / 2);
  const int64_t none = 0;
  std::vector<int64_t> values(kKeys);
  map.Find(keys.data(), kKeys, &none, false, values.data());
  for (int64_t i = 0; i < kKeys; ++i) ASSERT_EQ(values[i], i + kThreads);
}

TEST(OnThreadsTest, TaskThatComesTooLateTouchesNothing) {
  std::vector<std::function<void()>> late;
  {
    const auto done = std::make_unique<int64_t>(0);
    const OnThreads threads(4, [&](const auto& f) { late.push_back(f); });
    threads(100, kDear,
            [&](int64_t begin, int64_t end) { *done += end - begin; });
    EXPECT_EQ(*done, 100);
  }
  ASSERT_EQ(late.size(), 3);
  for (const std::function<void()>& task : late) task();
}

TEST(OnThreadsTest, WithoutMemoryForTasksTheCallerDoesAll) {
  int64_t done = 0;
  const OnThreads threads(4, [](const auto&) { throw std::bad_alloc(); });
  threads(100, kDear, [&](int64_t begin, int64_t end) { done += end - begin; });
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace custom_op_examples
