#ifndef THIRD_PARTY_LITERT_C_LITERT_TENSOR_BUFFER_H_
#define THIRD_PARTY_LITERT_C_LITERT_TENSOR_BUFFER_H_

#include <stddef.h>

#include "third_party/litert/c/litert_common.h"
#include "third_party/litert/c/litert_model_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where a buffer lies: on a CPU, in host memory.
typedef enum {
  kLiteRtTensorBufferTypeUnknown = 0,
  kLiteRtTensorBufferTypeHostMemory = 1,
} LiteRtTensorBufferType;

typedef enum {
  kLiteRtTensorBufferLockModeRead = 0,
  kLiteRtTensorBufferLockModeWrite = 1,
  kLiteRtTensorBufferLockModeReadWrite = 2,
} LiteRtTensorBufferLockMode;

LITERT_CAPI_EXPORT LiteRtStatus LiteRtCreateManagedTensorBuffer(
    LiteRtEnvironment environment, LiteRtTensorBufferType buffer_type,
    const LiteRtRankedTensorType* tensor_type, size_t buffer_size,
    LiteRtTensorBuffer* buffer);
LITERT_CAPI_EXPORT void LiteRtDestroyTensorBuffer(LiteRtTensorBuffer buffer);

LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetTensorBufferTensorType(
    LiteRtTensorBuffer tensor_buffer, LiteRtRankedTensorType* tensor_type);
// The bytes of its elements, without padding.
LITERT_CAPI_EXPORT LiteRtStatus
LiteRtGetTensorBufferPackedSize(LiteRtTensorBuffer tensor_buffer, size_t* size);

// Lock and Unlock come in pairs; the address is good between them.
LITERT_CAPI_EXPORT LiteRtStatus
LiteRtLockTensorBuffer(LiteRtTensorBuffer tensor_buffer, void** host_mem_addr,
                       LiteRtTensorBufferLockMode lock_mode);
LITERT_CAPI_EXPORT LiteRtStatus
LiteRtUnlockTensorBuffer(LiteRtTensorBuffer tensor_buffer);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_LITERT_C_LITERT_TENSOR_BUFFER_H_
