// What the address sanitizer starts with, beside ASAN_OPTIONS: what the runtime
// could not allocate it must report, not abort.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=256";
}
