#include "tflite/custom/benchmark/interpreter_session.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/external_delegate.h"
#include "tflite/custom/benchmark/graph.h"
#include "tflite/custom/benchmark/input_shapes.h"
#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/benchmark/op_profiler.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/benchmark/signatures.h"
#include "tflite/custom/benchmark/state.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/flatbuffer.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/runtime_log.h"
#include "tflite/custom/model/tensor_info.h"
#include "tflite/custom/model/tensor_memory.h"
#include "tflite/custom/register.h"
#include "tflite/custom/unresolved_op.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_experimental.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"
#include "third_party/tensorflow/lite/delegates/xnnpack/xnnpack_delegate.h"

namespace tflite::custom::benchmark {
namespace {

struct DeleteInterpreter {
  void operator()(TfLiteInterpreter* i) const { TfLiteInterpreterDelete(i); }
};
struct DeleteOptions {
  void operator()(TfLiteInterpreterOptions* o) const {
    TfLiteInterpreterOptionsDelete(o);
  }
};
struct DeleteRunner {
  void operator()(TfLiteSignatureRunner* r) const {
    TfLiteSignatureRunnerDelete(r);
  }
};

using InterpreterPtr = std::unique_ptr<TfLiteInterpreter, DeleteInterpreter>;

// Whether the model has a custom op that this repository has no kernel for. The
// runtime may still have its own.
bool HasOpsOfOthers(const Model& model) {
  const std::vector<CustomOpCode> codes = model.CustomOpCodes();
  return std::any_of(codes.begin(), codes.end(), [](const auto& code) {
    return FindCustomOp(code.name.c_str(), code.version) == nullptr;
  });
}

TensorInfo Describe(const TfLiteTensor* tensor, const char* name) {
  TensorInfo info;
  if (name == nullptr) name = TfLiteTensorName(tensor);
  info.name = name == nullptr ? "" : name;
  info.type = TfLiteTensorType(tensor);
  for (int i = 0; i < TfLiteTensorNumDims(tensor); ++i) {
    info.shape.push_back(TfLiteTensorDim(tensor, i));
  }
  info.bytes = TfLiteTensorByteSize(tensor);
  return info;
}

class InterpreterSession : public Session {
 public:
  InterpreterSession(Model model, const Options& options)
      : model_(std::move(model)) {
    interpreter_options_.reset(TfLiteInterpreterOptionsCreate());
    TfLiteInterpreterOptionsSetErrorReporter(interpreter_options_.get(),
                                             RuntimeLog::Report, &log_);
    TfLiteInterpreterOptionsSetNumThreads(interpreter_options_.get(),
                                          options.num_threads);
    RegisterCustomOps(interpreter_options_.get());
    if (options.enable_op_profiling) {
      profiler_ = std::make_unique<OpProfiler>(
          static_cast<size_t>(options.max_profiling_buffer_entries));
      TfLiteInterpreterOptionsSetTelemetryProfiler(interpreter_options_.get(),
                                                   profiler_->telemetry());
    }
  }

  std::optional<Error> Prepare(const Options& options,
                               const std::vector<InputSpec>& specs,
                               std::ostream& log);

  const Model& model() const override { return model_; }
  const std::vector<TensorInfo>& inputs() const override { return inputs_; }

  std::vector<TensorInfo> outputs() const override {
    std::vector<TensorInfo> result;
    for (size_t i = 0; i < NumOutputs(); ++i) {
      result.push_back(Describe(Output(i), nullptr));
    }
    return result;
  }

  void SetInput(size_t index, const char* bytes, size_t size) override {
    std::memcpy(TfLiteTensorData(tensors_[index]), bytes, size);
  }

  bool SetStrings(size_t index,
                  const std::vector<std::string>& strings) override {
    std::vector<const char*> texts;
    std::vector<int> lengths;
    for (const std::string& string : strings) {
      texts.push_back(string.data());
      lengths.push_back(static_cast<int>(string.size()));
    }
    return TfLiteOpaqueTensorWriteStrings(
               reinterpret_cast<TfLiteOpaqueTensor*>(tensors_[index]),
               texts.data(), static_cast<int>(texts.size()),
               lengths.data()) == kTfLiteOk;
  }

