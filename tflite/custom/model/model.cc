#include "tflite/custom/model/model.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tflite/custom/model/buffer_offsets.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/flatbuffer.h"
#include "tflite/custom/model/model_check.h"
#include "tflite/custom/model/runtime_log.h"
#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom {
namespace {

// Telemetry, which a profiler is part of, parses this nested flatbuffer that
// nobody has verified. It may not find it.
constexpr char kUnverifiedMetadata[] = "CONVERSION_METADATA";

// `bytes` are the model's own, writable.
void HideUnverifiedMetadata(uint8_t* bytes) {
  using flatbuffer::Vector;
  const Vector metadata(flatbuffer::Root(bytes), flatbuffer::kModelMetadata);
  for (uint32_t i = 0; i < metadata.size(); ++i) {
    const Vector name(metadata.Table(i), flatbuffer::kMetadataName);
    if (name.size() > 0 && name.Bytes() == kUnverifiedMetadata) {
      bytes[name.data() - bytes] = '_';
    }
  }
}

// Of a signature's list, where `of_graph` is the graph's.
std::vector<Signature::Tensor> SignatureTensors(const uint8_t* signature,
                                                int list, const uint8_t* graph,
                                                int of_graph) {
  using flatbuffer::Vector;
  std::vector<Signature::Tensor> result;
  const Vector maps(signature, list);
  const Vector tensors(graph, flatbuffer::kSubgraphTensors);
  const std::vector<int32_t> indices = Vector(graph, of_graph).Copy<int32_t>();
  for (uint32_t i = 0; i < maps.size(); ++i) {
    const uint8_t* map = maps.Table(i);
    const uint32_t index =
        flatbuffer::Scalar<uint32_t>(map, flatbuffer::kTensorMapIndex, 0);
    const auto found =
        std::find(indices.begin(), indices.end(), static_cast<int32_t>(index));
    result.push_back(
        {Vector(map, flatbuffer::kTensorMapName).Bytes(),
         Vector(tensors.Table(index), flatbuffer::kTensorName).Bytes(),
         static_cast<size_t>(found - indices.begin()),
         static_cast<int32_t>(index)});
  }
  return result;
}

std::vector<int32_t> FirstGraph(std::string_view bytes, int list) {
  const flatbuffer::Vector graphs(flatbuffer::Root(bytes.data()),
                                  flatbuffer::kModelSubgraphs);
  return flatbuffer::Vector(graphs.Table(0), list).Copy<int32_t>();
}

// A part of a file; all of it where there is no size.
struct OpenPart {
  int file = -1;
  uint64_t offset = 0;
  std::optional<uint64_t> size;
};

template <typename T>
bool ParseWhole(std::string_view text, T* number) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && rest == end && *number >= T{0};
}

// "fd:NUMBER:OFFSET:SIZE"
std::optional<OpenPart> ParseOpenPart(std::string_view path) {
  OpenPart part;
  uint64_t size = 0;
  const size_t offset = path.find(':', 3);
  if (offset == path.npos) return std::nullopt;
  const size_t end = path.find(':', offset + 1);
  if (end == path.npos || !ParseWhole(path.substr(3, offset - 3), &part.file) ||
      !ParseWhole(path.substr(offset + 1, end - offset - 1), &part.offset) ||
      !ParseWhole(path.substr(end + 1), &size)) {
    return std::nullopt;
  }
  part.size = size;
  return part;
}

// 0 or what went wrong.
int ReadAt(int file, uint64_t offset, char* bytes, uint64_t size) {
  for (uint64_t at = 0; at < size;) {
    const ssize_t got =
        pread(file, bytes + at, size - at, static_cast<off_t>(offset + at));
    if (got == 0) return EIO;  // Cut since.
    if (got < 0 && errno != EINTR) return errno;
    if (got > 0) at += static_cast<uint64_t>(got);
  }
  return 0;
}

std::string Errno(int error) {
  return std::string(": ") + std::strerror(error);
}

}  // namespace

void Model::Unmap::operator()(const void* bytes) const {
  munmap(const_cast<void*>(bytes), size);
}

