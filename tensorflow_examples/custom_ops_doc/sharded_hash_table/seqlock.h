// A seqlock: those who read lock nothing, and read again if somebody wrote
// meanwhile (Boehm, "Can Seqlocks Get Along With Programming Language Memory
// Models?", 2012).

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SEQLOCK_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SEQLOCK_H_

#include <atomic>
#include <cstdint>

namespace custom_op_examples {
namespace sharded_map_internal {

// What a seqlock protects is read and written by these, in words that some
// thread may be writing, so there is no data race.
//
// Loads acquire, so that SeqLock::Changed is not read before them. Those of
// pointers are sequentially consistent; see Reclaimer.
template <class T>
T AtomicLoad(const T* address) {
  return __atomic_load_n(address, __ATOMIC_ACQUIRE);
}
template <class T>
T AtomicLoadPointer(const T* address) {
  return __atomic_load_n(address, __ATOMIC_SEQ_CST);
}
// Stores release, so that who sees one sees also that writing has begun.
template <class T>
void AtomicStore(T* address, T value) {
  __atomic_store_n(address, value, __ATOMIC_RELEASE);
}

class SeqLock {
 public:
  // The number that a reader begins with.
  uint64_t Begin() const { return sequence_.load(std::memory_order_acquire); }
  static bool IsWriting(uint64_t sequence) { return sequence & 1; }
  // Whether anybody has written since then.
  bool Changed(uint64_t since) const {
    return sequence_.load(std::memory_order_relaxed) != since;
  }

  // While it exists somebody writes, who has locked all others out.
  class Writer {
   public:
    explicit Writer(SeqLock* lock) : sequence_(&lock->sequence_) {
      Add(std::memory_order_relaxed);
    }
    ~Writer() { Add(std::memory_order_release); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

   private:
    void Add(std::memory_order order) {
      sequence_->store(sequence_->load(std::memory_order_relaxed) + 1, order);
    }

    std::atomic<uint64_t>* sequence_;
  };

 private:
  std::atomic<uint64_t> sequence_{0};  // Odd while somebody writes.
};

}  // namespace sharded_map_internal
}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SEQLOCK_H_
