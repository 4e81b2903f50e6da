#include "tflite/custom/litert/kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tflite/custom/litert/kernel_runner.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/flatbuffer.h"
#include "tflite/custom/model/model.h"
#include "third_party/litert/c/litert_common.h"
#include "third_party/litert/c/litert_custom_op_kernel.h"
#include "third_party/litert/c/litert_layout.h"
#include "third_party/litert/c/litert_options.h"
#include "third_party/litert/c/litert_tensor_buffer.h"
#include "third_party/tensorflow/lite/builtin_ops.h"

namespace tflite::custom {

using flatbuffer::Vector;
using flatbuffer::Writer;

// One node, with its op in LiteRT: the user data of the functions below.
struct LiteRtKernels::Node {
  std::string name;
  std::unique_ptr<KernelRunner> runner;
  std::optional<Error> error;
};

namespace {

// A buffer's elements, for as long as this lives.
class Locked {
 public:
  Locked(LiteRtTensorBuffer buffer, LiteRtTensorBufferLockMode mode)
      : buffer_(buffer) {
    ok_ = LiteRtGetTensorBufferPackedSize(buffer, &bytes_.size) ==
              kLiteRtStatusOk &&
          LiteRtLockTensorBuffer(buffer, &bytes_.data, mode) == kLiteRtStatusOk;
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    if (ok_) LiteRtUnlockTensorBuffer(buffer_);
  }

  bool ok() const { return ok_; }
  const KernelRunner::Bytes& bytes() const { return bytes_; }

