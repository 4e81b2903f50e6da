// Work in parts that many threads share, for code that holds locks.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_PARALLEL_FOR_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_PARALLEL_FOR_H_

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

namespace custom_op_examples {

// Refers to a callable object, which must outlive it. Unlike std::function it
// allocates nothing, so that it can be made where memory has run out.
template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class F, std::enable_if_t<!std::is_same_v<F, FunctionRef> &&
                                          std::is_object_v<F>,
                                      int> = 0>
  FunctionRef(const F& f)  // NOLINT: implicit, as a reference is.
      : object_(&f), call_([](const void* object, Args... args) -> Result {
          return (*static_cast<const F*>(object))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const {
    return call_(object_, std::forward<Args>(args)...);
  }

 private:
  const void* object_;
  Result (*call_)(const void*, Args...);
};

// Does the units [begin, end) of some work. It must not throw.
using Work = FunctionRef<void(int64_t begin, int64_t end)>;

// Calls `work` for parts of [0, total), perhaps on many threads at once, and
// returns when all of it has been done. The cost of a unit is in cycles.
using ParallelFor =
    FunctionRef<void(int64_t total, int64_t cost_per_unit, Work work)>;

inline constexpr auto OnThisThread = [](int64_t total, int64_t /*cost*/,
                                        Work work) { work(0, total); };

// A ParallelFor on the caller and up to `num_threads - 1` threads of a pool,
// where `schedule(f)` has some thread call f at some time.
//
// The caller may hold locks that other tasks of the pool wait for, as long as
// `work` takes none of them: it does every part that nobody has begun, so it
// only ever waits for a thread that is in the middle of `work`, and never for a
// thread to become free. A task that the pool gets to when all parts have been
// begun finds that out from memory that it shares, and touches nothing else.
template <class Schedule>
class OnThreads {
 public:
  OnThreads(int num_threads, Schedule schedule)
      : num_threads_(num_threads), schedule_(std::move(schedule)) {}

  void operator()(int64_t total, int64_t cost_per_unit, Work work) const {
    // Cycles that are worth the handing over, and parts enough that a thread
    // that is slow or late keeps nobody waiting for long.
    constexpr int64_t kMinCost = 10'000;
    constexpr int64_t kPartsPerThread = 4;
    const int64_t most = std::min(total, num_threads_ * kPartsPerThread);
    const int64_t units_worth_it =
        std::max<int64_t>(1, kMinCost / std::max<int64_t>(1, cost_per_unit));
    const int64_t parts = std::min(most, total / units_worth_it);
    if (parts <= 1 || num_threads_ <= 1) return work(0, total);
    std::shared_ptr<Parts> shared;
    try {
      shared = std::make_shared<Parts>(total, parts, work);
      for (int64_t i = 1; i < std::min<int64_t>(num_threads_, parts); ++i) {
        schedule_([shared] { shared->DoWhatIsLeft(); });
      }
    } catch (const std::bad_alloc&) {
      // This thread does what is left to do.
      if (shared == nullptr) return work(0, total);
    }
    shared->DoWhatIsLeft();
    shared->WaitForWhatHasBegun();
  }

 private:
  class Parts {
   public:
    Parts(int64_t total, int64_t parts, Work work)
        : total_(total), parts_(parts), work_(work) {}

    void DoWhatIsLeft() {
      std::unique_lock<std::mutex> l(mu_);
      while (begun_ < parts_) {
        const int64_t part = begun_++;
        l.unlock();
        // The caller waits for this, so what `work_` refers to is there.
        work_(part * total_ / parts_, (part + 1) * total_ / parts_);
        l.lock();
        if (++done_ == parts_) all_done_.notify_one();
      }
    }

    void WaitForWhatHasBegun() {
      std::unique_lock<std::mutex> l(mu_);
      while (done_ < parts_) all_done_.wait(l);
    }

   private:
    const int64_t total_;
    const int64_t parts_;
    const Work work_;
    std::mutex mu_;
    std::condition_variable all_done_;
    int64_t begun_ = 0;
    int64_t done_ = 0;
  };

  const int num_threads_;
  const Schedule schedule_;
};

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_PARALLEL_FOR_H_
