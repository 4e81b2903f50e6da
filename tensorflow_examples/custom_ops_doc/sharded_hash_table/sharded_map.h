// A hash map for many threads and for batches of keys. It knows nothing of
// TensorFlow.
//
// Keys are spread over shards by their hash, and each shard is a Swiss table:
//
//   ShardedMap
//     shards_[i]   a shard, in two cache lines
//       sequence, storage ----+         that readers look at
//       mutex, size, used, ...|         that only writers do
//                             v
//     Storage      groups; never changes
//       control ---> |7 bits of a hash, empty or deleted| * 8 | ... a group
//       each slots -----> |key|value| |key|value| |key|value| ...
//                     |
//                     +--> StringBlock, if it is a long string
//
//   control_group.h  control bytes, and which bits of a hash are for what
//   cell.h           numbers in a slot
//   string_cell.h    strings in a slot
//   hash.h           the hash and its salt
//   seqlock.h        how readers find out that somebody wrote meanwhile
//   reclaimer.h      how memory is freed that readers may yet look at
//   parallel_for.h   how work gets to other threads
//
// The search for a key begins at its hash scaled to the number of groups, so
// that capacities need not be powers of two, and goes from group to group up to
// one that has an empty slot. A shard grows by a tenth or so at a time; each by
// another fraction, so that not all are at their emptiest at once.
//
// Writers hold the mutex of one shard at a time. Readers hold none. Operations
// on one key are linearizable, those of a batch each by itself; of a key that
// is in a batch of writes more than once, only the last value is ever seen.
// Frozen sees all keys as of one moment.
//
// Memory that runs out is no end: what a write may need is allocated before it
// changes anything. Values that are strings are made first. Shards that may
// have to grow get a spare storage, large enough if none of the keys were
// there, and keys that are long strings get spare room: memory that is not
// touched, for when that of the size that is really wanted cannot be had.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SHARDED_MAP_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SHARDED_MAP_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/cell.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/control_group.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/hash.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/parallel_for.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/reclaimer.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/seqlock.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/string_cell.h"

namespace custom_op_examples {
namespace sharded_map_internal {

inline void Prefetch(const void* address) { __builtin_prefetch(address); }

// Asks for memory of more than a cache line; not for all that is long, as the
// hardware sees by then where it goes on.
inline void PrefetchLines(const char* address, size_t bytes) {
  constexpr size_t kLine = 64;
  constexpr size_t kMost = 8 * kLine;
  Prefetch(address);
  for (size_t i = kLine; i < std::min(bytes, kMost); i += kLine) {
    Prefetch(address + i);
  }
}

// Slots and their control bytes. It is changed by nobody but who fills it, so
// that it stays in every reader's cache.
struct Storage : ArrayBlock {
  size_t groups;
  uint64_t* control;  // The beginning of the array.
  char* slots;
};

// That of a shard which never had a key: one group, of no slots.
inline uint64_t empty_control = 0;
inline Storage empty_storage = {{{nullptr, Block::kWithArray, 0}, {nullptr, 0}},
                                1,
                                &empty_control,
                                nullptr};

}  // namespace sharded_map_internal

// See the head of the file. `K` is an integer of four or eight bytes or
// std::string; `V` is trivially copyable and of one, two, four or eight bytes,
// or std::string. A value is `value_length` of them.
//
// Keys and values are passed as arrays of any type of the same size, or as any
// type of string that has a StringAccess. Methods that return a bool return
// false if memory has run out. Then those that write have changed nothing,
// unless others wrote in the middle of a batch: they may have filled the room
// that was made for it, or removed keys that it had counted on, and a part of
// it may have been done.
template <class K, class V>
class ShardedMap {
  using KeyCells = sharded_map_internal::Cells<K>;
  using ValueCells = sharded_map_internal::Cells<V>;
  using KeyCell = typename KeyCells::Cell;
  using ValueCell = typename ValueCells::Cell;
  using Query = sharded_map_internal::Query<K>;
  using Arena = sharded_map_internal::Arena;
  using BlockList = sharded_map_internal::BlockList;
  using ControlGroup = sharded_map_internal::ControlGroup;
  using PreparedStrings = sharded_map_internal::PreparedStrings;
  using Reclaimer = sharded_map_internal::Reclaimer;
  using Salt = sharded_map_internal::Salt;
  using SeqLock = sharded_map_internal::SeqLock;
  using Storage = sharded_map_internal::Storage;
  using StringCell = sharded_map_internal::StringCell;

 public:
  static constexpr int kMaxShards = 1 << sharded_map_internal::kShardBits;
  static constexpr int kDefaultShards = 64;
  // More would be no value of a table, and offsets of slots must not overflow.
  static constexpr int64_t kMaxValueLength = int64_t{1} << 44;

  // `num_shards` is a power of two of at most kMaxShards. `value_length` is not
  // negative and at most kMaxValueLength. Throws std::bad_alloc.
  explicit ShardedMap(int num_shards = kDefaultShards, int64_t value_length = 1)
      : num_shards_(num_shards),
        shard_shift_(63 - __builtin_ctz(num_shards)),
        value_length_(value_length),
        wide_(!ValueCells::kIsString && sizeof(ValueCell) < 8 &&
              value_length * sizeof(ValueCell) >= 8),
        value_offset_(RoundUp(sizeof(KeyCell),
                              wide_ ? sizeof(uint64_t) : alignof(ValueCell))),
        stride_(
            RoundUp(value_offset_ + value_length * sizeof(ValueCell),
                    std::max(alignof(KeyCell),
                             wide_ ? sizeof(uint64_t) : alignof(ValueCell)))),
        salt_(sharded_map_internal::ProcessSalt()),
        shards_(new Shard[num_shards]) {}

  ~ShardedMap() { Clear(); }

  ShardedMap(const ShardedMap&) = delete;
  ShardedMap& operator=(const ShardedMap&) = delete;

  int num_shards() const { return num_shards_; }
  int64_t value_length() const { return value_length_; }

  // How many keys there are; with writers about, how many there were of each
  // shard at some moment of the call.
  int64_t Size() const {
    int64_t size = 0;
    for (int i = 0; i < num_shards_; ++i) {
      size += shards_[i].size.load(std::memory_order_relaxed);
    }
    return size;
  }

