// A hash map for many threads and for batches of keys. It knows nothing of
// TensorFlow.
//
// Layout. Keys are spread over shards by the top bits of their hash. A shard is
// an open-addressing table of slots, each a key beside its value, and of one
// control byte a slot: empty, erased, or seven bits of the hash. Eight control
// bytes are a group and are compared as one word. A key's first group is
// its hash scaled to the number of groups, so that capacities need not be
// powers of two, and a shard grows by a fifth or so at a time; each shard by
// another fraction, so that not all are at their emptiest at once.
//
// Writers hold the mutex of one shard at a time. Readers hold none: a shard has
// a sequence number, odd while somebody writes, and a reader whose number has
// changed reads again. All that a reader may see change is read and written
// with atomic operations, so there is no data race. What a reader
// may still look at (slots that were outgrown, long strings) is freed when
// all readers that could have seen it have left; see Reclaimer.
//
// Guarantees. Operations on one key are linearizable, those of a batch each by
// itself; of a key that is in a batch of writes more than once, only the last
// value is ever seen. Frozen sees all keys as of one moment.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SHARDED_MAP_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SHARDED_MAP_H_

#include <sys/mman.h>

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
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/parallel_for.h"

namespace custom_op_examples {

// How a type of string is read and written. Specialize it for others.
template <class T>
struct StringAccess {
  static std::string_view View(const T& s) { return s; }
  static void Assign(std::string_view from, T* to) {
    to->assign(from.data(), from.size());
  }
};

namespace sharded_map_internal {

inline void Prefetch(const void* address) { __builtin_prefetch(address); }

// The product of two words, folded to one: every bit of the result depends on
// every bit of both.
inline uint64_t Mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Odd, and without a pattern: digits of the golden ratio and of pi.
constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;
constexpr uint64_t kSalt = 0x243f6a8885a308d3;

// An object of one machine word or less that some thread may be writing.
// `kString` loads are ordered with what Reclaimer does; see there.
enum class Order { kNumber, kString };

template <class T>
T AtomicLoad(const T* address, Order order = Order::kNumber) {
  return order == Order::kNumber ? __atomic_load_n(address, __ATOMIC_ACQUIRE)
                                 : __atomic_load_n(address, __ATOMIC_SEQ_CST);
}

template <class T>
void AtomicStore(T* address, T value) {
  __atomic_store_n(address, value, __ATOMIC_RELEASE);
}

template <size_t size>
struct UnsignedOfSize;
template <>
struct UnsignedOfSize<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOfSize<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOfSize<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOfSize<8> {
  using type = uint64_t;
};

// Memory, and how to give it back.
struct Block {
  void* address;
  size_t mapped;  // Its size if it is a mapping of its own, or else 0.
};

using Blocks = std::vector<Block>;

// Memory for a cache line and more; null if there is none. Large blocks are
// mappings, as a table that grows would leave holes behind on a heap that are
// too small for it and that nobody else may need.
inline Block Allocate(size_t bytes) {
  constexpr size_t kMapped = size_t{1} << 17;
  if (bytes >= kMapped) {
    void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block != MAP_FAILED) return {block, bytes};
    // There may be too many mappings.
  }
  void* block = nullptr;
  if (posix_memalign(&block, 64, bytes) != 0) return {nullptr, 0};
  return {block, 0};
}

inline void Free(const Block& block) {
  if (block.mapped > 0) {
    munmap(block.address, block.mapped);
  } else {
    std::free(block.address);
  }
}

// Frees memory once nobody can be reading it.
//
// A reader is counted from before it looks at the map until it is done. What
// was taken out of the map can still be seen by readers that were there at that
// time and by no others, so it is free to go when every counter has been zero
// at some moment since. There is a pair of counters per group of threads, and
// newcomers use the one of the pair that `era_` tells, so that the other one
// gets to zero however many come. Nobody waits: each call of Retire looks at
// the counters once and leaves the rest to later calls.
//
// A reader counts itself and then loads a pointer, Retire's caller changes the
// pointer and then loads the counters: all four are sequentially consistent, so
// that not both can miss what the other one did.
class Reclaimer {
 public:
  class Reader {
   public:
    explicit Reader(Reclaimer* reclaimer)
        : count_(&reclaimer->counts_[ThreadNumber() % kStripes]
                      .of_era[reclaimer->era_.load() & 1]) {
      count_->fetch_add(1);
    }
    ~Reader() { count_->fetch_sub(1); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

   private:
    std::atomic<int64_t>* count_;
  };

  Reclaimer() = default;
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;

  ~Reclaimer() {
    FreeAll(&waiting_);
    FreeAll(&retired_);
  }

  // Takes blocks that are in the map no more.
  void Retire(Blocks* blocks) {
    if (blocks->empty()) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    Blocks free;
    {
      std::lock_guard<std::mutex> l(mu_);
      retired_.insert(retired_.end(), blocks->begin(), blocks->end());
      // Twice, so that all can go at once where nobody reads.
      for (int i = 0; i < 2; ++i) {
        if (!unseen_) {
          free.insert(free.end(), waiting_.begin(), waiting_.end());
          waiting_.clear();
          waiting_.swap(retired_);
          if (!waiting_.empty()) unseen_ = ~uint32_t{0} >> (32 - 2 * kStripes);
        }
        LookForZeros();
      }
    }
    blocks->clear();
    FreeAll(&free);
  }

  // How many blocks are not freed yet.
  size_t Pending() {
    std::lock_guard<std::mutex> l(mu_);
    return waiting_.size() + retired_.size();
  }

 private:
  static constexpr int kStripes = 8;

  struct alignas(64) Counts {
    std::atomic<int64_t> of_era[2] = {};
  };

  static int ThreadNumber() {
    static std::atomic<int> threads{0};
    thread_local const int number = threads.fetch_add(1) & 0xffff;
    return number;
  }

  static void FreeAll(Blocks* blocks) {
    for (const Block& block : *blocks) Free(block);
    blocks->clear();
  }

