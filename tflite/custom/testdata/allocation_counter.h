#ifndef TFLITE_CUSTOM_TESTDATA_ALLOCATION_COUNTER_H_
#define TFLITE_CUSTOM_TESTDATA_ALLOCATION_COUNTER_H_

#include <cstdint>

namespace tflite::custom {

// How often this process has taken memory from the heap, by whatever function
// and from whatever library, and how often it has given some back. Linked into
// a program, this stands in for malloc and its kin.
struct AllocationCounts {
  int64_t allocated;
  int64_t freed;
};

AllocationCounts CountAllocations();

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_TESTDATA_ALLOCATION_COUNTER_H_
