#include "tflite/custom/benchmark/model.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/error_or.h"
#include "tflite/custom/benchmark/runtime_log.h"
#include "tflite/custom/flatbuffer.h"
#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom::benchmark {
namespace {

// The elements of a tensor of this type and shape; none where they are more
// than can be counted.
std::optional<uint64_t> CountElements(const std::vector<int32_t>& shape) {
  uint64_t count = 1;
  for (const int32_t dimension : shape) {
    if (dimension < 0 || __builtin_mul_overflow(
                             count, static_cast<uint64_t>(dimension), &count)) {
      return std::nullopt;
    }
  }
  return count;
}

// The bytes of so many elements; none for a type of which that cannot be told.
std::optional<uint64_t> CountBytes(int8_t type, uint64_t elements) {
  // Types that put several elements in a byte.
  constexpr int8_t kInt4 = 17, kInt2 = 19, kUInt4 = 20;
  if (type == kInt4 || type == kUInt4) return elements / 2 + elements % 2;
  if (type == kInt2) return elements / 4 + (elements % 4 != 0);
  const uint64_t size = flatbuffer::SizeOfTensorType(type);
  uint64_t bytes;
  if (size == 0 || __builtin_mul_overflow(elements, size, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

// Whether these are the bytes of a string tensor: how many strings, where each
// begins and the last one ends, and the strings.
bool AreStrings(std::string_view data, uint64_t elements) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  if (data.size() < 2 * sizeof(int32_t) ||
      flatbuffer::Read<uint32_t>(bytes) != elements ||
      elements > data.size() / sizeof(int32_t) - 2) {
    return false;
  }
  uint32_t previous = sizeof(int32_t) * (elements + 2);
  for (uint64_t i = 0; i <= elements; ++i) {
    const uint32_t offset =
        flatbuffer::Read<uint32_t>(bytes + sizeof(int32_t) * (i + 1));
    if (offset < previous || offset > data.size()) return false;
    previous = offset;
  }
  return true;
}

std::string ShapeText(const std::vector<int32_t>& shape) {
  std::string text = "[";
  for (const int32_t dimension : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(dimension);
  }
  return text + "]";
}

// The contents of a buffer; none where it says that they lie outside the file.
std::optional<std::string_view> BufferData(std::string_view file,
                                           const uint8_t* buffer) {
  using namespace flatbuffer;  // NOLINT: the schema's field names
  // Files of over two gigabytes keep data after the tables.
  const uint64_t size = Scalar<uint64_t>(buffer, kBufferSize, 0);
  const uint64_t offset = Scalar<uint64_t>(buffer, kBufferOffset, 0);
  if (size > 1 && offset > 1) {
    if (offset > file.size() || size > file.size() - offset) {
      return std::nullopt;
    }
    return file.substr(offset, size);
  }
  const Vector data(buffer, kBufferData);
  return std::string_view(reinterpret_cast<const char*>(data.data()),
                          data.size());
}

// What is wrong with a tensor, which is to the runtime what it says it is.
std::optional<std::string> CheckTensor(std::string_view file,
                                       const flatbuffer::Vector& buffers,
                                       const uint8_t* tensor) {
  using namespace flatbuffer;  // NOLINT: the schema's field names
  const uint32_t buffer = Scalar<uint32_t>(tensor, kTensorBuffer, 0);
  if (buffer >= buffers.size()) {
    return "has buffer " + std::to_string(buffer) + ", but there are " +
           std::to_string(buffers.size());
  }
  const std::vector<int32_t> shape =
      Vector(tensor, kTensorShape).Copy<int32_t>();
  const std::optional<uint64_t> elements = CountElements(shape);
  if (!elements) return "cannot have the shape " + ShapeText(shape);
  const std::optional<std::string_view> data =
      BufferData(file, buffers.Table(buffer));
  if (!data) return "has its data beyond the end of the file";
  // How much data a sparse tensor has depends on more than its shape.
  if (data->empty() || Field(tensor, kTensorSparsity) != nullptr) {
    return std::nullopt;
  }
  constexpr int8_t kString = 5;
  const int8_t type = Scalar<int8_t>(tensor, kTensorType, 0);
  if (type == kString) {
    if (AreStrings(*data, *elements)) return std::nullopt;
    return "of shape " + ShapeText(shape) + " has data that are not " +
           std::to_string(*elements) + " strings";
  }
  const std::optional<uint64_t> bytes = CountBytes(type, *elements);
  if (bytes && *bytes != data->size()) {
    return "of shape " + ShapeText(shape) + " takes " + std::to_string(*bytes) +
           " bytes, but its data have " + std::to_string(data->size());
  }
  return std::nullopt;
}

std::optional<std::string> CheckTensors(std::string_view file) {
  using namespace flatbuffer;  // NOLINT: the schema's field names
  const uint8_t* root = Root(file.data());
  const Vector graphs(root, kModelSubgraphs);
  const Vector buffers(root, kModelBuffers);
  // The schema lets a file leave these out; the runtime does not.
  if (graphs.size() == 0 || buffers.size() == 0) {
    return "it has no graph, or no buffers";
  }
  for (uint32_t g = 0; g < graphs.size(); ++g) {
    const Vector tensors(graphs.Table(g), kSubgraphTensors);
    for (uint32_t i = 0; i < tensors.size(); ++i) {
      const uint8_t* tensor = tensors.Table(i);
      if (const auto problem = CheckTensor(file, buffers, tensor)) {
        const std::string name = Field(tensor, kTensorName) == nullptr
                                     ? std::to_string(i)
                                     : Vector(tensor, kTensorName).Bytes();
        return "its tensor '" + name + "' " + *problem;
      }
    }
  }
  return std::nullopt;
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
  std::unique_ptr<const void, Unmap> mapping(bytes, Unmap{size});
  ErrorOr<Model> model =
      FromBytes({static_cast<const char*>(bytes), size}, path);
  if (model.ok()) model->mapping_ = std::move(mapping);
  return model;
}

ErrorOr<Model> Model::FromBytes(std::string_view bytes,
                                const std::string& name) {
  using flatbuffer::kIdentifier;
  using flatbuffer::kIdentifierOffset;
  using flatbuffer::kIdentifierSize;
  Model model;
  model.path_ = name;
  model.bytes_ = bytes;
  if (bytes.size() < kIdentifierOffset + kIdentifierSize ||
      bytes.substr(kIdentifierOffset, kIdentifierSize) != kIdentifier) {
    return Error{name + " is not a TFLite model: it does not have '" +
                 kIdentifier + "' at byte 4"};
  }
  RuntimeLog log;
  model.model_.reset(TfLiteModelCreateWithErrorReporter(
      bytes.data(), bytes.size(), RuntimeLog::Report, &log));
  if (model.model_ == nullptr) {
    return Error{name + " is truncated or damaged: " + log.Line()};
  }
  if (const auto problem = CheckTensors(bytes)) {
    return Error{name + " is damaged: " + *problem};
  }
  return model;
}

std::vector<CustomOpCode> Model::CustomOpCodes() const {
  using namespace flatbuffer;  // NOLINT: the schema's field names
  std::vector<CustomOpCode> result;
  const Vector codes(Root(bytes_.data()), kModelOperatorCodes);
  for (uint32_t i = 0; i < codes.size(); ++i) {
    const uint8_t* code = codes.Table(i);
    if (BuiltinCode(code) != kTfLiteBuiltinCustom ||
        Field(code, kOperatorCodeCustomCode) == nullptr) {
      continue;
    }
    result.push_back({Vector(code, kOperatorCodeCustomCode).Bytes(),
                      Scalar<int32_t>(code, kOperatorCodeVersion, 1)});
  }
  return result;
}

}  // namespace tflite::custom::benchmark
