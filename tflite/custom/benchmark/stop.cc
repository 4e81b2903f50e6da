#include "tflite/custom/benchmark/stop.h"

#include <signal.h>

#include <atomic>
#include <initializer_list>

namespace tflite::custom::benchmark {
namespace {

std::atomic<int> g_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free,
              "a signal's handler may not wait for a lock");

void Stop(int signal) { g_signal.store(signal, std::memory_order_relaxed); }

}  // namespace

void StopOnSignals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // As under nohup, or in the background of a script.
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = Stop;
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

int StopSignal() { return g_signal.load(std::memory_order_relaxed); }

}  // namespace tflite::custom::benchmark
