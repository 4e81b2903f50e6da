#ifndef TFLITE_CUSTOM_LITERT_COMPILED_MODEL_H_
#define TFLITE_CUSTOM_LITERT_COMPILED_MODEL_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

// A model in LiteRT's CompiledModel on the CPU, with the kernels of register.cc
// and a buffer for each input and output of its first signature. Not for use by
// several threads.
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
      std::string_view model, const std::string& name, int num_threads = 1);
  static ErrorOr<std::unique_ptr<CompiledModel>> CreateFromModel(
      const Model& model, int num_threads = 1);

  CompiledModel(const CompiledModel&) = delete;
  CompiledModel& operator=(const CompiledModel&) = delete;

  int input_count() const { return static_cast<int>(inputs_.size()); }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  const TensorInfo& input(int index) const { return inputs_[index].info; }
  const TensorInfo& output(int index) const { return outputs_[index].info; }

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
  };

  CompiledModel() = default;

  Error Failed(const std::string& what, LiteRtStatus status);
  std::optional<Error> Describe();
  std::optional<Error> Allocate();
  std::optional<Error> MakeBuffer(const LiteRtLayout& layout, Tensor* tensor);

  // In the order in which the one needs the other: destroyed from the end.
  std::string name_;
  Owned<LiteRtEnvironment> environment_;
  std::unique_ptr<LiteRtKernels> kernels_;
  Owned<LiteRtModel> model_;
  Owned<LiteRtCompiledModel> compiled_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::vector<LiteRtTensorBuffer> input_buffers_;
  std::vector<LiteRtTensorBuffer> output_buffers_;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_LITERT_COMPILED_MODEL_H_
