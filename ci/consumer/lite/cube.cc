#include "lite/cube.h"

#include <cstdint>

#include "cube/cube.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace consumer {
namespace {

using ::tflite::custom::Data;
using ::tflite::custom::EnsureArity;
using ::tflite::custom::EnsureType;
using ::tflite::custom::MutableData;
using ::tflite::custom::NumElements;
using ::tflite::custom::OpDefinition;
using ::tflite::custom::Resize;
using ::tflite::custom::ShapeOf;
using ::tflite::custom::WithFloat;

constexpr char kName[] = "Consumer>Cube";

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 1, 1));
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "x", x, {kTfLiteFloat32, kTfLiteFloat64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "output", output,
                                          {TfLiteOpaqueTensorType(x)}));
  return Resize(context, output, ShapeOf(x));
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* x = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int64_t count = NumElements(output);
  WithFloat(TfLiteOpaqueTensorType(output), [&](auto zero) {
    using T = decltype(zero);
    Cube(Data<T>(x), count, MutableData<T>(output));
  });
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName, {/*init=*/nullptr, /*free=*/nullptr, Prepare, Eval}};

}  // namespace

TfLiteRegistrationExternal* CubeOpRegistrationExternal() {
  return tflite::custom::RegistrationExternalOf<kOp>();
}

const TfLiteRegistration* CubeOpRegistration() {
  return tflite::custom::RegistrationOf<kOp>();
}

}  // namespace consumer
