// The type of a tensor.
#ifndef THIRD_PARTY_LITERT_C_LITERT_MODEL_TYPES_H_
#define THIRD_PARTY_LITERT_C_LITERT_MODEL_TYPES_H_

#include "third_party/litert/c/litert_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

// The numbers are those of TfLiteType.
typedef enum {
  kLiteRtElementTypeNone = 0,
  kLiteRtElementTypeFloat32 = 1,
  kLiteRtElementTypeInt32 = 2,
  kLiteRtElementTypeUInt8 = 3,
  kLiteRtElementTypeInt64 = 4,
  kLiteRtElementTypeTfString = 5,
  kLiteRtElementTypeBool = 6,
  kLiteRtElementTypeInt16 = 7,
  kLiteRtElementTypeComplex64 = 8,
  kLiteRtElementTypeInt8 = 9,
  kLiteRtElementTypeFloat16 = 10,
  kLiteRtElementTypeFloat64 = 11,
  kLiteRtElementTypeComplex128 = 12,
  kLiteRtElementTypeUInt64 = 13,
  kLiteRtElementTypeTfResource = 14,
  kLiteRtElementTypeTfVariant = 15,
  kLiteRtElementTypeUInt32 = 16,
  kLiteRtElementTypeUInt16 = 17,
  kLiteRtElementTypeInt4 = 18,
  kLiteRtElementTypeBFloat16 = 19,
  kLiteRtElementTypeInt2 = 20,
} LiteRtElementType;

typedef struct {
  LiteRtElementType element_type;
  LiteRtLayout layout;
} LiteRtRankedTensorType;

#ifdef __cplusplus
static_assert(sizeof(LiteRtRankedTensorType) == 72,
              "libLiteRt.so lays it out so");
}  // extern "C"
#endif

#endif  // THIRD_PARTY_LITERT_C_LITERT_MODEL_TYPES_H_