  // The bytes of the slots and of what belongs to them; long strings are not
  // counted.
  int64_t MemoryUsed() const {
    int64_t bytes = sizeof(*this) + num_shards_ * sizeof(Shard);
    for (int i = 0; i < num_shards_; ++i) {
      std::lock_guard<std::mutex> l(shards_[i].mu);
      bytes += shards_[i].storage.load()->size + sizeof(Storage);
    }
    return bytes;
  }

  // Writes the values of `n` keys one after another. That of a key that is not
  // there is taken from `defaults`, which holds a value for all keys, or for
  // each one. Writes to `found`, if given, which keys were there. Only
  // StringAccess allocates, if anything does.
  template <class KeyIn, class Value>
  bool Find(const KeyIn* keys, int64_t n, const Value* defaults,
            bool default_per_key, Value* values, bool* found = nullptr) const {
    const int64_t default_step = default_per_key ? value_length_ : 0;
    try {
      Reclaimer::Reader reader(&reclaimer_);
      const bool control_is_large = ControlIsLarge();
      for (int64_t i = 0; i < n; i += kBlock) {
        FindBlock(keys + i, std::min(kBlock, n - i), control_is_large,
                  defaults + i * default_step, default_step,
                  values + i * value_length_,
                  found == nullptr ? nullptr : found + i);
      }
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

  // Sets the values of `n` keys. Of a key that is there more than once, the
  // last value counts.
  template <class KeyIn, class Value>
  bool Insert(const KeyIn* keys, int64_t n, const Value* values,
              const ParallelFor& parallel = OnThisThread) {
    if constexpr (ValueCells::kIsString) {
      PreparedStrings cells;
      const int64_t count = n * value_length_;
      if (!cells.Resize(count) || !ForAll(count, parallel, [&](int64_t i) {
            return ValueCells::Make(values[i], cells.at(i));
          })) {
        return false;
      }
      return Write<true>(
          keys, n, parallel, Itself,
          [&](ShardWriter* writer, const Query& query, int64_t i) {
            return Assign(writer, query, cells.at(i * value_length_));
          });
    } else {
      if (!KeyCells::kIsString && value_length_ == 1) {
        // All that is left to read of the keys and values is in order.
        return Write<true>(
            keys, n, parallel,
            [&](int64_t i) {
              uint64_t bits = 0;
              std::memcpy(&bits, values + i, sizeof(Value));
              return bits;
            },
            [&](ShardWriter* writer, const Query& query, uint64_t bits) {
              ValueCell value;
              std::memcpy(&value, &bits, sizeof(value));
              return Assign(writer, query, &value);
            });
      }
      return Write<true>(
          keys, n, parallel, Itself,
          [&](ShardWriter* writer, const Query& query, int64_t i) {
            return Assign(writer, query, values + i * value_length_);
          },
          RowsOf(values));
    }
  }

  // Adds to the values of `n` keys, each of which is zero before it is there.
  // A key that is there more than once gets the sum. `T` is the number that `V`
  // holds. Writes to `sums`, if given, the value of each key after its turn.
  template <class T, class KeyIn>
  bool Accumulate(const KeyIn* keys, int64_t n, const T* deltas,
                  const ParallelFor& parallel = OnThisThread,
                  T* sums = nullptr) {
    return Write<true>(
        keys, n, parallel, Itself,
        [&](ShardWriter* writer, const Query& query, int64_t i) {
          const int64_t at = i * value_length_;
          return Add(writer, query, deltas + at,
                     sums == nullptr ? nullptr : sums + at);
        },
        RowsOf(deltas));
  }

  // Removes those of `n` keys that are there. Writes to `removed`, if given,
  // which keys were.
  template <class KeyIn>
  bool Remove(const KeyIn* keys, int64_t n,
              const ParallelFor& parallel = OnThisThread,
              bool* removed = nullptr) {
    return Write<false>(
        keys, n, parallel, Itself,
        [&](ShardWriter* writer, const Query& query, int64_t i) {
          const bool hit = Erase(writer, query);
          if (removed != nullptr) removed[i] = hit;
          return true;
        });
  }

  // Removes all keys.
  void Clear() { Replace(nullptr); }

  // Puts the contents of `other`, which nobody else uses and which has as many
  // shards and values as long, in place of all that is here, and leaves it
  // empty. Nobody can write in between.
  void ReplaceWith(ShardedMap* other) { Replace(other->shards_.get()); }

  // While it exists, nobody can write. Those who read do not notice.
  class Frozen {
   public:
    explicit Frozen(const ShardedMap* map) : map_(map) {
      for (int i = 0; i < map_->num_shards_; ++i) map_->shards_[i].mu.lock();
    }
    ~Frozen() {
      for (int i = 0; i < map_->num_shards_; ++i) map_->shards_[i].mu.unlock();
    }
    Frozen(const Frozen&) = delete;
    Frozen& operator=(const Frozen&) = delete;

    int64_t ShardSize(int shard) const {
      return map_->shards_[shard].size.load(std::memory_order_relaxed);
    }

    // Writes the keys of a shard, and their values, if these are given.
    template <class Key, class Value>
    bool Export(int shard, Key* keys, Value* values) const {
      const Storage& storage = *map_->shards_[shard].storage.load();
      const int64_t length = map_->value_length_;
      const auto export_by = [&](const auto& get_value) {
        map_->ForEachSlot(storage, [&](const char* slot) {
          KeyCells::Get(*map_->KeyAt(slot), keys++);
          if (values != nullptr) {
            get_value(slot, values);
            values += length;
          }
        });
      };
      try {
        if (ValueCells::kIsString || length == 1) {
          export_by(
              [&](const char* slot, Value* out) { map_->GetValue(slot, out); });
        } else {
          export_by([&](const char* slot, Value* out) {
            map_->CopyNumbers(slot, out);
          });
        }
      } catch (const std::bad_alloc&) {
        return false;
      }
      return true;
    }

   private:
    const ShardedMap* map_;
  };

  // How many blocks that readers may yet look at are kept. For tests.
  int64_t PendingBlocks() const { return reclaimer_.Pending(); }

  // How many groups are looked at to find a key: the most, and the sum for all
  // keys. For tests.
  struct Probes {
    int64_t longest = 0;
    int64_t total = 0;
  };
  Probes CountProbes() const {
    Probes probes;
    Frozen frozen(this);
    for (int i = 0; i < num_shards_; ++i) {
      const Storage& storage = *shards_[i].storage.load();
      ForEachSlot(storage, [&](const char* slot) {
        const size_t first =
            FirstGroup(storage, Query::HashOf(*KeyAt(slot), salt_));
        const size_t group =
            (slot - storage.slots) / (ControlGroup::kSlots * stride_);
        const int64_t probe =
            1 +
            (group >= first ? group - first : storage.groups + group - first);
        probes.longest = std::max(probes.longest, probe);
        probes.total += probe;
      });
    }
    return probes;
  }

 private:
  struct alignas(64) Shard {
    SeqLock sequence;
    std::atomic<Storage*> storage{&sharded_map_internal::empty_storage};
    // In another cache line, which readers do not touch.
    alignas(64) mutable std::mutex mu;  // Held by who writes.
    std::atomic<int64_t> size{0};
    std::atomic<int64_t> used{0};      // How many slots are full or deleted.
    std::atomic<int64_t> max_used{0};  // How many may be: see MaxUsed.
  };
  static_assert(sizeof(Shard) == 128, "two cache lines");

  // What a batch takes when there is no other memory: storages for the shards
  // that have to grow, and room for the keys that are long strings. It is not
  // written to before that, and what is left in the end is freed.
  struct Spares {
    ~Spares() {
      for (int i = 0; i < size; ++i) {
        sharded_map_internal::FreeBlocks(of_shard[i]);
      }
      if (keys != nullptr) keys->Release();
    }
    Arena* keys = nullptr;
    int size = 0;
    Storage* of_shard[kMaxShards];
  };

  // A writer's turn at a shard, which is locked meanwhile.
  struct ShardWriter {
    ShardWriter(ShardedMap* map, int index, int64_t total,
                Spares* spares = nullptr)
        : retired{&map->reclaimer_, {}},
          index(index),
          shard(&map->shards_[index]),
          lock(shard->mu),
          writing(&shard->sequence),
          spares(spares),
          total(total) {}

    // First, so that the shard is no longer locked when blocks are freed.
    struct Retired {
      ~Retired() { reclaimer->Retire(std::move(blocks)); }
      Reclaimer* reclaimer;
      BlockList blocks;
    } retired;
    const int index;
    Shard* const shard;
    const std::lock_guard<std::mutex> lock;
    const SeqLock::Writer writing;
    Spares* const spares;  // Those of a batch, or else null.
    // By which to guess how many keys are still to come.
    const int64_t total;
    int64_t done = 0;
    int64_t added = 0;
  };

  // One of a batch of writes.
  struct Entry {
    uint64_t word;     // See Query::WordOf.
    uint64_t payload;  // The index of the key, or else the bits of its value.
  };

  static uint64_t Itself(int64_t index) { return index; }

  // What a batch of writes reads for each key, where its payload is an index.
  struct Rows {
    const char* begin = nullptr;
    size_t size = 0;
  };
  template <class T>
  Rows RowsOf(const T* values) const {
    return {reinterpret_cast<const char*>(values), value_length_ * sizeof(T)};
  }

  static constexpr size_t RoundUp(size_t size, size_t to) {
    return (size + to - 1) / to * to;
  }

  int ShardOf(uint64_t hash) const {
    return static_cast<int>(hash >> 1 >> shard_shift_);
  }

  static size_t FirstGroup(const Storage& storage, uint64_t hash) {
    return sharded_map_internal::H1(hash) * storage.groups >>
           sharded_map_internal::kH1Bits;
  }
  static size_t NextGroup(const Storage& storage, size_t group) {
    return group + 1 == storage.groups ? 0 : group + 1;
  }

  char* SlotAt(const Storage& storage, size_t group, int slot) const {
    return storage.slots + (group * ControlGroup::kSlots + slot) * stride_;
  }
  KeyCell* KeyAt(const char* slot) const {
    return reinterpret_cast<KeyCell*>(const_cast<char*>(slot));
  }
  ValueCell* ValueAt(const char* slot) const {
    return reinterpret_cast<ValueCell*>(
        const_cast<char*>(slot + value_offset_));
  }
  uint64_t* WordsAt(const char* slot) const {
    return reinterpret_cast<uint64_t*>(const_cast<char*>(slot + value_offset_));
  }

  template <class F>
  void ForEachSlot(const Storage& storage, const F& f) const {
    for (size_t group = 0; group < storage.groups; ++group) {
      for (const int slot : ControlGroup(storage.control[group]).MatchFull()) {
        f(SlotAt(storage, group, slot));
      }
    }
  }

  // How many slots of that many groups may be full or deleted, of the eight of
  // each: 6.75, and 7.25 where memory counts for more than time. At least one
  // stays empty, so that every search ends.
  static constexpr size_t kLargeGroups = size_t{1} << 13;
  static constexpr int64_t MaxUsed(size_t groups) {
    return static_cast<int64_t>(groups < kLargeGroups
                                    ? groups * 7 - groups / 4
                                    : groups * 7 + groups / 4);
  }
  static_assert(MaxUsed(1) < 8 &&
                MaxUsed(kLargeGroups) < int64_t{8} * kLargeGroups);

  // How many slots may yet be used.
  static int64_t RoomIn(const Shard& shard) {
    return shard.max_used.load(std::memory_order_relaxed) -
           shard.used.load(std::memory_order_relaxed);
  }

  // The least number of groups in which so many slots may be used.
  static size_t GroupsFor(double used) {
    auto groups = static_cast<size_t>(used / 6.75);
    if (groups >= kLargeGroups) {
      groups = std::max(kLargeGroups, static_cast<size_t>(used / 7.25));
    }
    while (static_cast<double>(MaxUsed(groups)) < used) ++groups;
    return groups;
  }

  // A storage for that many groups, all of its slots empty; null without
  // memory.
  Storage* NewStorage(size_t groups) const {
    namespace internal = sharded_map_internal;
    const size_t group_bytes = ControlGroup::kSlots * (stride_ + 1);
    const size_t max_groups = (SIZE_MAX / 4) / group_bytes;
    // H1 tells no more of them apart.
    static_assert(internal::kH1Bits == 32);
    if (groups > std::min<size_t>(max_groups, UINT32_MAX)) return nullptr;
    const size_t control_bytes = RoundUp(groups * sizeof(uint64_t), 64);
    const size_t bytes =
        control_bytes + groups * ControlGroup::kSlots * stride_;
    // Not in the array: large ones begin at the same place of a page each,
    // where they would push one another's heads out of the cache.
    void* const head = internal::AllocateArray(sizeof(Storage)).address;
    if (head == nullptr) return nullptr;
    const auto array = internal::AllocateArray(bytes);
    if (array.address == nullptr) {
      std::free(head);
      return nullptr;
    }
    auto* const control = static_cast<uint64_t*>(array.address);
    if (array.mapped == 0) std::memset(control, 0, control_bytes);
    return new (head)
        Storage{{{nullptr, internal::Block::kWithArray, bytes}, array},
                groups,
                control,
                static_cast<char*>(array.address) + control_bytes};
  }

  // All blocks of a storage, itself among them. Returns how many bytes of
  // strings there are.
  size_t TakeBlocks(Storage* storage, BlockList* blocks) const {
    size_t on_heap = 0;
    if (storage == &sharded_map_internal::empty_storage) return on_heap;
    const auto take = [&](const StringCell& cell) {
      if (auto* block = sharded_map_internal::LongString(cell)) {
        on_heap += block->size;
        blocks->Push(block);
      }
    };
    if (KeyCells::kIsString || ValueCells::kIsString) {
      ForEachSlot(*storage, [&](const char* slot) {
        if constexpr (KeyCells::kIsString) take(*KeyAt(slot));
        if constexpr (ValueCells::kIsString) {
          for (int64_t i = 0; i < value_length_; ++i) take(ValueAt(slot)[i]);
        }
      });
    }
    blocks->Push(storage);
    return on_heap;
  }

  // Puts what is in as many shards of a map that nobody uses in place of all
  // that is here, or else nothing.
  void Replace(Shard* others) {
    BlockList storages;
    {
      Frozen frozen(this);
      Shard nothing;
      for (int i = 0; i < num_shards_; ++i) {
        Shard& mine = shards_[i];
        Shard& other = others == nullptr ? nothing : others[i];
        const SeqLock::Writer writing(&mine.sequence);
        Storage* old =
            mine.storage.exchange(other.storage.exchange(nothing.storage));
        if (old != nothing.storage) storages.Push(old);
        mine.size.store(other.size.exchange(0), std::memory_order_relaxed);
        mine.used.store(other.used.exchange(0), std::memory_order_relaxed);
        mine.max_used.store(other.max_used.exchange(0),
                            std::memory_order_relaxed);
      }
    }
    size_t on_heap = 0;
    for (auto* block = storages.head(); block != nullptr;) {
      auto* const storage = static_cast<Storage*>(block);
      block = block->next;
      // One after the other, so that the strings of one are freed while they
      // are in the cache.
      BlockList blocks;
      on_heap += TakeBlocks(storage, &blocks);
      reclaimer_.Retire(std::move(blocks));
    }
    if (on_heap >= kWorthTrimming) reclaimer_.TrimHeapWhenDone();
  }

  void RetireValue(const char* slot, BlockList* blocks) const {
    if (!ValueCells::kIsString) return;
    for (int64_t i = 0; i < value_length_; ++i) {
      ValueCells::Retire(ValueAt(slot)[i], blocks);
    }
  }

  template <class Value>
  void CopyDefault(const Value* from, Value* to) const {
    if constexpr (ValueCells::kIsString) {
      for (int64_t i = 0; i < value_length_; ++i) {
        StringAccess<Value>::Assign(StringAccess<Value>::View(from[i]), to + i);
      }
    } else if (value_length_ == 1) {
      std::memcpy(static_cast<void*>(to), from, sizeof(Value));
    } else if (value_length_ > 0) {
      std::memcpy(static_cast<void*>(to), from, value_length_ * sizeof(Value));
    }
  }

  // Reads a value of numbers that nobody can be writing.
  template <class Value>
  void CopyNumbers(const char* slot, Value* out) const {
    CopyDefault(reinterpret_cast<const Value*>(ValueAt(slot)), out);
  }

  // Reads a value that nobody is writing, or one of numbers.
  template <class Value>
  void GetValue(const char* slot, Value* out) const {
    const ValueCell* cells = ValueAt(slot);
    if (value_length_ == 1) {
      ValueCells::Get(ValueCells::Load(cells), out);
      return;
    }
    int64_t i = 0;
    if (wide_) {
      constexpr int64_t kInWord = 8 / std::min<size_t>(8, sizeof(ValueCell));
      const uint64_t* words = WordsAt(slot);
      for (; i + kInWord <= value_length_; i += kInWord) {
        const uint64_t word = sharded_map_internal::AtomicLoad(words++);
        std::memcpy(static_cast<void*>(out + i), &word, sizeof(word));
      }
    }
    for (; i < value_length_; ++i) {
      ValueCells::Get(ValueCells::Load(cells + i), out + i);
    }
  }

  // Writes a value where readers may be reading; what it was stays as it is.
  template <class Value>
  void SetNumbers(const Value* in, char* slot) const {
    ValueCell* cells = ValueAt(slot);
    int64_t i = 0;
    if (wide_) {
      constexpr int64_t kInWord = 8 / std::min<size_t>(8, sizeof(ValueCell));
      uint64_t* words = WordsAt(slot);
      for (; i + kInWord <= value_length_; i += kInWord) {
        uint64_t word;
        std::memcpy(&word, in + i, sizeof(word));
        sharded_map_internal::AtomicStore(words++, word);
      }
    }
    for (; i < value_length_; ++i) {
      ValueCells::Store(ValueCells::Make(in[i]), cells + i);
    }
  }

  // How many keys are looked up in steps: the lines of memory that a core can
  // wait for at a time are fewer, and these fit its nearest cache.
  static constexpr int64_t kBlock = 32;

  // The first slot on the way to a key that has its H2.
  struct FirstMatch {
    const Shard* shard;
    uint64_t sequence;  // That of the shard before, or kUnknown.
    const char* slot;   // Null if there is no such slot.
  };

  // No sequence number: it takes more than a look at one slot to find the key.
  static constexpr uint64_t kUnknown = ~uint64_t{0};

  // Asks for the control bytes of a key's first group.
  void PrefetchControl(const Query& query) const {
    const Storage& storage = *shards_[ShardOf(query.hash)].storage.load();
    sharded_map_internal::Prefetch(storage.control +
                                   FirstGroup(storage, query.hash));
  }

  // Finds the first match, and asks for the slot.
  FirstMatch FindFirstMatch(const Query& query) const {
    namespace internal = sharded_map_internal;
    constexpr int kMaxGroups = 16;
    const Shard* shard = &shards_[ShardOf(query.hash)];
    const uint64_t sequence = shard->sequence.Begin();
    FirstMatch match = {shard, sequence, nullptr};
    const Storage& storage = *shard->storage.load();
    const uint8_t h2 = internal::H2(query.hash);
    size_t group = FirstGroup(storage, query.hash);
    for (int i = 0; i < kMaxGroups; ++i) {
      const ControlGroup control(internal::AtomicLoad(storage.control + group));
      if (const auto matches = control.Match(h2)) {
        match.slot = SlotAt(storage, group, matches.LowestSlot());
        internal::PrefetchLines(match.slot, stride_);
        break;
      }
      if (control.HasEmpty()) break;
      group = NextGroup(storage, group);
      if (i + 1 == kMaxGroups) match.sequence = kUnknown;
    }
    if (SeqLock::IsWriting(sequence)) match.sequence = kUnknown;
    return match;
  }

  // Whether control bytes are likely to come from afar: from beyond a core's
  // own cache.
  bool ControlIsLarge() const {
    constexpr size_t kBytes = size_t{1} << 20;
    return shards_[0].storage.load()->groups * num_shards_ >
           kBytes / ControlGroup::kSlots;
  }

  // Finds up to kBlock keys. Each step asks for the memory of the next one, and
  // by the time that it is done with the last key, that of the first is there.
  template <class KeyIn, class Value>
  void FindBlock(const KeyIn* keys, int64_t n, bool control_is_large,
                 const Value* defaults, int64_t default_step, Value* values,
                 bool* found) const {
    Queries<KeyIn> queries(keys, n, salt_);
    FirstMatch matches[kBlock];
    if (control_is_large) {
      for (int64_t i = 0; i < n; ++i) PrefetchControl(queries[i]);
    }
    for (int64_t i = 0; i < n; ++i) matches[i] = FindFirstMatch(queries[i]);
    for (int64_t i = 0; i < n; ++i) {
      Value* value = values + i * value_length_;
      bool hit;
      if (!ReadMatch(queries[i], matches[i], value, &hit)) {
        hit = Read(queries[i], value);
      }
      if (!hit) CopyDefault(defaults + i * default_step, value);
      if (found != nullptr) found[i] = hit;
    }
  }

  // The queries for some keys: those for numbers are made anew each time, which
  // takes less than to keep them.
  template <class KeyIn>
  class Queries {
   public:
    Queries(const KeyIn* keys, int64_t n, const Salt& salt)
        : keys_(keys), salt_(salt) {
      if constexpr (KeyCells::kIsString) {
        for (int64_t i = 0; i < n; ++i) new (&At(i)) Query(keys[i], salt);
      }
    }
    decltype(auto) operator[](int64_t i) {
      if constexpr (KeyCells::kIsString) {
        return static_cast<const Query&>(At(i));
      } else {
        return Query(keys_[i], salt_);
      }
    }

   private:
    Query& At(int64_t i) { return reinterpret_cast<Query*>(memory_)[i]; }

    const KeyIn* const keys_;
    const Salt salt_;
    // Raw memory, as a query has no default constructor.
    alignas(
        Query) char memory_[KeyCells::kIsString ? kBlock * sizeof(Query) : 1];
  };

  // Returns false if it takes more than a look at one slot.
  template <class Value>
  bool ReadMatch(const Query& query, const FirstMatch& match, Value* value,
                 bool* hit) const {
    const auto unchanged = [&match] {
      return !match.shard->sequence.Changed(match.sequence);
    };
    *hit = match.slot != nullptr;
    if (!*hit) return unchanged();
    const KeyCell key = KeyCells::Load(KeyAt(match.slot));
    if constexpr (KeyCells::kIsString) {
      if (!query.MayEqual(key) || !unchanged()) return false;
    }
    return query.Equals(key) && ReadValue(match.slot, unchanged, value);
  }

  template <class KeyIn>
  Query QueryOf(const KeyIn* keys, const Entry& entry) const {
    // A number is its word.
    return Query(keys[KeyCells::kIsString ? entry.payload : 0], entry.word,
                 salt_);
  }

  // Asks for what is on the way to the keys of up to kBlock entries, and for
  // their rows.
  template <class KeyIn>
  void PrefetchSlots(const KeyIn* keys, const Entry* entries, int64_t n,
                     const Rows& rows) const {
    if (rows.size > 0) {
      for (int64_t i = 0; i < n; ++i) {
        sharded_map_internal::PrefetchLines(
            rows.begin + entries[i].payload * rows.size, rows.size);
      }
    }
    for (int64_t i = 0; i < n; ++i) PrefetchControl(QueryOf(keys, entries[i]));
    for (int64_t i = 0; i < n; ++i) FindFirstMatch(QueryOf(keys, entries[i]));
  }

  // Reads the value of a key, if it is there. The caller is a Reader.
  template <class Value>
  bool Read(const Query& query, Value* value) const {
    const Shard& shard = shards_[ShardOf(query.hash)];
    constexpr int kTries = 64;
    bool hit;
    for (int i = 0; i < kTries; ++i) {
      const uint64_t before = shard.sequence.Begin();
      if (SeqLock::IsWriting(before)) {
        __builtin_ia32_pause();
      } else if (TryRead(shard, before, query, value, &hit)) {
        return hit;
      }
    }
    // A writer has much to do, or was interrupted: sleep until it has done.
    std::lock_guard<std::mutex> l(shard.mu);
    TryRead(shard, shard.sequence.Begin(), query, value, &hit);
    return hit;
  }

  // Returns false if somebody wrote meanwhile, and the result may be nonsense.
  template <class Value>
  bool TryRead(const Shard& shard, uint64_t before, const Query& query,
               Value* value, bool* hit) const {
    namespace internal = sharded_map_internal;
    const auto unchanged = [&shard, before] {
      return !shard.sequence.Changed(before);
    };
    const Storage& storage = *shard.storage.load();
    *hit = false;
    size_t group = FirstGroup(storage, query.hash);
    const uint8_t h2 = internal::H2(query.hash);
    // Bounded, as a writer can make it look as if no slot were ever empty.
    for (size_t i = 0; i < storage.groups; ++i) {
      const ControlGroup control(internal::AtomicLoad(storage.control + group));
      for (const int candidate : control.Match(h2)) {
        const char* slot = SlotAt(storage, group, candidate);
        const KeyCell key = KeyCells::Load(KeyAt(slot));
        if constexpr (KeyCells::kIsString) {
          if (!query.MayEqual(key)) continue;
          // Only now is a pointer in it known to be one.
          if (!unchanged()) return false;
        }
        if (!query.Equals(key)) continue;
        *hit = true;
        return ReadValue(slot, unchanged, value);
      }
      if (control.HasEmpty()) break;
      group = NextGroup(storage, group);
    }
    return unchanged();
  }

  template <class Unchanged, class Value>
  bool ReadValue(const char* slot, const Unchanged& unchanged,
                 Value* value) const {
    if constexpr (ValueCells::kIsString) {
      for (int64_t i = 0; i < value_length_; ++i) {
        const ValueCell cell = ValueCells::Load(ValueAt(slot) + i);
        // Only now is a pointer in it known to be one.
        if (!unchanged()) return false;
        ValueCells::Get(cell, value + i);
      }
      return true;
    } else {
      GetValue(slot, value);
      return unchanged();
    }
  }

  // Whether `f(i)` is true for all i of [0, n).
  template <class F>
  static bool ForAll(int64_t n, const ParallelFor& parallel, const F& f) {
    std::atomic<bool> all{true};
    const auto part = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (!f(i)) all.store(false, std::memory_order_relaxed);
      }
    };
    if (n <= kParallelFrom) {
      part(0, n);
    } else {
      parallel(n, kCyclesAKey, part);
    }
    return all.load();
  }

