#include "tflite/custom/litert/output_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/litert/kernel_runner.h"
#include "tflite/custom/model/builtin_op_names.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/flatbuffer.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/runtime_log.h"
#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_experimental.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {
namespace {

using namespace flatbuffer;  // NOLINT: the schema's field names

struct Delete {
  void operator()(TfLiteInterpreter* i) const { TfLiteInterpreterDelete(i); }
  void operator()(TfLiteInterpreterOptions* o) const {
    TfLiteInterpreterOptionsDelete(o);
  }
  void operator()(TfLiteSignatureRunner* r) const {
    TfLiteSignatureRunnerDelete(r);
  }
  void operator()(TfLiteRegistrationExternal* r) const {
    TfLiteRegistrationExternalDelete(r);
  }
};
template <typename T>
using Owned = std::unique_ptr<T, Delete>;

// A graph of a file, and what its values are made of.
class Graph {
 public:
  Graph(const Model& model, size_t index)
      : codes_(Root(model.bytes().data()), kModelOperatorCodes) {
    const uint8_t* root = Root(model.bytes().data());
    const uint8_t* graph =
        Vector(root, kModelSubgraphs).Table(static_cast<uint32_t>(index));
    tensors_ = Vector(graph, kSubgraphTensors);
    operators_ = Vector(graph, kSubgraphOperators);
    inputs = Vector(graph, kSubgraphInputs).Copy<int32_t>();
    outputs = Vector(graph, kSubgraphOutputs).Copy<int32_t>();
    producers_.assign(tensors_.size(), -1);
    // Whether the value follows from shapes and constants alone.
    of_shapes_.assign(tensors_.size(), false);
    const Vector buffers(root, kModelBuffers);
    for (uint32_t i = 0; i < tensors_.size(); ++i) {
      const uint8_t* buffer =
          buffers.Table(Scalar<uint32_t>(tensors_.Table(i), kTensorBuffer, 0));
      of_shapes_[i] = Vector(buffer, kBufferData).size() > 0;
    }
    for (uint32_t i = 0; i < operators_.size(); ++i) {
      const bool of_shapes = OpIsOfShapes(i);
      for (const int32_t output : Operands(i, kOperatorOutputs)) {
        producers_[static_cast<size_t>(output)] = static_cast<int>(i);
        of_shapes_[static_cast<size_t>(output)] = of_shapes;
      }
    }
  }

  uint32_t operator_count() const { return operators_.size(); }

  // None for what no op writes.
  std::optional<uint32_t> Producer(int32_t tensor) const {
    const int producer = producers_[static_cast<size_t>(tensor)];
    if (producer < 0) return std::nullopt;
    return static_cast<uint32_t>(producer);
  }

  bool IsOfShapes(int32_t tensor) const {
    return of_shapes_[static_cast<size_t>(tensor)];
  }

  std::vector<int32_t> Operands(uint32_t op, int field) const {
    std::vector<int32_t> result;
    for (const int32_t tensor :
         Vector(operators_.Table(op), field).Copy<int32_t>()) {
      if (0 <= tensor && static_cast<uint32_t>(tensor) < tensors_.size()) {
        result.push_back(tensor);
      }
    }
    return result;
  }

  std::string OpName(uint32_t op) const {
    const uint8_t* code = Code(op);
    return BuiltinCode(code) == kTfLiteBuiltinCustom
               ? Vector(code, kOperatorCodeCustomCode).Bytes()
               : BuiltinOpName(BuiltinCode(code));
  }

  std::string TensorName(int32_t tensor) const {
    return Vector(Tensor(tensor), kTensorName).Bytes();
  }

  // Whether the converter could not tell a dimension.
  bool IsOpen(int32_t tensor) const {
    const auto signature =
        Vector(Tensor(tensor), kTensorShapeSignature).Copy<int32_t>();
    return std::any_of(signature.begin(), signature.end(),
                       [](int32_t size) { return size < 0; });
  }

