#ifndef TFLITE_CUSTOM_LITERT_COMPILED_MODEL_H_
#define TFLITE_CUSTOM_LITERT_COMPILED_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tflite/custom/litert/kernel_runner.h"
#include "tflite/custom/litert/kernels.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "third_party/litert/c/litert_common.h"
#include "third_party/litert/c/litert_compiled_model.h"
#include "third_party/litert/c/litert_environment.h"
#include "third_party/litert/c/litert_model.h"
#include "third_party/litert/c/litert_tensor_buffer.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

// A model in LiteRT's CompiledModel on the CPU, with custom ops and a buffer
// for each input and output of its signatures; a model without any has one over
// its first graph. Not for use by several threads.
class CompiledModel {
 public:
  struct TensorInfo {
    std::string name;
    TfLiteType type;
    std::vector<int> shape;
    size_t bytes;
  };

  // Loads a file.
  static ErrorOr<std::unique_ptr<CompiledModel>> Create(const std::string& path,
                                                        int num_threads = 1);
  // Copies `model`, the contents of a .tflite file; `name` is what errors call
  // it.
  static ErrorOr<std::unique_ptr<CompiledModel>> CreateFromBytes(
      std::string_view model, const std::string& name, int num_threads = 1,
      const KernelLibraries& libraries = LinkedKernels());
  static ErrorOr<std::unique_ptr<CompiledModel>> CreateFromModel(
      const Model& model, int num_threads = 1,
      const KernelLibraries& libraries = LinkedKernels());

  CompiledModel(const CompiledModel&) = delete;
  CompiledModel& operator=(const CompiledModel&) = delete;

  // What the functions below are about, by its place in the model; the first
  // without this. Signatures share the model's variables.
  std::optional<Error> SelectSignature(int signature);

  int input_count() const { return static_cast<int>(inputs().size()); }
  int output_count() const { return static_cast<int>(outputs().size()); }
  const TensorInfo& input(int index) const { return inputs()[index].info; }
  const TensorInfo& output(int index) const { return outputs()[index].info; }

  // Gives inputs other shapes, one for each input; all inputs lose their
  // values. After an error the model is of no further use.
  std::optional<Error> Resize(const std::vector<std::vector<int>>& shapes);

  // Both want exactly the bytes of the tensor.
  std::optional<Error> WriteInput(int index, const void* data, size_t size);
  std::optional<Error> ReadOutput(int index, void* data, size_t size) const;

  std::optional<Error> Run();

 private:
  struct Delete {
    void operator()(LiteRtEnvironment e) const { LiteRtDestroyEnvironment(e); }
    void operator()(LiteRtModel m) const { LiteRtDestroyModel(m); }
    void operator()(LiteRtCompiledModel m) const {
      LiteRtDestroyCompiledModel(m);
    }
    void operator()(LiteRtTensorBuffer b) const {
      LiteRtDestroyTensorBuffer(b);
    }
  };
  template <typename Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Delete>;

  struct Tensor {
    TensorInfo info;
    Owned<LiteRtTensorBuffer> buffer;
    int32_t index = -1;  // In the graph.
  };

  struct SignatureTensors {
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    std::vector<LiteRtTensorBuffer> input_buffers;
    std::vector<LiteRtTensorBuffer> output_buffers;
    std::string uncertain;  // See OutputCheck.
  };

  // Where LiteRT writes what goes wrong, as its options have it.
  enum class Reports { kToStderr = 1, kKept = 2 };

  CompiledModel() = default;

  SignatureTensors& tensors() { return signatures_.at(signature_); }
  const std::vector<Tensor>& inputs() const {
    return signatures_.at(signature_).inputs;
  }
  const std::vector<Tensor>& outputs() const {
    return signatures_.at(signature_).outputs;
  }
  static ErrorOr<std::unique_ptr<CompiledModel>> Compile(
      const Model& verified, int num_threads, const KernelLibraries& libraries,
      Reports reports, LiteRtStatus* create_status);
  std::optional<Error> KeepOriginal(const Model& verified);

  Error Failed(const std::string& what, LiteRtStatus status) const;
  std::optional<Error> Describe();
  void FindIndices();
  std::optional<Error> CheckOutputs(
      const std::vector<std::vector<int>>& input_shapes);
  // Fails if a run gave an output another shape than its buffer has.
  std::optional<Error> CheckShapes() const;
  std::optional<Error> Write(const Tensor& tensor, const void* data,
                             size_t size);
  std::optional<Error> Copy(const Tensor& from, const Tensor& to);
  std::optional<Error> Allocate();
  std::optional<Error> MakeBuffer(const LiteRtLayout& layout, Tensor* tensor);

  // In the order in which the one needs the other: destroyed from the end.
  std::string name_;
  Owned<LiteRtEnvironment> environment_;
  KernelLibraries libraries_;
  std::unique_ptr<LiteRtKernels> kernels_;
  // The model as it was given: a copy where that of kernels_ is another.
  std::string bytes_;
  std::optional<Model> original_;
  Owned<LiteRtModel> model_;
  Owned<LiteRtCompiledModel> compiled_;
  // Those that were selected.
  std::map<int, SignatureTensors> signatures_;
  int signature_ = 0;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_LITERT_COMPILED_MODEL_H_
