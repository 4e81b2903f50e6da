#include "tflite/custom/litert/compiled_model.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tflite/custom/litert/kernels.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "third_party/litert/c/litert_common.h"
#include "third_party/litert/c/litert_compiled_model.h"
#include "third_party/litert/c/litert_environment.h"
#include "third_party/litert/c/litert_layout.h"
#include "third_party/litert/c/litert_model.h"
#include "third_party/litert/c/litert_model_types.h"
#include "third_party/litert/c/litert_options.h"
#include "third_party/litert/c/litert_tensor_buffer.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

namespace {

size_t SizeOfType(LiteRtElementType type) {
  switch (type) {
    case kLiteRtElementTypeBool:
    case kLiteRtElementTypeInt8:
    case kLiteRtElementTypeUInt8:
      return 1;
    case kLiteRtElementTypeFloat16:
    case kLiteRtElementTypeBFloat16:
    case kLiteRtElementTypeInt16:
    case kLiteRtElementTypeUInt16:
      return 2;
    case kLiteRtElementTypeFloat32:
    case kLiteRtElementTypeInt32:
    case kLiteRtElementTypeUInt32:
      return 4;
    case kLiteRtElementTypeFloat64:
    case kLiteRtElementTypeComplex64:
    case kLiteRtElementTypeInt64:
    case kLiteRtElementTypeUInt64:
      return 8;
    case kLiteRtElementTypeComplex128:
      return 16;
    default:
      return 0;
  }
}

struct DeleteOptions {
  void operator()(LiteRtOptions options) const {
    LiteRtDestroyOptions(options);
  }
};
using OwnedOptions =
    std::unique_ptr<std::remove_pointer_t<LiteRtOptions>, DeleteOptions>;

bool SetNumThreads(LiteRtOptions options, int num_threads) {
  const std::string toml = "num_threads = " + std::to_string(num_threads);
  char* payload = strdup(toml.c_str());
  LiteRtOpaqueOptions cpu = nullptr;
  if (LiteRtCreateOpaqueOptions("xnnpack", payload, std::free, &cpu) !=
      kLiteRtStatusOk) {
    std::free(payload);
    return false;
  }
  if (LiteRtAddOpaqueOptions(options, cpu) != kLiteRtStatusOk) {
    LiteRtDestroyOpaqueOptions(cpu);
    return false;
  }
  return true;
}

std::string Named(const CompiledModel::TensorInfo& info) {
  return "'" + info.name + "'";
}

}  // namespace

Error CompiledModel::Failed(const std::string& what, LiteRtStatus status) {
  std::string message = "cannot " + what + " " + name_ + " in LiteRT: ";
  const std::optional<Error> cause =
      kernels_ == nullptr ? std::nullopt : kernels_->TakeError();
  return Error{message +
               (cause ? cause->message : "status " + std::to_string(status))};
}

ErrorOr<std::unique_ptr<CompiledModel>> CompiledModel::Create(
    const std::string& path, int num_threads) {
  const ErrorOr<Model> model = Model::Load(path);
  if (!model.ok()) return model.error();
  return CreateFromModel(*model, num_threads);
}

ErrorOr<std::unique_ptr<CompiledModel>> CompiledModel::CreateFromBytes(
    std::string_view bytes, const std::string& name, int num_threads,
    const KernelLibraries& libraries) {
  const ErrorOr<Model> model = Model::FromBytes(bytes, name);
  if (!model.ok()) return model.error();
  return CreateFromModel(*model, num_threads, libraries);
}

ErrorOr<std::unique_ptr<CompiledModel>> CompiledModel::CreateFromModel(
    const Model& verified, int num_threads, const KernelLibraries& libraries) {
  const std::string& name = verified.path();
  std::unique_ptr<CompiledModel> model(new CompiledModel);
  model->name_ = name;
  LiteRtEnvironment environment = nullptr;
  LiteRtStatus status = LiteRtCreateEnvironment(0, nullptr, &environment);
  if (status != kLiteRtStatusOk) {
    return model->Failed("make an environment for", status);
  }
  model->environment_.reset(environment);

  LiteRtOptions new_options = nullptr;
  status = LiteRtCreateOptions(&new_options);
  if (status != kLiteRtStatusOk) {
    return model->Failed("make options for", status);
  }
  const OwnedOptions options(new_options);
  status = LiteRtSetOptionsHardwareAccelerators(options.get(),
                                                kLiteRtHwAcceleratorCpu);
  if (status != kLiteRtStatusOk || !SetNumThreads(options.get(), num_threads)) {
    return model->Failed("set the options of", status);
  }
  ErrorOr<std::unique_ptr<LiteRtKernels>> kernels =
      LiteRtKernels::Add(verified.bytes(), options.get(), libraries);
  if (!kernels.ok()) {
    return Error{"cannot load " + name +
                 " in LiteRT: " + kernels.error().message};
  }
  model->kernels_ = std::move(*kernels);

  LiteRtModel loaded = nullptr;
  const std::string& rewritten = model->kernels_->model();
  status = LiteRtCreateModelFromBuffer(environment, rewritten.data(),
                                       rewritten.size(), &loaded);
  if (status != kLiteRtStatusOk) return model->Failed("load", status);
  model->model_.reset(loaded);
  LiteRtCompiledModel compiled = nullptr;
  status =
      LiteRtCreateCompiledModel(environment, loaded, options.get(), &compiled);
  if (status != kLiteRtStatusOk) return model->Failed("prepare", status);
  model->compiled_.reset(compiled);
  if (auto error = model->SelectSignature(0)) return *error;
  return model;
}

