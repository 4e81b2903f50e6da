#include "tflite/custom/litert/compiled_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tflite/custom/litert/kernels.h"
#include "tflite/custom/litert/output_check.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/runtime_log.h"
#include "tflite/custom/model/stderr_capture.h"
#include "tflite/custom/unresolved_op.h"
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

bool AddOption(LiteRtOptions options, const char* part, const char* name,
               int value) {
  char* payload =
      strdup((std::string(name) + " = " + std::to_string(value)).c_str());
  LiteRtOpaqueOptions opaque = nullptr;
  if (LiteRtCreateOpaqueOptions(part, payload, std::free, &opaque) !=
      kLiteRtStatusOk) {
    std::free(payload);
    return false;
  }
  if (LiteRtAddOpaqueOptions(options, opaque) != kLiteRtStatusOk) {
    LiteRtDestroyOpaqueOptions(opaque);
    return false;
  }
  return true;
}

std::string Named(const CompiledModel::TensorInfo& info) {
  return "'" + info.name + "'";
}

}  // namespace

Error CompiledModel::Failed(const std::string& what,
                            LiteRtStatus status) const {
  std::string why = "status " + std::to_string(status);
  char* kept = nullptr;
  if (compiled_ != nullptr && LiteRtCompiledModelGetErrorMessages(
                                  compiled_.get(), &kept) == kLiteRtStatusOk) {
    if (*kept != '\0') why = InOneLine(kept);
    std::free(kept);
    LiteRtCompiledModelClearErrors(compiled_.get());
  }
  if (kernels_ != nullptr) {
    if (const auto cause = kernels_->TakeError()) why = cause->message;
  }
  return Error{"cannot " + what + " " + name_ + " in LiteRT: " + why};
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
  LiteRtStatus status = kLiteRtStatusOk;
  ErrorOr<std::unique_ptr<CompiledModel>> model =
      Compile(verified, num_threads, libraries, Reports::kKept, &status);
  if (status == kLiteRtStatusOk) return model;
  // What LiteRT kept is gone with the model that it could not make.
  StderrCapture capture;
  model =
      Compile(verified, num_threads, libraries, Reports::kToStderr, &status);
  std::istringstream lines(capture.Take());
  std::string reported;
  constexpr std::string_view kMark = "ERROR: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(kMark, 0) == 0) {
      reported += line.substr(kMark.size()) + "\n";
    }
  }
  if (status == kLiteRtStatusOk || reported.empty()) return model;
  if (auto error = UnresolvedOp(verified, reported)) return *error;
  return Error{"cannot prepare " + verified.path() +
               " in LiteRT: " + InOneLine(reported)};
}

ErrorOr<std::unique_ptr<CompiledModel>> CompiledModel::Compile(
    const Model& verified, int num_threads, const KernelLibraries& libraries,
    Reports reports, LiteRtStatus* create_status) {
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
  if (status != kLiteRtStatusOk ||
      !AddOption(options.get(), "xnnpack", "num_threads", num_threads) ||
      !AddOption(options.get(), "runtime_options_string", "error_reporter_mode",
                 static_cast<int>(reports))) {
    return model->Failed("set the options of", status);
  }
  ErrorOr<std::unique_ptr<LiteRtKernels>> kernels =
      LiteRtKernels::Add(verified.bytes(), options.get(), libraries);
  if (!kernels.ok()) {
    return Error{"cannot load " + name +
                 " in LiteRT: " + kernels.error().message};
  }
  model->libraries_ = libraries;
  model->kernels_ = std::move(*kernels);
  if (auto error = model->KeepOriginal(verified)) return *error;

  LiteRtModel loaded = nullptr;
  const std::string& rewritten = model->kernels_->model();
  status = LiteRtCreateModelFromBuffer(environment, rewritten.data(),
                                       rewritten.size(), &loaded);
  if (status != kLiteRtStatusOk) return model->Failed("load", status);
  model->model_.reset(loaded);
  LiteRtCompiledModel compiled = nullptr;
  status =
      LiteRtCreateCompiledModel(environment, loaded, options.get(), &compiled);
  *create_status = status;
  if (status != kLiteRtStatusOk) return model->Failed("prepare", status);
  model->compiled_.reset(compiled);
  if (auto error = model->SelectSignature(0)) return *error;
  return model;
}

std::optional<Error> CompiledModel::KeepOriginal(const Model& verified) {
  std::string_view bytes = kernels_->model();
  if (bytes != verified.bytes()) bytes = bytes_ = verified.bytes();
  ErrorOr<Model> original = Model::FromBytes(bytes, name_);
  if (!original.ok()) return original.error();
  original_ = std::move(*original);
  return std::nullopt;
}

