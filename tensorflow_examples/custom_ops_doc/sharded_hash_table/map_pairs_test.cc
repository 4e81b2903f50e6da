// Every two operations of a map at once, in batches that a pool of threads
// shares: none waits for ever, and each sees what was written.
//
// --rounds=N as an argument has each thread do its operation so often.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/sharded_map.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/test_pool.h"

namespace custom_op_examples {
namespace {

int rounds = 3;

// A value of a key is this much times anything, and the key; what is added is
// this much times one. So it shows whose it is.
constexpr int64_t kStep = 10'000;
constexpr int64_t kKeys = 9'000;

template <class K, class V, int64_t value_length>
struct Types {
  using Key = K;
  using Value = V;
  static constexpr int64_t kLength = value_length;
};

template <class T>
T KeyOf(int64_t number) {
  if constexpr (std::is_same_v<T, std::string>) {
    // Short and long ones.
    return std::string(number % 2 * 20, 'k') + std::to_string(number);
  } else {
    return static_cast<T>(number);
  }
}

int64_t NumberOf(int64_t key) { return key; }
int64_t NumberOf(const std::string& key) {
  return std::stoll(
      key.substr(std::min(key.find_first_not_of('k'), key.size())));
}

template <class Types>
class MapPairsTest : public testing::Test {
 protected:
  using K = typename Types::Key;
  using V = typename Types::Value;
  using Map = ShardedMap<K, V>;
  static constexpr int64_t kLength = Types::kLength;
  static constexpr bool kAdds = !std::is_same_v<V, std::string>;

  static V ValueOf(int64_t key, int64_t version) {
    if constexpr (kAdds) {
      return static_cast<V>(key + version % 100 * kStep);
    } else {
      return std::to_string(key) + std::string(version % 50, '.');
    }
  }

  // Whether it may be the value of a key, which may be 0 with additions alone.
  static bool IsValueOf(int64_t key, const V* value) {
    for (int64_t i = 0; i < kLength; ++i) {
      if constexpr (kAdds) {
        const auto rest = static_cast<int64_t>(value[i]) % kStep;
        if (rest != key && rest != 0) return false;
      } else {
        const size_t end = std::min(value[i].find('.'), value[i].size());
        if (value[i].substr(0, end) != std::to_string(key)) return false;
      }
      // All elements were written as one.
      if (value[i] != value[0]) return false;
    }
    return true;
  }

  // Some keys, and a value for each; every so often a few.
  struct Batch {
    explicit Batch(std::mt19937* random) {
      const int64_t count = (*random)() % 4 == 0 ? 20 : 6'000;
      for (int64_t i = 0; i < count; ++i) {
        numbers.push_back((*random)() % kKeys);
        keys.push_back(KeyOf<K>(numbers.back()));
        values.insert(values.end(), kLength,
                      ValueOf(numbers.back(), (*random)()));
      }
    }
    int64_t size() const { return numbers.size(); }
    std::vector<int64_t> numbers;
    std::vector<K> keys;
    std::vector<V> values;
  };

  struct Operation {
    const char* name;
    bool adds_only;  // Or does not write at all.
    std::function<void(Map*, std::mt19937*)> run;
  };

  auto Parallel() { return InPool(&pool_, 2); }

  void Export(Map* map) {
    std::atomic<int64_t> wrong{0};
    const typename Map::Frozen frozen(map);
    Parallel()(map->num_shards(), 1'000'000, [&](int64_t begin, int64_t end) {
      for (int64_t shard = begin; shard < end; ++shard) {
        const int64_t size = frozen.ShardSize(shard);
        std::vector<K> keys(size);
        std::vector<V> values(size * kLength);
        if (!frozen.Export(shard, keys.data(), values.data())) ++wrong;
        std::sort(keys.begin(), keys.end());
        for (int64_t i = 1; i < size; ++i) wrong += keys[i - 1] == keys[i];
      }
    });
    EXPECT_EQ(wrong, 0);
  }