  void LookForZeros() {
    for (int stripe = 0; stripe < kStripes; ++stripe) {
      for (int parity = 0; parity < 2; ++parity) {
        if (counts_[stripe].of_era[parity].load() == 0) {
          unseen_ &= ~(uint32_t{1} << (2 * stripe + parity));
        }
      }
    }
    constexpr uint32_t kEven = 0x55555555;
    const uint64_t era = era_.load();
    const uint32_t of_old_era = era & 1 ? kEven : kEven << 1;
    if (unseen_ && !(unseen_ & of_old_era)) era_.store(era + 1);
  }

  Counts counts_[kStripes];
  std::atomic<uint64_t> era_{0};
  std::mutex mu_;
  // Guarded by mu_: what waits for the counters in unseen_, and what came
  // since.
  Blocks waiting_;
  Blocks retired_;
  uint32_t unseen_ = 0;
};

// A string in three words: up to 23 bytes, zeros and their number; or else a
// pointer to a block that never changes, the hash of the string, and kLong. The
// words are copied freely; the map sees to the block.
struct StringCell {
  uint64_t words[3];
};

struct StringBlock {
  size_t size;
  char* data() { return reinterpret_cast<char*>(this + 1); }
};

constexpr size_t kShortString = 23;
constexpr uint64_t kLong = uint64_t{0xff} << 56;

inline StringBlock* LongString(const StringCell& cell) {
  return cell.words[2] == kLong ? reinterpret_cast<StringBlock*>(cell.words[0])
                                : nullptr;
}

// The string of a cell, which has to stay where it is meanwhile.
inline std::string_view ViewOf(const StringCell& cell) {
  if (StringBlock* block = LongString(cell))
    return {block->data(), block->size};
  return {reinterpret_cast<const char*>(cell.words), cell.words[2] >> 56};
}

template <class T>
T Unaligned(const char* bytes) {
  T word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// Up to eight bytes, followed by zeros.
inline uint64_t PartialWord(const char* bytes, size_t size) {
  if (size >= 8) return Unaligned<uint64_t>(bytes);
  if (size >= 4) {
    const uint64_t high = Unaligned<uint32_t>(bytes + size - 4);
    return Unaligned<uint32_t>(bytes) | high << (8 * (size - 4));
  }
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

inline StringCell ShortCell(std::string_view s) {
  StringCell cell;
  cell.words[0] = PartialWord(s.data(), s.size());
  cell.words[1] = s.size() > 8 ? PartialWord(s.data() + 8, s.size() - 8) : 0;
  cell.words[2] = s.size() > 16 ? PartialWord(s.data() + 16, s.size() - 16) : 0;
  cell.words[2] |= uint64_t{s.size()} << 56;
  return cell;
}

inline uint64_t HashOfCell(const StringCell& cell) {
  if (LongString(cell)) return cell.words[1];
  return Mix(
      Mix(cell.words[0] ^ kSalt, cell.words[1] ^ kMultiplier) ^ cell.words[2],
      kMultiplier);
}

inline uint64_t HashOfLongString(std::string_view s) {
  uint64_t hash = s.size();
  const char* bytes = s.data();
  size_t size = s.size();
  for (; size > 16; bytes += 16, size -= 16) {
    hash = Mix(Unaligned<uint64_t>(bytes) ^ kSalt ^ hash,
               Unaligned<uint64_t>(bytes + 8) ^ kMultiplier);
  }
  // The last 16 bytes; there are more than 23.
  bytes += size;
  return Mix(Mix(Unaligned<uint64_t>(bytes - 16) ^ kSalt ^ hash,
                 Unaligned<uint64_t>(bytes - 8) ^ kMultiplier),
             kMultiplier);
}

// What a key or a value is in a slot, and how it gets there and back. `T` is
// trivially copyable and of a machine word at most, or std::string.
template <class T>
struct Cells {
  static_assert(std::is_trivially_copyable_v<T>);
  using Cell = typename UnsignedOfSize<sizeof(T)>::type;
  static constexpr bool kIsString = false;

  static Cell Load(const Cell* from) { return AtomicLoad(from); }
  static void Store(Cell cell, Cell* to) { AtomicStore(to, cell); }

  template <class In>
  static bool Make(const In& in, Cell* cell) {
    static_assert(sizeof(In) == sizeof(Cell));
    std::memcpy(cell, &in, sizeof(Cell));
    return true;
  }

  template <class Out>
  static void Get(const Cell& cell, Out* out) {
    static_assert(sizeof(Out) == sizeof(Cell));
    std::memcpy(static_cast<void*>(out), &cell, sizeof(Cell));
  }

  static void Retire(Cell, Blocks*) {}
};

template <>
struct Cells<std::string> {
  using Cell = StringCell;
  static constexpr bool kIsString = true;

  static Cell Load(const Cell* from) {
    return {{AtomicLoad(&from->words[0], Order::kString),
             AtomicLoad(&from->words[1], Order::kString),
             AtomicLoad(&from->words[2], Order::kString)}};
  }
  static void Store(const Cell& cell, Cell* to) {
    for (int i = 0; i < 3; ++i) AtomicStore(&to->words[i], cell.words[i]);
  }

  static bool MakeLong(std::string_view s, uint64_t hash, Cell* cell) {
    auto* block = static_cast<StringBlock*>(
        s.size() > SIZE_MAX / 2 ? nullptr
                                : std::malloc(sizeof(StringBlock) + s.size()));
    if (block == nullptr) return false;
    block->size = s.size();
    std::memcpy(block->data(), s.data(), s.size());
    *cell = {{reinterpret_cast<uint64_t>(block), hash, kLong}};
    return true;
  }

  template <class In>
  static bool Make(const In& in, Cell* cell) {
    const std::string_view s = StringAccess<In>::View(in);
    if (s.size() > kShortString) return MakeLong(s, 0, cell);
    *cell = ShortCell(s);
    return true;
  }

  template <class Out>
  static void Get(const Cell& cell, Out* out) {
    StringAccess<Out>::Assign(ViewOf(cell), out);
  }

  static void Retire(const Cell& cell, Blocks* blocks) {
    if (StringBlock* block = LongString(cell)) blocks->push_back({block, 0});
  }
};

// A key as it is looked for.
template <class K>
struct Query {
  using Cell = typename Cells<K>::Cell;

  template <class In>
  explicit Query(const In& in) : Query(in, WordOf(in)) {}

  template <class In>
  Query(const In&, uint64_t word)
      : hash(HashOfWord(word)), cell(static_cast<Cell>(word)) {}

  // What a batch of writes is sorted by: the key itself.
  template <class In>
  static uint64_t WordOf(const In& in) {
    Cell cell;
    Cells<K>::Make(in, &cell);
    return cell;
  }
  static uint64_t HashOfWord(uint64_t word) {
    return Mix(word ^ kSalt, kMultiplier);
  }

  static uint64_t HashOf(Cell cell) { return HashOfWord(cell); }

  bool Equals(const Cell& other) const { return cell == other; }
  bool MakeCell(Cell* out) const {
    *out = cell;
    return true;
  }

  uint64_t hash;
  Cell cell;
};

template <>
struct Query<std::string> {
  using Cell = StringCell;

  template <class In>
  explicit Query(const In& in) : Query(in, WordOf(in)) {}

  template <class In>
  Query(const In& in, uint64_t word)
      : hash(word), view(StringAccess<In>::View(in)) {
    cell =
        view.size() > kShortString ? Cell{{0, hash, kLong}} : ShortCell(view);
  }

  // What a batch of writes is sorted by: the hash, which is worth keeping.
  template <class In>
  static uint64_t WordOf(const In& in) {
    const std::string_view s = StringAccess<In>::View(in);
    return s.size() > kShortString ? HashOfLongString(s)
                                   : HashOfCell(ShortCell(s));
  }
  static uint64_t HashOfWord(uint64_t word) { return word; }

  static uint64_t HashOf(const Cell& cell) { return HashOfCell(cell); }

  // Whether a cell may be that of this key, by its words alone.
  bool MayEqual(const Cell& other) const {
    return cell.words[1] == other.words[1] && cell.words[2] == other.words[2] &&
           (cell.words[2] == kLong || cell.words[0] == other.words[0]);
  }
  bool Equals(const Cell& other) const {
    return MayEqual(other) && (cell.words[2] != kLong || view == ViewOf(other));
  }
  bool MakeCell(Cell* out) const {
    if (cell.words[2] == kLong) {
      return Cells<std::string>::MakeLong(view, hash, out);
    }
    *out = cell;
    return true;
  }

  uint64_t hash;
  Cell cell;
  std::string_view view;
};

// Eight control bytes as a word.
constexpr uint64_t kEachByte = 0x0101010101010101;
constexpr uint64_t kHighBits = kEachByte << 7;
constexpr uint8_t kErased = 1;  // And 0 is empty; a full slot has the high bit.

// The top ten bits of a hash choose the shard, the next seven are the tag, and
// 32 more are the place in the shard. High bits are the better ones for keys
// that follow one another.
inline uint64_t TagOf(uint64_t hash) { return 0x80 | (hash >> 47 & 0x7f); }
inline uint64_t PlaceOf(uint64_t hash) { return hash >> 15 & 0xffffffff; }

// The bytes that are zero, as high bits. A byte of 1 above one that is zero is
// taken for zero as well.
inline uint64_t ZeroBytes(uint64_t word) {
  return (word - kEachByte) & ~word & kHighBits;
}
inline uint64_t MatchTag(uint64_t control, uint64_t tag) {
  return ZeroBytes(control ^ (kEachByte * tag));
}
inline uint64_t MatchFree(uint64_t control) { return ~control & kHighBits; }
inline bool HasEmpty(uint64_t control) { return ZeroBytes(control) != 0; }
inline int LowestByte(uint64_t matches) {
  return __builtin_ctzll(matches) >> 3;
}

}  // namespace sharded_map_internal

// See the head of the file. `K` is an integer of four or eight bytes or
// std::string; `V` is trivially copyable and of one, two, four or eight bytes,
// or std::string. A value is `value_length` of them.
//
// Keys and values are passed as arrays of any type of the same size, or as any
// type of string that has a StringAccess. Methods that return a bool return
// false if memory has run out; then a part of the batch has been done.
template <class K, class V>
class ShardedMap {
  using KeyCells = sharded_map_internal::Cells<K>;
  using ValueCells = sharded_map_internal::Cells<V>;
  using KeyCell = typename KeyCells::Cell;
  using ValueCell = typename ValueCells::Cell;
  using Query = sharded_map_internal::Query<K>;
  using Reclaimer = sharded_map_internal::Reclaimer;
  using Blocks = sharded_map_internal::Blocks;

 public:
  static constexpr int kMaxShards = 1024;
  static constexpr int kDefaultShards = 64;
  // More would be no value of a table, and offsets of slots must not overflow.
  static constexpr int64_t kMaxValueLength = int64_t{1} << 44;

  // `num_shards` is a power of two of at most kMaxShards. `value_length` is not
  // negative and at most kMaxValueLength.
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
        shards_(new Shard[num_shards]) {
    empty_.control = &empty_control_;
    for (int i = 0; i < num_shards; ++i) shards_[i].storage.store(&empty_);
  }

  ~ShardedMap() {
    Blocks blocks;
    for (int i = 0; i < num_shards_; ++i) {
      TakeBlocks(shards_[i].storage.load(), &blocks);
    }
    for (const auto& block : blocks) sharded_map_internal::Free(block);
  }

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
      bytes += shards_[i].storage.load()->bytes + sizeof(Storage);
    }
    return bytes;
  }

