// Makes allocations fail that a library asks for. Preloaded into a process, as
// `failing_allocations.py` says, it stands before operator new and malloc.
//
// An allocation is the library's if its code asks for it, or if the C++
// standard library does in what the library's code called.

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#define PUBLIC extern "C" __attribute__((visibility("default"), noinline))

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;

  bool Has(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    return begin <= at && at < end;
  }
};

Range library, standard_library;
bool with_malloc = false;
void (*throw_bad_alloc)() = nullptr;

// How many more of the library's allocations there are up to the one that
// fails; none fails while it is negative.
std::atomic<int64_t> left{-1};
std::atomic<int64_t> failed{0};

bool IsOfLibrary(const void* caller) {
  if (library.Has(caller)) return true;
  if (!standard_library.Has(caller)) return false;
  void* frames[16];
  const int count = backtrace(frames, 16);
  int i = 0;
  while (i < count && frames[i] != caller) ++i;
  while (i < count && standard_library.Has(frames[i])) ++i;
  return i < count && library.Has(frames[i]);
}

// Whether this allocation is the one to fail.
bool Fails(const void* caller) {
  if (left.load(std::memory_order_relaxed) < 0) return false;
  if (!IsOfLibrary(caller)) return false;
  if (left.fetch_sub(1) != 0) return false;
  failed.fetch_add(1);
  return true;
}

void* New(size_t bytes, const void* caller) {
  void* const block = Fails(caller) ? nullptr : __libc_malloc(bytes);
  if (block == nullptr) throw_bad_alloc();
  return block;
}

void* NewAligned(size_t bytes, size_t alignment, const void* caller) {
  void* const block =
      Fails(caller) ? nullptr : __libc_memalign(alignment, bytes);
  if (block == nullptr) throw_bad_alloc();
  return block;
}

}  // namespace

// Sets whose allocations count, and whether those are counted that are not
// operator new's: of malloc, posix_memalign and mmap.
PUBLIC void failing_allocations_of(uintptr_t begin, uintptr_t end,
                                   uintptr_t standard_begin,
                                   uintptr_t standard_end, int malloc_too) {
  library = {begin, end};
  standard_library = {standard_begin, standard_end};
  with_malloc = malloc_too != 0;
  void* const handle = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
  throw_bad_alloc =
      reinterpret_cast<void (*)()>(dlsym(handle, "_ZSt17__throw_bad_allocv"));
  // What it needs it loads at its first call.
  void* frame;
  backtrace(&frame, 1);
}

// Makes the n-th allocation from now on fail, counted from 1; none for 0.
// Returns how many have failed since the call before.
PUBLIC int64_t failing_allocations_at(int64_t n) {
  left.store(n - 1);
  return failed.exchange(0);
}

PUBLIC void* _Znwm(size_t bytes) {
  return New(bytes, __builtin_return_address(0));
}
PUBLIC void* _Znam(size_t bytes) {
  return New(bytes, __builtin_return_address(0));
}
PUBLIC void* _ZnwmSt11align_val_t(size_t bytes, size_t alignment) {
  return NewAligned(bytes, alignment, __builtin_return_address(0));
}
PUBLIC void* _ZnamSt11align_val_t(size_t bytes, size_t alignment) {
  return NewAligned(bytes, alignment, __builtin_return_address(0));
}
PUBLIC void* _ZnwmRKSt9nothrow_t(size_t bytes, const void*) {
  if (Fails(__builtin_return_address(0))) return nullptr;
  return __libc_malloc(bytes);
}
PUBLIC void* _ZnamRKSt9nothrow_t(size_t bytes, const void*) {
  if (Fails(__builtin_return_address(0))) return nullptr;
  return __libc_malloc(bytes);
}
PUBLIC void* _ZnwmSt11align_val_tRKSt9nothrow_t(size_t bytes, size_t alignment,
                                                const void*) {
  if (Fails(__builtin_return_address(0))) return nullptr;
  return __libc_memalign(alignment, bytes);
}
PUBLIC void* _ZnamSt11align_val_tRKSt9nothrow_t(size_t bytes, size_t alignment,
                                                const void*) {
  if (Fails(__builtin_return_address(0))) return nullptr;
  return __libc_memalign(alignment, bytes);
}

PUBLIC void* malloc(size_t bytes) {
  if (with_malloc && Fails(__builtin_return_address(0))) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(bytes);
}
PUBLIC int posix_memalign(void** block, size_t alignment, size_t bytes) {
  if (with_malloc && Fails(__builtin_return_address(0))) return ENOMEM;
  void* const aligned = __libc_memalign(alignment, bytes);
  if (aligned == nullptr) return ENOMEM;
  *block = aligned;
  return 0;
}
PUBLIC void* mmap(void* address, size_t bytes, int protection, int flags,
                  int file, off_t offset) {
  if (with_malloc && Fails(__builtin_return_address(0))) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}
