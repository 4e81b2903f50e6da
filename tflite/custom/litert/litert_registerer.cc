#include "tflite/custom/litert/litert_registerer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tflite/custom/litert/compiled_model.h"
#include "tflite/custom/litert/kernel_runner.h"
#include "tflite/custom/litert/kernels.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "third_party/litert/c/litert_options.h"

using tflite::custom::CompiledModel;
using tflite::custom::Error;
using tflite::custom::ErrorOr;
using tflite::custom::KernelLibraries;
using tflite::custom::LiteRtKernels;
using tflite::custom::Model;

struct TfLiteCustomOpsLiteRtKernels {
  std::unique_ptr<LiteRtKernels> kernels;
};

struct TfLiteCustomOpsLiteRtModel {
  std::unique_ptr<CompiledModel> model;
};

namespace {

constexpr char kName[] = "the model";

std::string& LastError() {
  thread_local std::string error;
  return error;
}

int Result(const std::optional<Error>& error) {
  if (error) LastError() = error->message;
  return error ? 1 : 0;
}

std::string_view Bytes(const void* data, size_t size) {
  return {static_cast<const char*>(data), size};
}

KernelLibraries Libraries(const TfLiteCustomOpsLibrary* libraries, int count) {
  KernelLibraries result;
  for (int i = 0; i < count; ++i) {
    result.push_back({libraries[i].has, libraries[i].register_with_options});
  }
  return result;
}

const CompiledModel::TensorInfo& Tensor(const TfLiteCustomOpsLiteRtModel* model,
                                        int is_output, int index) {
  return is_output ? model->model->output(index) : model->model->input(index);
}

}  // namespace

const char* TfLiteCustomOpsLiteRtError(void) { return LastError().c_str(); }

TfLiteCustomOpsLiteRtKernels* TfLiteCustomOpsAddToLiteRtOptions(
    const void* model, size_t size, LiteRtOptions options,
    const TfLiteCustomOpsLibrary* libraries, int library_count) {
  const ErrorOr<Model> verified = Model::FromBytes(Bytes(model, size), kName);
  if (!verified.ok()) {
    LastError() = verified.error().message;
    return nullptr;
  }
  ErrorOr<std::unique_ptr<LiteRtKernels>> kernels = LiteRtKernels::Add(
      verified->bytes(), options, Libraries(libraries, library_count));
  if (!kernels.ok()) {
    LastError() = kernels.error().message;
    return nullptr;
  }
  return std::make_unique<TfLiteCustomOpsLiteRtKernels>(
             TfLiteCustomOpsLiteRtKernels{std::move(*kernels)})
      .release();
}

const void* TfLiteCustomOpsLiteRtKernelsModel(
    const TfLiteCustomOpsLiteRtKernels* kernels, size_t* size) {
  const std::string& model = kernels->kernels->model();
  *size = model.size();
  return model.data();
}

int TfLiteCustomOpsLiteRtKernelsCheck(TfLiteCustomOpsLiteRtKernels* kernels) {
  return Result(kernels->kernels->TakeError());
}

void TfLiteCustomOpsLiteRtKernelsDelete(TfLiteCustomOpsLiteRtKernels* kernels) {
  delete kernels;
}

TfLiteCustomOpsLiteRtModel* TfLiteCustomOpsLiteRtModelCreate(
    const void* model, size_t size, int num_threads,
    const TfLiteCustomOpsLibrary* libraries, int library_count) {
  ErrorOr<std::unique_ptr<CompiledModel>> compiled =
      CompiledModel::CreateFromBytes(Bytes(model, size), kName, num_threads,
                                     Libraries(libraries, library_count));
  if (!compiled.ok()) {
    LastError() = compiled.error().message;
    return nullptr;
  }
  return std::make_unique<TfLiteCustomOpsLiteRtModel>(
             TfLiteCustomOpsLiteRtModel{std::move(*compiled)})
      .release();
}

void TfLiteCustomOpsLiteRtModelDelete(TfLiteCustomOpsLiteRtModel* model) {
  delete model;
}

int TfLiteCustomOpsLiteRtModelTensorCount(
    const TfLiteCustomOpsLiteRtModel* model, int is_output) {
  return is_output ? model->model->output_count() : model->model->input_count();
}

const char* TfLiteCustomOpsLiteRtModelTensorName(
    const TfLiteCustomOpsLiteRtModel* model, int is_output, int index) {
  return Tensor(model, is_output, index).name.c_str();
}

int TfLiteCustomOpsLiteRtModelTensorType(
    const TfLiteCustomOpsLiteRtModel* model, int is_output, int index) {
  return Tensor(model, is_output, index).type;
}

int TfLiteCustomOpsLiteRtModelTensorShape(
    const TfLiteCustomOpsLiteRtModel* model, int is_output, int index,
    int32_t* dims) {
  const std::vector<int>& shape = Tensor(model, is_output, index).shape;
  std::copy(shape.begin(), shape.end(), dims);
  return static_cast<int>(shape.size());
}

int TfLiteCustomOpsLiteRtModelSelectSignature(TfLiteCustomOpsLiteRtModel* model,
                                              int signature) {
  return Result(model->model->SelectSignature(signature));
}

int TfLiteCustomOpsLiteRtModelResize(TfLiteCustomOpsLiteRtModel* model,
                                     const int32_t* dims,
                                     const int32_t* ranks) {
  std::vector<std::vector<int>> shapes;
  for (int i = 0; i < model->model->input_count(); ++i) {
    shapes.emplace_back(dims, dims + ranks[i]);
    dims += ranks[i];
  }
  return Result(model->model->Resize(shapes));
}

int TfLiteCustomOpsLiteRtModelWrite(TfLiteCustomOpsLiteRtModel* model,
                                    int index, const void* data, size_t size) {
  return Result(model->model->WriteInput(index, data, size));
}

int TfLiteCustomOpsLiteRtModelRun(TfLiteCustomOpsLiteRtModel* model) {
  return Result(model->model->Run());
}

int TfLiteCustomOpsLiteRtModelRead(const TfLiteCustomOpsLiteRtModel* model,
                                   int index, void* data, size_t size) {
  return Result(model->model->ReadOutput(index, data, size));
}