  // Writes the values of `n` keys one after another. That of a key that is not
  // there is taken from `defaults`, which holds a value for all keys, or for
  // each one. Writes to `found`, if given, which keys were there.
  template <class KeyIn, class Value>
  void Find(const KeyIn* keys, int64_t n, const Value* defaults,
            bool default_per_key, Value* values, bool* found = nullptr) const {
    const int64_t default_step = default_per_key ? value_length_ : 0;
    Reclaimer::Reader reader(&reclaimer_);
    const bool control_is_large = ControlIsLarge();
    for (int64_t i = 0; i < n; i += kBlock) {
      FindBlock(keys + i, std::min(kBlock, n - i), control_is_large,
                defaults + i * default_step, default_step,
                values + i * value_length_,
                found == nullptr ? nullptr : found + i);
    }
  }

  // Sets the values of `n` keys. Of a key that is there more than once, the
  // last value counts.
  template <class KeyIn, class Value>
  bool Insert(const KeyIn* keys, int64_t n, const Value* values,
              const ParallelFor& parallel = OnThisThread) {
    if constexpr (!KeyCells::kIsString && !ValueCells::kIsString) {
      if (value_length_ == 1) {
        // All that is left to read of the keys and values is in order.
        return Write(
            keys, n, parallel,
            [&](int64_t i) {
              uint64_t bits = 0;
              std::memcpy(&bits, values + i, sizeof(Value));
              return bits;
            },
            [&](Run* run, const Query& query, uint64_t bits) {
              ValueCell value;
              std::memcpy(&value, &bits, sizeof(value));
              return Assign(run, query, &value);
            });
      }
    }
    return Write(keys, n, parallel, Itself,
                 [&](Run* run, const Query& query, int64_t i) {
                   return Assign(run, query, values + i * value_length_);
                 });
  }