  // Does `op(writer, query, payload(index))` for each key, by shards; for keys
  // of one shard in their order, while it is locked.
  template <bool kAdds, class KeyIn, class Payload, class Op>
  bool Write(const KeyIn* keys, int64_t n, const ParallelFor& parallel,
             const Payload& payload, const Op& op, const Rows& rows = {}) {
    if (n <= 0) return true;
    if (n == 1) {
      const Query query(keys[0], salt_);
      ShardWriter writer(this, ShardOf(query.hash), 1);
      return op(&writer, query, payload(0));
    }
    if (n <= kFew) {
      uint64_t words[KeyCells::kIsString ? kFew : 1];
      Entry entries[kFew];
      return WriteSorted<kAdds>(keys, n, words, entries, OnThisThread, payload,
                                op, rows);
    }
    const auto words = NewArray<uint64_t>(KeyCells::kIsString ? n : 1);
    const auto entries = NewArray<Entry>(n);
    return words != nullptr && entries != nullptr &&
           WriteSorted<kAdds>(keys, n, words.get(), entries.get(), parallel,
                              payload, op, rows);
  }

  // Not initialized; null without memory.
  template <class T>
  static std::unique_ptr<T[]> NewArray(int64_t n) {
    return std::unique_ptr<T[]>(new (std::nothrow) T[n]);
  }

