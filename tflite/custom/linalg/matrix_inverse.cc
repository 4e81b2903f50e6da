#include <cstdint>
#include <memory>
#include <tuple>

#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/linalg/matrix_inverse_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::linalg_ops {
namespace {

constexpr char kName[] = "MatrixInverse";

template <typename T>
using Inverter = std::unique_ptr<MatrixInverter<T>>;

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : adjoint(options.Bool("adjoint", false)) {}
  bool adjoint;
  // Of the input's type; the other is null.
  std::tuple<Inverter<float>, Inverter<double>> inverters;
};

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  Matrices matrices;
  TF_LITE_OPAQUE_ENSURE_STATUS(PrepareSquare(context, node, kName, &matrices));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    // Of an empty batch there is nothing to invert, however large its matrices.
    std::get<Inverter<T>>(data->inverters) =
        std::make_unique<MatrixInverter<T>>(
            matrices.count == 0 ? 0 : matrices.rows);
  });
  return kTfLiteOk;
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const MatrixBatch batch = BatchOf(input);
  return WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    auto& inverter = std::get<Inverter<T>>(data->inverters);
    for (int64_t i = 0; i < batch.count; ++i) {
      const int64_t at = i * batch.size();
      if (!inverter->Invert(Data<T>(input) + at, data->adjoint,
                            MutableData<T>(output) + at)) {
        TfLiteOpaqueContextReportError(
            context, "%s: Input is not invertible. (matrix %lld of '%s')",
            kName, static_cast<long long>(i), TfLiteOpaqueTensorName(input));
        return kTfLiteError;
      }
    }
    return kTfLiteOk;
  });
}

constexpr OpDefinition kOp = {
    kName, {InitState<OpData>, FreeState<OpData>, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(MatrixInverse, kOp)

}  // namespace tflite::custom::linalg_ops