ErrorOr<Model> Model::Load(const std::string& path) {
  OpenPart part;
  if (path.rfind("fd:", 0) == 0) {
    const std::optional<OpenPart> named = ParseOpenPart(path);
    if (!named) {
      return Error{path +
                   " is no part of an open file; that is written "
                   "fd:NUMBER:OFFSET:SIZE, such as fd:3:0:1024"};
    }
    part = *named;
    // The caller's own stays open.
    part.file = fcntl(part.file, F_DUPFD_CLOEXEC, 0);
  } else {
    // Not blocking: a pipe without a writer would hang here.
    part.file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  }
  const int file = part.file;
  if (file < 0) return Error{"cannot open " + path + Errno(errno)};
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    return Error{path + " is not a file"};
  }
  const auto file_size = static_cast<uint64_t>(status.st_size);
  const uint64_t size = part.size.value_or(file_size);
  if (size == 0) {
    close(file);
    return Error{path + " is empty"};
  }
  if (part.offset > file_size || size > file_size - part.offset) {
    close(file);
    return Error{path + " ends after the file, which has " +
                 std::to_string(file_size) + " bytes"};
  }
  // Writes stay in this process. A part is copied: a mapping begins at a page,
  // and the runtime wants the tensors aligned.
  void* bytes = part.size ? mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                          : mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE, file, 0);
  int error = bytes == MAP_FAILED ? errno : 0;
  std::unique_ptr<const void, Unmap> mapping(
      bytes == MAP_FAILED ? nullptr : bytes, Unmap{size});
  if (error == 0 && part.size) {
    error = ReadAt(file, part.offset, static_cast<char*>(bytes), size);
  }
  close(file);
  if (error != 0) return Error{"cannot map " + path + Errno(error)};
  ErrorOr<Model> model =
      FromBytes({static_cast<const char*>(bytes), size}, path);
  if (model.ok()) {
    if (model->rewritten_ == nullptr) {
      HideUnverifiedMetadata(static_cast<uint8_t*>(bytes));
    }
    model->mapping_ = std::move(mapping);
  }
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
  ErrorOr<std::optional<std::string>> inside = WithBuffersInside(bytes);
  if (!inside.ok()) return Error{name + " " + inside.error().message};
  if (inside->has_value()) {
    model.rewritten_ = std::make_unique<std::string>(std::move(**inside));
    bytes = model.bytes_ = *model.rewritten_;
    model.model_.reset(TfLiteModelCreateWithErrorReporter(
        bytes.data(), bytes.size(), RuntimeLog::Report, &log));
    if (model.model_ == nullptr) {
      return Error{name + " is damaged: " + log.Line()};
    }
  }
  if (const auto problem = CheckModel(bytes)) {
    return Error{name + " is damaged: " + *problem};
  }
  if (model.rewritten_ != nullptr) {
    HideUnverifiedMetadata(
        reinterpret_cast<uint8_t*>(model.rewritten_->data()));
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

std::vector<Signature> Model::Signatures() const {
  using namespace flatbuffer;  // NOLINT: the schema's field names
  std::vector<Signature> result;
  const uint8_t* root = Root(bytes_.data());
  const Vector graphs(root, kModelSubgraphs);
  const Vector signatures(root, kModelSignatureDefs);
  for (uint32_t i = 0; i < signatures.size(); ++i) {
    const uint8_t* signature = signatures.Table(i);
    const uint32_t index = Scalar<uint32_t>(signature, kSignatureSubgraph, 0);
    const uint8_t* graph = graphs.Table(index);
    result.push_back(
        {Vector(signature, kSignatureKey).Bytes(), index,
         SignatureTensors(signature, kSignatureInputs, graph, kSubgraphInputs),
         SignatureTensors(signature, kSignatureOutputs, graph,
                          kSubgraphOutputs)});
  }
  return result;
}

std::vector<int32_t> Model::GraphInputs() const {
  return FirstGraph(bytes_, flatbuffer::kSubgraphInputs);
}

std::vector<int32_t> Model::GraphOutputs() const {
  return FirstGraph(bytes_, flatbuffer::kSubgraphOutputs);
}

}  // namespace tflite::custom