std::optional<Error> CompiledModel::SelectSignature(int signature) {
  const int before = std::exchange(signature_, signature);
  if (signatures_.count(signature) > 0) return std::nullopt;
  std::optional<Error> error = Describe();
  if (!error) error = Allocate();
  if (error) {
    signatures_.erase(signature);
    signature_ = before;
  }
  return error;
}

std::optional<Error> CompiledModel::Describe() {
  SignatureTensors& described = signatures_[signature_];
  LiteRtSignature signature = nullptr;
  LiteRtStatus status =
      LiteRtGetModelSignature(model_.get(), signature_, &signature);
  LiteRtParamIndex inputs = 0, outputs = 0;
  if (status == kLiteRtStatusOk) {
    status = LiteRtGetNumSignatureInputs(signature, &inputs);
  }
  if (status == kLiteRtStatusOk) {
    status = LiteRtGetNumSignatureOutputs(signature, &outputs);
  }
  if (status != kLiteRtStatusOk) return Failed("read the signature of", status);
  const auto describe = [&](LiteRtStatus name_status, const char* name,
                            LiteRtStatus tensor_status, LiteRtTensor tensor,
                            std::vector<Tensor>* tensors) {
    if (name_status != kLiteRtStatusOk) return name_status;
    if (tensor_status != kLiteRtStatusOk) return tensor_status;
    LiteRtRankedTensorType type;
    const LiteRtStatus type_status = LiteRtGetRankedTensorType(tensor, &type);
    if (type_status != kLiteRtStatusOk) return type_status;
    tensors->emplace_back();
    tensors->back().info.name = name;
    tensors->back().info.type = static_cast<TfLiteType>(type.element_type);
    return kLiteRtStatusOk;
  };
  const char* name = nullptr;
  LiteRtTensor tensor = nullptr;
  for (LiteRtParamIndex i = 0; i < inputs && status == kLiteRtStatusOk; ++i) {
    const LiteRtStatus named = LiteRtGetSignatureInputName(signature, i, &name);
    status =
        describe(named, name,
                 LiteRtGetSignatureInputTensorByIndex(signature, i, &tensor),
                 tensor, &described.inputs);
  }
  for (LiteRtParamIndex i = 0; i < outputs && status == kLiteRtStatusOk; ++i) {
    const LiteRtStatus named =
        LiteRtGetSignatureOutputName(signature, i, &name);
    status =
        describe(named, name,
                 LiteRtGetSignatureOutputTensorByIndex(signature, i, &tensor),
                 tensor, &described.outputs);
  }
  if (status != kLiteRtStatusOk) return Failed("read the tensors of", status);
  return std::nullopt;
}

std::optional<Error> CompiledModel::MakeBuffer(const LiteRtLayout& layout,
                                               Tensor* tensor) {
  LiteRtRankedTensorType type;
  type.element_type = static_cast<LiteRtElementType>(tensor->info.type);
  type.layout = layout;
  const size_t size = SizeOfType(type.element_type);
  if (size == 0) {
    return Error{"cannot run " + name_ + " in LiteRT: its tensor " +
                 Named(tensor->info) + " is of type " +
                 TfLiteTypeGetName(tensor->info.type) + ", not a plain number"};
  }
  tensor->info.shape.assign(layout.dimensions, layout.dimensions + layout.rank);
  tensor->info.bytes = size;
  for (const int dimension : tensor->info.shape) {
    if (dimension < 0 || __builtin_mul_overflow(tensor->info.bytes, dimension,
                                                &tensor->info.bytes)) {
      return Error{"cannot run " + name_ + " in LiteRT: its tensor " +
                   Named(tensor->info) + " has a dimension of " +
                   std::to_string(dimension)};
    }
  }
  if (tensor->info.bytes == 0) {
    return Error{"cannot run " + name_ + " in LiteRT: its tensor " +
                 Named(tensor->info) +
                 " has no elements, and LiteRT makes no empty buffer"};
  }
  LiteRtTensorBuffer buffer = nullptr;
  const LiteRtStatus status = LiteRtCreateManagedTensorBuffer(
      environment_.get(), kLiteRtTensorBufferTypeHostMemory, &type,
      tensor->info.bytes, &buffer);
  if (status != kLiteRtStatusOk) {
    return Failed("make a buffer for the tensor " + Named(tensor->info) + " of",
                  status);
  }
  tensor->buffer.reset(buffer);
  return std::nullopt;
}

