#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/sharded_map.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/linearizability.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/parallel_for.h"

namespace custom_op_examples {
namespace {

// Each unit of work on one of four threads, in whatever order.
constexpr auto OnFourThreads = [](int64_t total, int64_t /*cost*/, Work work) {
  std::atomic<int64_t> next{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int64_t unit; (unit = next.fetch_add(1)) < total;) {
        work(unit, unit + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
};

template <class T>
T As(int64_t number) {
  if constexpr (std::is_same_v<T, std::string>) {
    // Up to 60 bytes, so some are short and some are long.
    std::string s(number % 41, 'x');
    s += std::to_string(number);
    return s;
  } else {
    return static_cast<T>(number);
  }
}

// A map that is tried out against std::map.
template <class K, class V, int64_t value_length>
struct Types {
  using Key = K;
  using Value = V;
  static constexpr int64_t kLength = value_length;
};

template <class T>
class EveryTypeTest : public testing::Test {};

using AllTypes =
    testing::Types<Types<int32_t, uint8_t, 1>, Types<int32_t, int16_t, 3>,
                   Types<int32_t, float, 1>, Types<int32_t, float, 5>,
                   Types<int64_t, int64_t, 1>, Types<int64_t, int64_t, 4>,
                   Types<int64_t, uint8_t, 13>, Types<int64_t, std::string, 1>,
                   Types<int64_t, std::string, 10>, Types<int64_t, double, 0>,
                   Types<std::string, int32_t, 1>,
                   Types<std::string, int16_t, 6>,
                   Types<std::string, std::string, 2>>;
TYPED_TEST_SUITE(EveryTypeTest, AllTypes);

TYPED_TEST(EveryTypeTest, DoesAsAMapDoes) {
  using K = typename TypeParam::Key;
  using V = typename TypeParam::Value;
  constexpr int64_t kLength = TypeParam::kLength;
  for (const int num_shards : {1, 8}) {
    ShardedMap<K, V> map(num_shards, kLength);
    std::map<K, std::vector<V>> model;
    std::mt19937 random(1);
    for (int step = 0; step < 300; ++step) {
      const int64_t n = random() % (step % 10 == 0 ? 500 : 5);
      std::vector<K> keys;
      // Not a vector, as one of bool would have no data.
      std::vector<V> values;
      for (int64_t i = 0; i < n; ++i) {
        keys.push_back(As<K>(random() % 2000));
        for (int64_t j = 0; j < kLength; ++j) {
          values.push_back(As<V>(random() % 100));
        }
      }
      const auto value = [&](int64_t i) {
        return std::vector<V>(values.begin() + i * kLength,
                              values.begin() + (i + 1) * kLength);
      };
      if (step % 3 == 2) {
        const auto removed = std::make_unique<bool[]>(n);
        ASSERT_TRUE(map.Remove(keys.data(), n, OnThisThread, removed.get()));
        for (int64_t i = 0; i < n; ++i) {
          ASSERT_EQ(removed[i], model.erase(keys[i]) == 1);
        }
      } else {
        ASSERT_TRUE(map.Insert(keys.data(), n, values.data()));
        for (int64_t i = 0; i < n; ++i) model[keys[i]] = value(i);
      }
      ASSERT_EQ(map.Size(), static_cast<int64_t>(model.size()));
    }

    // Every key, there or not.
    std::vector<K> keys;
    for (int64_t i = 0; i < 2000; ++i) keys.push_back(As<K>(i));
    std::vector<V> defaults, found_values(2000 * kLength);
    for (int64_t i = 0; i < 2000 * kLength; ++i) {
      defaults.push_back(As<V>(i % 90));
    }
    const auto found = std::make_unique<bool[]>(2000);
    map.Find(keys.data(), 2000, defaults.data(), true, found_values.data(),
             found.get());
    for (int64_t i = 0; i < 2000; ++i) {
      const auto it = model.find(keys[i]);
      ASSERT_EQ(found[i], it != model.end());
      for (int64_t j = 0; j < kLength; ++j) {
        ASSERT_EQ(found_values[i * kLength + j],
                  found[i] ? it->second[j] : defaults[i * kLength + j]);
      }
    }

    // Everything that is there.
    std::map<K, std::vector<V>> exported;
    const typename ShardedMap<K, V>::Frozen frozen(&map);
    for (int shard = 0; shard < num_shards; ++shard) {
      const int64_t size = frozen.ShardSize(shard);
      std::vector<K> shard_keys(size);
      std::vector<V> values(size * kLength);
      frozen.Export(shard, shard_keys.data(), values.data());
      for (int64_t i = 0; i < size; ++i) {
        exported[shard_keys[i]] = {values.begin() + i * kLength,
                                   values.begin() + (i + 1) * kLength};
      }
    }
    EXPECT_EQ(exported, model);
  }
}

TYPED_TEST(EveryTypeTest, AddsUp) {
  using K = typename TypeParam::Key;
  using V = typename TypeParam::Value;
  constexpr int64_t kLength = TypeParam::kLength;
  if constexpr (!std::is_same_v<V, std::string>) {
    ShardedMap<K, V> map(8, kLength);
    std::map<K, std::vector<V>> model;
    std::mt19937 random(1);
    constexpr int64_t kKeys = 1000;
    std::vector<K> keys;
    std::vector<V> deltas, sums(kKeys * kLength);
    for (int64_t i = 0; i < kKeys; ++i) {
      keys.push_back(As<K>(random() % 300));
      for (int64_t j = 0; j < kLength; ++j) deltas.push_back(random() % 10);
    }
    ASSERT_TRUE(map.template Accumulate<V>(keys.data(), kKeys, deltas.data(),
                                           OnThisThread, sums.data()));
    for (int64_t i = 0; i < kKeys; ++i) {
      std::vector<V>& sum = model[keys[i]];
      sum.resize(kLength);
      for (int64_t j = 0; j < kLength; ++j) {
        sum[j] += deltas[i * kLength + j];
        ASSERT_EQ(sums[i * kLength + j], sum[j]);
      }
    }
    std::vector<V> values(kKeys * kLength), none(kLength);
    map.Find(keys.data(), kKeys, none.data(), false, values.data());
    for (int64_t i = 0; i < kKeys; ++i) {
      for (int64_t j = 0; j < kLength; ++j) {
        ASSERT_EQ(values[i * kLength + j], model[keys[i]][j]);
      }
    }
  }
}

using IntMap = ShardedMap<int64_t, int64_t>;
using StringMap = ShardedMap<std::string, std::string>;

std::optional<int64_t> Get(const IntMap& map, int64_t key) {
  const int64_t none = 0;
  int64_t value;
  bool found;
  map.Find(&key, 1, &none, false, &value, &found);
  return found ? std::make_optional(value) : std::nullopt;
}

std::vector<int64_t> Numbers(int64_t n) {
  std::vector<int64_t> numbers(n);
  for (int64_t i = 0; i < n; ++i) numbers[i] = i;
  return numbers;
}

TEST(ShardedMapTest, LastOfABatchCountsOnManyThreadsToo) {
  constexpr int64_t kBatch = 100'000;
  std::mt19937 random(1);
  std::vector<int64_t> keys(kBatch);
  std::vector<int64_t> last(kBatch / 10, -1);
  for (int64_t i = 0; i < kBatch; ++i) {
    keys[i] = random() % last.size();
    last[keys[i]] = i;
  }
  IntMap map;
  ASSERT_TRUE(
      map.Insert(keys.data(), kBatch, Numbers(kBatch).data(), OnFourThreads));
  for (size_t i = 0; i < last.size(); ++i) {
    ASSERT_EQ(Get(map, i).value_or(-1), last[i]);
  }
}

TEST(ShardedMapTest, ProbesStayShortWhateverTheKeysHaveInCommon) {
  constexpr int64_t kKeys = 1 << 16;
  const std::vector<std::pair<const char*, std::function<uint64_t(uint64_t)>>>
      patterns = {
          {"in order", [](uint64_t i) { return i; }},
          {"in reverse", [](uint64_t i) { return -i; }},
          {"high bits", [](uint64_t i) { return i << 40; }},
          {"highest bits", [](uint64_t i) { return i << 48; }},
          {"cache lines", [](uint64_t i) { return i * 64; }},
          {"both halves", [](uint64_t i) { return i << 32 | i; }},
          {"golden ratio", [](uint64_t i) { return i * 0x9e3779b97f4a7c15; }},
          // The inverse of the multiplier of the hash.
          {"its inverse", [](uint64_t i) { return i * 0xf1de83e19937733d; }},
          {"a grid", [](uint64_t i) { return (i >> 8) << 32 | (i & 255); }},
      };
  for (const auto& [name, pattern] : patterns) {
    SCOPED_TRACE(name);
    std::vector<int64_t> keys(kKeys);
    for (int64_t i = 0; i < kKeys; ++i) keys[i] = pattern(i);
    IntMap map;
    ASSERT_TRUE(map.Insert(keys.data(), kKeys, keys.data()));
    ASSERT_EQ(map.Size(), kKeys);
    EXPECT_LT(map.CountProbes().longest, 100);
    const IntMap::Frozen frozen(&map);
    for (int shard = 0; shard < map.num_shards(); ++shard) {
      EXPECT_LT(frozen.ShardSize(shard), kKeys / map.num_shards() * 5 / 4);
    }
  }
}

// The groups that are looked at on average to find a key.
template <class Key>
double AverageProbe(const std::vector<Key>& keys) {
  ShardedMap<Key, int64_t> map;
  const std::vector<int64_t> values(keys.size());
  EXPECT_TRUE(map.Insert(keys.data(), keys.size(), values.data()));
  EXPECT_EQ(map.Size(), static_cast<int64_t>(keys.size()));
  return static_cast<double>(map.CountProbes().total) / map.Size();
}

TEST(ShardedMapTest, KeysThatAreChosenToCollideCostWhatOthersDo) {
  constexpr int kKeys = 80'000;
  std::mt19937_64 random(1);
  std::vector<int64_t> any(kKeys);
  for (int64_t& key : any) key = random();
  const double usual = AverageProbe(any);
  // A string of two words, and one of five.
  const auto text = [](uint64_t a, uint64_t b) {
    const uint64_t words[] = {a, b};
    return std::string(reinterpret_cast<const char*>(words), sizeof(words));
  };
  const auto long_text = [&](uint64_t a, uint64_t b) {
    return text(a, b) + text(a, b) + "12345678";
  };
  using namespace sharded_map_internal;  // NOLINT: its constants.
  for (const uint64_t word :
       {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, kGolden, kPi, kGolden ^ kPi,
        kGolden - 1, uint64_t{0xf1de83e19937733d}}) {
    SCOPED_TRACE(word);
    std::vector<std::string> first, second, longer;
    std::vector<int64_t> multiples, differences;
    for (uint64_t i = 1; i <= kKeys; ++i) {
      first.push_back(text(i, word));
      second.push_back(text(word, i));
      longer.push_back(i % 2 ? long_text(i, word) : long_text(word, i));
      if (word % 2) multiples.push_back(i * word);
      differences.push_back(i ^ word);
    }
    EXPECT_LT(AverageProbe(first), 1.5 * usual);
    EXPECT_LT(AverageProbe(second), 1.5 * usual);
    EXPECT_LT(AverageProbe(longer), 1.5 * usual);
    EXPECT_LT(AverageProbe(differences), 1.5 * usual);
    if (!multiples.empty()) EXPECT_LT(AverageProbe(multiples), 1.5 * usual);
  }
}

TEST(ShardedMapTest, TakesAtMostHalfOfWhatANodeBasedMapDoes) {
  // A node and a bucket of such a map: 42 bytes for 10 million pairs.
  std::mt19937_64 random(1);
  // A few shards of the size that those of 10 million keys have.
  IntMap map(8);
  double sum = 0;
  int samples = 0;
  for (int64_t size = 0; size < 2'000'000; size += 1000) {
    std::vector<int64_t> keys(1000);
    for (int64_t& key : keys) key = random();
    ASSERT_TRUE(map.Insert(keys.data(), 1000, keys.data()));
    if (size < 800'000) continue;
    const double bytes = static_cast<double>(map.MemoryUsed()) / map.Size();
    EXPECT_LT(bytes, 21) << size;
    sum += bytes;
    ++samples;
  }
  EXPECT_LT(sum / samples, 20.2);
}

TEST(ShardedMapTest, MemoryOfRemovedKeysIsUsedAgain) {
  IntMap map;
  std::mt19937_64 random(1);
  std::vector<int64_t> keys(10'000);
  for (int64_t& key : keys) key = random();
  map.Insert(keys.data(), keys.size(), keys.data());
  const int64_t before = map.MemoryUsed();
  for (int i = 0; i < 100; ++i) {
    map.Remove(keys.data(), keys.size() / 2);
    for (size_t j = 0; j < keys.size() / 2; ++j) keys[j] = random();
    map.Insert(keys.data(), keys.size() / 2, keys.data());
  }
  EXPECT_EQ(map.Size(), 10'000);
  EXPECT_LT(map.MemoryUsed(), 2 * before);
}

TEST(ShardedMapTest, ClearGivesMemoryBack) {
  IntMap map;
  const int64_t empty = map.MemoryUsed();
  map.Insert(Numbers(100'000).data(), 100'000, Numbers(100'000).data());
  map.Clear();
  EXPECT_EQ(map.Size(), 0);
  EXPECT_EQ(map.MemoryUsed(), empty);
  EXPECT_EQ(map.PendingBlocks(), 0);
}

// A string that, when it is read, waits until it may go on.
struct Waiting {
  std::string text;
  std::atomic<bool>* is_there = nullptr;
  std::atomic<bool>* may_go = nullptr;
};

}  // namespace

template <>
struct StringAccess<Waiting> {
  static std::string_view View(const Waiting& s) { return s.text; }
  static void Assign(std::string_view from, Waiting* to) {
    *to->is_there = true;
    while (!*to->may_go) std::this_thread::yield();
    to->text = from;
  }
};

namespace {

// The bytes that this process holds in memory.
int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  statm >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(ShardedMapTest, ClearGivesMemoryBackWhenTheLastReaderHasLeft) {
  // Long strings, on the heap, and numbers, in mappings.
  constexpr int64_t kKeys = 100'000;
  constexpr int64_t kBytes = kKeys * 500;
  StringMap strings;
  const std::string big(500, 'v');
  std::vector<std::string> keys(kKeys);
  for (int64_t i = 0; i < kKeys; ++i) keys[i] = std::to_string(i);
  const int64_t before = ResidentBytes();
  {
    const std::vector<std::string> values(kKeys, big);
    ASSERT_TRUE(strings.Insert(keys.data(), kKeys, values.data()));
  }
  EXPECT_GT(ResidentBytes() - before, kBytes);
  std::atomic<bool> is_there{false};
  std::atomic<bool> may_go{false};
  std::thread reader([&] {
    const Waiting none;
    Waiting value{"", &is_there, &may_go};
    EXPECT_TRUE(strings.Find(&keys[7], 1, &none, false, &value));
    EXPECT_EQ(value.text, big);  // Which was cleared meanwhile.
  });
  while (!is_there) std::this_thread::yield();
  strings.Clear();
  EXPECT_GE(strings.PendingBlocks(), kKeys);
  may_go = true;
  reader.join();
  EXPECT_EQ(strings.PendingBlocks(), 0);
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) && \
    !__has_feature(thread_sanitizer)
  EXPECT_LT(ResidentBytes() - before, kBytes / 4);
#endif
}

TEST(ShardedMapTest, NothingIsKeptWhenNobodyReads) {
  StringMap map;
  std::vector<std::string> keys, values;
  for (int i = 0; i < 1000; ++i) {
    keys.push_back(As<std::string>(i));
    values.push_back(std::string(100, 'v'));
  }
  for (int i = 0; i < 10; ++i) {
    map.Insert(keys.data(), keys.size(), values.data());
    EXPECT_EQ(map.PendingBlocks(), 0);
  }
  map.Remove(keys.data(), keys.size());
  EXPECT_EQ(map.PendingBlocks(), 0);
}

void RetireOne(sharded_map_internal::Reclaimer* reclaimer) {
  sharded_map_internal::BlockList blocks;
  blocks.Push(new (std::malloc(sizeof(sharded_map_internal::Block)))
                  sharded_map_internal::Block{
                      nullptr, sharded_map_internal::Block::kOnHeap, 0});
  reclaimer->Retire(std::move(blocks));
}

TEST(ReclaimerTest, KeepsWhatAReaderMaySeeUntilItLeaves) {
  sharded_map_internal::Reclaimer reclaimer;
  using Reader = sharded_map_internal::Reclaimer::Reader;
  auto old_reader = std::make_unique<Reader>(&reclaimer);
  RetireOne(&reclaimer);
  EXPECT_EQ(reclaimer.Pending(), 1);
  {
    // Others come all the time, and hold back nothing but what is newer.
    const Reader newer(&reclaimer);
    RetireOne(&reclaimer);
    EXPECT_EQ(reclaimer.Pending(), 2);
    old_reader.reset();
    EXPECT_EQ(reclaimer.Pending(), 1);
  }
  EXPECT_EQ(reclaimer.Pending(), 0);
}

TEST(ReclaimerTest, IsNotHeldUpByReadersThatFollowOneAnother) {
  sharded_map_internal::Reclaimer reclaimer;
  using Reader = sharded_map_internal::Reclaimer::Reader;
  auto reader = std::make_unique<Reader>(&reclaimer);
  for (int i = 0; i < 100; ++i) {
    RetireOne(&reclaimer);
    // There is one at any time, but none for long.
    auto next = std::make_unique<Reader>(&reclaimer);
    reader = std::move(next);
    EXPECT_LT(reclaimer.Pending(), 3);
  }
}

TEST(ReclaimerTest, NothingIsLeftWhenTheLastOfManyReadersHasLeft) {
  sharded_map_internal::Reclaimer reclaimer;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        for (int j = 0; j < 20; ++j) {
          const sharded_map_internal::Reclaimer::Reader reader(&reclaimer);
          if (i == 0) RetireOne(&reclaimer);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(reclaimer.Pending(), 0);
  }
}

TEST(ShardedMapTest, SaysSoWhenMemoryHasRunOut) {
  // Eight values are a petabyte. They are not looked at before there is room.
  using Map = ShardedMap<int64_t, double>;
  Map map(1, Map::kMaxValueLength);
  const int64_t key = 1;
  EXPECT_FALSE(map.Insert(&key, 1, static_cast<double*>(nullptr)));
  EXPECT_EQ(map.Size(), 0);
  EXPECT_TRUE(map.Remove(&key, 1));
}

TEST(ShardedMapTest, ReplaceWithTakesAllAndLeavesNothing) {
  IntMap map, other;
  map.Insert(Numbers(10).data(), 10, Numbers(10).data());
  const int64_t key = 77;
  other.Insert(&key, 1, &key);
  map.ReplaceWith(&other);
  EXPECT_EQ(map.Size(), 1);
  EXPECT_EQ(Get(map, 77), 77);
  EXPECT_EQ(Get(map, 3), std::nullopt);
  EXPECT_EQ(other.Size(), 0);
  other.Insert(&key, 1, &key);
  EXPECT_EQ(Get(other, 77), 77);
}

TEST(ShardedMapTest, FrozenShowsOneMoment) {
  // One thread adds a key after the other; who sees a key must see all that
  // came before.
  IntMap map(16);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int64_t key = 0; !stop; ++key) map.Insert(&key, 1, &key);
  });
  std::vector<int64_t> keys;
  bool all_before = true;
  while (keys.size() < 20'000) {
    keys.clear();
    {
      const IntMap::Frozen frozen(&map);
      for (int shard = 0; shard < map.num_shards(); ++shard) {
        std::vector<int64_t> part(frozen.ShardSize(shard));
        frozen.Export<int64_t, int64_t>(shard, part.data(), nullptr);
        keys.insert(keys.end(), part.begin(), part.end());
      }
    }
    std::sort(keys.begin(), keys.end());
    all_before = all_before && keys == Numbers(keys.size());
  }
  stop = true;
  writer.join();
  EXPECT_TRUE(all_before);
}

TEST(ShardedMapTest, ReadersNeverSeeHalfAValue) {
  // A value is one number many times, as elements or as strings of that length.
  constexpr int64_t kLength = 24;
  constexpr int kKeys = 4;
  ShardedMap<int64_t, int32_t> numbers(2, kLength);
  StringMap strings(2);
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; ++i) keys.push_back(std::string(20 + i * 3, 'k'));
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int thread = 0; thread < 2; ++thread) {
    writers.emplace_back([&, thread] {
      std::mt19937 random(thread);
      while (!stop) {
        const int64_t key = random() % kKeys;
        const int32_t number = random() % 100;
        const std::vector<int32_t> value(kLength, number);
        const std::string text(number, static_cast<char>(number));
        if (random() % 8 == 0) {
          numbers.Remove(&key, 1);
          strings.Remove(&keys[key], 1);
        } else {
          numbers.Insert(&key, 1, value.data());
          strings.Insert(&keys[key], 1, &text);
        }
        if (random() % 1000 == 0) {
          numbers.Clear();
          strings.Clear();
        }
      }
    });
  }
  const std::vector<int32_t> none(kLength, -1);
  const std::string no_text = "none";
  int hits = 0;
  int halves = 0;
  while (hits < 50'000) {
    int64_t batch[kKeys];
    for (int j = 0; j < kKeys; ++j) batch[j] = j;
    std::vector<int32_t> values(kKeys * kLength);
    numbers.Find(batch, kKeys, none.data(), false, values.data());
    std::vector<std::string> texts(kKeys);
    bool found[kKeys];
    strings.Find(keys.data(), kKeys, &no_text, false, texts.data(), found);
    for (int j = 0; j < kKeys; ++j) {
      for (int64_t k = 1; k < kLength; ++k) {
        halves += values[j * kLength + k] != values[j * kLength];
      }
      if (!found[j]) continue;
      ++hits;
      for (const char c : texts[j]) {
        halves += c != static_cast<char>(texts[j].size());
      }
    }
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(halves, 0);
}

TEST(ShardedMapTest, ReadersNeverSeeHalfOfALongValue) {
  // One that takes so long to write and to read that it is being written each
  // time that it is read, and the other way round.
  constexpr int64_t kLength = 1 << 15;
  ShardedMap<int64_t, int32_t> map(1, kLength);
  // The search for the second key begins with the slot of the first one.
  const auto h2 = [](int64_t key) {
    namespace internal = sharded_map_internal;
    return internal::H2(
        internal::Query<int64_t>(key, internal::ProcessSalt()).hash);
  };
  int64_t keys[2] = {1, 2};
  while (h2(keys[0]) != h2(keys[1])) ++keys[1];
  const std::vector<int32_t> none(kLength, -1);
  for (const int64_t key : keys) map.Insert(&key, 1, none.data());
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    std::vector<int32_t> value(kLength);
    for (int32_t number = 0; !stop; ++number) {
      std::fill(value.begin(), value.end(), number);
      map.Insert(&keys[number % 2], 1, value.data());
    }
  });
  std::vector<int32_t> value(kLength);
  int halves = 0;
  // Until many values have been seen, and so for some time.
  for (int i = 0; i < 1000 || value[0] < 2000; ++i) {
    map.Find(&keys[i % 2], 1, none.data(), false, value.data());
    halves += std::count(value.begin(), value.end(), value[0]) != kLength;
  }
  stop = true;
  writer.join();
  EXPECT_EQ(halves, 0);
}

// What eight threads do to a few keys of a map, and what they see.
//
// Maps that are not right have to have methods of the same name.
template <class Map>
std::vector<std::vector<Call>> Record(Map* map, int calls_per_thread) {
  constexpr int kThreads = 8;
  constexpr int64_t kKeys = 40;
  std::atomic<int64_t> clock{0};
  std::vector<std::vector<Call>> calls[kThreads];
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    calls[thread].resize(kKeys);
    threads.emplace_back([&, thread] {
      std::mt19937 random(thread);
      int64_t last_value = 0;
      for (int call = 0; call < calls_per_thread; ++call) {
        // Some distinct keys. The first few are in most batches; the others
        // make shards grow.
        std::vector<int64_t> keys;
        for (int64_t key = 0; key < kKeys; ++key) {
          if (random() % (key < 4 ? 2 : 16) == 0) keys.push_back(key);
        }
        std::shuffle(keys.begin(), keys.end(), random);
        const auto n = static_cast<int64_t>(keys.size());
        const int kind = random() % 10;
        std::vector<int64_t> values(n), results(n);
        for (int64_t& value : values) {
          // No two are equal.
          value = (++last_value << 8 | thread) << 20;
        }
        const auto flags = std::make_unique<bool[]>(n);
        Call record = {};
        record.begin = clock.fetch_add(1);
        if (kind < 5) {
          record.kind = Call::kFind;
          const int64_t none = -1;
          map->Find(keys.data(), n, &none, false, results.data(), flags.get());
        } else if (kind < 7) {
          record.kind = Call::kInsert;
          // Twice each: the first value must not be seen.
          std::vector<int64_t> twice = keys;
          twice.insert(twice.end(), keys.begin(), keys.end());
          std::vector<int64_t> both(n, -7);
          both.insert(both.end(), values.begin(), values.end());
          map->Insert(twice.data(), 2 * n, both.data());
        } else if (kind < 9) {
          record.kind = Call::kAccumulate;
          for (int64_t& value : values) value = 1 + random() % 3;
          map->template Accumulate<int64_t>(keys.data(), n, values.data(),
                                            OnThisThread, results.data());
          std::fill_n(flags.get(), n, true);
        } else {
          record.kind = Call::kRemove;
          map->Remove(keys.data(), n, OnThisThread, flags.get());
        }
        record.end = clock.fetch_add(1);
        for (int64_t i = 0; i < n; ++i) {
          record.argument = values[i];
          record.result =
              flags[i] ? std::make_optional(results[i]) : std::nullopt;
          calls[thread][keys[i]].push_back(record);
        }
        if (random() % 64 == 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::vector<Call>> of_key(kKeys);
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int64_t key = 0; key < kKeys; ++key) {
      of_key[key].insert(of_key[key].end(), calls[thread][key].begin(),
                         calls[thread][key].end());
    }
  }
  return of_key;
}

template <class Map>
bool EveryKeyIsLinearizable(Map* map, int calls_per_thread) {
  for (const std::vector<Call>& calls : Record(map, calls_per_thread)) {
    EXPECT_GT(calls.size(), 0);
    if (!IsLinearizable(calls)) return false;
  }
  return true;
}

TEST(ConcurrencyTest, EveryKeyIsLinearizable) {
  for (const int num_shards : {1, 2, 16, 64}) {
    IntMap map(num_shards);
    EXPECT_TRUE(EveryKeyIsLinearizable(&map, 4000)) << num_shards;
  }
}

// Maps that are wrong each in one way, all of which the test above would find.

struct Forwarding {
  template <class... Args>
  void Find(Args... args) {
    map.Find(args...);
  }
  template <class... Args>
  void Insert(Args... args) {
    map.Insert(args...);
  }
  template <class T, class... Args>
  void Accumulate(Args... args) {
    map.Accumulate<T>(args...);
  }
  template <class... Args>
  void Remove(Args... args) {
    map.Remove(args...);
  }
  IntMap map{16};
};

struct RemovesToReplace : Forwarding {
  void Insert(const int64_t* keys, int64_t n, const int64_t* values) {
    map.Remove(keys, n);
    std::this_thread::yield();
    map.Insert(keys, n, values);
  }
};

struct AddsToWhatItRead : Forwarding {
  template <class T>
  void Accumulate(const int64_t* keys, int64_t n, const T* deltas,
                  const ParallelFor&, T* sums) {
    const int64_t zero = 0;
    map.Find(keys, n, &zero, false, sums);
    std::this_thread::yield();
    for (int64_t i = 0; i < n; ++i) sums[i] += deltas[i];
    map.Insert(keys, n, sums);
  }
};

struct ShowsEveryValueOfABatch : Forwarding {
  void Insert(const int64_t* keys, int64_t n, const int64_t* values) {
    for (int64_t i = 0; i < n; ++i) map.Insert(keys + i, 1, values + i);
  }
};

struct AnswersFromTheThreadsOwnCopy : Forwarding {
  void Find(const int64_t* keys, int64_t n, const int64_t* none, bool per_key,
            int64_t* values, bool* found) {
    thread_local std::map<int64_t, std::pair<int64_t, bool>> copies;
    thread_local int age = 0;
    if (++age % 16 == 0) copies.clear();
    map.Find(keys, n, none, per_key, values, found);
    for (int64_t i = 0; i < n; ++i) {
      const auto [it, is_new] = copies.insert({keys[i], {values[i], found[i]}});
      std::tie(values[i], found[i]) = it->second;
    }
  }
};

struct SaysRemovedAlways : Forwarding {
  void Remove(const int64_t* keys, int64_t n, const ParallelFor& parallel,
              bool* removed) {
    map.Remove(keys, n, parallel, removed);
    std::fill_n(removed, n, true);
  }
};

TEST(ConcurrencyTest, MapsThatAreWrongAreFoundOut) {
  const auto found_out = [](auto map) {
    for (int i = 0; i < 20; ++i) {
      if (!EveryKeyIsLinearizable(map.get(), 1000)) return true;
    }
    return false;
  };
  EXPECT_TRUE(found_out(std::make_unique<RemovesToReplace>()));
  EXPECT_TRUE(found_out(std::make_unique<AddsToWhatItRead>()));
  EXPECT_TRUE(found_out(std::make_unique<ShowsEveryValueOfABatch>()));
  EXPECT_TRUE(found_out(std::make_unique<AnswersFromTheThreadsOwnCopy>()));
  EXPECT_TRUE(found_out(std::make_unique<SaysRemovedAlways>()));
}

TEST(ConcurrencyTest, NothingIsLostWhileOthersExportAndReplace) {
  IntMap map;
  std::atomic<bool> stop{false};
  std::thread exporter([&] {
    while (!stop) {
      const IntMap::Frozen frozen(&map);
      for (int shard = 0; shard < map.num_shards(); ++shard) {
        std::vector<int64_t> keys(frozen.ShardSize(shard)), values(keys.size());
        frozen.Export(shard, keys.data(), values.data());
      }
    }
  });
  std::vector<std::thread> writers;
  const std::vector<int64_t> keys = Numbers(1000);
  const std::vector<int64_t> ones(1000, 1);
  for (int thread = 0; thread < 4; ++thread) {
    writers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        map.Accumulate<int64_t>(keys.data(), 1000, ones.data());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  stop = true;
  exporter.join();
  for (const int64_t key : keys) ASSERT_EQ(Get(map, key), 400);
}

}  // namespace
}  // namespace custom_op_examples
