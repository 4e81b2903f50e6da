// The whole life of an op with state. InitState reads the options into an
// OpData that FreeState deletes; Prepare asks for two temporaries in the arena,
// which OpData keeps; Eval finds them there and allocates nothing.

#include <cstdint>

#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/linalg/qr_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/temporaries.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::linalg_ops {
namespace {

constexpr char kName[] = "Qr";

enum Temporary { kFactored, kScratch };

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : full_matrices(options.Bool("full_matrices", false)) {}
  bool full_matrices;
  Temporaries temporaries;
};

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 1, 2));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  Matrices matrices;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetMatrices(context, kName, input, &matrices));
  const TfLiteType type = TfLiteOpaqueTensorType(input);

  // Where there is nothing to factor, a long side alone asks for no memory.
  const bool any = matrices.count > 0 && matrices.smaller() > 0;
  const int rows = any ? matrices.rows : 0;
  const int cols = any ? matrices.cols : 0;

  // This moves the context's tensors: pointers to them are got anew below.
  TF_LITE_OPAQUE_ENSURE_STATUS(
      data->temporaries.Add(context, node, {type, type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      Resize(context, data->temporaries.Get(context, kFactored), {rows, cols}));
  TF_LITE_OPAQUE_ENSURE_STATUS(Resize(context,
                                      data->temporaries.Get(context, kScratch),
                                      {QrScratchSize(rows, cols)}));

  TfLiteOpaqueTensor* q = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TfLiteOpaqueTensor* r = TfLiteOpaqueNodeGetOutput(context, node, 1);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "q", q, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "r", r, {type}));
  const int q_cols = data->full_matrices ? matrices.rows : matrices.smaller();
  TF_LITE_OPAQUE_ENSURE_STATUS(
      Resize(context, q, matrices.Shape({matrices.rows, q_cols})));
  return Resize(context, r, matrices.Shape({q_cols, matrices.cols}));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* q = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TfLiteOpaqueTensor* r = TfLiteOpaqueNodeGetOutput(context, node, 1);
  const Temporaries& temporaries = StateOf<OpData>(node)->temporaries;
  TfLiteOpaqueTensor* factored = temporaries.Get(context, kFactored);
  TfLiteOpaqueTensor* scratch = temporaries.Get(context, kScratch);
  TF_LITE_OPAQUE_ENSURE(
      context, TfLiteOpaqueTensorGetAllocationType(factored) == kTfLiteArenaRw);
  const MatrixBatch batch = BatchOf(input);
  const int q_cols = BatchOf(q).cols;
  WithFloat(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < batch.count; ++i) {
      Qr(batch.rows, batch.cols, q_cols, Data<T>(input) + i * batch.size(),
         MutableData<T>(factored), MutableData<T>(scratch),
         MutableData<T>(q) + i * BatchOf(q).size(),
         MutableData<T>(r) + i * BatchOf(r).size());
    }
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {InitState<OpData>, FreeState<OpData>, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Qr, kOp)

}  // namespace tflite::custom::linalg_ops
