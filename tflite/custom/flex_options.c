#include "tflite/custom/flex_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// A FlexBuffer is read from its end: the last byte is the width of the root
// value, the byte before it the root's packed type, and the root value lies
// before that. A packed type is a type in the upper six bits and, in the lower
// two, the logarithm of the width of what the value refers to. Small values lie
// inline, the others at an offset that counts backwards from where it stands.
// All numbers are little-endian.
//
// A map is a vector of values, in the order of their keys, and their packed
// types after them. Before the values stand, each in the values' width, the
// offset of the keys, the width of the keys' offsets, and the number of values.
typedef enum PackedType {
  kTypeNull = 0,
  kTypeInt = 1,
  kTypeUint = 2,
  kTypeFloat = 3,
  kTypeString = 5,
  kTypeIndirectInt = 6,
  kTypeIndirectUint = 7,
  kTypeIndirectFloat = 8,
  kTypeMap = 9,
  kTypeVector = 10,     // Elements, then the packed type of each.
  kTypeVectorInt = 11,  // Elements alone, after their number.
  kTypeVectorUint = 12,
  kTypeVectorInt2 =
      16,  // Elements alone, two of them. Then come Uint2, Float2,
  kTypeVectorFloat4 = 24,  // Int3, and so on.
  kTypeBool = 26,
} PackedType;

static unsigned TypeOf(uint8_t packed) { return packed >> 2; }
static size_t WidthOf(uint8_t packed) { return (size_t)1 << (packed & 3); }

static bool IsWidth(uint64_t width) {
  return width == 1 || width == 2 || width == 4 || width == 8;
}

// Whether `length` bytes at `at` lie in the buffer.
static bool Within(const FlexMap* map, size_t at, size_t length) {
  return at <= map->size && length <= map->size - at;
}

static bool ReadUint(const FlexMap* map, size_t at, size_t width,
                     uint64_t* value) {
  if (!Within(map, at, width)) return false;
  uint64_t result = 0;
  for (size_t i = 0; i < width; ++i) {
    result |= (uint64_t)map->data[at + i] << (8 * i);
  }
  *value = result;
  return true;
}

static int64_t SignExtend(uint64_t bits, size_t width) {
  const unsigned unused = (unsigned)(64 - 8 * width);
  const uint64_t sign = (uint64_t)1 << (63 - unused);
  const uint64_t extended = (bits ^ sign) - sign;
  int64_t result;
  memcpy(&result, &extended, sizeof(result));
  return result;
}

// Where the offset at `at` leads.
static bool Follow(const FlexMap* map, size_t at, size_t width,
                   size_t* target) {
  uint64_t offset;
  if (!ReadUint(map, at, width, &offset) || offset > at) return false;
  *target = at - (size_t)offset;
  return true;
}

const char* FlexStatusName(FlexStatus status) {
  switch (status) {
    case kFlexOk:
      return "ok";
    case kFlexMissing:
      return "missing";
    case kFlexWrongType:
      return "of another type";
    case kFlexDamaged:
      return "damaged";
  }
  return "unknown";
}

FlexStatus FlexMapOpen(const void* buffer, size_t size, FlexMap* map) {
  memset(map, 0, sizeof(*map));
  if (size == 0) return kFlexOk;
  FlexMap opened = {.data = (const uint8_t*)buffer, .size = size};
  if (buffer == NULL || size < 3) return kFlexDamaged;
  const size_t root_width = opened.data[size - 1];
  const uint8_t root_type = opened.data[size - 2];
  if (!IsWidth(root_width) || root_width > size - 2) return kFlexDamaged;
  if (TypeOf(root_type) != kTypeMap) return kFlexWrongType;
  const size_t width = WidthOf(root_type);
  opened.value_width = width;
  if (!Follow(&opened, size - 2 - root_width, root_width, &opened.values) ||
      opened.values < 3 * width) {
    return kFlexDamaged;
  }
  uint64_t count, key_width, key_count;
  if (!ReadUint(&opened, opened.values - width, width, &count) ||
      !ReadUint(&opened, opened.values - 2 * width, width, &key_width) ||
      !Follow(&opened, opened.values - 3 * width, width, &opened.keys) ||
      !IsWidth(key_width) || opened.keys < key_width ||
      !ReadUint(&opened, opened.keys - (size_t)key_width, (size_t)key_width,
                &key_count) ||
      key_count != count) {
    return kFlexDamaged;
  }
  opened.key_width = (size_t)key_width;
  // Values and their types, then keys: no index below `count` can leave the
  // buffer after this. Dividing first, since the products might wrap.
  if (count > size || count > (size - opened.values) / (width + 1) ||
      count > (size - opened.keys) / opened.key_width) {
    return kFlexDamaged;
  }
  opened.count = (size_t)count;
  *map = opened;
  return kFlexOk;
}

