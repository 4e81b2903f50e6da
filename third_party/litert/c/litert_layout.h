// The shape of a tensor.
#ifndef THIRD_PARTY_LITERT_C_LITERT_LAYOUT_H_
#define THIRD_PARTY_LITERT_C_LITERT_LAYOUT_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LITERT_TENSOR_MAX_RANK 8

// Without strides the elements are packed, in row-major order.
typedef struct {
  unsigned int rank : 7;
  bool has_strides : 1;
  int32_t dimensions[LITERT_TENSOR_MAX_RANK];
  uint32_t strides[LITERT_TENSOR_MAX_RANK];
} LiteRtLayout;

#ifdef __cplusplus
static_assert(sizeof(LiteRtLayout) == 68, "libLiteRt.so lays it out so");
}  // extern "C"
#endif

#endif  // THIRD_PARTY_LITERT_C_LITERT_LAYOUT_H_