std::optional<Error> CompiledModel::SelectSignature(int signature) {
  const int before = std::exchange(signature_, signature);
  if (signatures_.count(signature) > 0) return std::nullopt;
  std::optional<Error> error = Describe();
  if (!error) {
    FindIndices();
    error = CheckOutputs({});
  }
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

void CompiledModel::FindIndices() {
  const std::vector<Signature> signatures = original_->Signatures();
  const auto find = [&](const std::vector<Signature::Tensor>& of_signature,
                        const std::vector<int32_t>& of_graph,
                        std::vector<Tensor>* tensors) {
    for (size_t i = 0; i < tensors->size(); ++i) {
      Tensor& tensor = (*tensors)[i];
      if (signatures.empty()) {
        if (i < of_graph.size()) tensor.index = of_graph[i];
        continue;
      }
      for (const Signature::Tensor& each : of_signature) {
        if (each.name == tensor.info.name) tensor.index = each.index;
      }
    }
  };
  const auto place = static_cast<size_t>(signature_);
  const Signature signature =
      place < signatures.size() ? signatures[place] : Signature{};
  find(signature.inputs, original_->GraphInputs(), &tensors().inputs);
  find(signature.outputs, original_->GraphOutputs(), &tensors().outputs);
}

std::optional<Error> CompiledModel::CheckOutputs(
    const std::vector<std::vector<int>>& input_shapes) {
  std::vector<InputShape> shapes;
  for (size_t i = 0; i < input_shapes.size(); ++i) {
    shapes.push_back({inputs()[i].info.name, input_shapes[i]});
  }
  OutputCheck check = custom::CheckOutputs(
      *original_, static_cast<size_t>(signature_), shapes, libraries_);
  tensors().uncertain = std::move(check.uncertain);
  if (!check.error) return std::nullopt;
  return Error{"cannot run " + name_ + " in LiteRT: " + check.error->message};
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
  auto& [inputs, outputs, input_buffers, output_buffers, uncertain] = tensors();
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
  // A branch or a loop makes its outputs dynamic if shapes in it differ.
  if (auto error = CheckOutputs(shapes)) return error;
  return Allocate();
}

std::optional<Error> CompiledModel::WriteInput(int index, const void* data,
                                               size_t size) {
  const Tensor& tensor = inputs()[index];
  if (size == tensor.info.bytes) return Write(tensor, data, size);
  return Error{"the input " + Named(tensor.info) + " of " + name_ + " takes " +
               std::to_string(tensor.info.bytes) + " bytes, not " +
               std::to_string(size)};
}

std::optional<Error> CompiledModel::Write(const Tensor& tensor,
                                          const void* data, size_t size) {
  void* memory = nullptr;
  const LiteRtStatus status = LiteRtLockTensorBuffer(
      tensor.buffer.get(), &memory, kLiteRtTensorBufferLockModeWrite);
  if (status != kLiteRtStatusOk) {
    return Failed("write the tensor " + Named(tensor.info) + " of", status);
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

std::optional<Error> CompiledModel::Copy(const Tensor& from, const Tensor& to) {
  std::string bytes(from.info.bytes, '\0');
  void* data = nullptr;
  const LiteRtStatus status = LiteRtLockTensorBuffer(
      from.buffer.get(), &data, kLiteRtTensorBufferLockModeRead);
  if (status != kLiteRtStatusOk) {
    return Failed("read the tensor " + Named(from.info) + " of", status);
  }
  std::memcpy(bytes.data(), data, bytes.size());
  LiteRtUnlockTensorBuffer(from.buffer.get());
  return Write(to, bytes.data(), bytes.size());
}

std::optional<Error> CompiledModel::CheckShapes() const {
  std::vector<LiteRtLayout> layouts(outputs().size());
  const LiteRtStatus status = LiteRtGetCompiledModelOutputTensorLayouts(
      compiled_.get(), signature_, layouts.size(), layouts.data(),
      /*update_allocation=*/false);
  if (status != kLiteRtStatusOk) return Failed("read the shapes of", status);
  for (size_t i = 0; i < layouts.size(); ++i) {
    const std::vector<int>& shape = outputs()[i].info.shape;
    if (!std::equal(shape.begin(), shape.end(), layouts[i].dimensions,
                    layouts[i].dimensions + layouts[i].rank)) {
      return Error{"cannot run " + name_ +
                   " in LiteRT: " + signatures_.at(signature_).uncertain};
    }
  }
  return std::nullopt;
}

std::optional<Error> CompiledModel::Run() {
  // If a tensor has two buffers, LiteRT gives it the last.
  for (const Tensor& output : outputs()) {
    for (const Tensor& input : inputs()) {
      if (output.index < 0 || output.index != input.index) continue;
      if (auto error = Copy(input, output)) return error;
    }
  }
  const std::string& uncertain = tensors().uncertain;
  const LiteRtStatus status = LiteRtRunCompiledModel(
      compiled_.get(), signature_, tensors().input_buffers.size(),
      tensors().input_buffers.data(), tensors().output_buffers.size(),
      tensors().output_buffers.data());
  if (status != kLiteRtStatusOk) {
    Error error = Failed("run", status);
    if (!uncertain.empty()) error.message += "; " + uncertain;
    return error;
  }
  if (const std::optional<Error> error = kernels_->TakeError()) {
    return Error{"cannot run " + name_ + " in LiteRT: " + error->message};
  }
  if (!uncertain.empty()) {
    if (auto error = CheckShapes()) return error;
  }
  for (size_t i = 0; i < outputs().size(); ++i) {
    for (size_t j = outputs().size() - 1; j > i; --j) {
      const int32_t index = outputs()[i].index;
      if (index < 0 || index != outputs()[j].index) continue;
      if (auto error = Copy(outputs()[j], outputs()[i])) return error;
      break;
    }
  }
  return std::nullopt;
}

}  // namespace tflite::custom