 private:
  LiteRtTensorBuffer buffer_;
  KernelRunner::Bytes bytes_ = {nullptr, 0};
  bool ok_;
};

template <typename Node>
LiteRtStatus Fail(Node* node, Error error) {
  // The first is the cause of what follows.
  if (!node->error) node->error = std::move(error);
  return kLiteRtStatusErrorRuntimeFailure;
}

// All that a kernel does at its start was done when the runner was made.
LiteRtStatus Init(void*, const void*, size_t) { return kLiteRtStatusOk; }
LiteRtStatus Destroy(void*) { return kLiteRtStatusOk; }

template <typename Node>
LiteRtStatus GetOutputLayouts(void* user_data, size_t num_inputs,
                              const LiteRtLayout* input_layouts,
                              size_t num_outputs,
                              LiteRtLayout* output_layouts) {
  auto* node = static_cast<Node*>(user_data);
  // LiteRT does not ask whether this succeeded, but no tensor has this shape.
  for (size_t i = 0; i < num_outputs; ++i) {
    output_layouts[i] = {};
    output_layouts[i].rank = 1;
    output_layouts[i].dimensions[0] = -1;
  }
  std::vector<KernelRunner::Shape> inputs;
  for (size_t i = 0; i < num_inputs; ++i) {
    const int32_t* dimensions = input_layouts[i].dimensions;
    inputs.emplace_back(dimensions, dimensions + input_layouts[i].rank);
  }
  const ErrorOr<std::vector<KernelRunner::Shape>> outputs =
      node->runner->OutputShapes(inputs);
  if (!outputs.ok()) return Fail(node, outputs.error());
  if (outputs->size() != num_outputs) {
    return Fail(node, Error{"the op '" + node->runner->op() + "' has " +
                            std::to_string(outputs->size()) +
                            " outputs, LiteRT asks for " +
                            std::to_string(num_outputs)});
  }
  for (size_t i = 0; i < num_outputs; ++i) {
    const KernelRunner::Shape& shape = (*outputs)[i];
    if (shape.size() > LITERT_TENSOR_MAX_RANK) {
      return Fail(
          node,
          Error{"the op '" + node->runner->op() + "' has an output of rank " +
                std::to_string(shape.size()) + ", LiteRT stops at " +
                std::to_string(LITERT_TENSOR_MAX_RANK)});
    }
  }
  for (size_t i = 0; i < num_outputs; ++i) {
    const KernelRunner::Shape& shape = (*outputs)[i];
    output_layouts[i].rank = static_cast<unsigned>(shape.size());
    std::copy(shape.begin(), shape.end(), output_layouts[i].dimensions);
  }
  return kLiteRtStatusOk;
}

template <typename Node>
LiteRtStatus Run(void* user_data, size_t num_inputs,
                 const LiteRtTensorBuffer* inputs, size_t num_outputs,
                 LiteRtTensorBuffer* outputs) {
  auto* node = static_cast<Node*>(user_data);
  std::vector<std::unique_ptr<Locked>> locks;
  const auto lock = [&](LiteRtTensorBuffer buffer,
                        LiteRtTensorBufferLockMode mode,
                        std::vector<KernelRunner::Bytes>* bytes) {
    locks.push_back(std::make_unique<Locked>(buffer, mode));
    bytes->push_back(locks.back()->bytes());
    return locks.back()->ok();
  };
  std::vector<KernelRunner::Bytes> input_bytes, output_bytes;
  bool ok = true;
  for (size_t i = 0; i < num_inputs; ++i) {
    ok = ok && lock(inputs[i], kLiteRtTensorBufferLockModeRead, &input_bytes);
  }
  for (size_t i = 0; i < num_outputs; ++i) {
    ok =
        ok && lock(outputs[i], kLiteRtTensorBufferLockModeWrite, &output_bytes);
  }
  if (!ok) {
    return Fail(node, Error{"cannot lock a tensor buffer of the op '" +
                            node->runner->op() + "'"});
  }
  std::optional<Error> error = node->runner->Run(input_bytes, output_bytes);
  return error ? Fail(node, *std::move(error)) : kLiteRtStatusOk;
}

// An offset in a flatbuffer has 32 bits, and readers take it to be signed.
constexpr size_t kLargestModel = std::numeric_limits<int32_t>::max();

// What a tensor of a graph is to a node that reads or writes it.
ErrorOr<CustomNode::Tensor> NodeTensor(const Vector& tensors,
                                       const Vector& buffers, int32_t index) {
  using namespace flatbuffer;  // NOLINT: the schema's field names
  CustomNode::Tensor result;
  if (index == -1) {
    result.kind = CustomNode::Tensor::Kind::kAbsent;
    return result;
  }
  if (index < 0 || static_cast<uint32_t>(index) >= tensors.size()) {
    return Error{"the model is damaged: a node has tensor " +
                 std::to_string(index) + " of " +
                 std::to_string(tensors.size())};
  }
  const uint8_t* tensor = tensors.Table(index);
  result.type = Scalar<int8_t>(tensor, kTensorType, 0);
  result.shape = Vector(tensor, kTensorShape).Copy<int32_t>();
  if (const uint8_t* field = Field(tensor, kTensorQuantization)) {
    const uint8_t* quantization = Follow(field);
    result.scales = Vector(quantization, kQuantizationScale).Copy<int32_t>();
    result.zero_points =
        Vector(quantization, kQuantizationZeroPoint).Copy<int64_t>();
    result.quantized_dimension =
        Scalar<int32_t>(quantization, kQuantizationDimension, 0);
  }
  const uint32_t buffer = Scalar<uint32_t>(tensor, kTensorBuffer, 0);
  if (buffer >= buffers.size()) {
    return Error{"the model is damaged: a tensor has buffer " +
                 std::to_string(buffer) + " of " +
                 std::to_string(buffers.size())};
  }
  if (buffer == 0) return result;
  const Vector data(buffers.Table(buffer), kBufferData);
  if (data.size() > 0) {
    result.kind = CustomNode::Tensor::Kind::kConstant;
    result.data = data.Bytes();
  }
  return result;
}

// A node that is replaced: what it was, and its place in the model.
struct FoundNode {
  CustomNode node;
  // The offset to its table.
  const uint8_t* slot;
  // Tensors that stay inputs.
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
};

ErrorOr<std::vector<FoundNode>> FindNodes(std::string_view bytes,
                                          const KernelLibraries& libraries) {
  using namespace flatbuffer;  // NOLINT: the schema's field names
  const uint8_t* model = Root(bytes.data());
  const Vector codes(model, kModelOperatorCodes);
  const Vector buffers(model, kModelBuffers);
  const Vector graphs(model, kModelSubgraphs);
  std::vector<FoundNode> found;
  for (uint32_t g = 0; g < graphs.size(); ++g) {
    const Vector tensors(graphs.Table(g), kSubgraphTensors);
    const Vector operators(graphs.Table(g), kSubgraphOperators);
    for (uint32_t i = 0; i < operators.size(); ++i) {
      const uint8_t* op = operators.Table(i);
      const uint32_t code_index = Scalar<uint32_t>(op, kOperatorOpcodeIndex, 0);
      if (code_index >= codes.size()) {
        return Error{"the model is damaged: a node has op " +
                     std::to_string(code_index) + " of " +
                     std::to_string(codes.size())};
      }
      const uint8_t* code = codes.Table(code_index);
      if (BuiltinCode(code) != kTfLiteBuiltinCustom) continue;
      FoundNode result;
      result.slot = operators.Slot(i);
      result.node.op = Vector(code, kOperatorCodeCustomCode).Bytes();
      result.node.version = Scalar<int32_t>(code, kOperatorCodeVersion, 1);
      if (!HasKernel(libraries, result.node.op, result.node.version)) continue;
      result.node.options = Vector(op, kOperatorCustomOptions).Bytes();
      for (const int32_t index : Vector(op, kOperatorInputs).Copy<int32_t>()) {
        const ErrorOr<CustomNode::Tensor> tensor =
            NodeTensor(tensors, buffers, index);
        if (!tensor.ok()) return tensor.error();
        if (tensor->kind == CustomNode::Tensor::Kind::kVariable) {
          result.inputs.push_back(index);
        }
        result.node.inputs.push_back(*tensor);
      }
      result.outputs = Vector(op, kOperatorOutputs).Copy<int32_t>();
      for (const int32_t index : result.outputs) {
        const ErrorOr<CustomNode::Tensor> tensor =
            NodeTensor(tensors, buffers, index);
        if (!tensor.ok()) return tensor.error();
        if (tensor->kind != CustomNode::Tensor::Kind::kVariable) {
          return Error{"the model is damaged: the op '" + result.node.op +
                       "' writes to a constant, or to no tensor"};
        }
        result.node.outputs.push_back(*tensor);
      }
      found.push_back(std::move(result));
    }
  }
  return found;
}

// The version of each node's op in LiteRT, which finds no kernel of another.
constexpr int kVersion = 1;

// A copy of the model in which the i-th node calls an op of names[i].
std::string Rewrite(std::string_view model, const std::vector<FoundNode>& nodes,
                    const std::vector<std::string>& names) {
  using namespace flatbuffer;  // NOLINT: the schema's field names
  std::string bytes(model);
  Writer writer(&bytes);
  const auto position = [&](const uint8_t* address) {
    return static_cast<size_t>(address -
                               reinterpret_cast<const uint8_t*>(model.data()));
  };
  // Offsets lead forward only, so that a list with something added is written
  // anew, with copies of what it had.
  const uint8_t* root = Root(model.data());
  const Vector codes(root, kModelOperatorCodes);
  const size_t new_codes = writer.AddOffsets(codes.size() + nodes.size());
  writer.Link(position(Field(root, kModelOperatorCodes)), new_codes);
  const auto add_code = [&](size_t index, int32_t builtin,
                            const std::string* custom, int32_t version) {
    std::vector<Writer::TableField> fields = {
        // The placeholder of codes that the old field is too small for.
        Writer::Byte(kOperatorCodeDeprecatedBuiltinCode,
                     static_cast<uint8_t>(std::min<int32_t>(builtin, 127))),
        Writer::Number(kOperatorCodeVersion, version),
        Writer::Number(kOperatorCodeBuiltinCode, builtin)};
    if (custom != nullptr) {
      fields.push_back(Writer::Offset(kOperatorCodeCustomCode));
    }
    const Writer::Table code = writer.AddTable(fields);
    writer.Link(Writer::OffsetIn(new_codes, index), code.position);
    if (custom != nullptr) {
      writer.Link(code.fields.back(), writer.AddString(*custom));
    }
  };
  for (uint32_t i = 0; i < codes.size(); ++i) {
    const uint8_t* code = codes.Table(i);
    const bool has_name = Field(code, kOperatorCodeCustomCode) != nullptr;
    const std::string name =
        has_name ? Vector(code, kOperatorCodeCustomCode).Bytes() : "";
    add_code(i, BuiltinCode(code), has_name ? &name : nullptr,
             Scalar<int32_t>(code, kOperatorCodeVersion, 1));
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    add_code(codes.size() + i, kTfLiteBuiltinCustom, &names[i], kVersion);
    const Writer::Table op = writer.AddTable(
        {Writer::Number(kOperatorOpcodeIndex, codes.size() + i),
         Writer::Offset(kOperatorInputs), Writer::Offset(kOperatorOutputs)});
    writer.Link(position(nodes[i].slot), op.position);
    writer.Link(op.fields[1], writer.AddInts(nodes[i].inputs));
    writer.Link(op.fields[2], writer.AddInts(nodes[i].outputs));
  }
  return bytes;
}

}  // namespace

LiteRtKernels::LiteRtKernels() = default;
LiteRtKernels::~LiteRtKernels() = default;

ErrorOr<std::unique_ptr<LiteRtKernels>> LiteRtKernels::Add(
    std::string_view model, LiteRtOptions options,
    const KernelLibraries& libraries) {
  const ErrorOr<std::vector<FoundNode>> found = FindNodes(model, libraries);
  if (!found.ok()) return found.error();
  if (!found->empty() && model.size() > kLargestModel) {
    return Error{"a model of " + std::to_string(model.size()) +
                 " bytes with custom ops is not supported in LiteRT's "
                 "CompiledModel: up to two gigabytes are"};
  }
  std::unique_ptr<LiteRtKernels> kernels(new LiteRtKernels);
  std::vector<std::string> names;
  for (const FoundNode& node : *found) {
    ErrorOr<std::unique_ptr<KernelRunner>> runner =
        KernelRunner::Create(node.node, libraries);
    if (!runner.ok()) return runner.error();
    names.push_back(node.node.op + "#" + std::to_string(names.size()));
    kernels->nodes_.push_back(std::make_unique<Node>(
        Node{names.back(), std::move(*runner), std::nullopt}));
  }
  kernels->model_ =
      found->empty() ? std::string(model) : Rewrite(model, *found, names);
  // A file whose tables overlap may be a good model, but changes to one table
  // are then changes to another.
  const ErrorOr<Model> verified =
      Model::FromBytes(kernels->model_, "its copy for LiteRT");
  if (!verified.ok()) {
    return Error{"the model is damaged: " + verified.error().message};
  }
  const LiteRtCustomOpKernel functions = {Init, GetOutputLayouts<Node>,
                                          custom::Run<Node>, Destroy};
  for (const std::unique_ptr<Node>& node : kernels->nodes_) {
    if (LiteRtAddCustomOpKernelOption(options, node->name.c_str(), kVersion,
                                      &functions,
                                      node.get()) != kLiteRtStatusOk) {
      return Error{"LiteRT does not take the custom op '" + node->name + "'"};
    }
  }
  return kernels;
}

std::optional<Error> LiteRtKernels::TakeError() {
  std::optional<Error> error;
  for (const std::unique_ptr<Node>& node : nodes_) {
    if (!error) error = std::move(node->error);
    node->error.reset();
  }
  return error;
}

}  // namespace tflite::custom
