// What a map is when memory runs out at any one of the places where it is asked
// for. The linker has this file's functions called in place of malloc,
// posix_memalign and mmap.
//
// By default every few of the places; with --all as an argument, each.

#include <gtest/gtest.h>
#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/parallel_for.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/sharded_map.h"

namespace {

bool every_place = false;

// How many allocations there may be yet; not counted if negative.
std::atomic<int64_t> left{-1};
std::atomic<bool> only_one_fails{false};
std::atomic<bool> has_failed{false};

bool Fails() {
  if (left.load() < 0) return false;
  const int64_t before = left.fetch_sub(1);
  if (before > 0) return false;
  left = only_one_fails ? -1 : 0;
  has_failed = true;
  return true;
}

}  // namespace

extern "C" {
void* __real_malloc(size_t size);
int __real_posix_memalign(void** to, size_t alignment, size_t size);
void* __real_mmap(void* at, size_t size, int protection, int flags, int file,
                  off_t offset);

void* __wrap_malloc(size_t size) {
  return Fails() ? nullptr : __real_malloc(size);
}
int __wrap_posix_memalign(void** to, size_t alignment, size_t size) {
  return Fails() ? ENOMEM : __real_posix_memalign(to, alignment, size);
}
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file,
                  off_t offset) {
  return Fails() ? MAP_FAILED
                 : __real_mmap(at, size, protection, flags, file, offset);
}
}

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return __wrap_malloc(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return __wrap_malloc(size);
}
void* operator new(size_t size) {
  void* const memory = __wrap_malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, std::align_val_t alignment) {
  void* memory = nullptr;
  if (__wrap_posix_memalign(&memory, static_cast<size_t>(alignment), size)) {
    throw std::bad_alloc();
  }
  return memory;
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}

namespace custom_op_examples {
namespace {

template <class T>
T As(int64_t number) {
  if constexpr (std::is_same_v<T, std::string>) {
    // Short and long ones.
    return std::string(number % 3 * 16, 'x') + std::to_string(number);
  } else {
    return static_cast<T>(number);
  }
}

template <class K, class V, int64_t value_length>
struct Types {
  using Key = K;
  using Value = V;
  static constexpr int64_t kLength = value_length;
};

template <class Types>
class OutOfMemoryTest : public testing::Test {
 protected:
  using K = typename Types::Key;
  using V = typename Types::Value;
  using Map = ShardedMap<K, V>;
  using Contents = std::map<K, std::vector<V>>;
  static constexpr int64_t kLength = Types::kLength;
  static constexpr int kShards = 4;

  struct Batch {
    // Some keys, of which some are there more than once.
    Batch(int64_t first, int64_t count, int64_t factor = 1) {
      for (int64_t i = 0; i < count; ++i) {
        keys.push_back(As<K>(first + i % (count - count / 8)));
        for (int64_t j = 0; j < kLength; ++j) {
          values.push_back(As<V>(factor * (first + i + j)));
        }
      }
    }
    int64_t size() const { return keys.size(); }
    std::vector<K> keys;
    std::vector<V> values;
  };

  static Contents ContentsOf(const Map& map) {
    Contents contents;
    const typename Map::Frozen frozen(&map);
    for (int shard = 0; shard < kShards; ++shard) {
      const int64_t size = frozen.ShardSize(shard);
      std::vector<K> keys(size);
      std::vector<V> values(size * kLength);
      EXPECT_TRUE(frozen.Export(shard, keys.data(), values.data()));
      for (int64_t i = 0; i < size; ++i) {
        contents[keys[i]] = {values.begin() + i * kLength,
                             values.begin() + (i + 1) * kLength};
      }
    }
    EXPECT_EQ(map.Size(), static_cast<int64_t>(contents.size()));
    return contents;
  }

  static std::unique_ptr<Map> NewMap() {
    auto map = std::make_unique<Map>(kShards, kLength);
    const Batch batch(0, 300);
    EXPECT_TRUE(
        map->Insert(batch.keys.data(), batch.size(), batch.values.data()));
    return map;
  }

