#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>

#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/linalg/svd_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::linalg_ops {
namespace {

constexpr char kName[] = "Svd";

template <typename T>
using Solver = std::unique_ptr<SvdSolver<T>>;

// Full matrices can be far larger than the input that asks for them, and memory
// that Eigen does not get ends the process.
constexpr int64_t kMostElements = int64_t{1} << 28;

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : compute_uv(options.Bool("compute_uv", true)),
        full_matrices(options.Bool("full_matrices", false)) {}
  bool compute_uv;
  bool full_matrices;
  // Of the input's type; the other is null.
  std::tuple<Solver<float>, Solver<double>> solvers;
};

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 1, 3));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* s = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TfLiteOpaqueTensor* u = TfLiteOpaqueNodeGetOutput(context, node, 1);
  TfLiteOpaqueTensor* v = TfLiteOpaqueNodeGetOutput(context, node, 2);
  Matrices matrices;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetMatrices(context, kName, input, &matrices));
  const TfLiteType type = TfLiteOpaqueTensorType(input);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "s", s, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "u", u, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "v", v, {type}));

  const int64_t larger = std::max(matrices.rows, matrices.cols);
  if (data->compute_uv && data->full_matrices && larger > 0 &&
      larger > kMostElements / larger) {
    TfLiteOpaqueContextReportError(
        context,
        "%s: full matrices can have at most %lld elements, but for a dimension "
        "of %lld they have its square",
        kName, static_cast<long long>(kMostElements),
        static_cast<long long>(larger));
    return kTfLiteError;
  }
  WithFloat(type, [&](auto zero) {
    using T = decltype(zero);
    // Of an empty batch there is nothing to solve, however large its matrices.
    const bool any = matrices.count > 0;
    std::get<Solver<T>>(data->solvers) = std::make_unique<SvdSolver<T>>(
        any ? matrices.rows : 0, any ? matrices.cols : 0, data->compute_uv,
        data->full_matrices);
  });
  TF_LITE_OPAQUE_ENSURE_STATUS(
      Resize(context, s, matrices.Shape({matrices.smaller()})));
  if (!data->compute_uv) {
    // What TensorFlow's shape function gives outputs that nobody may use.
    TF_LITE_OPAQUE_ENSURE_STATUS(Resize(context, u, {0}));
    return Resize(context, v, {0});
  }
  const bool full = data->full_matrices;
  TF_LITE_OPAQUE_ENSURE_STATUS(
      Resize(context, u,
             matrices.Shape(
                 {matrices.rows, full ? matrices.rows : matrices.smaller()})));
  return Resize(context, v,
                matrices.Shape({matrices.cols,
                                full ? matrices.cols : matrices.smaller()}));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* s = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TfLiteOpaqueTensor* u = TfLiteOpaqueNodeGetOutput(context, node, 1);
  TfLiteOpaqueTensor* v = TfLiteOpaqueNodeGetOutput(context, node, 2);
  const MatrixBatch batch = BatchOf(input);
  const bool uv = data->compute_uv;
  // Without them they are vectors, of no elements.
  const int64_t u_size = uv ? BatchOf(u).size() : 0;
  const int64_t v_size = uv ? BatchOf(v).size() : 0;
  WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    auto& solver = std::get<Solver<T>>(data->solvers);
    for (int64_t i = 0; i < batch.count; ++i) {
      solver->Solve(Data<T>(input) + i * batch.size(),
                    MutableData<T>(s) + i * batch.smaller(),
                    uv ? MutableData<T>(u) + i * u_size : nullptr,
                    uv ? MutableData<T>(v) + i * v_size : nullptr);
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {InitState<OpData>, FreeState<OpData>, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Svd, kOp)

}  // namespace tflite::custom::linalg_ops
