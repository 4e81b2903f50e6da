#include "tflite/custom/model/single_node_model.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tflite/custom/model/flatbuffer.h"
#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

using Kind = CustomNode::Tensor::Kind;

std::string SingleNodeModel(const CustomNode& node) {
  using flatbuffer::Writer;
  using namespace flatbuffer;  // NOLINT: the schema's field names

  // Buffer 0 is by convention the empty one.
  std::vector<const std::string*> buffers = {nullptr};
  std::vector<const CustomNode::Tensor*> tensors;
  std::vector<uint32_t> tensor_buffers;
  std::vector<int32_t> node_inputs, node_outputs, graph_inputs;
  const auto add_tensor = [&](const CustomNode::Tensor& tensor) {
    const bool constant = tensor.kind == Kind::kConstant;
    tensor_buffers.push_back(constant ? buffers.size() : 0);
    if (constant) buffers.push_back(&tensor.data);
    tensors.push_back(&tensor);
    return static_cast<int32_t>(tensors.size() - 1);
  };
  for (const CustomNode::Tensor& input : node.inputs) {
    const bool absent = input.kind == Kind::kAbsent;
    node_inputs.push_back(absent ? kTfLiteOptionalTensor : add_tensor(input));
    if (input.kind == Kind::kVariable) {
      graph_inputs.push_back(node_inputs.back());
    }
  }
  for (const CustomNode::Tensor& output : node.outputs) {
    node_outputs.push_back(add_tensor(output));
  }

  std::string bytes(kIdentifierOffset, '\0');
  bytes += kIdentifier;
  Writer writer(&bytes);
  const Writer::Table model = writer.AddTable(
      {Writer::Number(kModelVersion, kSchemaVersion),
       Writer::Offset(kModelOperatorCodes), Writer::Offset(kModelSubgraphs),
       Writer::Offset(kModelBuffers)});
  writer.Link(0, model.position);

  const size_t codes = writer.AddOffsets(1);
  writer.Link(model.fields[1], codes);
  const Writer::Table code = writer.AddTable(
      {Writer::Byte(kOperatorCodeDeprecatedBuiltinCode, kTfLiteBuiltinCustom),
       Writer::Offset(kOperatorCodeCustomCode),
       Writer::Number(kOperatorCodeVersion, node.version),
       Writer::Number(kOperatorCodeBuiltinCode, kTfLiteBuiltinCustom)});
  writer.Link(Writer::OffsetIn(codes, 0), code.position);
  writer.Link(code.fields[1], writer.AddString(node.op));

  const size_t graphs = writer.AddOffsets(1);
  writer.Link(model.fields[2], graphs);
  const Writer::Table graph = writer.AddTable(
      {Writer::Offset(kSubgraphTensors), Writer::Offset(kSubgraphInputs),
       Writer::Offset(kSubgraphOutputs), Writer::Offset(kSubgraphOperators)});
  writer.Link(Writer::OffsetIn(graphs, 0), graph.position);
  const size_t graph_tensors = writer.AddOffsets(tensors.size());
  writer.Link(graph.fields[0], graph_tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::vector<Writer::TableField> fields = {
        Writer::Offset(kTensorShape),
        Writer::Byte(kTensorType, tensors[i]->type),
        Writer::Number(kTensorBuffer, tensor_buffers[i]),
        Writer::Offset(kTensorName)};
    const bool quantized = !tensors[i]->scales.empty();
    if (quantized) fields.push_back(Writer::Offset(kTensorQuantization));
    const Writer::Table tensor = writer.AddTable(fields);
    writer.Link(Writer::OffsetIn(graph_tensors, i), tensor.position);
    writer.Link(tensor.fields[0], writer.AddInts(tensors[i]->shape));
    writer.Link(tensor.fields[3],
                writer.AddString("tensor_" + std::to_string(i)));
    if (!quantized) continue;
    const Writer::Table quantization =
        writer.AddTable({Writer::Offset(kQuantizationScale),
                         Writer::Offset(kQuantizationZeroPoint),
                         Writer::Number(kQuantizationDimension,
                                        tensors[i]->quantized_dimension)});
    writer.Link(tensor.fields[4], quantization.position);
    writer.Link(quantization.fields[0], writer.AddInts(tensors[i]->scales));
    writer.Link(quantization.fields[1],
                writer.AddLongs(tensors[i]->zero_points));
  }
  writer.Link(graph.fields[1], writer.AddInts(graph_inputs));
  writer.Link(graph.fields[2], writer.AddInts(node_outputs));
  const size_t operators = writer.AddOffsets(1);
  writer.Link(graph.fields[3], operators);
  const Writer::Table op = writer.AddTable(
      {Writer::Number(kOperatorOpcodeIndex, 0), Writer::Offset(kOperatorInputs),
       Writer::Offset(kOperatorOutputs),
       Writer::Offset(kOperatorCustomOptions)});
  writer.Link(Writer::OffsetIn(operators, 0), op.position);
  writer.Link(op.fields[1], writer.AddInts(node_inputs));
  writer.Link(op.fields[2], writer.AddInts(node_outputs));
  writer.Link(op.fields[3], writer.AddBytes(node.options));

  const size_t model_buffers = writer.AddOffsets(buffers.size());
  writer.Link(model.fields[3], model_buffers);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i] == nullptr) {
      const Writer::Table buffer = writer.AddTable({});
      writer.Link(Writer::OffsetIn(model_buffers, i), buffer.position);
      continue;
    }
    const Writer::Table buffer = writer.AddTable({Writer::Offset(kBufferData)});
    writer.Link(Writer::OffsetIn(model_buffers, i), buffer.position);
    // The schema asks for this alignment of a buffer's data.
    constexpr size_t kAlignment = 16;
    writer.Link(buffer.fields[0], writer.AddBytes(*buffers[i], kAlignment));
  }
  return bytes;
}

}  // namespace tflite::custom