  bool Invoke() override {
    return (runner_ == nullptr
                ? TfLiteInterpreterInvoke(interpreter_.get())
                : TfLiteSignatureRunnerInvoke(runner_.get())) == kTfLiteOk;
  }

  std::string InvokeError() const override {
    return "cannot run " + model_.path() + ": " + log_.Line();
  }

  ErrorOr<std::string> OutputBytes(size_t index) const override {
    const TfLiteTensor* tensor = Output(index);
    if (const auto error = CheckMemory(tensor)) {
      return Error{"cannot read an output of " + model_.path() + ": " +
                   error->message};
    }
    return std::string(static_cast<const char*>(TfLiteTensorData(tensor)),
                       TfLiteTensorByteSize(tensor));
  }

  OpProfiler* profiler() override { return profiler_.get(); }
  std::string delegation() const override { return delegation_; }

  void PrintState(const Options& options, std::ostream& out) const override {
    PrintInterpreterState(observer_->subgraphs(), options, out);
  }

 private:
  // An interpreter with the signature and shapes that were asked for.
  std::optional<Error> CreateInterpreter(const Options& options,
                                         const std::vector<InputSpec>& specs,
                                         std::ostream& log);
  std::optional<Error> ChooseSignature(const std::string& asked);
  // The tensors to fill: those that the model neither leaves out nor fixes.
  void FindInputs();
  std::optional<Error> CheckAndResize(const std::vector<InputSpec>& specs,
                                      std::ostream& log);
  TfLiteStatus Resize(size_t index, const std::vector<int>& shape);
  TfLiteStatus AllocateTensors() {
    return Initialize("AllocateTensors", [&] {
      return runner_ == nullptr
                 ? TfLiteInterpreterAllocateTensors(interpreter_.get())
                 : TfLiteSignatureRunnerAllocateTensors(runner_.get());
    });
  }
  std::optional<Error> ApplyDelegates(const Options& options,
                                      const std::vector<InputSpec>& specs,
                                      std::ostream& log);
  bool ApplyXnnpack(const Options& options);
  std::optional<Error> ApplyExternal(const Options& options);
  std::optional<Error> Observe(const Options& options, std::ostream& log);
  void DescribeDelegation(const Options& options, std::ostream& log);
  // A part of the initialization, which a profiler notes.
  template <typename Step>
  TfLiteStatus Initialize(const char* what, const Step& step) {
    return profiler_ == nullptr ? step() : profiler_->Initialize(what, step);
  }
  TfLiteStatus ModifyGraph(TfLiteOpaqueDelegate* delegate) {
    return Initialize("ModifyGraphWithDelegate", [&] {
      return TfLiteInterpreterModifyGraphWithDelegate(interpreter_.get(),
                                                      delegate);
    });
  }
  Error CannotPrepare() const;

  size_t NumOutputs() const {
    return runner_ == nullptr
               ? static_cast<size_t>(
                     TfLiteInterpreterGetOutputTensorCount(interpreter_.get()))
               : TfLiteSignatureRunnerGetOutputCount(runner_.get());
  }
  const TfLiteTensor* Output(size_t i) const {
    const int index = static_cast<int>(i);
    return runner_ == nullptr
               ? TfLiteInterpreterGetOutputTensor(interpreter_.get(), index)
               : TfLiteSignatureRunnerGetOutputTensor(
                     runner_.get(),
                     TfLiteSignatureRunnerGetOutputName(runner_.get(), index));
  }