  // Adds to the values of `n` keys, each of which is zero before it is there.
  // A key that is there more than once gets the sum. `T` is the number that `V`
  // holds. Writes to `sums`, if given, the value of each key after its turn.
  template <class T, class KeyIn>
  bool Accumulate(const KeyIn* keys, int64_t n, const T* deltas,
                  const ParallelFor& parallel = OnThisThread,
                  T* sums = nullptr) {
    return Write(keys, n, parallel, Itself,
                 [&](Run* run, const Query& query, int64_t i) {
                   const int64_t at = i * value_length_;
                   return Add(run, query, deltas + at,
                              sums == nullptr ? nullptr : sums + at);
                 });
  }

  // Removes those of `n` keys that are there. Writes to `removed`, if given,
  // which keys were.
  template <class KeyIn>
  bool Remove(const KeyIn* keys, int64_t n,
              const ParallelFor& parallel = OnThisThread,
              bool* removed = nullptr) {
    return Write(keys, n, parallel, Itself,
                 [&](Run* run, const Query& query, int64_t i) {
                   const bool hit = Erase(run, query);
                   if (removed != nullptr) removed[i] = hit;
                   return true;
                 });
  }

  // Removes all keys.
  void Clear() {
    ShardedMap nothing(num_shards_, value_length_);
    ReplaceWith(&nothing);
  }

  // Puts the contents of `other`, which nobody else uses and which has as many
  // shards and values as long, in place of all that is here, and leaves it
  // empty. Nobody can write in between.
  void ReplaceWith(ShardedMap* other) {
    Blocks blocks;
    {
      Frozen frozen(this);
      for (int i = 0; i < num_shards_; ++i) {
        Shard& mine = shards_[i];
        Shard& theirs = other->shards_[i];
        Storage* storage = theirs.storage.load();
        if (storage == &other->empty_) storage = &empty_;
        TakeBlocks(mine.storage.load(), &blocks);
        mine.BeginWrite();
        mine.storage.store(storage);
        mine.size.store(theirs.size.load(), std::memory_order_relaxed);
        mine.used = theirs.used;
        mine.EndWrite();
        theirs.storage.store(&other->empty_);
        theirs.size.store(0);
        theirs.used = 0;
      }
    }
    reclaimer_.Retire(&blocks);
  }

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
    void Export(int shard, Key* keys, Value* values) const {
      const Storage& storage = *map_->shards_[shard].storage.load();
      map_->ForEachSlot(storage, [&](const char* slot) {
        KeyCells::Get(*map_->KeyAt(slot), keys++);
        if (values != nullptr) {
          map_->GetValue(slot, values);
          values += map_->value_length_;
        }
      });
    }

   private:
    const ShardedMap* map_;
  };

  // How many blocks that readers may yet look at are kept. For tests.
  size_t PendingBlocks() const { return reclaimer_.Pending(); }

  // The longest way to a key, in groups of eight slots. For tests.
  int64_t LongestProbe() const {
    int64_t longest = 0;
    Frozen frozen(this);
    for (int i = 0; i < num_shards_; ++i) {
      const Storage& storage = *shards_[i].storage.load();
      ForEachSlot(storage, [&](const char* slot) {
        const size_t first = FirstGroup(storage, Query::HashOf(*KeyAt(slot)));
        const size_t group = (slot - storage.slots) / (8 * stride_);
        const size_t probe =
            1 +
            (group >= first ? group - first : storage.groups + group - first);
        longest = std::max<int64_t>(longest, probe);
      });
    }
    return longest;
  }

 private:
  // Slots and their control bytes. It is changed by nobody but who fills it, so
  // that it stays in every reader's cache.
  struct Storage {
    size_t groups = 1;
    uint64_t* control = nullptr;  // The beginning of their block.
    char* slots = nullptr;
    size_t bytes = 0;     // Of the block.
    size_t mapped = 0;    // See Block.
    size_t max_used = 0;  // How many slots may be full or erased.
  };

  struct alignas(64) Shard {
    // Odd while somebody writes.
    std::atomic<uint64_t> sequence{0};
    std::atomic<Storage*> storage{nullptr};
    // In another cache line, which readers do not touch.
    alignas(64) mutable std::mutex mu;  // Held by who writes.
    std::atomic<int64_t> size{0};
    size_t used = 0;  // How many slots are full or erased.

    void BeginWrite() {
      // What is stored next, with release, is not seen without this.
      sequence.store(sequence.load(std::memory_order_relaxed) + 1,
                     std::memory_order_relaxed);
    }
    void EndWrite() {
      sequence.store(sequence.load(std::memory_order_relaxed) + 1,
                     std::memory_order_release);
    }
  };
  static_assert(sizeof(Shard) == 128);

