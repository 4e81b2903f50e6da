#include "tflite/custom/model/flatbuffer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tflite::custom::flatbuffer {

const uint8_t* Field(const uint8_t* table, int id) {
  const uint8_t* vtable = table - Read<int32_t>(table);
  const size_t position = 4 + 2 * id;
  if (position >= Read<uint16_t>(vtable)) return nullptr;
  const uint16_t offset = Read<uint16_t>(vtable + position);
  return offset == 0 ? nullptr : table + offset;
}

Vector::Vector(const uint8_t* table, int id) {
  const uint8_t* field = Field(table, id);
  if (field == nullptr) return;
  const uint8_t* vector = Follow(field);
  size_ = Read<uint32_t>(vector);
  data_ = vector + sizeof(uint32_t);
}

int32_t BuiltinCode(const uint8_t* operator_code) {
  return std::max<int32_t>(
      Scalar<int8_t>(operator_code, kOperatorCodeDeprecatedBuiltinCode, 0),
      Scalar<int32_t>(operator_code, kOperatorCodeBuiltinCode, 0));
}

size_t SizeOfTensorType(int8_t type) {
  // In the schema's order: float32, float16, int32, uint8, int64, string, bool,
  // int16, complex64, int8, float64, complex128, uint64, resource, variant,
  // uint32, uint16. Those after it are packed.
  constexpr size_t kSizes[] = {4, 2, 4,  1, 8, 0, 1, 2, 8,
                               1, 8, 16, 8, 0, 0, 4, 2};
  const bool known = 0 <= type && static_cast<size_t>(type) <
                                      sizeof(kSizes) / sizeof(kSizes[0]);
  return known ? kSizes[type] : 0;
}

void Writer::Pad(size_t alignment) {
  while (bytes_->size() % alignment != 0) bytes_->push_back('\0');
}

void Writer::Append(uint32_t value, int size) {
  bytes_->append(reinterpret_cast<const char*>(&value), size);
}

Writer::Table Writer::AddTable(const std::vector<TableField>& fields) {
  int slots = 0;
  for (const TableField& field : fields) slots = std::max(slots, field.id + 1);
  // The table follows its vtable: the offset to that, then the fields, those of
  // four bytes first, which keeps them aligned.
  std::vector<uint16_t> offsets(slots, 0);
  uint16_t size = sizeof(int32_t);
  for (const int width : {4, 1}) {
    for (const TableField& field : fields) {
      if (field.size != width) continue;
      offsets[field.id] = size;
      size += width;
    }
  }
  Pad(sizeof(uint32_t));
  const size_t vtable_size = sizeof(uint16_t) * (2 + slots);
  if (vtable_size % sizeof(uint32_t) != 0) Append(0, sizeof(uint16_t));
  Append(vtable_size, sizeof(uint16_t));
  Append(size, sizeof(uint16_t));
  for (const uint16_t offset : offsets) Append(offset, sizeof(uint16_t));

  Table table = {bytes_->size(), {}};
  bytes_->resize(table.position + size);
  const uint32_t to_vtable = vtable_size;
  std::memcpy(&(*bytes_)[table.position], &to_vtable, sizeof(to_vtable));
  for (const TableField& field : fields) {
    table.fields.push_back(table.position + offsets[field.id]);
    std::memcpy(&(*bytes_)[table.fields.back()], &field.value, field.size);
  }
  return table;
}

size_t Writer::AddBytes(std::string_view bytes, size_t alignment) {
  // The elements are what is aligned, after the length.
  Pad(sizeof(uint32_t));
  while ((bytes_->size() + sizeof(uint32_t)) % alignment != 0) Append(0, 4);
  const size_t position = bytes_->size();
  Append(bytes.size(), sizeof(uint32_t));
  bytes_->append(bytes);
  return position;
}

size_t Writer::AddString(std::string_view text) {
  const size_t position = AddBytes(text);
  bytes_->push_back('\0');
  return position;
}

size_t Writer::AddInts(const std::vector<int32_t>& values) {
  Pad(sizeof(uint32_t));
  const size_t position = bytes_->size();
  Append(values.size(), sizeof(uint32_t));
  for (const int32_t value : values) Append(value, sizeof(uint32_t));
  return position;
}

size_t Writer::AddLongs(const std::vector<int64_t>& values) {
  const size_t position =
      AddBytes({reinterpret_cast<const char*>(values.data()),
                sizeof(int64_t) * values.size()},
               sizeof(int64_t));
  const auto count = static_cast<uint32_t>(values.size());
  std::memcpy(&(*bytes_)[position], &count, sizeof(count));
  return position;
}

size_t Writer::AddOffsets(size_t count) {
  return AddInts(std::vector<int32_t>(count, 0));
}

void Writer::Link(size_t offset, size_t target) {
  const uint32_t distance = target - offset;
  std::memcpy(&(*bytes_)[offset], &distance, sizeof(distance));
}

}  // namespace tflite::custom::flatbuffer
