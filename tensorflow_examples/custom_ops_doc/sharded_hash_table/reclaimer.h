// Epoch-based reclamation: memory that readers who lock nothing may be looking
// at is freed when they have left (Fraser, "Practical lock-freedom", 2004).

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_RECLAIMER_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_RECLAIMER_H_

#include <malloc.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace custom_op_examples {
namespace sharded_map_internal {

// Memory for an array that begins a cache line; null if there is none. Large
// ones are mappings, as a table that grows would leave holes behind on a heap
// that are too small for it and that nobody else may need. A mapping takes no
// memory until it is written to.
struct Array {
  void* address;
  size_t mapped;  // Its size if it is a mapping of its own, or else 0.
};

inline Array AllocateArray(size_t bytes) {
  // From here on glibc's malloc would map it too, if it had not been asked to
  // free such blocks before (M_MMAP_THRESHOLD).
  constexpr size_t kMapped = size_t{1} << 17;
  if (bytes >= kMapped) {
    void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address != MAP_FAILED) return {address, bytes};
    // There may be too many mappings.
  }
  void* address = nullptr;
  if (posix_memalign(&address, 64, bytes) != 0) return {nullptr, 0};
  return {address, 0};
}

inline void Free(const Array& array) {
  if (array.mapped > 0) {
    munmap(array.address, array.mapped);
  } else {
    std::free(array.address);
  }
}

// The head of what is retired as one. It has room for a list, so that nothing
// needs to be allocated to give memory back.
struct Block {
  enum Kind { kOnHeap, kWithArray, kInArena };

  Block* next;         // Once it has been taken out of the map.
  uint64_t kind : 2;   // How it is to be freed.
  uint64_t size : 62;  // What belongs to it, in bytes.
};

struct ArrayBlock : Block {
  Array array;
};

// Memory of which blocks are made when there is no other. It lives as long as
// any of them and the one who made it.
class Arena {
 public:
  // For blocks with so many bytes, as BytesFor has them; null without memory.
  static Arena* New(size_t bytes) {
    const Array array = AllocateArray(sizeof(Arena) + bytes);
    if (array.address == nullptr) return nullptr;
    return new (array.address) Arena(array);
  }

  static constexpr size_t BytesFor(size_t size) {
    return (sizeof(Arena*) + sizeof(Block) + size + 7) / 8 * 8;
  }

  // Memory for a block, before which there is a pointer to the arena.
  void* Allocate(size_t size) {
    references_.fetch_add(1);
    char* const begin =
        reinterpret_cast<char*>(this + 1) + used_.fetch_add(BytesFor(size));
    *reinterpret_cast<Arena**>(begin) = this;
    return begin + sizeof(Arena*);
  }
  static Arena* Of(Block* block) {
    return reinterpret_cast<Arena**>(block)[-1];
  }

  void Release() {
    if (references_.fetch_sub(1) == 1) Free(Array(array_));
  }

 private:
  explicit Arena(const Array& array) : array_(array) {}

  const Array array_;
  std::atomic<int64_t> references_{1};
  std::atomic<size_t> used_{0};
};

// Blocks, each by its `next`. They are not freed with it.
class BlockList {
 public:
  BlockList() = default;
  BlockList(BlockList&& other) noexcept
      : head_(std::exchange(other.head_, nullptr)),
        tail_(other.tail_),
        count_(std::exchange(other.count_, 0)) {}
  BlockList& operator=(BlockList&&) = delete;

  void Push(Block* block) {
    block->next = head_;
    if (head_ == nullptr) tail_ = block;
    head_ = block;
    ++count_;
  }
  Block* head() const { return head_; }
  Block* tail() const { return tail_; }
  int64_t count() const { return count_; }

 private:
  Block* head_ = nullptr;
  Block* tail_ = nullptr;
  int64_t count_ = 0;
};

// Frees a list of blocks. Returns how many there were.
inline int64_t FreeBlocks(Block* head) {
  int64_t count = 0;
  while (head != nullptr) {
    Block* const next = head->next;
    if (head->kind == Block::kWithArray) {
      Free(static_cast<ArrayBlock*>(head)->array);
    }
    if (head->kind == Block::kInArena) {
      Arena::Of(head)->Release();
    } else {
      std::free(head);
    }
    head = next;
    ++count;
  }
  return count;
}

