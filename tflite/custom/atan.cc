#include "tflite/custom/atan.h"

#include <cstddef>

#include "tflite/custom/atan_math.h"
#include "tflite/custom/registration.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace atan_op {
namespace {

constexpr char kName[] = "Atan";
constexpr int kVersion = 1;

TfLiteStatus EnsureFloat32(TfLiteOpaqueContext* context, const char* role,
                           const TfLiteOpaqueTensor* tensor) {
  const TfLiteType type = TfLiteOpaqueTensorType(tensor);
  if (type == kTfLiteFloat32) return kTfLiteOk;
  TfLiteOpaqueContextReportError(
      context, "%s: %s must be FLOAT32, but tensor '%s' is %s", kName, role,
      TfLiteOpaqueTensorName(tensor), TfLiteTypeGetName(type));
  return kTfLiteError;
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_EQ(context, TfLiteOpaqueNodeNumberOfInputs(node), 1);
  TF_LITE_OPAQUE_ENSURE_EQ(context, TfLiteOpaqueNodeNumberOfOutputs(node), 1);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE(context, input != nullptr);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE(context, output != nullptr);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureFloat32(context, "input", input));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureFloat32(context, "output", output));

  const int num_dims = TfLiteOpaqueTensorNumDims(input);
  TF_LITE_OPAQUE_ENSURE(context, num_dims >= 0);
  TfLiteIntArray* shape = TfLiteIntArrayCreate(num_dims);
  TF_LITE_OPAQUE_ENSURE(context, shape != nullptr);
  for (int i = 0; i < num_dims; ++i) {
    shape->data[i] = TfLiteOpaqueTensorDim(input, i);
  }
  return TfLiteOpaqueContextResizeTensor(context, output, shape);
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  Atan(TfLiteOpaqueTensorByteSize(input) / sizeof(float),
       static_cast<const float*>(TfLiteOpaqueTensorData(input)),
       static_cast<float*>(TfLiteOpaqueTensorData(output)));
  return kTfLiteOk;
}

}  // namespace

TfLiteRegistrationExternal* AtanOpRegistrationExternal() {
  // Never destroyed: an interpreter may outlive any static object.
  static TfLiteRegistrationExternal* const atan_op = [] {
    TfLiteRegistrationExternal* r =
        TfLiteRegistrationExternalCreate(kTfLiteBuiltinCustom, kName, kVersion);
    TfLiteRegistrationExternalSetPrepare(r, Prepare);
    TfLiteRegistrationExternalSetInvoke(r, Eval);
    return r;
  }();
  return atan_op;
}

const TfLiteRegistration* AtanOpRegistration() {
  static const TfLiteRegistration atan_op = tflite::custom::MakeRegistration(
      AtanOpRegistrationExternal(), {.prepare = Prepare, .invoke = Eval});
  return &atan_op;
}

}  // namespace atan_op