std::optional<Error> CompiledModel::Allocate() {
  auto& [inputs, outputs, input_buffers, output_buffers] = tensors();
  std::vector<LiteRtLayout> layouts(outputs.size());
  LiteRtStatus status = LiteRtGetCompiledModelOutputTensorLayouts(
      compiled_.get(), signature_, layouts.size(), layouts.data(),
      /*update_allocation=*/true);
  if (status != kLiteRtStatusOk) return Failed("prepare", status);
  input_buffers.clear();
  output_buffers.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    LiteRtLayout layout;
    status = LiteRtGetCompiledModelInputTensorLayout(compiled_.get(),
                                                     signature_, i, &layout);
    if (status != kLiteRtStatusOk) return Failed("prepare", status);
    if (auto error = MakeBuffer(layout, &inputs[i])) return error;
    input_buffers.push_back(inputs[i].buffer.get());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (auto error = MakeBuffer(layouts[i], &outputs[i])) return error;
    output_buffers.push_back(outputs[i].buffer.get());
  }
  return std::nullopt;
}

std::optional<Error> CompiledModel::Resize(
    const std::vector<std::vector<int>>& shapes) {
  if (shapes.size() != inputs().size()) {
    return Error{name_ + " has " + std::to_string(inputs().size()) +
                 " inputs, but " + std::to_string(shapes.size()) +
                 " shapes were given"};
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i] == inputs()[i].info.shape) continue;
    const LiteRtStatus status = LiteRtCompiledModelResizeInputTensorNonStrict(
        compiled_.get(), signature_, i, shapes[i].data(), shapes[i].size());
    if (status != kLiteRtStatusOk) {
      return Failed("resize the input " + Named(inputs()[i].info) + " of",
                    status);
    }
  }
  return Allocate();
}

std::optional<Error> CompiledModel::WriteInput(int index, const void* data,
                                               size_t size) {
  const Tensor& tensor = inputs()[index];
  if (size != tensor.info.bytes) {
    return Error{"the input " + Named(tensor.info) + " of " + name_ +
                 " takes " + std::to_string(tensor.info.bytes) +
                 " bytes, not " + std::to_string(size)};
  }
  void* memory = nullptr;
  const LiteRtStatus status = LiteRtLockTensorBuffer(
      tensor.buffer.get(), &memory, kLiteRtTensorBufferLockModeWrite);
  if (status != kLiteRtStatusOk) {
    return Failed("write the input " + Named(tensor.info) + " of", status);
  }
  if (size > 0) std::memcpy(memory, data, size);
  LiteRtUnlockTensorBuffer(tensor.buffer.get());
  return std::nullopt;
}

std::optional<Error> CompiledModel::ReadOutput(int index, void* data,
                                               size_t size) const {
  const Tensor& tensor = outputs()[index];
  if (size != tensor.info.bytes) {
    return Error{"the output " + Named(tensor.info) + " of " + name_ +
                 " takes " + std::to_string(tensor.info.bytes) +
                 " bytes, not " + std::to_string(size)};
  }
  void* memory = nullptr;
  const LiteRtStatus status = LiteRtLockTensorBuffer(
      tensor.buffer.get(), &memory, kLiteRtTensorBufferLockModeRead);
  if (status != kLiteRtStatusOk) {
    return Error{"cannot read the output " + Named(tensor.info) + " of " +
                 name_ + ": status " + std::to_string(status)};
  }
  if (size > 0) std::memcpy(data, memory, size);
  LiteRtUnlockTensorBuffer(tensor.buffer.get());
  return std::nullopt;
}

std::optional<Error> CompiledModel::Run() {
  const LiteRtStatus status = LiteRtRunCompiledModel(
      compiled_.get(), signature_, tensors().input_buffers.size(),
      tensors().input_buffers.data(), tensors().output_buffers.size(),
      tensors().output_buffers.data());
  if (status != kLiteRtStatusOk) return Failed("run", status);
  if (const std::optional<Error> error = kernels_->TakeError()) {
    return Error{"cannot run " + name_ + " in LiteRT: " + error->message};
  }
  return std::nullopt;
}

}  // namespace tflite::custom