  std::vector<Operation> Operations() {
    std::vector<Operation> operations = {
        {"find", true,
         [](Map* map, std::mt19937* random) {
           const Batch batch(random);
           const std::vector<V> none(kLength);
           std::vector<V> values(batch.size() * kLength);
           const auto found = std::make_unique<bool[]>(batch.size());
           EXPECT_TRUE(map->Find(batch.keys.data(), batch.size(), none.data(),
                                 false, values.data(), found.get()));
           int64_t wrong = 0;
           for (int64_t i = 0; i < batch.size(); ++i) {
             const V* value = &values[i * kLength];
             wrong += found[i] ? !IsValueOf(batch.numbers[i], value)
                               : !std::equal(none.begin(), none.end(), value);
           }
           EXPECT_EQ(wrong, 0);
         }},
        {"size", true,
         [](Map* map, std::mt19937*) { EXPECT_LE(map->Size(), kKeys); }},
        {"export", true, [this](Map* map, std::mt19937*) { Export(map); }},
        {"insert", false,
         [this](Map* map, std::mt19937* random) {
           const Batch batch(random);
           EXPECT_TRUE(map->Insert(batch.keys.data(), batch.size(),
                                   batch.values.data(), Parallel()));
         }},
        {"insert one", false,
         [](Map* map, std::mt19937* random) {
           for (int i = 0; i < 1'000; ++i) {
             const auto number = static_cast<int64_t>((*random)() % kKeys);
             const K key = KeyOf<K>(number);
             const std::vector<V> value(kLength, ValueOf(number, i));
             EXPECT_TRUE(map->Insert(&key, 1, value.data()));
           }
         }},
        {"remove", false,
         [this](Map* map, std::mt19937* random) {
           const Batch batch(random);
           EXPECT_TRUE(
               map->Remove(batch.keys.data(), batch.size(), Parallel()));
         }},
        {"clear", false, [](Map* map, std::mt19937*) { map->Clear(); }},
        {"replace", false,
         [](Map* map, std::mt19937* random) {
           const Batch batch(random);
           Map other(map->num_shards(), kLength);
           EXPECT_TRUE(other.Insert(batch.keys.data(), batch.size(),
                                    batch.values.data()));
           map->ReplaceWith(&other);
         }},
    };
    if constexpr (kAdds) {
      operations.push_back(
          {"accumulate", true, [this](Map* map, std::mt19937* random) {
             const Batch batch(random);
             const std::vector<V> deltas(batch.size() * kLength, kStep);
             EXPECT_TRUE(map->template Accumulate<V>(
                 batch.keys.data(), batch.size(), deltas.data(), Parallel()));
             added_ += batch.size();
           }});
    }
    return operations;
  }

  void Run(const Operation& a, const Operation& b) {
    SCOPED_TRACE(std::string(a.name) + " beside " + b.name);
    Map map(16, kLength);
    std::mt19937 random(1);
    for (int i = 0; i < 2; ++i) Operations()[3].run(&map, &random);
    const int64_t size = map.Size();
    const int64_t sum = Sum(map);
    added_ = 0;
    std::thread other([&] {
      std::mt19937 its_random(2);
      for (int i = 0; i < rounds; ++i) b.run(&map, &its_random);
    });
    for (int i = 0; i < rounds; ++i) a.run(&map, &random);
    other.join();
    const int64_t after = Sum(map);
    if (a.adds_only && b.adds_only) {
      EXPECT_EQ(after, sum + added_ * kStep * kLength);
      EXPECT_GE(map.Size(), size);
    }
    EXPECT_EQ(map.PendingBlocks(), 0);
  }

  // The sum of all values, each of which is checked.
  static int64_t Sum(const Map& map) {
    int64_t sum = 0;
    int64_t wrong = 0;
    const typename Map::Frozen frozen(&map);
    for (int shard = 0; shard < map.num_shards(); ++shard) {
      const int64_t size = frozen.ShardSize(shard);
      std::vector<K> keys(size);
      std::vector<V> values(size * kLength);
      EXPECT_TRUE(frozen.Export(shard, keys.data(), values.data()));
      for (int64_t i = 0; i < size; ++i) {
        wrong += !IsValueOf(NumberOf(keys[i]), &values[i * kLength]);
      }
      if constexpr (kAdds) {
        for (const V value : values) sum += static_cast<int64_t>(value);
      }
    }
    EXPECT_EQ(wrong, 0);
    return sum;
  }

 private:
  std::atomic<int64_t> added_{0};
  // Last, as its threads end with it.
  Pool pool_{2};
};

using AllTypes =
    testing::Types<Types<int64_t, int64_t, 1>, Types<int32_t, int32_t, 3>,
                   Types<std::string, int64_t, 1>,
                   Types<std::string, std::string, 2>>;
TYPED_TEST_SUITE(MapPairsTest, AllTypes);

TYPED_TEST(MapPairsTest, EachSeesWhatWasWritten) {
  const auto operations = this->Operations();
  for (const auto& a : operations) {
    for (const auto& b : operations) {
      this->Run(a, b);
      if (this->HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace custom_op_examples

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kRounds = "--rounds=";
  if (argc > 1 && std::string_view(argv[1]).substr(0, 9) == kRounds) {
    custom_op_examples::rounds = std::atoi(argv[1] + kRounds.size());
  }
  return RUN_ALL_TESTS();
}