// Gives the free pages of the heap back, which keeps them until it is told to.
// This takes as long as to free some hundred thousand blocks.
inline void TrimHeap() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// Frees blocks once nobody can be reading them.
//
// A reader is counted from before it looks at the map until it is done. What
// was taken out of the map can still be seen by readers that were there at that
// time and by no others, so it is free to go when every counter has been zero
// at some moment since. There is a pair of counters for each group of threads,
// and newcomers use the one of the pair that the epoch tells, so that the other
// one gets to zero however many come. Nobody waits: the counters are looked at
// when something is retired, and when a reader leaves that may have been waited
// for.
//
// A reader counts itself and then loads a pointer; Retire's caller changes the
// pointer and then the counters are loaded. A reader stops counting itself and
// then looks for what is pending; Retire makes it pending and then the counters
// are loaded. All of these are sequentially consistent, so that not both can
// miss what the other one did.
class Reclaimer {
 public:
  class Reader {
   public:
    explicit Reader(Reclaimer* reclaimer)
        : reclaimer_(reclaimer),
          count_(&reclaimer->counts_[ThreadNumber() % kStripes]
                      .of_epoch[reclaimer->epoch_.load() & 1]) {
      count_->fetch_add(1);
    }
    ~Reader() {
      if (count_->fetch_sub(1) == 1 && reclaimer_->pending_.load() > 0) {
        reclaimer_->Collect();
      }
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

   private:
    Reclaimer* const reclaimer_;
    std::atomic<int64_t>* const count_;
  };

  Reclaimer() = default;
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;

  ~Reclaimer() {
    FreeBlocks(waiting_);
    FreeBlocks(retired_.load());
  }

  // Takes blocks that are in the map no more.
  void Retire(BlockList blocks) {
    if (blocks.head() == nullptr) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    pending_.fetch_add(blocks.count());
    Block* next = retired_.load();
    do {
      blocks.tail()->next = next;
    } while (!retired_.compare_exchange_weak(next, blocks.head()));
    Collect();
  }

  // Trims the heap once all is freed that has been retired.
  void TrimHeapWhenDone() {
    trim_.store(true);
    if (pending_.load() == 0) TrimIfToldTo();
  }

  // How many blocks are not freed yet.
  int64_t Pending() const { return pending_.load(); }

 private:
  // Of threads: as many as cores that would get into each other's way.
  static constexpr int kStripes = 8;
  static constexpr uint32_t kAll = (uint32_t{1} << 2 * kStripes) - 1;

  struct alignas(64) Counts {
    std::atomic<int64_t> of_epoch[2] = {};
  };

  static int ThreadNumber() {
    static std::atomic<int> threads{0};
    thread_local const int number = threads.fetch_add(1) & 0xffff;
    return number;
  }

  // Frees what nobody can be reading. One thread at a time looks; one that
  // comes meanwhile leaves it to that one to look again.
  void Collect() {
    look_.store(true);
    while (look_.load() && !looking_.exchange(true)) {
      look_.store(false);
      // What waits, and what has come since, as all can go where nobody reads.
      Block* free[2] = {};
      for (Block*& list : free) {
        LookForZeros();
        if (not_yet_zero_ != 0) break;
        list = std::exchange(waiting_, retired_.exchange(nullptr));
        if (waiting_ != nullptr) not_yet_zero_ = kAll;
      }
      looking_.store(false);
      for (Block* list : free) {
        const int64_t count = FreeBlocks(list);
        if (pending_.fetch_sub(count) == count && count > 0) TrimIfToldTo();
      }
    }
  }

  void TrimIfToldTo() {
    if (trim_.load() && trim_.exchange(false)) TrimHeap();
  }

  void LookForZeros() {
    for (int i = 0; i < 2 * kStripes; ++i) {
      if (counts_[i / 2].of_epoch[i % 2].load() == 0) {
        not_yet_zero_ &= ~(uint32_t{1} << i);
      }
    }
    // Newcomers go where nobody is waited for any more.
    constexpr uint32_t kEven = 0x55555555;
    const uint64_t epoch = epoch_.load();
    const uint32_t of_others = epoch & 1 ? kEven : kEven << 1;
    if (not_yet_zero_ != 0 && (not_yet_zero_ & of_others) == 0) {
      epoch_.store(epoch + 1);
    }
  }

  Counts counts_[kStripes];
  std::atomic<uint64_t> epoch_{0};
  std::atomic<int64_t> pending_{0};
  std::atomic<Block*> retired_{nullptr};
  std::atomic<bool> look_{false};
  std::atomic<bool> looking_{false};
  std::atomic<bool> trim_{false};
  // Of the thread that is looking: what waits for the counters that have not
  // been zero since.
  Block* waiting_ = nullptr;
  uint32_t not_yet_zero_ = 0;
};

}  // namespace sharded_map_internal
}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_RECLAIMER_H_