  // Whether the op takes an integer that is neither constant nor of shapes, or
  // no other integer at all: then data, not shapes, decide on its output.
  bool IsDecidedByData(uint32_t op) const {
    constexpr int8_t kInt32 = 2, kInt64 = 4;
    bool decided_by_shapes = false;
    for (const int32_t input : Operands(op, kOperatorInputs)) {
      const int8_t type = Scalar<int8_t>(Tensor(input), kTensorType, 0);
      if (type != kInt32 && type != kInt64) continue;
      if (!IsOfShapes(input)) return true;
      decided_by_shapes = decided_by_shapes || Producer(input).has_value();
    }
    return !decided_by_shapes;
  }

  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;

 private:
  const uint8_t* Tensor(int32_t index) const {
    return tensors_.Table(static_cast<uint32_t>(index));
  }
  const uint8_t* Code(uint32_t op) const {
    return codes_.Table(
        Scalar<uint32_t>(operators_.Table(op), kOperatorOpcodeIndex, 0));
  }
  bool OpIsOfShapes(uint32_t op) const {
    const int32_t code = BuiltinCode(Code(op));
    if (code == kTfLiteBuiltinShape || code == kTfLiteBuiltinRank) return true;
    if (code == kTfLiteBuiltinCustom || code == kTfLiteBuiltinRandomUniform ||
        code == kTfLiteBuiltinRandomStandardNormal ||
        code == kTfLiteBuiltinMultinomial) {
      return false;
    }
    const std::vector<int32_t> operands = Operands(op, kOperatorInputs);
    return !operands.empty() &&
           std::all_of(operands.begin(), operands.end(),
                       [&](int32_t tensor) { return IsOfShapes(tensor); });
  }

  Vector codes_;
  Vector tensors_;
  Vector operators_;
  std::vector<int> producers_;
  std::vector<bool> of_shapes_;
};

// A kernel for what LiteRT may know and the C library does not. The outputs
// have the shapes that the file gives them.
Owned<TfLiteRegistrationExternal> StandIn(const CustomOpCode& code) {
  Owned<TfLiteRegistrationExternal> op(TfLiteRegistrationExternalCreate(
      kTfLiteBuiltinCustom, code.name.c_str(), code.version));
  TfLiteRegistrationExternalSetPrepare(
      op.get(),
      [](TfLiteOpaqueContext*, TfLiteOpaqueNode*) { return kTfLiteOk; });
  TfLiteRegistrationExternalSetInvoke(
      op.get(),
      [](TfLiteOpaqueContext*, TfLiteOpaqueNode*) { return kTfLiteError; });
  return op;
}

// An interpreter of the C library that is prepared for the inputs' shapes.
class Prepared {
 public:
  // `signature` is null where the model has none.
  Prepared(const Model& model, const Signature* signature,
           const std::vector<InputShape>& input_shapes,
           const KernelLibraries& libraries) {
    const Owned<TfLiteInterpreterOptions> options(
        TfLiteInterpreterOptionsCreate());
    TfLiteInterpreterOptionsSetErrorReporter(options.get(), RuntimeLog::Report,
                                             &log_);
    for (const KernelLibrary& library : libraries) {
      library.register_with_options(options.get());
    }
    codes_ = model.CustomOpCodes();
    for (const CustomOpCode& code : codes_) {
      if (HasKernel(libraries, code.name, code.version)) continue;
      stand_ins_.push_back(StandIn(code));
      TfLiteInterpreterOptionsAddOperator(options.get(),
                                          stand_ins_.back().get());
    }
    interpreter_.reset(TfLiteInterpreterCreate(model.get(), options.get()));
    if (interpreter_ == nullptr) return;
    if (signature != nullptr) {
      runner_.reset(TfLiteInterpreterGetSignatureRunner(
          interpreter_.get(), signature->key.c_str()));
      if (runner_ == nullptr) return;
    }
    for (size_t i = 0; i < input_shapes.size(); ++i) {
      const auto& [name, shape] = input_shapes[i];
      const int rank = static_cast<int>(shape.size());
      const TfLiteStatus status =
          runner_ == nullptr
              ? TfLiteInterpreterResizeInputTensor(
                    interpreter_.get(), static_cast<int>(i), shape.data(), rank)
              : TfLiteSignatureRunnerResizeInputTensor(
                    runner_.get(), name.c_str(), shape.data(), rank);
      if (status != kTfLiteOk) return;
    }
    ok_ = (runner_ == nullptr
               ? TfLiteInterpreterAllocateTensors(interpreter_.get())
               : TfLiteSignatureRunnerAllocateTensors(runner_.get())) ==
          kTfLiteOk;
  }

