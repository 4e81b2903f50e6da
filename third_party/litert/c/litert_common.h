// LiteRT's C API, as far as this repository uses it: handles, status, export.
#ifndef THIRD_PARTY_LITERT_C_LITERT_COMMON_H_
#define THIRD_PARTY_LITERT_C_LITERT_COMMON_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Marks what libLiteRt.so exports. litert_symbols_test.py reads the headers for
// it and holds each name against the library.
#define LITERT_CAPI_EXPORT __attribute__((visibility("default")))

// Handles. Each kind has its own Destroy function, except for those that belong
// to another: a signature and a tensor to their model, requirements to their
// compiled model.
typedef struct LiteRtEnvironmentT* LiteRtEnvironment;
typedef struct LiteRtModelT* LiteRtModel;
typedef struct LiteRtSignatureT* LiteRtSignature;
typedef struct LiteRtTensorT* LiteRtTensor;
typedef struct LiteRtOptionsT* LiteRtOptions;
typedef struct LiteRtCompiledModelT* LiteRtCompiledModel;
typedef struct LiteRtTensorBufferT* LiteRtTensorBuffer;

typedef size_t LiteRtParamIndex;

// What a call ended with. There are more failures than these: compare with
// kLiteRtStatusOk.
typedef enum {
  kLiteRtStatusOk = 0,
  kLiteRtStatusErrorInvalidArgument = 1,
  kLiteRtStatusErrorMemoryAllocationFailure = 2,
  kLiteRtStatusErrorRuntimeFailure = 3,
} LiteRtStatus;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_LITERT_C_LITERT_COMMON_H_
