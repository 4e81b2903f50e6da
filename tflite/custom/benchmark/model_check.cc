#include "tflite/custom/benchmark/model_check.h"

#include <cstdint>
#include <optional>
#include <string>

#include "tflite/custom/benchmark/flatbuffer.h"
#include "tflite/custom/benchmark/schema.h"
#include "third_party/tensorflow/lite/builtin_ops.h"

namespace tflite::custom::benchmark {
namespace {

using flatbuffer::Field;
using flatbuffer::Scalar;
using flatbuffer::Vector;
using flatbuffer::VectorField;

std::string NameOf(const uint8_t* tensor) {
  return "'" + VectorField(tensor, schema::kTensorName).text() + "'";
}

// The number of elements; negative sizes, and more than there can be, are -1.
int64_t NumElements(const uint8_t* tensor) {
  const Vector shape = VectorField(tensor, schema::kTensorShape);
  int64_t count = 1;
  for (uint32_t i = 0; i < shape.size; ++i) {
    const auto size = shape.at<int32_t>(i);
    if (size < 0 || __builtin_mul_overflow(count, int64_t{size}, &count)) {
      return -1;
    }
  }
  return count;
}

// Strings are a count, an offset to each and to their end, and their bytes.
std::optional<std::string> CheckStrings(const uint8_t* tensor,
                                        const Vector& bytes) {
  const auto wrong = [&](const std::string& what) {
    return "the strings of tensor " + NameOf(tensor) + " " + what;
  };
  const uint64_t size = bytes.size;
  const int64_t count = size < 4 ? -1 : bytes.at<int32_t>(0);
  const int64_t elements = NumElements(tensor);
  if (count < 0) return wrong("have no count");
  if (count != elements) {
    return wrong("are " + std::to_string(count) + ", but its shape has " +
                 std::to_string(elements) + " elements");
  }
  const uint64_t header = 4 * (static_cast<uint64_t>(count) + 2);
  if (header > size) {
    return wrong("are " + std::to_string(count) + ", more than its " +
                 std::to_string(size) + " bytes hold");
  }
  int64_t last = static_cast<int64_t>(header);
  for (int64_t i = 0; i <= count; ++i) {
    const int64_t offset = bytes.at<int32_t>(static_cast<uint32_t>(i + 1));
    if (offset < last || offset > static_cast<int64_t>(size)) {
      return wrong("have an offset of " + std::to_string(offset) +
                   ", which must be from " + std::to_string(last) + " to " +
                   std::to_string(size));
    }
    last = offset;
  }
  return std::nullopt;
}

std::optional<std::string> CheckTensor(const uint8_t* tensor,
                                       const Vector& buffers) {
  const auto buffer = Scalar<uint32_t>(tensor, schema::kTensorBuffer, 0);
  if (buffer >= buffers.size) {
    return "tensor " + NameOf(tensor) + " is in buffer " +
           std::to_string(buffer) + " of " + std::to_string(buffers.size);
  }
  if (Scalar<int8_t>(tensor, schema::kTensorType, 0) != schema::kTypeString) {
    return std::nullopt;
  }
  const Vector bytes = VectorField(buffers.table(buffer), schema::kBufferData);
  if (bytes.size == 0) return std::nullopt;
  return CheckStrings(tensor, bytes);
}

// A kernel reads as many elements as the shape says, and a sparse tensor has
// fewer.
std::optional<std::string> CheckCustomOp(const uint8_t* op,
                                         const Vector& tensors,
                                         const Vector& codes) {
  const auto index = Scalar<uint32_t>(op, schema::kOperatorOpcodeIndex, 0);
  if (index >= codes.size) {
    return "an op has the code " + std::to_string(index) + " of " +
           std::to_string(codes.size);
  }
  const uint8_t* code = codes.table(index);
  if (Scalar<int8_t>(code, schema::kOperatorCodeDeprecatedBuiltinCode, 0) !=
      kTfLiteBuiltinCustom) {
    return std::nullopt;
  }
  const Vector inputs = VectorField(op, schema::kOperatorInputs);
  for (uint32_t i = 0; i < inputs.size; ++i) {
    const auto input = inputs.at<int32_t>(i);
    if (input < 0 || static_cast<uint32_t>(input) >= tensors.size) continue;
    const uint8_t* tensor = tensors.table(static_cast<uint32_t>(input));
    if (Field(tensor, schema::kTensorSparsity) != nullptr) {
      return "custom op '" +
             VectorField(code, schema::kOperatorCodeCustomCode).text() +
             "' has the sparse tensor " + NameOf(tensor) +
             ", whose bytes are fewer than its shape says";
    }
  }
  return std::nullopt;
}

std::optional<std::string> CheckSignature(const uint8_t* signature,
                                          const Vector& subgraphs) {
  const Vector key = VectorField(signature, schema::kSignatureKey);
  if (key.data == nullptr) return "a signature has no key";
  const auto subgraph =
      Scalar<uint32_t>(signature, schema::kSignatureSubgraph, 0);
  if (subgraph >= subgraphs.size) {
    return "signature '" + key.text() + "' is of graph " +
           std::to_string(subgraph) + " of " + std::to_string(subgraphs.size);
  }
  const uint32_t tensors =
      VectorField(subgraphs.table(subgraph), schema::kSubgraphTensors).size;
  for (const int list : {schema::kSignatureInputs, schema::kSignatureOutputs}) {
    if (Field(signature, list) == nullptr) {
      return "signature '" + key.text() + "' has no list of its " +
             (list == schema::kSignatureInputs ? "inputs" : "outputs");
    }
    const Vector maps = VectorField(signature, list);
    for (uint32_t i = 0; i < maps.size; ++i) {
      const uint8_t* map = maps.table(i);
      const Vector name = VectorField(map, schema::kTensorMapName);
      const auto tensor = Scalar<uint32_t>(map, schema::kTensorMapIndex, 0);
      if (name.data == nullptr || tensor >= tensors) {
        return "signature '" + key.text() + "' has the tensor '" + name.text() +
               "' with index " + std::to_string(tensor) + " of " +
               std::to_string(tensors);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> CheckModel(const uint8_t* model) {
  const Vector subgraphs = VectorField(model, schema::kModelSubgraphs);
  const Vector buffers = VectorField(model, schema::kModelBuffers);
  const Vector codes = VectorField(model, schema::kModelOperatorCodes);
  if (subgraphs.size == 0 || buffers.size == 0) {
    return "it has no graph, or no buffers";
  }
  for (uint32_t i = 0; i < subgraphs.size; ++i) {
    const uint8_t* subgraph = subgraphs.table(i);
    const Vector tensors = VectorField(subgraph, schema::kSubgraphTensors);
    for (uint32_t j = 0; j < tensors.size; ++j) {
      if (auto wrong = CheckTensor(tensors.table(j), buffers)) return wrong;
    }
    const Vector ops = VectorField(subgraph, schema::kSubgraphOperators);
    for (uint32_t j = 0; j < ops.size; ++j) {
      if (auto wrong = CheckCustomOp(ops.table(j), tensors, codes)) {
        return wrong;
      }
    }
  }
  const Vector signatures = VectorField(model, schema::kModelSignatureDefs);
  for (uint32_t i = 0; i < signatures.size; ++i) {
    if (auto wrong = CheckSignature(signatures.table(i), subgraphs)) {
      return wrong;
    }
  }
  const Vector metadata = VectorField(model, schema::kModelMetadata);
  for (uint32_t i = 0; i < metadata.size; ++i) {
    const Vector name = VectorField(metadata.table(i), schema::kMetadataName);
    const auto buffer =
        Scalar<uint32_t>(metadata.table(i), schema::kMetadataBuffer, 0);
    if (name.data == nullptr || buffer >= buffers.size) {
      return "its metadata '" + name.text() + "' is in buffer " +
             std::to_string(buffer) + " of " + std::to_string(buffers.size);
    }
  }
  return std::nullopt;
}

}  // namespace tflite::custom::benchmark
