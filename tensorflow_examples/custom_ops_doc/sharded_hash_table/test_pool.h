// A pool of threads, as TensorFlow's is to a kernel.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_TEST_POOL_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_TEST_POOL_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/parallel_for.h"

namespace custom_op_examples {

// A few threads, and a queue of what they get to.
class Pool {
 public:
  explicit Pool(int num_threads) {
    for (int i = 0; i < num_threads; ++i) {
      threads_.emplace_back([this] { Run(); });
    }
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> l(mu_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Schedule(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> l(mu_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> l(mu_);
    while (true) {
      while (!ending_ && tasks_.empty()) changed_.wait(l);
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      l.unlock();
      task();
      l.lock();
    }
  }

  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

inline auto InPool(Pool* pool, int num_threads) {
  return OnThreads(num_threads, [pool](const auto& f) { pool->Schedule(f); });
}

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_TEST_POOL_H_
