// Bytes as a call of one of our ops: any types, shapes, constants and options.
// The kernel must end in a result or an error. seeds.py writes the same form.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tflite/custom/fuzz/fuzz_target.h"
#include "tflite/custom/litert/kernel_runner.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/flatbuffer.h"
#include "tflite/custom/register.h"

namespace tflite::custom {
namespace {

// Takes bytes from the front; zeros where there are none.
class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  uint8_t Byte() {
    uint8_t value = 0;
    Fill(&value, 1);
    return value;
  }
  std::string Bytes(size_t count) {
    std::string value(count, '\0');
    Fill(value.data(), count);
    return value;
  }

 private:
  void Fill(void* target, size_t count) {
    const size_t taken = std::min(count, size_);
    if (taken > 0) std::memcpy(target, data_, taken);
    data_ += taken;
    size_ -= taken;
  }

  const uint8_t* data_;
  size_t size_;
};

// Shapes stay small: broadcasting multiplies them.
constexpr int kMostTensors = 5;
constexpr int kHighestRank = 6;
constexpr int kLargestDimension = 8;
constexpr size_t kLargestOutput = 1 << 24;

size_t Elements(const std::vector<int32_t>& shape) {
  size_t count = 1;
  for (const int32_t dimension : shape) count *= dimension;
  return count;
}

CustomNode::Tensor ReadTensor(Reader* reader, bool input) {
  CustomNode::Tensor tensor;
  if (input) {
    tensor.kind = static_cast<CustomNode::Tensor::Kind>(reader->Byte() % 3);
  }
  // Past the last type: the runtime must refuse those.
  tensor.type = static_cast<int8_t>(reader->Byte() % 24);
  const int rank = reader->Byte() % (kHighestRank + 1);
  for (int i = 0; i < rank; ++i) {
    tensor.shape.push_back(reader->Byte() % (kLargestDimension + 1));
  }
  return tensor;
}

// For the sanitizer to see that all of it may be read.
void ReadAll(const KernelRunner::Bytes& output) {
  const auto* bytes = static_cast<const uint8_t*>(output.data);
  uint8_t chunk[1 << 12];
  for (size_t at = 0; at < output.size; at += sizeof(chunk)) {
    std::memcpy(chunk, bytes + at, std::min(sizeof(chunk), output.size - at));
    // Nobody reads it; the compiler must not know.
    asm volatile("" : : "r"(chunk) : "memory");
  }
}

}  // namespace
}  // namespace tflite::custom

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tflite::custom;  // NOLINT
  Reader reader(data, size);
  CustomNode node;
  static const auto* const names =
      new std::vector<std::string>(CustomOpNames());
  // Six bits of the name's length, and two of the version.
  const uint8_t head = reader.Byte();
  node.version = head / 64 + 1;
  node.op = reader.Bytes(head % 64);
  if (std::find(names->begin(), names->end(), node.op) == names->end()) {
    node.op = (*names)[node.op.size() % names->size()];
  }
  const int input_count = reader.Byte() % (kMostTensors + 1);
  const int output_count = reader.Byte() % (kMostTensors + 1);
  for (int i = 0; i < input_count; ++i) {
    node.inputs.push_back(ReadTensor(&reader, /*input=*/true));
  }
  for (int i = 0; i < output_count; ++i) {
    node.outputs.push_back(ReadTensor(&reader, /*input=*/false));
  }
  node.options = reader.Bytes(reader.Byte());
  std::vector<KernelRunner::Shape> shapes;
  std::vector<std::string> contents;
  for (CustomNode::Tensor& input : node.inputs) {
    const std::string bytes = reader.Bytes(
        Elements(input.shape) * flatbuffer::SizeOfTensorType(input.type));
    if (input.kind == CustomNode::Tensor::Kind::kConstant) {
      // An empty constant is none to the runtime.
      if (bytes.empty()) return -1;
      input.data = bytes;
    } else if (input.kind == CustomNode::Tensor::Kind::kVariable) {
      shapes.push_back(input.shape);
      contents.push_back(bytes);
    }
  }

  const ErrorOr<std::unique_ptr<KernelRunner>> runner =
      KernelRunner::Create(node);
  if (!runner.ok()) return 0;
  if ((*runner)->Prepare(shapes)) return 0;
  for (const KernelRunner::Bytes& output : (*runner)->Outputs()) {
    if (output.size > kLargestOutput) return 0;
  }
  std::vector<KernelRunner::Bytes> inputs;
  for (std::string& content : contents) {
    inputs.push_back({content.data(), content.size()});
  }
  // Twice: what a kernel keeps from one run must not spoil the next.
  for (int i = 0; i < 2; ++i) {
    if ((*runner)->Invoke(inputs)) continue;
    for (const KernelRunner::Bytes& output : (*runner)->Outputs()) {
      ReadAll(output);
    }
  }
  return 0;
}
