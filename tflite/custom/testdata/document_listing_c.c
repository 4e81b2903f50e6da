/* The C listings of the TFLite guide on custom operators, as they stand there
   but for the slips that document_listing_cc.cc names, and three more: an
   initializer of a static object that is not constant, `static_cast`, and a
   `const` result that means nothing. */

#include "tflite/custom/testdata/document_listing_c.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"

static TfLiteStatus AtanPrepare(TfLiteOpaqueContext* context,
                                TfLiteOpaqueNode* node) {
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

static TfLiteStatus AtanEval(TfLiteOpaqueContext* context,
                             TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);

  float* input_data = (float*)TfLiteOpaqueTensorData(input);
  float* output_data = (float*)TfLiteOpaqueTensorData(output);

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

static TfLiteRegistrationExternal* AtanOpCreate(void) {
  TfLiteRegistrationExternal* r = TfLiteRegistrationExternalCreate(
      kTfLiteBuiltinCustom, "Atan", /*version=*/1);
  TfLiteRegistrationExternalSetPrepare(r, AtanPrepare);
  TfLiteRegistrationExternalSetInvoke(r, AtanEval);
  return r;
}

TfLiteRegistrationExternal* DocumentedAtanOpRegistrationExternal(void) {
  // Singleton instance, intentionally never destroyed.
  static TfLiteRegistrationExternal* atan_op = NULL;
  if (atan_op == NULL) atan_op = AtanOpCreate();
  return atan_op;
}

TfLiteRegistration DocumentedAtanOpRegistration(void) {
  const TfLiteRegistration atan_op = {
      .registration_external = DocumentedAtanOpRegistrationExternal(),
  };
  return atan_op;
}

static void* MyCustomOpInit(TfLiteOpaqueContext* context, const char* buffer,
                            size_t length) {
  return malloc(1);
}

static void MyCustomOpFree(TfLiteOpaqueContext* context, void* buffer) {
  free(buffer);
}

static TfLiteStatus MyCustomOpPrepare(TfLiteOpaqueContext* context,
                                      TfLiteOpaqueNode* node) {
  return AtanPrepare(context, node);
}

static TfLiteStatus MyCustomOpInvoke(TfLiteOpaqueContext* context,
                                     TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE(context, TfLiteOpaqueNodeGetUserData(node) != NULL);
  return AtanEval(context, node);
}

static TfLiteRegistrationExternal* MyCustomOpCreate(void) {
  TfLiteRegistrationExternal* r = TfLiteRegistrationExternalCreate(
      kTfLiteBuiltinCustom, "Atan", /*version=*/1);
  TfLiteRegistrationExternalSetInit(r, MyCustomOpInit);
  TfLiteRegistrationExternalSetFree(r, MyCustomOpFree);
  TfLiteRegistrationExternalSetPrepare(r, MyCustomOpPrepare);
  TfLiteRegistrationExternalSetInvoke(r, MyCustomOpInvoke);
  return r;
}

TfLiteRegistrationExternal* MyCustomOpRegistrationExternal(void) {
  // Singleton instance, intentionally never destroyed.
  static TfLiteRegistrationExternal* my_custom_op = NULL;
  if (my_custom_op == NULL) my_custom_op = MyCustomOpCreate();
  return my_custom_op;
}

TfLiteRegistration MyCustomOpRegistration(void) {
  const TfLiteRegistration my_custom_op = {
      .registration_external = MyCustomOpRegistrationExternal(),
  };
  return my_custom_op;
}