  template <bool kAdds, class KeyIn, class Payload, class Op>
  bool WriteSorted(const KeyIn* keys, int64_t n, uint64_t* words,
                   Entry* entries, const ParallelFor& parallel,
                   const Payload& payload, const Op& op, const Rows& rows) {
    int64_t ends[kMaxShards];
    if (!Sort(keys, n, words, entries, ends, parallel, payload)) return false;
    Spares spares;
    if (kAdds && !AllocateSpares(keys, n, ends, &spares)) return false;
    // There is little to wait for in a shard of a few keys, so it is asked for
    // before the first one.
    const bool few = n <= kFew;
    if (few) {
      Reclaimer::Reader reader(&reclaimer_);
      for (int64_t i = 0; i < n; i += kBlock) {
        PrefetchSlots(keys, entries + i, std::min(kBlock, n - i), rows);
      }
    }
    std::atomic<bool> ok{true};
    const auto write = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i == 0 ? 0 : ends[i - 1];
        const int64_t count = ends[i] - first;
        if (count == 0) continue;
        ShardWriter writer(this, static_cast<int>(i), count,
                           kAdds ? &spares : nullptr);
        for (int64_t j = 0; j < count; ++j) {
          if (!few && j % kBlock == 0) {
            PrefetchSlots(keys, entries + first + j,
                          std::min(kBlock, count - j), rows);
          }
          const Entry& entry = entries[first + j];
          ++writer.done;
          if (!op(&writer, QueryOf(keys, entry), entry.payload)) {
            ok.store(false, std::memory_order_relaxed);
            break;
          }
        }
      }
    };
    if (n <= kParallelFrom) {
      write(0, num_shards_);
    } else {
      parallel(num_shards_, kCyclesAKey * n / num_shards_, write);
    }
    return ok.load();
  }

  // Allocates what the shards grow to if all keys are new, where that is more
  // than they have room for, and what the keys need. Returns false without
  // memory.
  template <class KeyIn>
  bool AllocateSpares(const KeyIn* keys, int64_t n, const int64_t* ends,
                      Spares* spares) const {
    if constexpr (KeyCells::kIsString) {
      size_t bytes = 0;
      for (int64_t i = 0; i < n; ++i) {
        const size_t size = StringAccess<KeyIn>::View(keys[i]).size();
        if (size > sharded_map_internal::kShortString) {
          bytes += Arena::BytesFor(size);
        }
      }
      if (bytes > 0 && (spares->keys = Arena::New(bytes)) == nullptr) {
        return false;
      }
    }
    for (int i = 0; i < num_shards_; ++i) {
      spares->of_shard[i] = nullptr;
      spares->size = i + 1;
      const int64_t count = i == 0 ? ends[0] : ends[i] - ends[i - 1];
      if (count == 0 || RoomIn(shards_[i]) >= count) continue;
      const int64_t size = shards_[i].size.load(std::memory_order_relaxed);
      const double wanted = WithMargin(static_cast<double>(size + count));
      spares->of_shard[i] = NewStorage(
          std::max(GroupsToGrowTo(i, size, wanted), GroupsFor(wanted)));
      if (spares->of_shard[i] == nullptr) return false;
    }
    return true;
  }

  // Sorts keys by shard, those of one shard in their order; `ends` gets where
  // the keys of each shard end. `words` is room for a word a key, if keys are
  // strings: a number is read twice instead. Returns false without memory.
  template <class KeyIn, class Payload>
  bool Sort(const KeyIn* keys, int64_t n, uint64_t* words, Entry* entries,
            int64_t* ends, const ParallelFor& parallel,
            const Payload& payload) const {
    // Parts of the keys, each counted and then moved by one thread.
    const int64_t parts = n <= kParallelFrom ? 1 : 16;
    const auto begin_of = [n, parts](int64_t part) { return part * n / parts; };
    int64_t on_stack[kMaxShards];
    std::unique_ptr<int64_t[]> on_heap;
    int64_t* at = on_stack;
    if (parts > 1) {
      on_heap = NewArray<int64_t>(parts * num_shards_);
      if (on_heap == nullptr) return false;
      at = on_heap.get();
    }
    std::fill_n(at, parts * num_shards_, 0);
    const auto shard_of = [this](uint64_t word) {
      return ShardOf(Query::HashOfWord(word, salt_));
    };
    const auto count = [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        int64_t* counts = at + part * num_shards_;
        for (int64_t i = begin_of(part); i < begin_of(part + 1); ++i) {
          const uint64_t word = Query::WordOf(keys[i], salt_);
          if (KeyCells::kIsString) words[i] = word;
          ++counts[shard_of(word)];
        }
      }
    };
    const auto move = [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        int64_t* to = at + part * num_shards_;
        for (int64_t i = begin_of(part); i < begin_of(part + 1); ++i) {
          const uint64_t word =
              KeyCells::kIsString ? words[i] : Query::WordOf(keys[i], salt_);
          entries[to[shard_of(word)]++] = {word, payload(i)};
        }
      }
    };
    const auto for_parts = [&](const auto& work) {
      if (parts == 1) {
        work(0, 1);
      } else {
        parallel(parts, n / parts * 16, work);
      }
    };
    for_parts(count);
    int64_t sum = 0;
    for (int s = 0; s < num_shards_; ++s) {
      for (int64_t part = 0; part < parts; ++part) {
        sum += std::exchange(at[part * num_shards_ + s], sum);
      }
      ends[s] = sum;
    }
    for_parts(move);
    return true;
  }

  // Where a key is, or else where it may be put.
  struct Position {
    size_t group;
    int slot;
    bool found;
    bool deleted;  // Whether it would take the place of a deleted key.
  };

  Position Locate(const Storage& storage, const Query& query) const {
    const uint8_t h2 = sharded_map_internal::H2(query.hash);
    size_t group = FirstGroup(storage, query.hash);
    Position free = {0, -1, false, false};
    // There always is an empty slot.
    while (true) {
      const ControlGroup control(storage.control[group]);
      for (const int slot : control.Match(h2)) {
        if (query.Equals(*KeyAt(SlotAt(storage, group, slot)))) {
          return {group, slot, true, false};
        }
      }
      if (free.slot < 0) {
        if (const auto not_full = control.MatchNotFull()) {
          const int slot = not_full.LowestSlot();
          free = {group, slot, false, control.IsDeleted(slot)};
        }
      }
      if (control.HasEmpty()) return free;
      group = NextGroup(storage, group);
    }
  }

  static void SetControl(const Storage& storage, size_t group, int slot,
                         uint8_t to) {
    uint64_t* const control = storage.control + group;
    sharded_map_internal::AtomicStore(
        control, ControlGroup(*control).With(slot, to).word());
  }

  // The slot of a key that is there, or of one that `Commit` is to follow for,
  // to whose own cell `new_key` is set. Null if memory has run out.
  char* FindOrPrepare(ShardWriter* writer, const Query& query,
                      Position* position, KeyCell* new_key) {
    const Shard& shard = *writer->shard;
    Storage* storage = shard.storage.load(std::memory_order_relaxed);
    *position = Locate(*storage, query);
    if (position->found) {
      return SlotAt(*storage, position->group, position->slot);
    }
    if (!position->deleted && RoomIn(shard) <= 0) {
      storage = Grow(writer);
      if (storage == nullptr) return nullptr;
      *position = Locate(*storage, query);
    }
    *new_key = query.cell;
    if constexpr (KeyCells::kIsString) {
      if (query.IsLong()) {
        Arena* const arena =
            writer->spares == nullptr ? nullptr : writer->spares->keys;
        if (!sharded_map_internal::MakeLongCell(query.view, query.hash, new_key,
                                                arena)) {
          return nullptr;
        }
      }
    }
    return SlotAt(*storage, position->group, position->slot);
  }

  // Puts a new key beside its value.
  void Commit(ShardWriter* writer, const Query& query, const Position& position,
              const KeyCell& new_key, char* slot) {
    Shard* const shard = writer->shard;
    KeyCells::Store(new_key, KeyAt(slot));
    SetControl(*shard->storage.load(std::memory_order_relaxed), position.group,
               position.slot, sharded_map_internal::H2(query.hash));
    if (!position.deleted) AddTo(&shard->used, 1);
    AddTo(&shard->size, 1);
    ++writer->added;
  }

  // Adds to a number that only who has locked the shard changes.
  static void AddTo(std::atomic<int64_t>* number, int64_t change) {
    number->store(number->load(std::memory_order_relaxed) + change,
                  std::memory_order_relaxed);
  }

  // `value` is one of numbers, or of cells that are to be taken.
  template <class Value>
  bool Assign(ShardWriter* writer, const Query& query, Value* value) {
    Position position;
    KeyCell new_key;
    char* slot = FindOrPrepare(writer, query, &position, &new_key);
    if (slot == nullptr) return false;
    if constexpr (ValueCells::kIsString) {
      if (position.found) RetireValue(slot, &writer->retired.blocks);
      for (int64_t i = 0; i < value_length_; ++i) {
        ValueCells::Store(PreparedStrings::Take(value + i), ValueAt(slot) + i);
      }
    } else {
      SetNumbers(value, slot);
    }
    if (!position.found) Commit(writer, query, position, new_key, slot);
    return true;
  }

  template <class T>
  bool Add(ShardWriter* writer, const Query& query, const T* deltas, T* sums) {
    Position position;
    KeyCell new_key;
    char* slot = FindOrPrepare(writer, query, &position, &new_key);
    if (slot == nullptr) return false;
    ValueCell* cells = ValueAt(slot);
    for (int64_t i = 0; i < value_length_; ++i) {
      T sum = deltas[i];
      if (position.found) {
        T before;
        ValueCells::Get(cells[i], &before);
        sum = Sum(before, sum);
      }
      if (sums != nullptr) sums[i] = sum;
      if (wide_) {
        // Readers load words.
        constexpr size_t kInWord = 8 / std::min<size_t>(8, sizeof(T));
        if (i / kInWord < value_length_ / kInWord) {
          uint64_t* word = WordsAt(slot) + i / kInWord;
          uint64_t bits = *word;
          std::memcpy(reinterpret_cast<char*>(&bits) + i % kInWord * sizeof(T),
                      &sum, sizeof(T));
          sharded_map_internal::AtomicStore(word, bits);
          continue;
        }
      }
      ValueCells::Store(ValueCells::Make(sum), cells + i);
    }
    if (!position.found) Commit(writer, query, position, new_key, slot);
    return true;
  }

  // The sum, of integers modulo their range.
  template <class T>
  static T Sum(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(a) +
                            static_cast<Unsigned>(b));
    } else {
      return a + b;
    }
  }

  bool Erase(ShardWriter* writer, const Query& query) {
    namespace internal = sharded_map_internal;
    Shard* const shard = writer->shard;
    const Storage& storage = *shard->storage.load(std::memory_order_relaxed);
    const Position position = Locate(storage, query);
    if (!position.found) return false;
    const char* slot = SlotAt(storage, position.group, position.slot);
    KeyCells::Retire(*KeyAt(slot), &writer->retired.blocks);
    RetireValue(slot, &writer->retired.blocks);
    // No search for another key goes past a group that has an empty slot.
    const bool was_end =
        ControlGroup(storage.control[position.group]).HasEmpty();
    SetControl(storage, position.group, position.slot,
               was_end ? internal::kEmpty : internal::kDeleted);
    if (was_end) AddTo(&shard->used, -1);
    AddTo(&shard->size, -1);
    return true;
  }

  // Moves a shard to a larger storage, or to one as large without the deleted.
  // Null if memory has run out.
  Storage* Grow(ShardWriter* writer) {
    Shard* const shard = writer->shard;
    Storage* const old = shard->storage.load(std::memory_order_relaxed);
    Storage* const grown = StorageToGrowTo(writer);
    if (grown == nullptr) return nullptr;
    // In the order of the hashes, or nearly so, in which the groups are too.
    ForEachSlot(*old, [&](const char* from) {
      const uint64_t hash = Query::HashOf(*KeyAt(from), salt_);
      size_t group = FirstGroup(*grown, hash);
      while (!ControlGroup(grown->control[group]).HasEmpty()) {
        group = NextGroup(*grown, group);
      }
      const ControlGroup control(grown->control[group]);
      const int slot = control.MatchNotFull().LowestSlot();
      grown->control[group] =
          control.With(slot, sharded_map_internal::H2(hash)).word();
      CopySlot(from, SlotAt(*grown, group, slot));
    });
    if (old != &sharded_map_internal::empty_storage) {
      writer->retired.blocks.Push(old);
    }
    shard->used.store(shard->size.load(std::memory_order_relaxed),
                      std::memory_order_relaxed);
    shard->max_used.store(MaxUsed(grown->groups), std::memory_order_relaxed);
    shard->storage.store(grown);
    return grown;
  }

  void CopySlot(const char* from, char* to) const {
    if (stride_ == 16) {
      std::memcpy(to, from, 16);
    } else {
      std::memcpy(to, from, stride_);
    }
  }

  Storage* StorageToGrowTo(ShardWriter* writer) const {
    const int64_t size = writer->shard->size.load(std::memory_order_relaxed);
    const size_t groups =
        GroupsToGrowTo(writer->index, size, Expected(*writer, size));
    Storage** const spares =
        writer->spares == nullptr ? nullptr : writer->spares->of_shard;
    Storage* const spare = spares == nullptr ? nullptr : spares[writer->index];
    const bool fits = spare != nullptr && MaxUsed(spare->groups) > size;
    // One that is about as large is as good as another.
    if (!fits || spare->groups < groups ||
        spare->groups > groups + groups / 8) {
      Storage* const storage = NewStorage(groups);
      if (storage != nullptr || !fits) return storage;
    }
    spares[writer->index] = nullptr;
    return spare;
  }

  // So many keys, and a few that others may add.
  static double WithMargin(double size) { return 1.02 * size + 1; }

  // How many groups a shard gets if it grows now and holds so many keys soon.
  size_t GroupsToGrowTo(int index, int64_t size, double expected) const {
    namespace internal = sharded_map_internal;
    const int64_t max_used =
        shards_[index].max_used.load(std::memory_order_relaxed);
    if (size < max_used - max_used / 8) {
      // There is room once the deleted are gone.
      return GroupsFor(static_cast<double>(max_used));
    }
    // By 5 to 15 %, which is other for each shard and time; small ones by half.
    const uint64_t any =
        internal::Mix(index * internal::kPi + max_used, internal::kGolden);
    const double part = static_cast<double>(any >> 32) / 0x1p32;
    const double grown =
        static_cast<double>(size) * (size < 1024 ? 1.5 : 1.05 + 0.1 * part);
    return GroupsFor(std::max(grown + 1, expected));
  }

  // What the keys of a batch will be if it goes on as it began; but not many
  // times those that are there, as it may not.
  static double Expected(const ShardWriter& writer, int64_t size) {
    const double added = static_cast<double>(writer.total - writer.done + 1) *
                         static_cast<double>(writer.added + 1) /
                         static_cast<double>(writer.done + 1);
    return std::min(WithMargin(static_cast<double>(size) + added),
                    8.0 * static_cast<double>(size) + 64);
  }

  // From how many bytes of strings on a heap is trimmed that they have left.
  static constexpr size_t kWorthTrimming = size_t{16} << 20;
  // Up to how many keys a batch of writes has only a few for each shard.
  static constexpr int64_t kFew = 256;
  // From how many keys on a batch of writes is worth more than one thread.
  static constexpr int64_t kParallelFrom = 4096;
  static constexpr int64_t kCyclesAKey = 60;

  const int num_shards_;
  const int shard_shift_;
  const int64_t value_length_;
  // Whether values are read and written by words and not by elements.
  const bool wide_;
  const size_t value_offset_;
  const size_t stride_;
  const Salt salt_;
  std::unique_ptr<Shard[]> shards_;
  mutable Reclaimer reclaimer_;
};

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SHARDED_MAP_H_
