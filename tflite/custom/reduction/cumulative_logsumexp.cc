#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/cumulative_logsumexp_math.h"
#include "tflite/custom/reduction/reduction.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace reduction_ops {
namespace {

using ::tflite::custom::Data;
using ::tflite::custom::EnsureArity;
using ::tflite::custom::EnsureScalar;
using ::tflite::custom::EnsureType;
using ::tflite::custom::EnsureValid;
using ::tflite::custom::IntAt;
using ::tflite::custom::MutableData;
using ::tflite::custom::OpDefinition;
using ::tflite::custom::OpOptions;
using ::tflite::custom::Resize;
using ::tflite::custom::ShapeOf;
using ::tflite::custom::WithFloat;

constexpr char kName[] = "CumulativeLogsumexp";

struct OpData {
  bool exclusive;
  bool reverse;
  std::string error;
};

void* Init(TfLiteOpaqueContext* context, const char* buffer, size_t length) {
  OpOptions options(buffer, length);
  auto data = std::make_unique<OpData>();
  data->exclusive = options.Bool("exclusive", false);
  data->reverse = options.Bool("reverse", false);
  data->error = options.error();
  return data.release();
}

void Free(TfLiteOpaqueContext* context, void* data) {
  delete static_cast<OpData*>(data);
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data =
      static_cast<const OpData*>(TfLiteOpaqueNodeGetUserData(node));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 2, 1));
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* axis = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "x", x, {kTfLiteFloat32, kTfLiteFloat64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "axis", axis, {kTfLiteInt32, kTfLiteInt64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScalar(context, kName, "axis", axis));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "output", output,
                                          {TfLiteOpaqueTensorType(x)}));
  return Resize(context, output, ShapeOf(x));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data =
      static_cast<const OpData*>(TfLiteOpaqueNodeGetUserData(node));
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* axis_tensor =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int rank = TfLiteOpaqueTensorNumDims(x);
  const int64_t given = IntAt(axis_tensor);
  if (given < -rank || given >= rank) {
    TfLiteOpaqueContextReportError(
        context, "%s: axis must be in [%d, %d), not %lld", kName, -rank, rank,
        static_cast<long long>(given));
    return kTfLiteError;
  }
  const int axis = static_cast<int>(given < 0 ? given + rank : given);
  int64_t outer = 1;
  int64_t inner = 1;
  for (int i = 0; i < axis; ++i) outer *= TfLiteOpaqueTensorDim(x, i);
  for (int i = axis + 1; i < rank; ++i) inner *= TfLiteOpaqueTensorDim(x, i);
  WithFloat(TfLiteOpaqueTensorType(x), [&](auto zero) {
    using T = decltype(zero);
    CumulativeLogsumexp(outer, TfLiteOpaqueTensorDim(x, axis), inner,
                        data->exclusive, data->reverse, Data<T>(x),
                        MutableData<T>(output));
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {kName, {Init, Free, Prepare, Eval}};

}  // namespace

TfLiteRegistrationExternal* CumulativeLogsumexpOpRegistrationExternal() {
  return tflite::custom::RegistrationExternalOf<kOp>();
}

const TfLiteRegistration* CumulativeLogsumexpOpRegistration() {
  return tflite::custom::RegistrationOf<kOp>();
}

}  // namespace reduction_ops
