// Types that both sides of TFLite's C API share: the client that runs a model
// (c_api.h) and the kernel that implements an op (c_api_opaque.h).
#ifndef THIRD_PARTY_TENSORFLOW_LITE_C_C_API_TYPES_H_
#define THIRD_PARTY_TENSORFLOW_LITE_C_C_API_TYPES_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Marks what libtensorflowlite_c.so exports. c_api_symbols_test.py reads the
// headers for it and holds each name against the library.
#define TFL_CAPI_EXPORT __attribute__((visibility("default")))

// What a call ended with. Later releases may add values: compare with
// kTfLiteOk rather than listing the failures.
typedef enum TfLiteStatus {
  kTfLiteOk = 0,
  kTfLiteError = 1,             // The runtime failed.
  kTfLiteDelegateError = 2,     // A delegate failed.
  kTfLiteApplicationError = 3,  // Delegate and runtime or model do not fit.
  // A delegate's serialized data could not be found, written, or read.
  kTfLiteDelegateDataNotFound = 4,
  kTfLiteDelegateDataWriteError = 5,
  kTfLiteDelegateDataReadError = 6,
  kTfLiteUnresolvedOps = 7,  // The model has an op that nobody registered.
  kTfLiteCancelled = 8,      // The client cancelled the invocation.
  // Prepare knows how many bytes an output takes, not yet its shape.
  kTfLiteOutputShapeNotKnown = 9,
} TfLiteStatus;

// The type of a tensor's elements. A runtime older than a type does not know
// it: the 2.17 library stops at kTfLiteInt4.
typedef enum {
  kTfLiteNoType = 0,
  kTfLiteFloat32 = 1,
  kTfLiteInt32 = 2,
  kTfLiteUInt8 = 3,
  kTfLiteInt64 = 4,
  kTfLiteString = 5,
  kTfLiteBool = 6,
  kTfLiteInt16 = 7,
  kTfLiteComplex64 = 8,
  kTfLiteInt8 = 9,
  kTfLiteFloat16 = 10,
  kTfLiteFloat64 = 11,
  kTfLiteComplex128 = 12,
  kTfLiteUInt64 = 13,
  kTfLiteResource = 14,
  kTfLiteVariant = 15,
  kTfLiteUInt32 = 16,
  kTfLiteUInt16 = 17,
  kTfLiteInt4 = 18,
  kTfLiteBFloat16 = 19,
  kTfLiteInt2 = 20,
  kTfLiteUInt4 = 21,
} TfLiteType;

// Per-tensor quantization: real = scale * (quantized - zero_point).
typedef struct TfLiteQuantizationParams {
  float scale;
  int32_t zero_point;
} TfLiteQuantizationParams;

// How one dimension of a sparse tensor is stored.
typedef enum TfLiteDimensionType {
  kTfLiteDimDense = 0,
  kTfLiteDimSparseCSR = 1,
} TfLiteDimensionType;

// What a kernel is handed. Their layout is the runtime's own; the accessors of
// c_api_opaque.h are the only way in, and stay the same between releases.
typedef struct TfLiteOpaqueContext TfLiteOpaqueContext;
typedef struct TfLiteOpaqueNode TfLiteOpaqueNode;
typedef struct TfLiteOpaqueTensor TfLiteOpaqueTensor;

// A delegate takes over part of a graph. Outside Google Play services the
// opaque type is the concrete one.
typedef struct TfLiteDelegate TfLiteDelegate;
typedef struct TfLiteOpaqueDelegateStruct TfLiteOpaqueDelegateStruct;
typedef TfLiteDelegate TfLiteOpaqueDelegate;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_TENSORFLOW_LITE_C_C_API_TYPES_H_
