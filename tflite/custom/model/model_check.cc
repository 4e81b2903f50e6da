#include "tflite/custom/model/model_check.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tflite/custom/model/flatbuffer.h"
#include "third_party/tensorflow/lite/builtin_ops.h"

namespace tflite::custom {
namespace {

using flatbuffer::Field;
using flatbuffer::Scalar;
using flatbuffer::Vector;

// A tensor's name, or its place where it has none.
std::string NameOf(const uint8_t* tensor, uint32_t index) {
  return Field(tensor, flatbuffer::kTensorName) == nullptr
             ? "'" + std::to_string(index) + "'"
             : "'" + Vector(tensor, flatbuffer::kTensorName).Bytes() + "'";
}

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

// What is wrong with a tensor, which is to the runtime what it says it is.
std::optional<std::string> CheckTensor(const flatbuffer::Vector& buffers,
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
  const Vector contents(buffers.Table(buffer), kBufferData);
  const std::string_view data(reinterpret_cast<const char*>(contents.data()),
                              contents.size());
  // How much data a sparse tensor has depends on more than its shape.
  if (data.empty() || Field(tensor, kTensorSparsity) != nullptr) {
    return std::nullopt;
  }
  constexpr int8_t kString = 5;
  const int8_t type = Scalar<int8_t>(tensor, kTensorType, 0);
  if (type == kString) {
    if (AreStrings(data, *elements)) return std::nullopt;
    return "of shape " + ShapeText(shape) + " has data that are not " +
           std::to_string(*elements) + " strings";
  }
  const std::optional<uint64_t> bytes = CountBytes(type, *elements);
  if (bytes && *bytes != data.size()) {
    return "of shape " + ShapeText(shape) + " takes " + std::to_string(*bytes) +
           " bytes, but its data have " + std::to_string(data.size());
  }
  return std::nullopt;
}

// What an op reads must have been written before, if reading it otherwise is to
// follow a null pointer: the runtime looks at other tensors itself. And a
// built-in op writes to what it is said to write to.
std::optional<std::string> CheckOperands(const uint8_t* op,
                                         const Vector& tensors,
                                         int32_t builtin_code,
                                         std::vector<bool>* written) {
  constexpr int8_t kResource = 13, kVariant = 14;
  for (const int32_t input :
       Vector(op, flatbuffer::kOperatorInputs).Copy<int32_t>()) {
    // The runtime refuses what is no tensor.
    if (input < 0 || static_cast<uint32_t>(input) >= tensors.size()) continue;
    const auto index = static_cast<uint32_t>(input);
    const uint8_t* tensor = tensors.Table(index);
    const int8_t type = Scalar<int8_t>(tensor, flatbuffer::kTensorType, 0);
    if ((type == kResource || type == kVariant) && !(*written)[index]) {
      return "an op reads the resource " + NameOf(tensor, index) +
             ", which none before it makes";
    }
  }
  for (const int32_t output :
       Vector(op, flatbuffer::kOperatorOutputs).Copy<int32_t>()) {
    if (output == -1 && builtin_code != kTfLiteBuiltinCustom) {
      return "a built-in op has an output that is left out";
    }
    if (output < 0 || static_cast<uint32_t>(output) >= tensors.size()) continue;
    (*written)[static_cast<uint32_t>(output)] = true;
  }
  return std::nullopt;
}

// A kernel reads as many elements as the shape says, and a sparse tensor has
// fewer.
std::optional<std::string> CheckCustomOp(const uint8_t* op,
                                         const Vector& tensors,
                                         const Vector& codes) {
  const auto index = Scalar<uint32_t>(op, flatbuffer::kOperatorOpcodeIndex, 0);
  if (index >= codes.size()) {
    return "an op has the code " + std::to_string(index) + " of " +
           std::to_string(codes.size());
  }
  const uint8_t* code = codes.Table(index);
  if (flatbuffer::BuiltinCode(code) != kTfLiteBuiltinCustom) {
    return std::nullopt;
  }
  const Vector inputs = Vector(op, flatbuffer::kOperatorInputs);
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const auto input = inputs.Get<int32_t>(i);
    if (input < 0 || static_cast<uint32_t>(input) >= tensors.size()) continue;
    const uint8_t* tensor = tensors.Table(static_cast<uint32_t>(input));
    if (Field(tensor, flatbuffer::kTensorSparsity) != nullptr) {
      return "custom op '" +
             Vector(code, flatbuffer::kOperatorCodeCustomCode).Bytes() +
             "' has the sparse tensor " +
             NameOf(tensor, static_cast<uint32_t>(input)) +
             ", whose bytes are fewer than its shape says";
    }
  }
  return std::nullopt;
}

std::optional<std::string> CheckSignature(const uint8_t* signature,
                                          const Vector& subgraphs) {
  const Vector key = Vector(signature, flatbuffer::kSignatureKey);
  if (key.data() == nullptr) return "a signature has no key";
  const auto subgraph =
      Scalar<uint32_t>(signature, flatbuffer::kSignatureSubgraph, 0);
  if (subgraph >= subgraphs.size()) {
    return "signature '" + key.Bytes() + "' is of graph " +
           std::to_string(subgraph) + " of " + std::to_string(subgraphs.size());
  }
  const uint32_t tensors =
      Vector(subgraphs.Table(subgraph), flatbuffer::kSubgraphTensors).size();
  for (const int list :
       {flatbuffer::kSignatureInputs, flatbuffer::kSignatureOutputs}) {
    if (Field(signature, list) == nullptr) {
      return "signature '" + key.Bytes() + "' has no list of its " +
             (list == flatbuffer::kSignatureInputs ? "inputs" : "outputs");
    }
    const Vector maps = Vector(signature, list);
    for (uint32_t i = 0; i < maps.size(); ++i) {
      const uint8_t* map = maps.Table(i);
      const Vector name = Vector(map, flatbuffer::kTensorMapName);
      const auto tensor = Scalar<uint32_t>(map, flatbuffer::kTensorMapIndex, 0);
      if (name.data() == nullptr || tensor >= tensors) {
        return "signature '" + key.Bytes() + "' has the tensor '" +
               name.Bytes() + "' with index " + std::to_string(tensor) +
               " of " + std::to_string(tensors);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> CheckModel(std::string_view file) {
  const uint8_t* model = flatbuffer::Root(file.data());
  const Vector subgraphs = Vector(model, flatbuffer::kModelSubgraphs);
  const Vector buffers = Vector(model, flatbuffer::kModelBuffers);
  const Vector codes = Vector(model, flatbuffer::kModelOperatorCodes);
  if (subgraphs.size() == 0 || buffers.size() == 0) {
    return "it has no graph, or no buffers";
  }
  for (uint32_t i = 0; i < subgraphs.size(); ++i) {
    const uint8_t* subgraph = subgraphs.Table(i);
    const Vector tensors = Vector(subgraph, flatbuffer::kSubgraphTensors);
    for (uint32_t j = 0; j < tensors.size(); ++j) {
      const uint8_t* tensor = tensors.Table(j);
      if (const auto wrong = CheckTensor(buffers, tensor)) {
        return "its tensor " + NameOf(tensor, j) + " " + *wrong;
      }
    }
    std::vector<bool> written(tensors.size(), false);
    for (const int32_t input :
         Vector(subgraph, flatbuffer::kSubgraphInputs).Copy<int32_t>()) {
      if (input < 0 || static_cast<uint32_t>(input) >= tensors.size()) continue;
      written[static_cast<uint32_t>(input)] = true;
    }
    const Vector ops = Vector(subgraph, flatbuffer::kSubgraphOperators);
    for (uint32_t j = 0; j < ops.size(); ++j) {
      const uint8_t* op = ops.Table(j);
      if (auto wrong = CheckCustomOp(op, tensors, codes)) return wrong;
      const int32_t code = flatbuffer::BuiltinCode(codes.Table(
          Scalar<uint32_t>(op, flatbuffer::kOperatorOpcodeIndex, 0)));
      if (auto wrong = CheckOperands(op, tensors, code, &written)) return wrong;
    }
  }
  const Vector signatures = Vector(model, flatbuffer::kModelSignatureDefs);
  for (uint32_t i = 0; i < signatures.size(); ++i) {
    if (auto wrong = CheckSignature(signatures.Table(i), subgraphs)) {
      return wrong;
    }
  }
  const Vector metadata = Vector(model, flatbuffer::kModelMetadata);
  for (uint32_t i = 0; i < metadata.size(); ++i) {
    const Vector name = Vector(metadata.Table(i), flatbuffer::kMetadataName);
    const auto buffer =
        Scalar<uint32_t>(metadata.Table(i), flatbuffer::kMetadataBuffer, 0);
    if (name.data() == nullptr || buffer >= buffers.size()) {
      return "its metadata '" + name.Bytes() + "' is in buffer " +
             std::to_string(buffer) + " of " + std::to_string(buffers.size());
    }
  }
  return std::nullopt;
}

}  // namespace tflite::custom
