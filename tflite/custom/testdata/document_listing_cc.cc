// The C++ listings of the TFLite guide on custom operators, as they stand there
// but for slips: accessors by names that do not exist, `()[]` for `[]()`, a
// lambda that is not called, pointers to const where the callee writes, a
// semicolon within braces, methods by names that they do not have, and the op's
// own name, which the converter writes Atan. document_listing_test.cc runs
// them.

#include "tflite/custom/testdata/document_listing_cc.h"

#include <cmath>
#include <cstddef>

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"

namespace atan_op_as_documented {
namespace {
TfLiteStatus AtanPrepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_EQ(context, TfLiteOpaqueNodeNumberOfInputs(node), 1);
  TF_LITE_OPAQUE_ENSURE_EQ(context, TfLiteOpaqueNodeNumberOfOutputs(node), 1);

  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);

  int num_dims = TfLiteOpaqueTensorNumDims(input);

  TfLiteIntArray* output_size = TfLiteIntArrayCreate(num_dims);
  for (int i = 0; i < num_dims; ++i) {
    output_size->data[i] = TfLiteOpaqueTensorDim(input, i);
  }

  return TfLiteOpaqueContextResizeTensor(context, output, output_size);
}

TfLiteStatus AtanEval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);

  float* input_data = static_cast<float*>(TfLiteOpaqueTensorData(input));
  float* output_data = static_cast<float*>(TfLiteOpaqueTensorData(output));

  size_t count = 1;
  int num_dims = TfLiteOpaqueTensorNumDims(input);
  for (int i = 0; i < num_dims; ++i) {
    count *= TfLiteOpaqueTensorDim(input, i);
  }

  for (size_t i = 0; i < count; ++i) {
    output_data[i] = atan(input_data[i]);
  }
  return kTfLiteOk;
}
}  // anonymous namespace

TfLiteRegistrationExternal* AtanOpRegistrationExternal() {
  // Singleton instance, intentionally never destroyed.
  static TfLiteRegistrationExternal* atan_op = []() {
    auto* r = TfLiteRegistrationExternalCreate(kTfLiteBuiltinCustom, "Atan",
                                               /*version=*/1);
    TfLiteRegistrationExternalSetPrepare(r, AtanPrepare);
    TfLiteRegistrationExternalSetInvoke(r, AtanEval);
    return r;
  }();
  return atan_op;
}

const TfLiteRegistration* AtanOpRegistration() {
  static const TfLiteRegistration atan_op{
      .registration_external = AtanOpRegistrationExternal(),
  };
  return &atan_op;
}
}  // namespace atan_op_as_documented

// An op with all four methods, whose state and temporary tensor are those of
// the guide's best practices.
namespace my_namespace::my_custom_op {
namespace {
struct MyOpData {
  int temp_tensor_index;
};

void* Init(TfLiteOpaqueContext* context, const char* buffer, size_t length) {
  auto* op_data = new MyOpData{};
  return op_data;
}

void Free(TfLiteOpaqueContext* context, void* buffer) {
  delete reinterpret_cast<MyOpData*>(buffer);
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  auto* op_data =
      reinterpret_cast<MyOpData*>(TfLiteOpaqueNodeGetUserData(node));
  const int num_temporaries = 1;
  int temporary_tensor_indices[num_temporaries];
  TfLiteOpaqueTensorBuilder* builder = TfLiteOpaqueTensorBuilderCreate();
  TfLiteOpaqueTensorBuilderSetType(builder, kTfLiteFloat32);
  TfLiteOpaqueTensorBuilderSetAllocationType(builder, kTfLiteArenaRw);
  TfLiteOpaqueContextAddTensor(context, builder, &temporary_tensor_indices[0]);
  TfLiteOpaqueTensorBuilderDelete(builder);
  TfLiteOpaqueNodeSetTemporaries(node, temporary_tensor_indices,
                                 num_temporaries);
  op_data->temp_tensor_index = temporary_tensor_indices[0];

  // The guide's "...": a shape for the temporary tensor and the output.
  TfLiteIntArray* temp_size = TfLiteIntArrayCreate(1);
  temp_size->data[0] = 1;
  TF_LITE_OPAQUE_ENSURE_STATUS(TfLiteOpaqueContextResizeTensor(
      context,
      TfLiteOpaqueContextGetOpaqueTensor(context, op_data->temp_tensor_index),
      temp_size));
  return atan_op_as_documented::AtanPrepare(context, node);
}

TfLiteStatus Invoke(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  auto* op_data =
      reinterpret_cast<MyOpData*>(TfLiteOpaqueNodeGetUserData(node));
  TfLiteOpaqueTensor* temp_tensor =
      TfLiteOpaqueContextGetOpaqueTensor(context, op_data->temp_tensor_index);
  TF_LITE_OPAQUE_ENSURE(context,
                        TfLiteOpaqueTensorType(temp_tensor) == kTfLiteFloat32);
  TF_LITE_OPAQUE_ENSURE(context, TfLiteOpaqueTensorGetAllocationType(
                                     temp_tensor) == kTfLiteArenaRw);
  void* temp_data = TfLiteOpaqueTensorData(temp_tensor);
  TF_LITE_OPAQUE_ENSURE(context, temp_data != nullptr);
  return atan_op_as_documented::AtanEval(context, node);
}
}  // namespace

TfLiteRegistrationExternal* MyCustomOpRegistrationExternal() {
  // Singleton instance, intentionally never destroyed.
  static TfLiteRegistrationExternal* my_custom_op = []() {
    TfLiteRegistrationExternal* r = TfLiteRegistrationExternalCreate(
        kTfLiteBuiltinCustom, "Atan", /*version=*/1);
    TfLiteRegistrationExternalSetInit(r, Init);
    TfLiteRegistrationExternalSetFree(r, Free);
    TfLiteRegistrationExternalSetPrepare(r, Prepare);
    TfLiteRegistrationExternalSetInvoke(r, Invoke);
    return r;
  }();
  return my_custom_op;
}

const TfLiteRegistration* MyCustomOpRegistration() {
  static const TfLiteRegistration my_custom_op{
      .registration_external = MyCustomOpRegistrationExternal(),
  };
  return &my_custom_op;
}
}  // namespace my_namespace::my_custom_op
