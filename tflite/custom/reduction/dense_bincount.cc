#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/dense_bincount_math.h"
#include "tflite/custom/reduction/reduction.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace reduction_ops {
namespace {

using ::tflite::custom::Data;
using ::tflite::custom::EnsureArity;
using ::tflite::custom::EnsureMemory;
using ::tflite::custom::EnsureSameShape;
using ::tflite::custom::EnsureScalar;
using ::tflite::custom::EnsureType;
using ::tflite::custom::EnsureValid;
using ::tflite::custom::IntAt;
using ::tflite::custom::IsConstant;
using ::tflite::custom::MutableData;
using ::tflite::custom::NumElements;
using ::tflite::custom::OpDefinition;
using ::tflite::custom::OpOptions;
using ::tflite::custom::Resize;
using ::tflite::custom::ShapeString;
using ::tflite::custom::WithIndex;
using ::tflite::custom::WithNumber;

constexpr char kName[] = "DenseBincount";

struct OpData {
  bool binary_output;
  std::string error;
};

struct Inputs {
  const TfLiteOpaqueTensor* numbers;
  const TfLiteOpaqueTensor* size;
  const TfLiteOpaqueTensor* weights;
};

Inputs GetInputs(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  return {TfLiteOpaqueNodeGetInput(context, node, 0),
          TfLiteOpaqueNodeGetInput(context, node, 1),
          TfLiteOpaqueNodeGetInput(context, node, 2)};
}

void* Init(TfLiteOpaqueContext* context, const char* buffer, size_t length) {
  OpOptions options(buffer, length);
  auto data = std::make_unique<OpData>();
  data->binary_output = options.Bool("binary_output", false);
  data->error = options.error();
  return data.release();
}

void Free(TfLiteOpaqueContext* context, void* data) {
  delete static_cast<OpData*>(data);
}

// Gives the output its shape, for which the value of `size` must be there.
TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          const Inputs& inputs) {
  const int64_t size = IntAt(inputs.size);
  if (size < 0 || size > std::numeric_limits<int>::max()) {
    TfLiteOpaqueContextReportError(
        context, "%s: size must be in [0, %d], not %lld", kName,
        std::numeric_limits<int>::max(), static_cast<long long>(size));
    return kTfLiteError;
  }
  std::vector<int> shape = {static_cast<int>(size)};
  if (TfLiteOpaqueTensorNumDims(inputs.numbers) == 2) {
    shape.insert(shape.begin(), TfLiteOpaqueTensorDim(inputs.numbers, 0));
  }
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data =
      static_cast<const OpData*>(TfLiteOpaqueNodeGetUserData(node));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 3, 1));
  const Inputs inputs = GetInputs(context, node);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
      context, kName, "input", inputs.numbers, {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "size", inputs.size,
                 {TfLiteOpaqueTensorType(inputs.numbers)}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureScalar(context, kName, "size", inputs.size));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "weights", inputs.weights,
                 {kTfLiteInt32, kTfLiteInt64, kTfLiteFloat32, kTfLiteFloat64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "output", output,
                 {TfLiteOpaqueTensorType(inputs.weights)}));
  if (TfLiteOpaqueTensorNumDims(inputs.numbers) > 2) {
    TfLiteOpaqueContextReportError(
        context, "%s: input must have at most rank 2, but is %s", kName,
        ShapeString(inputs.numbers).c_str());
    return kTfLiteError;
  }
  if (NumElements(inputs.weights) != 0) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSameShape(
        context, kName, "weights", inputs.weights, "input", inputs.numbers));
  }
  if (IsConstant(inputs.size)) return ResizeOutput(context, node, inputs);
  TfLiteOpaqueTensorSetAllocationTypeToDynamic(output);
  return kTfLiteOk;
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data =
      static_cast<const OpData*>(TfLiteOpaqueNodeGetUserData(node));
  const Inputs inputs = GetInputs(context, node);
  if (!IsConstant(inputs.size)) {
    TF_LITE_OPAQUE_ENSURE_STATUS(ResizeOutput(context, node, inputs));
  }
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureMemory(context, kName, "output", output));
  const int64_t size = IntAt(inputs.size);
  const int64_t total = NumElements(inputs.numbers);
  const int64_t rows = TfLiteOpaqueTensorNumDims(inputs.numbers) == 2
                           ? TfLiteOpaqueTensorDim(inputs.numbers, 0)
                           : 1;
  const bool weighted = NumElements(inputs.weights) != 0;
  return WithIndex(TfLiteOpaqueTensorType(inputs.numbers), [&](auto index) {
    using I = decltype(index);
    const I* numbers = Data<I>(inputs.numbers);
    const int64_t negative = FirstNegative(total, numbers);
    if (negative != total) {
      TfLiteOpaqueContextReportError(
          context, "%s: input must be non-negative, but element %lld is %lld",
          kName, static_cast<long long>(negative),
          static_cast<long long>(numbers[negative]));
      return kTfLiteError;
    }
    WithNumber(TfLiteOpaqueTensorType(output), [&](auto zero) {
      using T = decltype(zero);
      DenseBincount<T>(rows, rows == 0 ? 0 : total / rows, size,
                       data->binary_output, numbers,
                       weighted ? Data<T>(inputs.weights) : nullptr,
                       MutableData<T>(output));
    });
    return kTfLiteOk;
  });
}

constexpr OpDefinition kOp = {kName, {Init, Free, Prepare, Eval}};

}  // namespace

TfLiteRegistrationExternal* DenseBincountOpRegistrationExternal() {
  return tflite::custom::RegistrationExternalOf<kOp>();
}

const TfLiteRegistration* DenseBincountOpRegistration() {
  return tflite::custom::RegistrationOf<kOp>();
}

}  // namespace reduction_ops
