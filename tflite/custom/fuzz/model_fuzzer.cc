// Bytes as a .tflite file: whatever they are, loading them, running them where
// every op is one of ours, and preparing them for LiteRT must end in a result
// or an error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tflite/custom/fuzz/fuzz_target.h"
#include "tflite/custom/litert/kernels.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/flatbuffer.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/runtime_log.h"
#include "tflite/custom/model/tensor_memory.h"
#include "tflite/custom/register.h"
#include "third_party/litert/c/litert_options.h"
#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {
namespace {

// What a run may take: broadcasting multiplies sizes.
constexpr size_t kLargestInput = 1 << 12;
constexpr size_t kLargestOutput = 1 << 24;

struct Delete {
  void operator()(TfLiteInterpreter* i) const { TfLiteInterpreterDelete(i); }
  void operator()(TfLiteInterpreterOptions* o) const {
    TfLiteInterpreterOptionsDelete(o);
  }
  void operator()(LiteRtOptions o) const { LiteRtDestroyOptions(o); }
};

// The runtime's own kernels trust a model's options and constants more than one
// may trust these bytes, so that only models of our kernels are run.
bool HasOnlyOurOps(std::string_view bytes) {
  using namespace flatbuffer;  // NOLINT: the schema's field names
  const Vector codes(Root(bytes.data()), kModelOperatorCodes);
  for (uint32_t i = 0; i < codes.size(); ++i) {
    const uint8_t* code = codes.Table(i);
    if (BuiltinCode(code) != kTfLiteBuiltinCustom ||
        FindCustomOp(Vector(code, kOperatorCodeCustomCode).Bytes().c_str(),
                     Scalar<int32_t>(code, kOperatorCodeVersion, 1)) ==
            nullptr) {
      return false;
    }
  }
  return true;
}

void Run(const Model& model) {
  RuntimeLog log;
  const std::unique_ptr<TfLiteInterpreterOptions, Delete> options(
      TfLiteInterpreterOptionsCreate());
  TfLiteInterpreterOptionsSetErrorReporter(options.get(), RuntimeLog::Report,
                                           &log);
  RegisterCustomOps(options.get());
  const std::unique_ptr<TfLiteInterpreter, Delete> owned(
      TfLiteInterpreterCreate(model.get(), options.get()));
  TfLiteInterpreter* interpreter = owned.get();
  if (interpreter == nullptr) return;
  std::vector<TfLiteTensor*> inputs;
  for (int i = 0; i < TfLiteInterpreterGetInputTensorCount(interpreter); ++i) {
    TfLiteTensor* tensor = TfLiteInterpreterGetInputTensor(interpreter, i);
    if (tensor == nullptr || TfLiteTensorType(tensor) == kTfLiteString ||
        TfLiteTensorByteSize(tensor) > kLargestInput) {
      return;
    }
    inputs.push_back(tensor);
  }
  if (TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk) return;
  for (int i = 0; i < TfLiteInterpreterGetOutputTensorCount(interpreter); ++i) {
    const TfLiteTensor* tensor =
        TfLiteInterpreterGetOutputTensor(interpreter, i);
    if (tensor == nullptr || TfLiteTensorByteSize(tensor) > kLargestOutput) {
      return;
    }
  }
  for (TfLiteTensor* tensor : inputs) {
    // A constant may be an input too; it lies in the model.
    if (tensor->allocation_type == kTfLiteMmapRo) continue;
    if (CheckMemory(tensor)) return;
    const size_t size = TfLiteTensorByteSize(tensor);
    if (size > 0) std::memset(TfLiteTensorData(tensor), 1, size);
  }
  TfLiteInterpreterInvoke(interpreter);
}

void PrepareForLiteRt(const Model& model) {
  LiteRtOptions options = nullptr;
  if (LiteRtCreateOptions(&options) != kLiteRtStatusOk) std::abort();
  const std::unique_ptr<std::remove_pointer_t<LiteRtOptions>, Delete> owned(
      options);
  const ErrorOr<std::unique_ptr<LiteRtKernels>> kernels =
      LiteRtKernels::Add(model.bytes(), options);
  if (!kernels.ok()) return;
  const ErrorOr<Model> rewritten =
      Model::FromBytes((*kernels)->model(), "the rewritten model");
  if (!rewritten.ok()) {
    std::cerr << "a good model was made a bad one: "
              << rewritten.error().message << std::endl;
    std::abort();
  }
}

}  // namespace
}  // namespace tflite::custom

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tflite::custom;  // NOLINT
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const ErrorOr<Model> model = Model::FromBytes(bytes, "input");
  if (!model.ok()) return 0;
  model->CustomOpCodes();
  if (HasOnlyOurOps(model->bytes())) Run(*model);
  PrepareForLiteRt(*model);
  return 0;
}
