#include <cmath>
#include <cstdint>
#include <memory>
#include <tuple>

#include "tflite/custom/linalg/determinant_math.h"
#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::linalg_ops {
namespace {

struct MatrixDeterminant {
  static constexpr char kName[] = "MatrixDeterminant";
  static constexpr int kOutputs = 1;
};

struct LogMatrixDeterminant {
  static constexpr char kName[] = "LogMatrixDeterminant";
  static constexpr int kOutputs = 2;
};

template <typename T>
using Solver = std::unique_ptr<DeterminantSolver<T>>;

struct OpData : OpState {
  explicit OpData(OpOptions& /*options*/) {}
  // Of the input's type; the other is null.
  std::tuple<Solver<float>, Solver<double>> solvers;
};

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, Op::kName, 1, Op::kOutputs));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  Matrices matrices;
  TF_LITE_OPAQUE_ENSURE_STATUS(
      GetMatrices(context, Op::kName, input, &matrices));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureSquare(context, Op::kName, input, matrices));
  const TfLiteType type = TfLiteOpaqueTensorType(input);
  for (int i = 0; i < Op::kOutputs; ++i) {
    TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, i);
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, Op::kName, "output", output, {type}));
    TF_LITE_OPAQUE_ENSURE_STATUS(Resize(context, output, matrices.batch));
  }
  WithFloat(type, [&](auto zero) {
    using T = decltype(zero);
    std::get<Solver<T>>(StateOf<OpData>(node)->solvers) =
        std::make_unique<DeterminantSolver<T>>(
            matrices.count == 0 ? 0 : matrices.rows);
  });
  return kTfLiteOk;
}

template <typename Op>
TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const MatrixBatch batch = BatchOf(input);
  WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    auto& solver = std::get<Solver<T>>(StateOf<OpData>(node)->solvers);
    T* first = MutableData<T>(TfLiteOpaqueNodeGetOutput(context, node, 0));
    for (int64_t i = 0; i < batch.count; ++i) {
      const LogDeterminant<T> result =
          solver->Solve(Data<T>(input) + i * batch.size());
      if constexpr (Op::kOutputs == 1) {
        first[i] = result.sign * std::exp(result.log_of_absolute);
      } else {
        first[i] = result.sign;
        MutableData<T>(TfLiteOpaqueNodeGetOutput(context, node, 1))[i] =
            result.log_of_absolute;
      }
    }
  });
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kDefinition = {
    Op::kName, {InitState<OpData>, FreeState<OpData>, Prepare<Op>, Eval<Op>}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(LogMatrixDeterminant, kDefinition<LogMatrixDeterminant>)
TFLITE_CUSTOM_DEFINE_OP(MatrixDeterminant, kDefinition<MatrixDeterminant>)

}  // namespace tflite::custom::linalg_ops
