#include <cstdint>

#include "tensorflow_examples/custom_ops_doc/multiplex_2/multiplex_simd.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::multiplex_ops {
namespace {

using ::custom_op_examples::MultiplexSimd;

constexpr char kName[] = "Examples>MultiplexDense";

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 3, 1));
  const TfLiteOpaqueTensor* cond = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* a = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* b = TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "cond", cond, {kTfLiteBool}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureFixedSize(context, kName, "a", a));
  const TfLiteType type = TfLiteOpaqueTensorType(a);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "b", b, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "output", output, {type}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSameShape(context, kName, "a", a, "b", b));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureSameShape(context, kName, "a", a, "cond", cond));
  return Resize(context, output, ShapeOf(a));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* cond = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* a = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* b = TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int64_t count = NumElements(cond);
  WithElementOf(TfLiteOpaqueTensorType(a), [&](auto zero) {
    using T = decltype(zero);
    // A model's constant may have any byte for a bool, which C++ may not read.
    MultiplexSimd(Data<uint8_t>(cond), Data<T>(a), Data<T>(b), count,
                  MutableData<T>(output));
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {/*init=*/nullptr, /*free=*/nullptr, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(MultiplexDense, kOp)

}  // namespace tflite::custom::multiplex_ops
