#include "tflite/custom/benchmark/model.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/error_or.h"
#include "tflite/custom/benchmark/flatbuffer.h"
#include "tflite/custom/benchmark/model_check.h"
#include "tflite/custom/benchmark/runtime_log.h"
#include "tflite/custom/benchmark/schema.h"
#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom::benchmark {
namespace {

using flatbuffer::Scalar;
using flatbuffer::Vector;
using flatbuffer::VectorField;

// The model schema's mark, at byte 4 of every .tflite file.
constexpr char kIdentifier[] = "TFL3";
constexpr size_t kIdentifierOffset = 4;
constexpr size_t kIdentifierSize = 4;

// Telemetry, which a profiler is part of, parses this nested flatbuffer that
// nobody has verified. It may not find it.
constexpr char kUnverifiedMetadata[] = "CONVERSION_METADATA";

void HideUnverifiedMetadata(uint8_t* bytes, const uint8_t* root) {
  const Vector metadata = VectorField(root, schema::kModelMetadata);
  for (uint32_t i = 0; i < metadata.size; ++i) {
    const Vector name = VectorField(metadata.table(i), schema::kMetadataName);
    if (name.size > 0 && name.text() == kUnverifiedMetadata) {
      bytes[name.data - bytes] = '_';
    }
  }
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
  // Writes stay in this process.
  void* bytes =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
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
  const uint8_t* root = flatbuffer::Follow(static_cast<const uint8_t*>(bytes));
  if (const std::optional<std::string> wrong = CheckModel(root)) {
    return Error{path + " is damaged: " + *wrong};
  }
  HideUnverifiedMetadata(static_cast<uint8_t*>(bytes), root);
  return model;
}

std::vector<CustomOpCode> Model::CustomOpCodes() const {
  std::vector<CustomOpCode> result;
  const Vector codes =
      VectorField(flatbuffer::Follow(static_cast<const uint8_t*>(bytes_.get())),
                  schema::kModelOperatorCodes);
  for (uint32_t i = 0; i < codes.size; ++i) {
    const uint8_t* code = codes.table(i);
    // Below the placeholder, where Custom is, the old one-byte field holds the
    // op also in files that have the newer field.
    const Vector name = VectorField(code, schema::kOperatorCodeCustomCode);
    if (name.data == nullptr ||
        Scalar<int8_t>(code, schema::kOperatorCodeDeprecatedBuiltinCode, 0) !=
            kTfLiteBuiltinCustom) {
      continue;
    }
    result.push_back(
        {name.text(), Scalar<int32_t>(code, schema::kOperatorCodeVersion, 1)});
  }
  return result;
}

}  // namespace tflite::custom::benchmark
