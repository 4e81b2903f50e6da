#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "tflite/custom/linalg/linalg.h"
#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/linalg/matrix_inverse_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace linalg_ops {
namespace {

using ::tflite::custom::Data;
using ::tflite::custom::EnsureArity;
using ::tflite::custom::EnsureType;
using ::tflite::custom::EnsureValid;
using ::tflite::custom::MutableData;
using ::tflite::custom::OpDefinition;
using ::tflite::custom::OpOptions;
using ::tflite::custom::Resize;
using ::tflite::custom::WithFloat;

constexpr char kName[] = "MatrixInverse";

template <typename T>
using Inverter = std::unique_ptr<MatrixInverter<T>>;

struct OpData {
  bool adjoint;
  std::string error;
  // Of the input's type; the other is null.
  std::tuple<Inverter<float>, Inverter<double>> inverters;
};

void* Init(TfLiteOpaqueContext* context, const char* buffer, size_t length) {
  OpOptions options(buffer, length);
  auto data = std::make_unique<OpData>();
  data->adjoint = options.Bool("adjoint", false);
  data->error = options.error();
  return data.release();
}

void Free(TfLiteOpaqueContext* context, void* data) {
  delete static_cast<OpData*>(data);
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  auto* data = static_cast<OpData*>(TfLiteOpaqueNodeGetUserData(node));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 1, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  Matrices matrices;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetMatrices(context, kName, input, &matrices));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSquare(context, kName, input, matrices));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "output", output,
                                          {TfLiteOpaqueTensorType(input)}));
  WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    // Of an empty batch there is nothing to invert, however large its matrices.
    std::get<Inverter<T>>(data->inverters) =
        std::make_unique<MatrixInverter<T>>(
            matrices.count == 0 ? 0 : matrices.rows);
  });
  return Resize(context, output,
                matrices.Shape({matrices.rows, matrices.cols}));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  auto* data = static_cast<OpData*>(TfLiteOpaqueNodeGetUserData(node));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int n =
      TfLiteOpaqueTensorDim(input, TfLiteOpaqueTensorNumDims(input) - 1);
  const int64_t size = int64_t{n} * n;
  const int64_t elements = tflite::custom::NumElements(input);
  return WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    auto& inverter = std::get<Inverter<T>>(data->inverters);
    for (int64_t at = 0; at < elements; at += size) {
      if (!inverter->Invert(Data<T>(input) + at, data->adjoint,
                            MutableData<T>(output) + at)) {
        TfLiteOpaqueContextReportError(
            context, "%s: Input is not invertible. (matrix %lld of '%s')",
            kName, static_cast<long long>(at / size),
            TfLiteOpaqueTensorName(input));
        return kTfLiteError;
      }
    }
    return kTfLiteOk;
  });
}

constexpr OpDefinition kOp = {kName, {Init, Free, Prepare, Eval}};

}  // namespace

TfLiteRegistrationExternal* MatrixInverseOpRegistrationExternal() {
  return tflite::custom::RegistrationExternalOf<kOp>();
}

const TfLiteRegistration* MatrixInverseOpRegistration() {
  return tflite::custom::RegistrationOf<kOp>();
}

}  // namespace linalg_ops
