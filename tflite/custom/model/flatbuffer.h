#ifndef TFLITE_CUSTOM_MODEL_FLATBUFFER_H_
#define TFLITE_CUSTOM_MODEL_FLATBUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

// Reads and writes the few tables of a .tflite file that this repository needs,
// without the schema's generated code, which the wheels do not carry for C++.
namespace tflite::custom::flatbuffer {

// Fields of the model schema's tables.
constexpr int kModelVersion = 0;
constexpr int kModelOperatorCodes = 1;
constexpr int kModelSubgraphs = 2;
constexpr int kModelBuffers = 4;
constexpr int kModelMetadata = 6;
constexpr int kModelSignatureDefs = 7;
constexpr int kSubgraphTensors = 0;
constexpr int kSubgraphInputs = 1;
constexpr int kSubgraphOutputs = 2;
constexpr int kSubgraphOperators = 3;
constexpr int kSubgraphName = 4;
constexpr int kTensorShape = 0;
constexpr int kTensorType = 1;
constexpr int kTensorBuffer = 2;
constexpr int kTensorName = 3;
constexpr int kTensorQuantization = 4;
constexpr int kTensorIsVariable = 5;
constexpr int kTensorSparsity = 6;
constexpr int kTensorShapeSignature = 7;
constexpr int kQuantizationScale = 2;
constexpr int kQuantizationZeroPoint = 3;
constexpr int kQuantizationDimension = 6;
constexpr int kBufferData = 0;
constexpr int kBufferOffset = 1;
constexpr int kBufferSize = 2;
constexpr int kMetadataName = 0;
constexpr int kMetadataBuffer = 1;
constexpr int kSignatureInputs = 0;
constexpr int kSignatureOutputs = 1;
constexpr int kSignatureKey = 2;
constexpr int kSignatureSubgraph = 4;
constexpr int kTensorMapName = 0;
constexpr int kTensorMapIndex = 1;
constexpr int kOperatorOpcodeIndex = 0;
constexpr int kOperatorInputs = 1;
constexpr int kOperatorOutputs = 2;
constexpr int kOperatorCustomOptions = 5;
constexpr int kOperatorMutatingVariableInputs = 7;
constexpr int kOperatorIntermediates = 8;
constexpr int kOperatorLargeCustomOptionsOffset = 9;
constexpr int kOperatorLargeCustomOptionsSize = 10;
constexpr int kOperatorCodeDeprecatedBuiltinCode = 0;
constexpr int kOperatorCodeCustomCode = 1;
constexpr int kOperatorCodeVersion = 2;
constexpr int kOperatorCodeBuiltinCode = 3;

// The model schema's mark, at byte 4 of every .tflite file, and its version.
constexpr char kIdentifier[] = "TFL3";
constexpr size_t kIdentifierOffset = 4;
constexpr size_t kIdentifierSize = 4;
constexpr uint32_t kSchemaVersion = 3;

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

inline const uint8_t* Root(const void* bytes) {
  return Follow(static_cast<const uint8_t*>(bytes));
}

// The field with the schema's `id`; null where it has its default value.
const uint8_t* Field(const uint8_t* table, int id);

template <typename T>
T Scalar(const uint8_t* table, int id, T default_value) {
  const uint8_t* field = Field(table, id);
  return field == nullptr ? default_value : Read<T>(field);
}

// A vector of scalars or of offsets to tables; also a string. Empty where the
// table does not have the field.
class Vector {
 public:
  Vector() = default;
  Vector(const uint8_t* table, int id);

  uint32_t size() const { return size_; }
  const uint8_t* data() const { return data_; }

  template <typename T>
  T Get(uint32_t index) const {
    return Read<T>(data_ + sizeof(T) * index);
  }
  // The place of the offset to a table, and the table.
  const uint8_t* Slot(uint32_t index) const {
    return data_ + sizeof(uint32_t) * index;
  }
  const uint8_t* Table(uint32_t index) const { return Follow(Slot(index)); }

  template <typename T>
  std::vector<T> Copy() const {
    std::vector<T> values(size_);
    if (size_ > 0) std::memcpy(values.data(), data_, sizeof(T) * size_);
    return values;
  }
  std::string Bytes() const {
    return std::string(reinterpret_cast<const char*>(data_), size_);
  }

 private:
  const uint8_t* data_ = nullptr;
  uint32_t size_ = 0;
};

// The code of a built-in op, or of custom ops. Files of before 2020 have it in
// a field of one byte; newer ones in both, where it fits.
int32_t BuiltinCode(const uint8_t* operator_code);

// Bytes of one element of a TensorType; 0 where it has no such size.
size_t SizeOfTensorType(int8_t type);

// Appends tables to a buffer. Offsets in a flatbuffer only lead forward: a
// table is written before what it leads to, and linked to it afterwards.
class Writer {
 public:
  explicit Writer(std::string* bytes) : bytes_(bytes) {}

  // A field of a table: a byte, or a number or offset of four bytes.
  struct TableField {
    int id;
    int size;
    uint32_t value;
  };
  static TableField Byte(int id, uint8_t value) { return {id, 1, value}; }
  static TableField Number(int id, uint32_t value) { return {id, 4, value}; }
  // To be linked.
  static TableField Offset(int id) { return {id, 4, 0}; }

  struct Table {
    size_t position;
    // Where each field lies, in the order given.
    std::vector<size_t> fields;
  };
  Table AddTable(const std::vector<TableField>& fields);

  // Each returns the position of the vector.
  size_t AddBytes(std::string_view bytes, size_t alignment = 4);
  size_t AddString(std::string_view text);
  size_t AddInts(const std::vector<int32_t>& values);
  size_t AddLongs(const std::vector<int64_t>& values);
  // A vector of offsets; the i-th is at OffsetIn(vector, i), to be linked.
  size_t AddOffsets(size_t count);
  static size_t OffsetIn(size_t vector, size_t index) {
    return vector + sizeof(uint32_t) * (index + 1);
  }

  void Link(size_t offset, size_t target);

 private:
  void Pad(size_t alignment);
  void Append(uint32_t value, int size);

  std::string* bytes_;
};

}  // namespace tflite::custom::flatbuffer

#endif  // TFLITE_CUSTOM_MODEL_FLATBUFFER_H_
