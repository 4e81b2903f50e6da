#include "tflite/custom/benchmark/model.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/error_or.h"
#include "tflite/custom/benchmark/runtime_log.h"
#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom::benchmark {
namespace {

// The model schema's mark, at byte 4 of every .tflite file.
constexpr char kIdentifier[] = "TFL3";
constexpr size_t kIdentifierOffset = 4;
constexpr size_t kIdentifierSize = 4;

// Reads a flatbuffer that has been verified: every offset leads to where it
// should. All numbers in it are little-endian, as x86's are.
template <typename T>
T Read(const uint8_t* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

const uint8_t* Follow(const uint8_t* offset) {
  return offset + Read<uint32_t>(offset);
}

// The field with the schema's `id`; null where it has its default value.
const uint8_t* Field(const uint8_t* table, int id) {
  const uint8_t* vtable = table - Read<int32_t>(table);
  const size_t position = 4 + 2 * id;
  if (position >= Read<uint16_t>(vtable)) return nullptr;
  const uint16_t offset = Read<uint16_t>(vtable + position);
  return offset == 0 ? nullptr : table + offset;
}

// Fields of the schema's tables.
constexpr int kModelOperatorCodes = 1;
constexpr int kModelSubgraphs = 2;
constexpr int kModelBuffers = 4;
constexpr int kOperatorCodeDeprecatedBuiltinCode = 0;
constexpr int kOperatorCodeCustomCode = 1;
constexpr int kOperatorCodeVersion = 2;

// The length of the vector in the field with the schema's `id`.
uint32_t Count(const uint8_t* table, int id) {
  const uint8_t* field = Field(table, id);
  return field == nullptr ? 0 : Read<uint32_t>(Follow(field));
}

std::string Errno(int error) {
  return std::string(": ") + std::strerror(error);
}

}  // namespace

void Model::Unmap::operator()(const void* bytes) const {
  munmap(const_cast<void*>(bytes), size);
}

ErrorOr<Model> Model::Load(const std::string& path) {
  // Not blocking: a pipe without a writer would hang here.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Error{"cannot open " + path + Errno(errno)};
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    return Error{path + " is not a file"};
  }
  const size_t size = static_cast<size_t>(status.st_size);
  if (size == 0) {
    close(file);
    return Error{path + " is empty"};
  }
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int map_error = errno;
  close(file);
  if (bytes == MAP_FAILED) {
    return Error{"cannot map " + path + Errno(map_error)};
  }
  Model model;
  model.path_ = path;
  model.bytes_ = {bytes, Unmap{size}};
  if (size < kIdentifierOffset + kIdentifierSize ||
      std::memcmp(static_cast<const char*>(bytes) + kIdentifierOffset,
                  kIdentifier, kIdentifierSize) != 0) {
    return Error{path + " is not a TFLite model: it does not have '" +
                 kIdentifier + "' at byte 4"};
  }
  RuntimeLog log;
  model.model_.reset(TfLiteModelCreateWithErrorReporter(
      bytes, size, RuntimeLog::Report, &log));
  if (model.model_ == nullptr) {
    return Error{path + " is truncated or damaged: " + log.Line()};
  }
  // The schema lets a file leave these out; the runtime does not.
  const uint8_t* root = Follow(static_cast<const uint8_t*>(bytes));
  if (Count(root, kModelSubgraphs) == 0 || Count(root, kModelBuffers) == 0) {
    return Error{path + " is damaged: it has no graph, or no buffers"};
  }
  return model;
}

std::vector<CustomOpCode> Model::CustomOpCodes() const {
  std::vector<CustomOpCode> result;
  const uint8_t* codes = Field(
      Follow(static_cast<const uint8_t*>(bytes_.get())), kModelOperatorCodes);
  if (codes == nullptr) return result;
  const uint8_t* vector = Follow(codes);
  const uint32_t count = Read<uint32_t>(vector);
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t* code = Follow(vector + 4 * (i + 1));
    // Below the placeholder, where Custom is, the old one-byte field holds the
    // op also in files that have the newer field.
    const uint8_t* builtin = Field(code, kOperatorCodeDeprecatedBuiltinCode);
    const uint8_t* custom = Field(code, kOperatorCodeCustomCode);
    if (builtin == nullptr || custom == nullptr ||
        Read<int8_t>(builtin) != kTfLiteBuiltinCustom) {
      continue;
    }
    const uint8_t* name = Follow(custom);
    const uint8_t* version = Field(code, kOperatorCodeVersion);
    result.push_back({std::string(reinterpret_cast<const char*>(name + 4),
                                  Read<uint32_t>(name)),
                      version == nullptr ? 1 : Read<int32_t>(version)});
  }
  return result;
}

}  // namespace tflite::custom::benchmark
