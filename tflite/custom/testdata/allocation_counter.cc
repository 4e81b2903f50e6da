#include "tflite/custom/testdata/allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {

std::atomic<int64_t> allocated{0};
std::atomic<int64_t> freed{0};

}  // namespace

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER_HOOKS
#endif
#endif

#ifdef HAS_SANITIZER_HOOKS

// The sanitizer has taken malloc's place already, and tells who asks.
extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void*, size_t),
    void (*free_hook)(const volatile void*));

namespace {

const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t) { ++allocated; },
    [](const volatile void*) { ++freed; });

}  // namespace

#else

// What glibc's own are called besides. operator new comes here as well.
extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

void* malloc(size_t size) {
  ++allocated;
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  ++allocated;
  return __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
  ++allocated;
  if (memory != nullptr) ++freed;
  return __libc_realloc(memory, size);
}

void* memalign(size_t alignment, size_t size) {
  ++allocated;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

void free(void* memory) {
  if (memory != nullptr) ++freed;
  __libc_free(memory);
}

}  // extern "C"

#endif  // HAS_SANITIZER_HOOKS

namespace tflite::custom {

AllocationCounts CountAllocations() { return {allocated, freed}; }

}  // namespace tflite::custom
