#ifndef TFLITE_CUSTOM_BENCHMARK_FLATBUFFER_H_
#define TFLITE_CUSTOM_BENCHMARK_FLATBUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace tflite::custom::benchmark::flatbuffer {

// Reads a flatbuffer that has been verified: every offset leads to where it
// should. All numbers in it are little-endian, as x86's are.
template <typename T>
T Read(const uint8_t* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

inline const uint8_t* Follow(const uint8_t* offset) {
  return offset + Read<uint32_t>(offset);
}

// The field with the schema's `id`; null where it has its default value.
inline const uint8_t* Field(const uint8_t* table, int id) {
  const uint8_t* vtable = table - Read<int32_t>(table);
  const size_t position = 4 + 2 * static_cast<size_t>(id);
  if (position >= Read<uint16_t>(vtable)) return nullptr;
  const uint16_t offset = Read<uint16_t>(vtable + position);
  return offset == 0 ? nullptr : table + offset;
}

template <typename T>
T Scalar(const uint8_t* table, int id, T default_value) {
  const uint8_t* field = Field(table, id);
  return field == nullptr ? default_value : Read<T>(field);
}

// A vector, or a string, which is one of bytes; empty where it is missing.
struct Vector {
  const uint8_t* data = nullptr;
  uint32_t size = 0;

  template <typename T>
  T at(uint32_t i) const {
    return Read<T>(data + i * sizeof(T));
  }
  // In a vector of tables.
  const uint8_t* table(uint32_t i) const { return Follow(data + 4 * i); }
  std::string text() const {
    return std::string(reinterpret_cast<const char*>(data), size);
  }
};

inline Vector VectorField(const uint8_t* table, int id) {
  const uint8_t* field = Field(table, id);
  if (field == nullptr) return {};
  const uint8_t* vector = Follow(field);
  return {vector + 4, Read<uint32_t>(vector)};
}

}  // namespace tflite::custom::benchmark::flatbuffer

#endif  // TFLITE_CUSTOM_BENCHMARK_FLATBUFFER_H_