  // False where the C library cannot prepare the model: it is older than
  // LiteRT.
  bool ok() const { return ok_; }

  const TfLiteTensor* Output(size_t index, const std::string& name) const {
    return runner_ == nullptr ? TfLiteInterpreterGetOutputTensor(
                                    interpreter_.get(), static_cast<int>(index))
                              : TfLiteSignatureRunnerGetOutputTensor(
                                    runner_.get(), name.c_str());
  }
  // Of the first graph.
  const TfLiteTensor* Tensor(int32_t index) const {
    return TfLiteInterpreterGetTensor(interpreter_.get(), index);
  }

 private:
  RuntimeLog log_;
  std::vector<CustomOpCode> codes_;  // Their names are the stand-ins'.
  std::vector<Owned<TfLiteRegistrationExternal>> stand_ins_;
  Owned<TfLiteInterpreter> interpreter_;
  Owned<TfLiteSignatureRunner> runner_;
  bool ok_ = false;
};

bool IsDynamic(const TfLiteTensor* tensor) {
  return tensor != nullptr && tensor->allocation_type == kTfLiteDynamic;
}

// The first op that finds the shape of an output only when it runs: those after
// it have not been prepared.
std::optional<uint32_t> FirstDynamic(const Graph& graph,
                                     const Prepared& prepared) {
  for (uint32_t op = 0; op < graph.operator_count(); ++op) {
    for (const int32_t output : graph.Operands(op, kOperatorOutputs)) {
      if (IsDynamic(prepared.Tensor(output))) return op;
    }
  }
  return std::nullopt;
}

Error Refusal(const Graph& graph, const std::string& output,
              std::optional<uint32_t> op) {
  return Error{
      "its output '" + output + "' depends on " +
      (op ? "the op '" + graph.OpName(*op) + "'" : "an op") +
      ", which finds the shape of its output only when it runs, and "
      "LiteRT's CompiledModel gives outputs their memory before that: "
      "run this model in the interpreter of ai-edge-litert, of tf.lite "
      "or of the C library"};
}

}  // namespace

OutputCheck CheckOutputs(const Model& model, size_t signature_index,
                         const std::vector<InputShape>& input_shapes,
                         const KernelLibraries& libraries) {
  OutputCheck check;
  const std::vector<Signature> signatures = model.Signatures();
  const Signature* signature = signature_index < signatures.size()
                                   ? &signatures[signature_index]
                                   : nullptr;
  const Prepared prepared(model, signature, input_shapes, libraries);
  if (!prepared.ok()) return check;
  const size_t index = signature == nullptr ? 0 : signature->graph;
  const Graph graph(model, index);
  const std::optional<uint32_t> first =
      index == 0 ? FirstDynamic(graph, prepared) : std::nullopt;
  const size_t count =
      signature == nullptr ? graph.outputs.size() : signature->outputs.size();
  for (size_t i = 0; i < count && !check.error; ++i) {
    const int32_t tensor =
        signature == nullptr ? graph.outputs[i] : signature->outputs[i].index;
    if (tensor < 0) continue;
    const std::string name = signature == nullptr ? graph.TensorName(tensor)
                                                  : signature->outputs[i].name;
    const TfLiteTensor* output = prepared.Output(i, name);
    // Strings, which are always dynamic, are refused as such.
    if (output == nullptr || output->type == kTfLiteString) continue;
    if (IsDynamic(output)) {
      check.error = Refusal(graph, name, graph.Producer(tensor));
    } else if (output->allocation_type == kTfLiteArenaRw &&
               TfLiteTensorData(output) == nullptr && output->bytes > 0) {
      // Downstream of an op with a dynamic output.
      if (graph.IsOfShapes(tensor)) {
        // Found while ops are prepared, which LiteRT then does not copy.
        check.error = Refusal(graph, name, first);
      } else if (graph.IsOpen(tensor) &&
                 (!first || graph.IsDecidedByData(*first))) {
        check.error = Refusal(graph, name, first);
      } else {
        check.uncertain = Refusal(graph, name, first).message;
      }
    }
  }
  return check;
}

}  // namespace tflite::custom
