#include "tflite/custom/benchmark/stop.h"

#include <signal.h>

#include <atomic>

namespace tflite::custom::benchmark {
namespace {

std::atomic<bool> g_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal's handler may not wait for a lock");

void Interrupt(int) { g_interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

void StopOnInterrupt() {
  struct sigaction before = {};
  sigaction(SIGINT, nullptr, &before);
  // As in the background of a script.
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = Interrupt;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

bool Interrupted() { return g_interrupted.load(std::memory_order_relaxed); }

}  // namespace tflite::custom::benchmark