typedef struct Value {
  size_t at;
  size_t width;  // Of what stands there.
  uint8_t packed;
} Value;

// Whether the string at `at`, which a null character ends, is `key`.
static FlexStatus IsKey(const FlexMap* map, size_t at, const char* key,
                        bool* is_key) {
  const size_t left = map->size - at;
  if (memchr(map->data + at, '\0', left) == NULL) return kFlexDamaged;
  *is_key = strcmp((const char*)map->data + at, key) == 0;
  return kFlexOk;
}

// One by one, not by halves: op options are few, and a damaged map need not be
// in order.
static FlexStatus Find(const FlexMap* map, const char* key, Value* value) {
  for (size_t i = 0; i < map->count; ++i) {
    size_t at;
    bool found;
    if (!Follow(map, map->keys + i * map->key_width, map->key_width, &at)) {
      return kFlexDamaged;
    }
    const FlexStatus status = IsKey(map, at, key, &found);
    if (status != kFlexOk) return status;
    if (!found) continue;
    value->at = map->values + i * map->value_width;
    value->width = map->value_width;
    value->packed = map->data[map->values + map->count * map->value_width + i];
    return kFlexOk;
  }
  return kFlexMissing;
}

static FlexStatus ReadNumber(const FlexMap* map, Value value, bool indirect,
                             uint64_t* bits, size_t* width) {
  if (indirect) {
    if (!Follow(map, value.at, value.width, &value.at)) return kFlexDamaged;
    value.width = WidthOf(value.packed);
  }
  if (!ReadUint(map, value.at, value.width, bits)) return kFlexDamaged;
  *width = value.width;
  return kFlexOk;
}

FlexStatus FlexMapGetKind(const FlexMap* map, const char* key, FlexKind* kind) {
  Value value;
  const FlexStatus status = Find(map, key, &value);
  if (status != kFlexOk) return status;
  switch (TypeOf(value.packed)) {
    case kTypeNull:
      *kind = kFlexNull;
      break;
    case kTypeBool:
      *kind = kFlexBool;
      break;
    case kTypeInt:
    case kTypeIndirectInt:
      *kind = kFlexInt;
      break;
    case kTypeUint:
    case kTypeIndirectUint:
      *kind = kFlexUint;
      break;
    case kTypeFloat:
    case kTypeIndirectFloat:
      *kind = kFlexFloat;
      break;
    case kTypeString:
      *kind = kFlexString;
      break;
    case kTypeMap:
      *kind = kFlexMap;
      break;
    default:
      *kind = kFlexOther;
      break;
  }
  return kFlexOk;
}

FlexStatus FlexMapGetBool(const FlexMap* map, const char* key, bool* value) {
  Value found;
  FlexStatus status = Find(map, key, &found);
  if (status != kFlexOk) return status;
  if (TypeOf(found.packed) != kTypeBool) {
    int64_t number;
    status = FlexMapGetInt(map, key, &number);
    if (status == kFlexOk) *value = number != 0;
    return status;
  }
  uint64_t bits;
  size_t width;
  status = ReadNumber(map, found, /*indirect=*/false, &bits, &width);
  if (status == kFlexOk) *value = bits != 0;
  return status;
}