  // In the order in which the one needs the other: destroyed from the end.
  Model model_;
  RuntimeLog log_;
  std::unique_ptr<TfLiteInterpreterOptions, DeleteOptions> interpreter_options_;
  std::unique_ptr<OpProfiler> profiler_;
  DelegatePtr external_;
  DelegatePtr xnnpack_;
  std::unique_ptr<GraphObserver> observer_;
  InterpreterPtr interpreter_;
  // Null where the interpreter itself runs what was asked for.
  std::unique_ptr<TfLiteSignatureRunner, DeleteRunner> runner_;
  std::vector<TfLiteTensor*> tensors_;
  std::vector<int> input_indices_;  // Of the tensors among the model's inputs.
  std::vector<TensorInfo> inputs_;
  std::string delegation_;
};

Error InterpreterSession::CannotPrepare() const {
  const std::string line = log_.Line();
  if (auto error = UnresolvedOp(model_, line)) return *error;
  return Error{"cannot prepare " + model_.path() + ": " + line};
}

std::optional<Error> InterpreterSession::ChooseSignature(
    const std::string& asked) {
  const ErrorOr<std::optional<size_t>> chosen =
      benchmark::ChooseSignature(model_, asked);
  if (!chosen.ok()) return chosen.error();
  if (!chosen->has_value()) return std::nullopt;
  const std::string key = model_.Signatures()[**chosen].key;
  runner_.reset(
      TfLiteInterpreterGetSignatureRunner(interpreter_.get(), key.c_str()));
  if (runner_ == nullptr) return CannotPrepare();
  // Where the signature is of the model's first graph the interpreter runs the
  // same, and knows the order of its inputs.
  const auto count = TfLiteSignatureRunnerGetInputCount(runner_.get());
  const int of_graph = TfLiteInterpreterGetInputTensorCount(interpreter_.get());
  for (size_t i = 0; i < count; ++i) {
    const TfLiteTensor* tensor = TfLiteSignatureRunnerGetInputTensor(
        runner_.get(),
        TfLiteSignatureRunnerGetInputName(runner_.get(), static_cast<int>(i)));
    bool found = false;
    for (int j = 0; j < of_graph; ++j) {
      found = found ||
              tensor == TfLiteInterpreterGetInputTensor(interpreter_.get(), j);
    }
    if (!found) return std::nullopt;
  }
  // A graph without inputs is told apart by its outputs.
  if (count == 0 && TfLiteSignatureRunnerGetOutputCount(runner_.get()) > 0) {
    const TfLiteTensor* output = Output(0);
    bool found = false;
    for (int j = 0;
         j < TfLiteInterpreterGetOutputTensorCount(interpreter_.get()); ++j) {
      found = found ||
              output == TfLiteInterpreterGetOutputTensor(interpreter_.get(), j);
    }
    if (!found) return std::nullopt;
  }
  runner_.reset();
  return std::nullopt;
}

void InterpreterSession::FindInputs() {
  tensors_.clear();
  input_indices_.clear();
  inputs_.clear();
  const int count =
      runner_ == nullptr
          ? TfLiteInterpreterGetInputTensorCount(interpreter_.get())
          : static_cast<int>(TfLiteSignatureRunnerGetInputCount(runner_.get()));
  for (int i = 0; i < count; ++i) {
    const char* name = nullptr;
    TfLiteTensor* tensor = nullptr;
    if (runner_ == nullptr) {
      tensor = TfLiteInterpreterGetInputTensor(interpreter_.get(), i);
    } else {
      name = TfLiteSignatureRunnerGetInputName(runner_.get(), i);
      tensor = TfLiteSignatureRunnerGetInputTensor(runner_.get(), name);
    }
    // An input may be left out, or be a constant in read-only memory.
    if (tensor == nullptr || tensor->allocation_type == kTfLiteMmapRo) continue;
    tensors_.push_back(tensor);
    input_indices_.push_back(i);
    inputs_.push_back(Describe(tensor, name));
  }
}

TfLiteStatus InterpreterSession::Resize(size_t index,
                                        const std::vector<int>& shape) {
  const int size = static_cast<int>(shape.size());
  return runner_ == nullptr ? TfLiteInterpreterResizeInputTensor(
                                  interpreter_.get(), input_indices_[index],
                                  shape.data(), size)
                            : TfLiteSignatureRunnerResizeInputTensor(
                                  runner_.get(), inputs_[index].name.c_str(),
                                  shape.data(), size);
}

std::optional<Error> InterpreterSession::CheckAndResize(
    const std::vector<InputSpec>& specs, std::ostream& log) {
  const ErrorOr<std::vector<std::vector<int>>> shapes =
      InputShapes(model_, specs, inputs_, log);
  if (!shapes.ok()) return shapes.error();
  for (size_t i = 0; i < shapes->size(); ++i) {
    const TensorInfo& tensor = inputs_[i];
    if (tensor.type == kTfLiteString) continue;
    if (Resize(i, (*shapes)[i]) != kTfLiteOk) {
      return Error{"cannot resize input '" + tensor.name + "', " +
                   Description(tensor) +
                   ", as --input_layer_shape says: " + log_.Line()};
    }
  }
  return std::nullopt;
}

std::optional<Error> InterpreterSession::CreateInterpreter(
    const Options& options, const std::vector<InputSpec>& specs,
    std::ostream& log) {
  log_.Clear();
  runner_.reset();
  interpreter_.reset(
      TfLiteInterpreterCreate(model_.get(), interpreter_options_.get()));
  if (interpreter_ == nullptr) return CannotPrepare();
  if (auto error = ChooseSignature(options.signature_to_run_for)) return error;
  FindInputs();
  return CheckAndResize(specs, log);
}

bool InterpreterSession::ApplyXnnpack(const Options& options) {
  TfLiteXNNPackDelegateOptions xnnpack = TfLiteXNNPackDelegateOptionsDefault();
  // A pool of one thread would only cost.
  xnnpack.num_threads = options.num_threads > 1 ? options.num_threads : 0;
  if (options.xnnpack_force_fp16) {
    xnnpack.flags |= TFLITE_XNNPACK_DELEGATE_FLAG_FORCE_FP16;
  }
  if (!options.xnnpack_weight_cache_file_path.empty()) {
    xnnpack.experimental_weight_cache_file_path =
        options.xnnpack_weight_cache_file_path.c_str();
  }
  xnnpack_ = DelegatePtr(TfLiteXNNPackDelegateCreate(&xnnpack),
                         TfLiteXNNPackDelegateDelete);
  return xnnpack_ != nullptr && ModifyGraph(xnnpack_.get()) == kTfLiteOk;
}

std::optional<Error> InterpreterSession::ApplyExternal(const Options& options) {
  if (options.external_delegate_path.empty()) return std::nullopt;
  if (external_ == nullptr) {
    ErrorOr<DelegatePtr> delegate = LoadExternalDelegate(
        options.external_delegate_path, options.external_delegate_options);
    if (!delegate.ok()) return delegate.error();
    external_ = std::move(*delegate);
  }
  if (ModifyGraph(external_.get()) != kTfLiteOk) {
    return Error{"cannot apply the delegate of " +
                 options.external_delegate_path + " to " + model_.path() +
                 ": " + log_.Line()};
  }
  return std::nullopt;
}

std::optional<Error> InterpreterSession::ApplyDelegates(
    const Options& options, const std::vector<InputSpec>& specs,
    std::ostream& log) {
  // XNNPACK takes whatever it knows, so whoever wants something goes first.
  if (auto error = ApplyExternal(options)) return error;
  if (!options.use_xnnpack.value_or(true) || ApplyXnnpack(options)) {
    return std::nullopt;
  }
  if (options.use_xnnpack.has_value() || options.xnnpack_force_fp16) {
    return Error{"cannot apply the XNNPACK delegate to " + model_.path() +
                 ": " + log_.Line()};
  }
  if (auto error = CreateInterpreter(options, specs, log)) return error;
  xnnpack_.reset();
  return ApplyExternal(options);
}

// The public tool's line on a delegate that was asked for, and a short one.
void InterpreterSession::DescribeDelegation(const Options& options,
                                            std::ostream& log) {
  if (observer_->subgraphs().empty()) return;
  const Subgraph& graph = observer_->subgraphs().front();
  size_t kernels = 0;
  size_t replaced = 0;
  for (const int index : graph.plan) {
    const Node& node = graph.nodes[static_cast<size_t>(index)];
    if (node.delegate == nullptr) continue;
    ++kernels;
    replaced += node.replaced.size();
  }
  const size_t ops = graph.plan.size() - kernels + replaced;
  const bool external = external_ != nullptr;
  const std::string name = external ? "EXTERNAL" : "XNNPACK";
  delegation_ = (external && xnnpack_ != nullptr ? "delegates run "
                 : external                      ? "the external delegate runs "
                                                 : "XNNPACK runs ") +
                std::to_string(replaced) + " of " + std::to_string(ops) +
                " ops in " + std::to_string(kernels) +
                (kernels == 1 ? " partition" : " partitions");
  if (!external && !options.use_xnnpack.value_or(false)) return;
  log << "INFO: ";
  if (kernels == 0) {
    log << "Though " << name
        << " delegate is explicitly applied, the model graph will not be "
           "executed by the delegate.\n";
    return;
  }
  log << "Explicitly applied " << name
      << " delegate, and the model graph will be "
      << (graph.plan.size() == 1 ? "completely" : "partially")
      << " executed by the delegate";
  if (graph.plan.size() > 1) log << " w/ " << kernels << " delegate kernels";
  log << ".\n";
}

std::optional<Error> InterpreterSession::Observe(const Options& options,
                                                 std::ostream& log) {
  const bool needed = profiler_ != nullptr || options.print_preinvoke_state ||
                      options.print_postinvoke_state ||
                      options.require_full_delegation;
  const bool delegated = external_ != nullptr || xnnpack_ != nullptr;
  if (!needed && !delegated) return std::nullopt;
  observer_ = std::make_unique<GraphObserver>();
  if (!observer_->Observe(interpreter_.get())) {
    // A delegate may leave a graph that nobody may look into.
    if (!needed) return std::nullopt;
    return Error{"cannot look into " + model_.path() + ": " + log_.Line()};
  }
  if (delegated) DescribeDelegation(options, log);
  const flatbuffer::Vector subgraphs(flatbuffer::Root(model_.bytes().data()),
                                     flatbuffer::kModelSubgraphs);
  for (uint32_t i = 0; profiler_ != nullptr && i < subgraphs.size(); ++i) {
    std::string name =
        flatbuffer::Vector(subgraphs.Table(i), flatbuffer::kSubgraphName)
            .Bytes();
    // A graph without a name goes by its signature's.
    for (const Signature& signature : model_.Signatures()) {
      if (name.empty() && signature.graph == i) name = signature.key;
    }
    profiler_->SetSubgraphName(i, std::move(name));
  }
  for (size_t i = 0; i < observer_->subgraphs().size(); ++i) {
    const Subgraph& graph = observer_->subgraphs()[i];
    for (size_t j = 0; j < graph.nodes.size(); ++j) {
      std::string name = "[";
      for (const int output : graph.nodes[j].outputs) {
        const TfLiteTensor* tensor = graph.tensor(output);
        if (name.size() > 1) name += ", ";
        name += tensor == nullptr || tensor->name == nullptr ? "Unknown"
                                                             : tensor->name;
      }
      if (profiler_ == nullptr) continue;
      profiler_->SetNodeName(static_cast<int64_t>(i), static_cast<int64_t>(j),
                             name + "]");
    }
  }
  if (options.require_full_delegation) {
    const Subgraph& graph = observer_->subgraphs().front();
    if (graph.plan.size() != 1 ||
        graph.nodes[static_cast<size_t>(graph.plan.front())].delegate ==
            nullptr) {
      return Error{
          "--require_full_delegation is true, but the runtime's own "
          "kernels run a part of " +
          model_.path() + ": " + std::to_string(graph.plan.size()) +
          " nodes are left"};
    }
  }
  return std::nullopt;
}

std::optional<Error> InterpreterSession::Prepare(
    const Options& options, const std::vector<InputSpec>& specs,
    std::ostream& log) {
  if (auto error = CreateInterpreter(options, specs, log)) return error;
  // Only the allocation finds an unresolved op. Where there may be one, find it
  // before the delegate prepares its part of the graph.
  if (HasOpsOfOthers(model_)) {
    if (AllocateTensors() != kTfLiteOk) return CannotPrepare();
  }
  if (auto error = ApplyDelegates(options, specs, log)) return error;
  if (auto error = Observe(options, log)) return error;
  if (AllocateTensors() != kTfLiteOk) return CannotPrepare();
  // The delegates may have moved the tensors.
  FindInputs();
  for (const TfLiteTensor* tensor : tensors_) {
    if (const auto error = CheckMemory(tensor)) {
      return Error{"cannot run " + model_.path() + ": " + error->message};
    }
  }
  log_.Clear();
  return std::nullopt;
}

}  // namespace

ErrorOr<std::unique_ptr<Session>> CreateInterpreterSession(
    Model model, const Options& options, const std::vector<InputSpec>& inputs,
    std::ostream& log) {
  auto session =
      std::make_unique<InterpreterSession>(std::move(model), options);
  if (auto error = session->Prepare(options, inputs, log)) return *error;
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace tflite::custom::benchmark
