#include "tflite/custom/benchmark/litert_session.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/input_shapes.h"
#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/benchmark/op_profiler.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/benchmark/signatures.h"
#include "tflite/custom/litert/compiled_model.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/tensor_info.h"

namespace tflite::custom::benchmark {
namespace {

// An input or output: what the interpreter calls it, and LiteRT's index.
struct Bound {
  std::string name;
  int index;
};

// LiteRT has the order and the names of the signature, the interpreter those of
// the first graph where the signature is of that one.
std::vector<Bound> Bind(const std::vector<std::string>& names,
                        const std::vector<Signature::Tensor>& tensors,
                        bool of_first_graph) {
  // std::stable_sort would do as well, but Clang warns of the libstdc++ under
  // it.
  std::multimap<size_t, Bound> bound;
  for (size_t i = 0; i < names.size(); ++i) {
    size_t position = i;
    Bound each{names[i], static_cast<int>(i)};
    for (const Signature::Tensor& tensor : tensors) {
      if (!of_first_graph || tensor.name != names[i]) continue;
      position = tensor.position;
      each.name = tensor.tensor_name;
    }
    bound.emplace(position, std::move(each));
  }
  std::vector<Bound> result;
  for (auto& [position, each] : bound) result.push_back(std::move(each));
  return result;
}

class LitertSession : public Session {
 public:
  explicit LitertSession(Model model) : model_(std::move(model)) {}

  std::optional<Error> Prepare(const Options& options,
                               const std::vector<InputSpec>& specs,
                               std::ostream& log);

  const Model& model() const override { return model_; }
  const std::vector<TensorInfo>& inputs() const override { return inputs_; }

  std::vector<TensorInfo> outputs() const override {
    std::vector<TensorInfo> result;
    for (const Bound& output : bound_outputs_) {
      result.push_back(Describe(compiled_->output(output.index), output.name));
    }
    return result;
  }

  void SetInput(size_t index, const char* bytes, size_t size) override {
    auto error = compiled_->WriteInput(bound_inputs_[index].index, bytes, size);
    // Reported by the run that would use it.
    if (error) input_error_ = std::move(error);
  }

  // A model with an input of strings was refused.
  bool SetStrings(size_t, const std::vector<std::string>&) override {
    return false;
  }

  bool Invoke() override {
    error_ = input_error_ ? input_error_ : compiled_->Run();
    return !error_;
  }

  std::string InvokeError() const override {
    return error_ ? error_->message : "";
  }

  ErrorOr<std::string> OutputBytes(size_t index) const override {
    const int output = bound_outputs_[index].index;
    std::string bytes(compiled_->output(output).bytes, '\0');
    auto error = compiled_->ReadOutput(output, bytes.data(), bytes.size());
    if (error) return *std::move(error);
    return bytes;
  }

  // options.cc refuses the flags that ask for either of these.
  OpProfiler* profiler() override { return nullptr; }
  std::string delegation() const override { return ""; }
  void PrintState(const Options&, std::ostream&) const override {}

 private:
  static TensorInfo Describe(const CompiledModel::TensorInfo& tensor,
                             const std::string& name) {
    return {name, tensor.type, tensor.shape, tensor.bytes};
  }
  void DescribeInputs();

  Model model_;
  std::unique_ptr<CompiledModel> compiled_;
  std::vector<Bound> bound_inputs_;
  std::vector<Bound> bound_outputs_;
  std::vector<TensorInfo> inputs_;
  std::optional<Error> input_error_;
  std::optional<Error> error_;
};

void LitertSession::DescribeInputs() {
  inputs_.clear();
  for (const Bound& input : bound_inputs_) {
    inputs_.push_back(Describe(compiled_->input(input.index), input.name));
  }
}

std::optional<Error> LitertSession::Prepare(const Options& options,
                                            const std::vector<InputSpec>& specs,
                                            std::ostream& log) {
  const ErrorOr<std::optional<size_t>> chosen =
      ChooseSignature(model_, options.signature_to_run_for);
  if (!chosen.ok()) return chosen.error();
  Signature signature{};
  if (chosen->has_value()) {
    const std::vector<Signature> signatures = model_.Signatures();
    if (**chosen != 0) {
      return Error{"--signature_to_run_for is '" +
                   options.signature_to_run_for +
                   "', but --runtime=litert runs only the first signature of " +
                   model_.path() + ", '" + signatures.front().key + "'"};
    }
    signature = signatures.front();
  }
  ErrorOr<std::unique_ptr<CompiledModel>> compiled =
      CompiledModel::CreateFromModel(model_, std::max(1, options.num_threads));
  if (!compiled.ok()) return compiled.error();
  compiled_ = std::move(*compiled);

  std::vector<std::string> names;
  for (int i = 0; i < compiled_->input_count(); ++i) {
    names.push_back(compiled_->input(i).name);
  }
  bound_inputs_ = Bind(names, signature.inputs, signature.graph == 0);
  names.clear();
  for (int i = 0; i < compiled_->output_count(); ++i) {
    names.push_back(compiled_->output(i).name);
  }
  bound_outputs_ = Bind(names, signature.outputs, signature.graph == 0);
  DescribeInputs();

  const ErrorOr<std::vector<std::vector<int>>> shapes =
      InputShapes(model_, specs, inputs_, log);
  if (!shapes.ok()) return shapes.error();
  if (shapes->empty()) return std::nullopt;
  std::vector<std::vector<int>> in_order(shapes->size());
  for (size_t i = 0; i < shapes->size(); ++i) {
    in_order[static_cast<size_t>(bound_inputs_[i].index)] = (*shapes)[i];
  }
  if (auto error = compiled_->Resize(in_order)) return error;
  DescribeInputs();
  return std::nullopt;
}

}  // namespace

ErrorOr<std::unique_ptr<Session>> CreateLitertSession(
    Model model, const Options& options, const std::vector<InputSpec>& inputs,
    std::ostream& log) {
  auto session = std::make_unique<LitertSession>(std::move(model));
  if (auto error = session->Prepare(options, inputs, log)) return *error;
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace tflite::custom::benchmark