static FlexStatus ReadInt(const FlexMap* map, Value found, int64_t* value) {
  const unsigned type = TypeOf(found.packed);
  const bool is_signed = type == kTypeInt || type == kTypeIndirectInt;
  if (!is_signed && type != kTypeUint && type != kTypeIndirectUint) {
    return kFlexWrongType;
  }
  const bool indirect = type == kTypeIndirectInt || type == kTypeIndirectUint;
  uint64_t bits;
  size_t width;
  const FlexStatus status = ReadNumber(map, found, indirect, &bits, &width);
  if (status != kFlexOk) return status;
  if (is_signed) {
    *value = SignExtend(bits, width);
  } else {
    if (bits > INT64_MAX) return kFlexWrongType;
    *value = (int64_t)bits;
  }
  return kFlexOk;
}

FlexStatus FlexMapGetInt(const FlexMap* map, const char* key, int64_t* value) {
  Value found;
  const FlexStatus status = Find(map, key, &found);
  return status == kFlexOk ? ReadInt(map, found, value) : status;
}

FlexStatus FlexMapGetFloat(const FlexMap* map, const char* key, double* value) {
  Value found;
  FlexStatus status = Find(map, key, &found);
  if (status != kFlexOk) return status;
  const unsigned type = TypeOf(found.packed);
  if (type != kTypeFloat && type != kTypeIndirectFloat) {
    int64_t number;
    status = FlexMapGetInt(map, key, &number);
    if (status == kFlexOk) *value = (double)number;
    return status;
  }
  uint64_t bits;
  size_t width;
  status = ReadNumber(map, found, type == kTypeIndirectFloat, &bits, &width);
  if (status != kFlexOk) return status;
  if (width == sizeof(double)) {
    memcpy(value, &bits, sizeof(double));
  } else if (width == sizeof(float)) {
    const uint32_t word = (uint32_t)bits;
    float single;
    memcpy(&single, &word, sizeof(single));
    *value = single;
  } else {
    return kFlexWrongType;  // Half floats, which no attribute is.
  }
  return kFlexOk;
}

FlexStatus FlexMapGetString(const FlexMap* map, const char* key,
                            const char** value, size_t* length) {
  Value found;
  const FlexStatus status = Find(map, key, &found);
  if (status != kFlexOk) return status;
  if (TypeOf(found.packed) != kTypeString) return kFlexWrongType;
  const size_t width = WidthOf(found.packed);
  size_t at;
  uint64_t size;
  if (!Follow(map, found.at, found.width, &at) || at < width ||
      !ReadUint(map, at - width, width, &size) || size > map->size - at) {
    return kFlexDamaged;
  }
  *value = (const char*)map->data + at;
  *length = (size_t)size;
  return kFlexOk;
}

FlexStatus FlexMapGetInts(const FlexMap* map, const char* key, int64_t* values,
                          size_t capacity, size_t* count) {
  Value list;
  const FlexStatus status = Find(map, key, &list);
  if (status != kFlexOk) return status;
  const unsigned type = TypeOf(list.packed);
  const bool fixed = type >= kTypeVectorInt2 && type <= kTypeVectorFloat4;
  if (!fixed && type != kTypeVector && type != kTypeVectorInt &&
      type != kTypeVectorUint) {
    return kFlexWrongType;
  }
  const size_t width = WidthOf(list.packed);
  size_t first;
  if (!Follow(map, list.at, list.width, &first)) return kFlexDamaged;
  uint64_t size = (type - kTypeVectorInt2) / 3 + 2;
  if (!fixed &&
      (first < width || !ReadUint(map, first - width, width, &size))) {
    return kFlexDamaged;
  }
  const size_t each = type == kTypeVector ? width + 1 : width;
  if (size > (map->size - first) / each) return kFlexDamaged;
  // The type of an element of a fixed one: kTypeInt, kTypeUint or kTypeFloat.
  const unsigned element = fixed ? kTypeInt + (type - kTypeVectorInt2) % 3
                                 : kTypeInt + (type - kTypeVectorInt);
  for (size_t i = 0; i < size; ++i) {
    Value value = {first + i * width, width, (uint8_t)(element << 2)};
    if (type == kTypeVector) {
      value.packed = map->data[first + (size_t)size * width + i];
    }
    int64_t number;
    const FlexStatus read = ReadInt(map, value, &number);
    if (read != kFlexOk) return read;
    if (i < capacity) values[i] = number;
  }
  *count = (size_t)size;
  return kFlexOk;
}