  // A writer's turn at a shard.
  struct Run {
    int shard_index;
    Shard* shard;
    // By which to guess how many keys are still to come.
    int64_t done = 0;
    int64_t added = 0;
    int64_t total = 0;
    Blocks retired;
  };

  // One of a batch of writes.
  struct Entry {
    uint64_t word;     // See Query::WordOf.
    uint64_t payload;  // The index of the key, or else the bits of its value.
  };

  static uint64_t Itself(int64_t index) { return index; }

  static constexpr size_t RoundUp(size_t size, size_t to) {
    return (size + to - 1) / to * to;
  }

  int ShardOf(uint64_t hash) const {
    return static_cast<int>(hash >> 1 >> shard_shift_);
  }

  static size_t FirstGroup(const Storage& storage, uint64_t hash) {
    return sharded_map_internal::PlaceOf(hash) * storage.groups >> 32;
  }

  char* SlotAt(const Storage& storage, size_t group, int byte) const {
    return storage.slots + (group * 8 + byte) * stride_;
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
      const uint64_t control = storage.control[group];
      for (uint64_t full = control & sharded_map_internal::kHighBits; full;
           full &= full - 1) {
        f(SlotAt(storage, group, sharded_map_internal::LowestByte(full)));
      }
    }
  }

  // How many slots of that many groups may be full or erased: more where memory
  // counts for more than time.
  static size_t MaxUsed(size_t groups) {
    constexpr size_t kLarge = size_t{1} << 13;
    return groups < kLarge ? groups * 7 - groups / 4 : groups * 7 + groups / 4;
  }

  // A storage for that many groups, all of its slots empty; null without
  // memory.
  Storage* NewStorage(size_t groups) const {
    const size_t max_groups = (SIZE_MAX / 4) / (8 * stride_ + 8);
    if (groups > std::min<size_t>(max_groups, UINT32_MAX)) return nullptr;
    const size_t control_bytes = RoundUp(groups * 8, 64);
    const size_t bytes = control_bytes + groups * 8 * stride_;
    // Two blocks: large ones begin at the same place of a page each, where they
    // would push one another's heads out of the cache.
    const auto head = sharded_map_internal::Allocate(sizeof(Storage));
    if (head.address == nullptr) return nullptr;
    const auto block = sharded_map_internal::Allocate(bytes);
    if (block.address == nullptr) {
      sharded_map_internal::Free(head);
      return nullptr;
    }
    auto* storage = new (head.address) Storage;
    storage->groups = groups;
    storage->control = static_cast<uint64_t*>(block.address);
    storage->slots = static_cast<char*>(block.address) + control_bytes;
    storage->bytes = bytes;
    storage->mapped = block.mapped;
    storage->max_used = MaxUsed(groups);
    std::memset(storage->control, 0, groups * 8);
    return storage;
  }

  // All blocks of a storage, itself among them.
  void TakeBlocks(Storage* storage, Blocks* blocks) const {
    if (storage == &empty_) return;
    if (KeyCells::kIsString || ValueCells::kIsString) {
      ForEachSlot(*storage, [&](const char* slot) {
        KeyCells::Retire(*KeyAt(slot), blocks);
        RetireValue(slot, blocks);
      });
    }
    TakeSlots(storage, blocks);
  }

  static void TakeSlots(Storage* storage, Blocks* blocks) {
    blocks->push_back({storage->control, storage->mapped});
    blocks->push_back({storage, 0});
  }

  void RetireValue(const char* slot, Blocks* blocks) const {
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
      ValueCell cell;
      ValueCells::Make(in[i], &cell);
      ValueCells::Store(cell, cells + i);
    }
  }

  static constexpr int64_t kBlock = 32;

  // The way to a key, up to the first slot that has its tag.
  struct Way {
    const Shard* shard;
    uint64_t sequence;  // That of the shard before, or kUnknown.
    const char* slot;   // Null if there is no such slot.
  };

  // No sequence number: it takes more than a look at one slot to find the key.
  static constexpr uint64_t kUnknown = ~uint64_t{0};

  // Asks for the control bytes that a way begins with.
  void PrefetchControl(const Query& query) const {
    const Storage& storage = *shards_[ShardOf(query.hash)].storage.load();
    sharded_map_internal::Prefetch(storage.control +
                                   FirstGroup(storage, query.hash));
  }

  // Follows the way to a key, and asks for the slot that it leads to.
  Way FindWay(const Query& query) const {
    namespace internal = sharded_map_internal;
    constexpr int kMaxGroups = 16;
    const Shard* shard = &shards_[ShardOf(query.hash)];
    const uint64_t sequence = shard->sequence.load(std::memory_order_acquire);
    Way way = {shard, sequence, nullptr};
    const Storage& storage = *shard->storage.load();
    const uint64_t tag = internal::TagOf(query.hash);
    size_t group = FirstGroup(storage, query.hash);
    for (int i = 0; i < kMaxGroups; ++i) {
      const uint64_t control = internal::AtomicLoad(storage.control + group);
      const uint64_t matches = internal::MatchTag(control, tag);
      if (matches) {
        way.slot = SlotAt(storage, group, internal::LowestByte(matches));
        internal::Prefetch(way.slot);
        break;
      }
      if (internal::HasEmpty(control)) break;
      if (++group == storage.groups) group = 0;
      if (i + 1 == kMaxGroups) way.sequence = kUnknown;
    }
    if (sequence & 1) way.sequence = kUnknown;
    return way;
  }

  // Whether control bytes are likely to come from afar.
  bool ControlIsLarge() const {
    constexpr size_t kBytes = size_t{1} << 20;
    return shards_[0].storage.load()->groups * num_shards_ > kBytes / 8;
  }

  // Finds up to kBlock keys. Each step asks for the memory of the next one, and
  // by the time that it is done with the last key, that of the first is there.
  template <class KeyIn, class Value>
  void FindBlock(const KeyIn* keys, int64_t n, bool control_is_large,
                 const Value* defaults, int64_t default_step, Value* values,
                 bool* found) const {
    Queries<KeyIn> queries(keys, n);
    Way ways[kBlock];
    if (control_is_large) {
      for (int64_t i = 0; i < n; ++i) PrefetchControl(queries[i]);
    }
    for (int64_t i = 0; i < n; ++i) ways[i] = FindWay(queries[i]);
    for (int64_t i = 0; i < n; ++i) {
      Value* value = values + i * value_length_;
      bool hit;
      if (!LastStep(queries[i], ways[i], value, &hit)) {
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
    Queries(const KeyIn* keys, int64_t n) : keys_(keys) {
      if constexpr (KeyCells::kIsString) {
        for (int64_t i = 0; i < n; ++i) new (&At(i)) Query(keys[i]);
      }
    }
    decltype(auto) operator[](int64_t i) {
      if constexpr (KeyCells::kIsString) {
        return static_cast<const Query&>(At(i));
      } else {
        return Query(keys_[i]);
      }
    }

   private:
    Query& At(int64_t i) { return reinterpret_cast<Query*>(memory_)[i]; }

    const KeyIn* keys_;
    // Raw memory, as a query has no default constructor.
    alignas(
        Query) char memory_[KeyCells::kIsString ? kBlock * sizeof(Query) : 1];
  };

  // Returns false if it takes more than a look at one slot.
  template <class Value>
  bool LastStep(const Query& query, const Way& way, Value* value,
                bool* hit) const {
    const auto unchanged = [&way] {
      // Not before the loads that it is about: they have acquired.
      return way.shard->sequence.load(std::memory_order_relaxed) ==
             way.sequence;
    };
    *hit = way.slot != nullptr;
    if (!*hit) return unchanged();
    const KeyCell key = KeyCells::Load(KeyAt(way.slot));
    if constexpr (KeyCells::kIsString) {
      if (!query.MayEqual(key) || !unchanged()) return false;
    }
    return query.Equals(key) && ReadValue(way.slot, unchanged, value);
  }

  template <class KeyIn>
  static Query QueryOf(const KeyIn* keys, const Entry& entry) {
    // A number is its word.
    return Query(keys[KeyCells::kIsString ? entry.payload : 0], entry.word);
  }

  // Asks for what is on the way to the keys of up to kBlock entries.
  template <class KeyIn>
  void PrefetchWays(const KeyIn* keys, const Entry* entries, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) PrefetchControl(QueryOf(keys, entries[i]));
    for (int64_t i = 0; i < n; ++i) FindWay(QueryOf(keys, entries[i]));
  }

  // Reads the value of a key, if it is there. The caller is a Reader.
  template <class Value>
  bool Read(const Query& query, Value* value) const {
    const Shard& shard = shards_[ShardOf(query.hash)];
    constexpr int kTries = 64;
    for (int i = 0; i < kTries; ++i) {
      const uint64_t before = shard.sequence.load(std::memory_order_acquire);
      if (before & 1) {
        __builtin_ia32_pause();
        continue;
      }
      bool hit;
      if (TryRead(shard, before, query, value, &hit)) return hit;
    }
    // A writer has much to do, or was interrupted: sleep until it has done.
    std::lock_guard<std::mutex> l(shard.mu);
    bool hit;
    TryRead(shard, shard.sequence.load(std::memory_order_relaxed), query, value,
            &hit);
    return hit;
  }

  // Returns false if somebody wrote meanwhile, and the result may be nonsense.
  template <class Value>
  bool TryRead(const Shard& shard, uint64_t before, const Query& query,
               Value* value, bool* hit) const {
    namespace internal = sharded_map_internal;
    const auto unchanged = [&shard, before] {
      // Not before the loads that it is about: they have acquired.
      return shard.sequence.load(std::memory_order_relaxed) == before;
    };
    const Storage& storage = *shard.storage.load();
    *hit = false;
    size_t group = FirstGroup(storage, query.hash);
    const uint64_t tag = internal::TagOf(query.hash);
    // Bounded, as a writer can make it look as if no slot were ever empty.
    for (size_t i = 0; i < storage.groups; ++i) {
      const uint64_t control = internal::AtomicLoad(storage.control + group);
      for (uint64_t match = internal::MatchTag(control, tag); match;
           match &= match - 1) {
        const char* slot = SlotAt(storage, group, internal::LowestByte(match));
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
      if (internal::HasEmpty(control)) return unchanged();
      if (++group == storage.groups) group = 0;
    }
    return unchanged();
  }

  template <class Unchanged, class Value>
  bool ReadValue(const char* slot, const Unchanged& unchanged,
                 Value* value) const {
    if constexpr (ValueCells::kIsString) {
      // The words of all strings first, then what they point to.
      constexpr int64_t kOnStack = 8;
      ValueCell on_stack[kOnStack];
      std::vector<ValueCell> on_heap;
      ValueCell* cells = on_stack;
      if (value_length_ > kOnStack) {
        on_heap.resize(value_length_);
        cells = on_heap.data();
      }
      for (int64_t i = 0; i < value_length_; ++i) {
        cells[i] = ValueCells::Load(ValueAt(slot) + i);
      }
      if (!unchanged()) return false;
      for (int64_t i = 0; i < value_length_; ++i) {
        ValueCells::Get(cells[i], value + i);
      }
      return true;
    } else {
      GetValue(slot, value);
      return unchanged();
    }
  }

  // Does `op(run, query, payload(index))` for each key, by shards; for keys of
  // one shard in their order, while it is locked.
  template <class KeyIn, class Payload, class Op>
  bool Write(const KeyIn* keys, int64_t n, const ParallelFor& parallel,
             const Payload& payload, const Op& op) {
    if (n <= 0) return true;
    if (n == 1) {
      const Query query(keys[0]);
      Run run = Begin(ShardOf(query.hash), 1);
      const bool ok = op(&run, query, payload(0));
      End(&run);
      return ok;
    }
    if (n <= kFew) {
      uint64_t words[KeyCells::kIsString ? kFew : 1];
      Entry entries[kFew];
      return WriteSorted(keys, n, words, entries, OnThisThread, payload, op);
    }
    std::unique_ptr<uint64_t[]> words;
    if (KeyCells::kIsString) words.reset(new (std::nothrow) uint64_t[n]);
    std::unique_ptr<Entry[]> entries(new (std::nothrow) Entry[n]);
    if (entries == nullptr || (KeyCells::kIsString && words == nullptr)) {
      return false;
    }
    return WriteSorted(keys, n, words.get(), entries.get(), parallel, payload,
                       op);
  }

  template <class KeyIn, class Payload, class Op>
  bool WriteSorted(const KeyIn* keys, int64_t n, uint64_t* words,
                   Entry* entries, const ParallelFor& parallel,
                   const Payload& payload, const Op& op) {
    int64_t ends[kMaxShards];
    Sort(keys, n, words, entries, ends, parallel, payload);
    // There is little to wait for in a run of a few keys, so it is asked for
    // before the first one.
    const bool few = n <= kFew;
    if (few) {
      Reclaimer::Reader reader(&reclaimer_);
      for (int64_t i = 0; i < n; i += kBlock) {
        PrefetchWays(keys, entries + i, std::min(kBlock, n - i));
      }
    }
    std::atomic<bool> ok{true};
    const auto write = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i == 0 ? 0 : ends[i - 1];
        const int64_t count = ends[i] - first;
        if (count == 0) continue;
        Run run = Begin(static_cast<int>(i), count);
        bool all = true;
        for (int64_t j = 0; j < count && all; ++j) {
          if (!few && j % kBlock == 0) {
            PrefetchWays(keys, entries + first + j,
                         std::min(kBlock, count - j));
          }
          const Entry& entry = entries[first + j];
          ++run.done;
          all = op(&run, QueryOf(keys, entry), entry.payload);
        }
        End(&run);
        if (!all) ok.store(false, std::memory_order_relaxed);
      }
    };
    if (n <= kParallelFrom) {
      write(0, num_shards_);
    } else {
      parallel(num_shards_, kCyclesAKey * n / num_shards_, write);
    }
    return ok.load();
  }

  // Sorts keys by shard, those of one shard in their order; `ends` gets where
  // the keys of each shard end. `words` is room for a word a key, if keys are
  // strings: a number is read twice instead.
  template <class KeyIn, class Payload>
  void Sort(const KeyIn* keys, int64_t n, uint64_t* words, Entry* entries,
            int64_t* ends, const ParallelFor& parallel,
            const Payload& payload) const {
    // Parts of the keys, each counted and then moved by one thread.
    const int64_t parts = n <= kParallelFrom ? 1 : 16;
    const auto begin_of = [n, parts](int64_t part) { return part * n / parts; };
    int64_t on_stack[kMaxShards];
    std::vector<int64_t> on_heap;
    int64_t* at = on_stack;
    if (parts > 1) {
      on_heap.resize(parts * num_shards_);
      at = on_heap.data();
    } else {
      std::fill_n(at, num_shards_, 0);
    }
    const auto shard_of = [this](uint64_t word) {
      return ShardOf(Query::HashOfWord(word));
    };
    const auto count = [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        int64_t* counts = at + part * num_shards_;
        for (int64_t i = begin_of(part); i < begin_of(part + 1); ++i) {
          const uint64_t word = Query::WordOf(keys[i]);
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
              KeyCells::kIsString ? words[i] : Query::WordOf(keys[i]);
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
        int64_t* place = at + part * num_shards_ + s;
        const int64_t count = *place;
        *place = sum;
        sum += count;
      }
      ends[s] = sum;
    }
    for_parts(move);
  }

  Run Begin(int shard_index, int64_t total) {
    Run run;
    run.shard_index = shard_index;
    run.shard = &shards_[shard_index];
    run.total = total;
    run.shard->mu.lock();
    run.shard->BeginWrite();
    return run;
  }

  void End(Run* run) {
    run->shard->EndWrite();
    run->shard->mu.unlock();
    reclaimer_.Retire(&run->retired);
  }

  // Where a key is, or else where it may be put.
  struct Place {
    size_t group;
    int byte;
    bool found;
    bool erased;  // Whether it would take the place of an erased key.
  };

  Place Locate(const Storage& storage, const Query& query) const {
    namespace internal = sharded_map_internal;
    const uint64_t tag = internal::TagOf(query.hash);
    size_t group = FirstGroup(storage, query.hash);
    Place place = {0, -1, false, false};
    // There always is an empty slot.
    while (true) {
      const uint64_t control = storage.control[group];
      for (uint64_t match = internal::MatchTag(control, tag); match;
           match &= match - 1) {
        const int byte = internal::LowestByte(match);
        if (query.Equals(*KeyAt(SlotAt(storage, group, byte)))) {
          return {group, byte, true, false};
        }
      }
      const uint64_t free = internal::MatchFree(control);
      if (free && place.byte < 0) {
        place.group = group;
        place.byte = internal::LowestByte(free);
        place.erased = (control >> (8 * place.byte) & 0xff) != 0;
      }
      if (internal::HasEmpty(control)) return place;
      if (++group == storage.groups) group = 0;
    }
  }

  static void SetControl(const Storage& storage, size_t group, int byte,
                         uint64_t to) {
    const int shift = 8 * byte;
    const uint64_t control = storage.control[group];
    sharded_map_internal::AtomicStore(
        storage.control + group,
        (control & ~(uint64_t{0xff} << shift)) | to << shift);
  }

  // The slot of a key that is there, or of one that `Commit` is to follow for.
  // Null if memory has run out.
  char* FindOrPrepare(Run* run, const Query& query, Place* place) {
    Storage* storage = run->shard->storage.load(std::memory_order_relaxed);
    *place = Locate(*storage, query);
    if (place->found || place->erased || run->shard->used < storage->max_used) {
      return SlotAt(*storage, place->group, place->byte);
    }
    storage = Grow(run);
    if (storage == nullptr) return nullptr;
    *place = Locate(*storage, query);
    return SlotAt(*storage, place->group, place->byte);
  }

  void Commit(Run* run, const Query& query, const Place& place) {
    Storage* storage = run->shard->storage.load(std::memory_order_relaxed);
    if (!place.erased) ++run->shard->used;
    ++run->added;
    SetControl(*storage, place.group, place.byte,
               sharded_map_internal::TagOf(query.hash));
    run->shard->size.fetch_add(1, std::memory_order_relaxed);
  }

  template <class Value>
  bool Assign(Run* run, const Query& query, const Value* value) {
    Place place;
    char* slot = FindOrPrepare(run, query, &place);
    if (slot == nullptr) return false;
    KeyCell key;
    if (!place.found && !query.MakeCell(&key)) return false;
    if constexpr (ValueCells::kIsString) {
      if (!SetStrings(value, place.found, slot, &run->retired)) {
        if (!place.found) KeyCells::Retire(key, &run->retired);
        return false;
      }
    } else {
      SetNumbers(value, slot);
    }
    if (!place.found) {
      KeyCells::Store(key, KeyAt(slot));
      Commit(run, query, place);
    }
    return true;
  }

  template <class Value>
  bool SetStrings(const Value* value, bool replace, char* slot,
                  Blocks* retired) const {
    std::vector<ValueCell> cells(value_length_);
    for (int64_t i = 0; i < value_length_; ++i) {
      if (!ValueCells::Make(value[i], &cells[i])) {
        while (--i >= 0) ValueCells::Retire(cells[i], retired);
        return false;
      }
    }
    if (replace) RetireValue(slot, retired);
    for (int64_t i = 0; i < value_length_; ++i) {
      ValueCells::Store(cells[i], ValueAt(slot) + i);
    }
    return true;
  }

  template <class T>
  bool Add(Run* run, const Query& query, const T* deltas, T* sums) {
    Place place;
    char* slot = FindOrPrepare(run, query, &place);
    if (slot == nullptr) return false;
    KeyCell key;
    if (!place.found && !query.MakeCell(&key)) return false;
    ValueCell* cells = ValueAt(slot);
    for (int64_t i = 0; i < value_length_; ++i) {
      T sum = deltas[i];
      if (place.found) {
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
      ValueCell cell;
      ValueCells::Make(sum, &cell);
      ValueCells::Store(cell, cells + i);
    }
    if (!place.found) {
      KeyCells::Store(key, KeyAt(slot));
      Commit(run, query, place);
    }
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

  bool Erase(Run* run, const Query& query) {
    namespace internal = sharded_map_internal;
    Storage* storage = run->shard->storage.load(std::memory_order_relaxed);
    const Place place = Locate(*storage, query);
    if (!place.found) return false;
    const char* slot = SlotAt(*storage, place.group, place.byte);
    KeyCells::Retire(*KeyAt(slot), &run->retired);
    RetireValue(slot, &run->retired);
    // No way to another key leads past a group that has an empty slot.
    const bool was_end = internal::HasEmpty(storage->control[place.group]);
    SetControl(*storage, place.group, place.byte,
               was_end ? 0 : internal::kErased);
    if (was_end) --run->shard->used;
    run->shard->size.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }

  // Moves a shard to a larger storage, or to one as large without the erased.
  Storage* Grow(Run* run) {
    namespace internal = sharded_map_internal;
    Shard* shard = run->shard;
    Storage* old = shard->storage.load(std::memory_order_relaxed);
    const size_t groups = GroupsToGrowTo(*run, *old);
    Storage* grown = NewStorage(groups);
    if (grown == nullptr) return nullptr;
    if (old != &empty_) {
      // In the order of the hashes, or nearly so, in which the groups are too.
      ForEachSlot(*old, [&](const char* slot) {
        const uint64_t hash = Query::HashOf(*KeyAt(slot));
        size_t group = FirstGroup(*grown, hash);
        while (!internal::HasEmpty(grown->control[group])) {
          if (++group == grown->groups) group = 0;
        }
        const int byte =
            internal::LowestByte(internal::MatchFree(grown->control[group]));
        grown->control[group] |= internal::TagOf(hash) << (8 * byte);
        CopySlot(slot, SlotAt(*grown, group, byte));
      });
      TakeSlots(old, &run->retired);
    }
    shard->used = shard->size.load(std::memory_order_relaxed);
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

  size_t GroupsToGrowTo(const Run& run, const Storage& old) const {
    const auto size =
        static_cast<size_t>(run.shard->size.load(std::memory_order_relaxed));
    if (&old != &empty_ && size < old.max_used - old.max_used / 8) {
      return old.groups;  // There is room once the erased are gone.
    }
    // By a tenth or so, which is other for each shard and time; small ones by
    // half.
    const double phase =
        static_cast<double>(
            sharded_map_internal::Mix(
                run.shard_index * sharded_map_internal::kSalt + old.groups,
                sharded_map_internal::kMultiplier) >>
            32) /
        4294967296.0;
    const double grown =
        static_cast<double>(size) * (size < 1024 ? 1.5 : 1.05 + 0.1 * phase);
    // What the rest of the run will add, if it goes on as it began; but not
    // many times what is there, as it may not.
    const double added = static_cast<double>(run.total - run.done + 1) *
                         static_cast<double>(run.added + 1) /
                         static_cast<double>(run.done + 1);
    const double expected = std::min(1.02 * (static_cast<double>(size) + added),
                                     8.0 * static_cast<double>(size) + 64);
    const double wanted = std::max(grown, expected) + 1;
    auto groups = static_cast<size_t>(wanted / 8);
    groups += groups / 16;
    while (static_cast<double>(MaxUsed(groups)) < wanted) ++groups;
    return groups;
  }

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
  // The storage of a shard that never had a key: one group, in which no slot
  // may be used.
  uint64_t empty_control_ = 0;
  Storage empty_;
  std::unique_ptr<Shard[]> shards_;
  mutable Reclaimer reclaimer_;
};

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SHARDED_MAP_H_
