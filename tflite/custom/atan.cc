#include "tflite/custom/atan.h"

#include <cstddef>

#include "tflite/custom/atan_math.h"
#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/registration.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace atan_op {
namespace {

constexpr char kName[] = "Atan";
constexpr int kVersion = 1;

TfLiteStatus EnsureType(TfLiteOpaqueContext* context, const char* role,
                        const TfLiteOpaqueTensor* tensor, const char* wanted,
                        bool fits) {
  if (fits) return kTfLiteOk;
  TfLiteOpaqueContextReportError(
      context, "%s: %s must be %s, but tensor '%s' is %s", kName, role, wanted,
      TfLiteOpaqueTensorName(tensor),
      TfLiteTypeGetName(TfLiteOpaqueTensorType(tensor)));
  return kTfLiteError;
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_EQ(context, TfLiteOpaqueNodeNumberOfInputs(node), 1);
  TF_LITE_OPAQUE_ENSURE_EQ(context, TfLiteOpaqueNodeNumberOfOutputs(node), 1);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE(context, input != nullptr);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE(context, output != nullptr);
  const TfLiteType type = TfLiteOpaqueTensorType(input);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, "input", input, "FLOAT32 or FLOAT64",
                 type == kTfLiteFloat32 || type == kTfLiteFloat64));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, "output", output, TfLiteTypeGetName(type),
                 TfLiteOpaqueTensorType(output) == type));

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
  const size_t bytes = TfLiteOpaqueTensorByteSize(input);
  const void* x = TfLiteOpaqueTensorData(input);
  void* y = TfLiteOpaqueTensorData(output);
  if (TfLiteOpaqueTensorType(input) == kTfLiteFloat32) {
    Atan(bytes / sizeof(float), static_cast<const float*>(x),
         static_cast<float*>(y));
  } else {
    tflite::custom::elementwise::Atan<double>(
        {bytes / sizeof(double), {x}, {1}, y});
  }
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
