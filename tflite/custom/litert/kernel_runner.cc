#include "tflite/custom/litert/kernel_runner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/flatbuffer.h"
#include "tflite/custom/model/runtime_log.h"
#include "tflite/custom/model/single_node_model.h"
#include "tflite/custom/model/tensor_memory.h"
#include "tflite/custom/register.h"
#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

Error KernelRunner::Failed(const std::string& what) const {
  return Error{"cannot " + what + " the op '" + op_ + "': " + log_.Line()};
}

const KernelLibraries& LinkedKernels() {
  static const auto* const libraries = new KernelLibraries{
      {[](const char* name, int version) {
         return FindCustomOp(name, version) == nullptr ? 0 : 1;
       },
       [](void* options) {
         RegisterCustomOps(static_cast<TfLiteInterpreterOptions*>(options));
       }}};
  return *libraries;
}

bool HasKernel(const KernelLibraries& libraries, const std::string& op,
               int version) {
  return std::any_of(libraries.begin(), libraries.end(),
                     [&](const KernelLibrary& library) {
                       return library.has(op.c_str(), version) != 0;
                     });
}

ErrorOr<std::unique_ptr<KernelRunner>> KernelRunner::Create(
    const CustomNode& node, const KernelLibraries& libraries) {
  std::unique_ptr<KernelRunner> runner(new KernelRunner);
  runner->op_ = node.op;
  runner->bytes_ = SingleNodeModel(node);
  runner->model_.reset(TfLiteModelCreateWithErrorReporter(
      runner->bytes_.data(), runner->bytes_.size(), RuntimeLog::Report,
      &runner->log_));
  if (runner->model_ == nullptr) return runner->Failed("make a model of");
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsSetErrorReporter(options, RuntimeLog::Report,
                                           &runner->log_);
  for (const KernelLibrary& library : libraries) {
    library.register_with_options(options);
  }
  runner->interpreter_.reset(
      TfLiteInterpreterCreate(runner->model_.get(), options));
  TfLiteInterpreterOptionsDelete(options);
  if (runner->interpreter_ == nullptr) {
    return runner->Failed("make an interpreter for");
  }
  return runner;
}

std::optional<Error> KernelRunner::Prepare(const std::vector<Shape>& inputs) {
  TfLiteInterpreter* interpreter = interpreter_.get();
  log_.Clear();
  const int input_count = TfLiteInterpreterGetInputTensorCount(interpreter);
  if (static_cast<int>(inputs.size()) != input_count) {
    return Error{"the op '" + op_ + "' has " + std::to_string(input_count) +
                 " inputs here, and was given " +
                 std::to_string(inputs.size())};
  }
  for (int i = 0; i < input_count; ++i) {
    if (TfLiteInterpreterResizeInputTensor(
            interpreter, i, inputs[i].data(),
            static_cast<int>(inputs[i].size())) != kTfLiteOk) {
      return Failed("resize an input of");
    }
  }
  if (TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk) {
    return Failed("prepare");
  }
  return std::nullopt;
}

ErrorOr<std::vector<KernelRunner::Shape>> KernelRunner::OutputShapes(
    const std::vector<Shape>& inputs) {
  const std::optional<Error> error = Prepare(inputs);
  if (error) return *error;
  TfLiteInterpreter* interpreter = interpreter_.get();
  std::vector<Shape> shapes;
  const int output_count = TfLiteInterpreterGetOutputTensorCount(interpreter);
  for (int i = 0; i < output_count; ++i) {
    const TfLiteTensor* tensor =
        TfLiteInterpreterGetOutputTensor(interpreter, i);
    if (tensor->allocation_type == kTfLiteDynamic) {
      return Error{
          "the op '" + op_ +
          "' finds the shape of its output only when it runs, which a custom "
          "op of LiteRT's CompiledModel cannot: run this model in the "
          "interpreter of ai-edge-litert, of tf.lite or of the C library"};
    }
    Shape shape;
    for (int d = 0; d < TfLiteTensorNumDims(tensor); ++d) {
      shape.push_back(TfLiteTensorDim(tensor, d));
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Error KernelRunner::WrongSize(const char* role, size_t index, size_t size,
                              const TfLiteTensor* tensor) const {
  return Error{"the op '" + op_ + "' was given " + std::to_string(size) +
               " bytes for its " + role + " " + std::to_string(index) +
               ", which takes " + std::to_string(TfLiteTensorByteSize(tensor))};
}

std::optional<Error> KernelRunner::Invoke(const std::vector<Bytes>& inputs) {
  TfLiteInterpreter* interpreter = interpreter_.get();
  log_.Clear();
  const int input_count = TfLiteInterpreterGetInputTensorCount(interpreter);
  if (static_cast<int>(inputs.size()) != input_count) {
    return Error{"the op '" + op_ + "' was given " +
                 std::to_string(inputs.size()) + " inputs, and its node has " +
                 std::to_string(input_count)};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    TfLiteTensor* tensor =
        TfLiteInterpreterGetInputTensor(interpreter, static_cast<int>(i));
    if (auto error = CheckMemory(tensor)) return error;
    if (TfLiteTensorCopyFromBuffer(tensor, inputs[i].data, inputs[i].size) !=
        kTfLiteOk) {
      return WrongSize("input", i, inputs[i].size, tensor);
    }
  }
  if (TfLiteInterpreterInvoke(interpreter) != kTfLiteOk) return Failed("run");
  return std::nullopt;
}

std::vector<KernelRunner::Bytes> KernelRunner::Outputs() const {
  std::vector<Bytes> outputs;
  const int count = TfLiteInterpreterGetOutputTensorCount(interpreter_.get());
  for (int i = 0; i < count; ++i) {
    const TfLiteTensor* tensor =
        TfLiteInterpreterGetOutputTensor(interpreter_.get(), i);
    outputs.push_back({TfLiteTensorData(tensor), TfLiteTensorByteSize(tensor)});
  }
  return outputs;
}

std::optional<Error> KernelRunner::Run(const std::vector<Bytes>& inputs,
                                       const std::vector<Bytes>& outputs) {
  TfLiteInterpreter* interpreter = interpreter_.get();
  const int output_count = TfLiteInterpreterGetOutputTensorCount(interpreter);
  if (static_cast<int>(outputs.size()) != output_count) {
    return Error{"the op '" + op_ + "' was given " +
                 std::to_string(outputs.size()) +
                 " outputs, and its node has " + std::to_string(output_count)};
  }
  const std::optional<Error> error = Invoke(inputs);
  if (error) return error;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TfLiteTensor* tensor =
        TfLiteInterpreterGetOutputTensor(interpreter, static_cast<int>(i));
    if (auto memory_error = CheckMemory(tensor)) return memory_error;
    if (TfLiteTensorCopyToBuffer(tensor, outputs[i].data, outputs[i].size) !=
        kTfLiteOk) {
      return WrongSize("output", i, outputs[i].size, tensor);
    }
  }
  return std::nullopt;
}

}  // namespace tflite::custom