  // `op` of a map with 300 keys changes all that it is to change, or nothing.
  // Returns how often it changed nothing.
  static int SweepOver(const char* name, const std::function<bool(Map*)>& op) {
    SCOPED_TRACE(name);
    const Contents before = ContentsOf(*NewMap());
    const Contents after = [&] {
      const auto map = NewMap();
      EXPECT_TRUE(op(map.get()));
      return ContentsOf(*map);
    }();
    int failures = 0;
    for (const bool once : {true, false}) {
      for (int64_t place = 1; place <= 500;
           place += every_place ? 1 : 1 + place / 16) {
        SCOPED_TRACE(place);
        const auto map = NewMap();
        only_one_fails = once;
        has_failed = false;
        left = place - 1;
        const bool ok = op(map.get());
        left = -1;
        EXPECT_TRUE(ok || has_failed);
        EXPECT_EQ(ContentsOf(*map), ok ? after : before);
        EXPECT_EQ(map->PendingBlocks(), 0);
        // It goes on as if nothing had been.
        if (!ok) {
          ++failures;
          EXPECT_TRUE(op(map.get()));
          EXPECT_EQ(ContentsOf(*map), after);
        }
        if (!has_failed || testing::Test::HasFailure()) break;
      }
    }
    return failures;
  }
};

using AllTypes =
    testing::Types<Types<int64_t, int64_t, 1>, Types<int32_t, float, 5>,
                   Types<int64_t, std::string, 1>,
                   Types<std::string, int64_t, 1>,
                   Types<std::string, std::string, 12>>;
TYPED_TEST_SUITE(OutOfMemoryTest, AllTypes);

// As a pool whose threads are fast.
auto AtOnce() {
  return OnThreads(4, [](const std::function<void()>& task) { task(); });
}

TYPED_TEST(OutOfMemoryTest, InsertChangesAllOrNothing) {
  using Map = typename TestFixture::Map;
  for (const int64_t size : {1, 2, 100, 400, 5000}) {
    if (size == 5000 && TestFixture::kLength > 1 && !every_place) continue;
    // Some are there already.
    const typename TestFixture::Batch batch(200, size, 7);
    const int failures =
        this->SweepOver(std::to_string(size).c_str(), [&](Map* map) {
          return map->Insert(batch.keys.data(), size, batch.values.data(),
                             AtOnce());
        });
    if (size >= 100) EXPECT_GT(failures, 0) << size;
  }
}

TYPED_TEST(OutOfMemoryTest, AccumulateChangesAllOrNothing) {
  using Map = typename TestFixture::Map;
  using V = typename TestFixture::V;
  if constexpr (!std::is_same_v<V, std::string>) {
    for (const int64_t size : {1, 100, 400, 5000}) {
      const typename TestFixture::Batch batch(200, size);
      const int failures =
          this->SweepOver(std::to_string(size).c_str(), [&](Map* map) {
            return map->template Accumulate<V>(batch.keys.data(), size,
                                               batch.values.data(), AtOnce());
          });
      EXPECT_EQ(failures > 0, size > 1) << size;
    }
  }
}

TYPED_TEST(OutOfMemoryTest, RemoveChangesAllOrNothing) {
  using Map = typename TestFixture::Map;
  for (const int64_t size : {1, 100, 400, 5000}) {
    const typename TestFixture::Batch batch(200, size);
    this->SweepOver(std::to_string(size).c_str(), [&](Map* map) {
      return map->Remove(batch.keys.data(), size, AtOnce());
    });
  }
}

TYPED_TEST(OutOfMemoryTest, ClearNeedsNone) {
  using Map = typename TestFixture::Map;
  this->SweepOver("clear", [&](Map* map) {
    map->Clear();
    EXPECT_FALSE(has_failed);
    return true;
  });
}

TYPED_TEST(OutOfMemoryTest, ImportChangesAllOrNothing) {
  using Map = typename TestFixture::Map;
  const typename TestFixture::Batch batch(1000, 400);
  this->SweepOver("import", [&](Map* map) {
    try {
      Map other(TestFixture::kShards, TestFixture::kLength);
      if (!other.Insert(batch.keys.data(), batch.size(), batch.values.data())) {
        return false;
      }
      map->ReplaceWith(&other);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  });
}

TYPED_TEST(OutOfMemoryTest, FindAndExportLeaveTheMapAlone) {
  using Map = typename TestFixture::Map;
  const typename TestFixture::Batch batch(200, 400);
  const std::vector<typename TestFixture::V> none(TestFixture::kLength);
  std::vector<typename TestFixture::V> values;
  this->SweepOver("find", [&](Map* map) {
    const int64_t before = left.exchange(-1);
    values = std::vector<typename TestFixture::V>(batch.values.size());
    std::vector<typename TestFixture::K> keys(300);
    std::vector<typename TestFixture::V> shard_values(300 *
                                                      TestFixture::kLength);
    left = before;
    bool ok = map->Find(batch.keys.data(), batch.size(), none.data(), false,
                        values.data());
    const typename Map::Frozen frozen(map);
    for (int shard = 0; shard < TestFixture::kShards && ok; ++shard) {
      ok = frozen.Export(shard, keys.data(), shard_values.data());
    }
    return ok;
  });
}

TEST(OutOfMemoryTest, SpareIsUsedOnlyInNeed) {
  // All allocations fail that come after those before the first change.
  using Map = ShardedMap<int64_t, int64_t>;
  std::mt19937_64 random(1);
  std::vector<int64_t> keys(20'000);
  for (int64_t& key : keys) key = random();
  int successes_with_failures = 0;
  for (int64_t place = 1; place < 60; ++place) {
    Map map(4);
    only_one_fails = false;
    has_failed = false;
    left = place - 1;
    const bool ok = map.Insert(keys.data(), keys.size(), keys.data());
    left = -1;
    EXPECT_EQ(map.Size(), ok ? 20'000 : 0);
    successes_with_failures += ok && has_failed;
  }
  EXPECT_GT(successes_with_failures, 0);
}

}  // namespace
}  // namespace custom_op_examples

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  every_place = argc > 1 && std::string_view(argv[1]) == "--all";
  return RUN_ALL_TESTS();
}
