// Reads a custom op's options. The converter writes them as a FlexBuffer whose
// root is a map from attribute names to values; a model may hold anything else
// in their place, so every read is checked against the buffer's bounds.
//
// In C, so that kernels of both styles use it. Allocates nothing.
#ifndef TFLITE_CUSTOM_FLEX_OPTIONS_H_
#define TFLITE_CUSTOM_FLEX_OPTIONS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum FlexStatus {
  kFlexOk = 0,
  kFlexMissing,    // The map has no such key.
  kFlexWrongType,  // The value is there, as something else than was asked for.
  kFlexDamaged,    // The buffer is not a FlexBuffer, or not a whole one.
} FlexStatus;

// What a value is, without the width in which it is stored.
typedef enum FlexKind {
  kFlexNull,
  kFlexBool,
  kFlexInt,
  kFlexUint,
  kFlexFloat,
  kFlexString,
  kFlexMap,
  kFlexOther,  // Lists, blobs, keys.
} FlexKind;

// A root map. Points into the buffer that it was opened over.
typedef struct FlexMap {
  const uint8_t* data;
  size_t size;
  size_t count;        // Keys, and values.
  size_t values;       // Where they begin.
  size_t value_width;  // Bytes of each.
  size_t keys;
  size_t key_width;
} FlexMap;

// "ok", "missing", "of another type" or "damaged", for messages.
const char* FlexStatusName(FlexStatus status);

// An empty buffer is an empty map: that is how a model writes "no options".
FlexStatus FlexMapOpen(const void* buffer, size_t size, FlexMap* map);

// Each sets its result only where it returns kFlexOk, so that a default may
// stand in it.
FlexStatus FlexMapGetKind(const FlexMap* map, const char* key, FlexKind* kind);
// A bool; or an integer, which holds where it is not zero.
FlexStatus FlexMapGetBool(const FlexMap* map, const char* key, bool* value);
// An integer that fits.
FlexStatus FlexMapGetInt(const FlexMap* map, const char* key, int64_t* value);
// A float or an integer.
FlexStatus FlexMapGetFloat(const FlexMap* map, const char* key, double* value);
// `*value` points into the buffer. It may hold null characters, and ends with
// one only where the buffer says so: use `*length`.
FlexStatus FlexMapGetString(const FlexMap* map, const char* key,
                            const char** value, size_t* length);
// A list of integers, of which the first `capacity` are written to `values`;
// `*count` is how many there are.
FlexStatus FlexMapGetInts(const FlexMap* map, const char* key, int64_t* values,
                          size_t capacity, size_t* count);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_FLEX_OPTIONS_H_
