// A kernel in the C style: static functions with the op's name as their prefix.

#include "tflite/custom/linalg/cross.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "tflite/custom/linalg/cross_math.h"
#include "tflite/custom/node_memory.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

static const char kCrossName[] = "Cross";
static const int kCrossVersion = 1;
static const int kCrossSize = 3;

static TfLiteStatus CrossEnsureType(TfLiteOpaqueContext* context,
                                    const TfLiteOpaqueTensor* tensor) {
  switch (TfLiteOpaqueTensorType(tensor)) {
    case kTfLiteFloat32:
    case kTfLiteFloat64:
    case kTfLiteInt8:
    case kTfLiteInt16:
    case kTfLiteInt32:
    case kTfLiteInt64:
    case kTfLiteUInt8:
    case kTfLiteUInt16:
    case kTfLiteUInt32:
    case kTfLiteUInt64:
      return kTfLiteOk;
    default:
      TfLiteOpaqueContextReportError(
          context,
          "%s: inputs must be FLOAT32, FLOAT64 or integers, but tensor '%s' is "
          "%s",
          kCrossName, TfLiteOpaqueTensorName(tensor),
          TfLiteTypeGetName(TfLiteOpaqueTensorType(tensor)));
      return kTfLiteError;
  }
}

static TfLiteStatus CrossEnsureSameType(TfLiteOpaqueContext* context,
                                        const TfLiteOpaqueTensor* a,
                                        const TfLiteOpaqueTensor* other) {
  const TfLiteType type = TfLiteOpaqueTensorType(other);
  if (type == TfLiteOpaqueTensorType(a)) return kTfLiteOk;
  TfLiteOpaqueContextReportError(
      context, "%s: tensor '%s' must be %s like '%s', but is %s", kCrossName,
      TfLiteOpaqueTensorName(other),
      TfLiteTypeGetName(TfLiteOpaqueTensorType(a)), TfLiteOpaqueTensorName(a),
      TfLiteTypeGetName(type));
  return kTfLiteError;
}

static TfLiteStatus CrossPrepare(TfLiteOpaqueContext* context,
                                 TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_EQ(context, TfLiteOpaqueNodeNumberOfInputs(node), 2);
  TF_LITE_OPAQUE_ENSURE_EQ(context, TfLiteOpaqueNodeNumberOfOutputs(node), 1);
  const TfLiteOpaqueTensor* a = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* b = TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE(context, a != NULL && b != NULL && output != NULL);
  TF_LITE_OPAQUE_ENSURE_STATUS(CrossEnsureType(context, a));
  TF_LITE_OPAQUE_ENSURE_STATUS(CrossEnsureSameType(context, a, b));
  TF_LITE_OPAQUE_ENSURE_STATUS(CrossEnsureSameType(context, a, output));

  const int rank = TfLiteOpaqueTensorNumDims(a);
  if (rank != TfLiteOpaqueTensorNumDims(b)) {
    TfLiteOpaqueContextReportError(
        context,
        "%s: inputs must have the same shape, but have ranks %d and %d",
        kCrossName, rank, TfLiteOpaqueTensorNumDims(b));
    return kTfLiteError;
  }
  for (int i = 0; i < rank; ++i) {
    const int size = TfLiteOpaqueTensorDim(a, i);
    if (size == TfLiteOpaqueTensorDim(b, i)) continue;
    TfLiteOpaqueContextReportError(
        context,
        "%s: inputs must have the same shape, but dimension %d is %d and %d",
        kCrossName, i, size, TfLiteOpaqueTensorDim(b, i));
    return kTfLiteError;
  }
  if (rank < 1 || TfLiteOpaqueTensorDim(a, rank - 1) != kCrossSize) {
    TfLiteOpaqueContextReportError(
        context,
        "%s: the last dimension must be %d, but tensor '%s' has rank %d and "
        "last dimension %d",
        kCrossName, kCrossSize, TfLiteOpaqueTensorName(a), rank,
        rank < 1 ? 1 : TfLiteOpaqueTensorDim(a, rank - 1));
    return kTfLiteError;
  }

  TfLiteIntArray* shape = TfLiteIntArrayCreate(rank);
  TF_LITE_OPAQUE_ENSURE(context, shape != NULL);
  for (int i = 0; i < rank; ++i) shape->data[i] = TfLiteOpaqueTensorDim(a, i);
  return TfLiteOpaqueContextResizeTensor(context, output, shape);
}

static TfLiteStatus CrossInvoke(TfLiteOpaqueContext* context,
                                TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureNodeMemory(context, node, kCrossName));
  const TfLiteOpaqueTensor* a_tensor =
      TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* b_tensor =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  size_t count = 1;
  const int rank = TfLiteOpaqueTensorNumDims(a_tensor);
  for (int i = 0; i < rank - 1; ++i) {
    count *= (size_t)TfLiteOpaqueTensorDim(a_tensor, i);
  }
  const void* a = TfLiteOpaqueTensorData(a_tensor);
  const void* b = TfLiteOpaqueTensorData(b_tensor);
  void* out = TfLiteOpaqueTensorData(output);
  switch (TfLiteOpaqueTensorType(a_tensor)) {
    case kTfLiteFloat32:
      CrossF32(count, a, b, out);
      return kTfLiteOk;
    case kTfLiteFloat64:
      CrossF64(count, a, b, out);
      return kTfLiteOk;
    case kTfLiteInt8:
    case kTfLiteUInt8:
      CrossU8(count, a, b, out);
      return kTfLiteOk;
    case kTfLiteInt16:
    case kTfLiteUInt16:
      CrossU16(count, a, b, out);
      return kTfLiteOk;
    case kTfLiteInt32:
    case kTfLiteUInt32:
      CrossU32(count, a, b, out);
      return kTfLiteOk;
    case kTfLiteInt64:
    case kTfLiteUInt64:
      CrossU64(count, a, b, out);
      return kTfLiteOk;
    default:
      return CrossEnsureType(context, a_tensor);
  }
}

// Singletons, intentionally never destroyed.
static pthread_once_t cross_once = PTHREAD_ONCE_INIT;
static TfLiteRegistrationExternal* cross_op;
static TfLiteRegistration cross_registration;

static void CrossCreate(void) {
  cross_op = TfLiteRegistrationExternalCreate(kTfLiteBuiltinCustom, kCrossName,
                                              kCrossVersion);
  TfLiteRegistrationExternalSetPrepare(cross_op, CrossPrepare);
  TfLiteRegistrationExternalSetInvoke(cross_op, CrossInvoke);
  // What MakeRegistration of registration.h does for kernels in C++, where it
  // says why the methods are here as well.
  cross_registration = (TfLiteRegistration){
      .prepare = (TfLiteStatus(*)(TfLiteContext*, TfLiteNode*))CrossPrepare,
      .invoke = (TfLiteStatus(*)(TfLiteContext*, TfLiteNode*))CrossInvoke,
      .builtin_code = kTfLiteBuiltinCustom,
      .custom_name = kCrossName,
      .version = kCrossVersion,
      .registration_external = cross_op,
  };
}

TfLiteRegistrationExternal* CrossOpRegistrationExternal(void) {
  pthread_once(&cross_once, CrossCreate);
  return cross_op;
}

const TfLiteRegistration* CrossOpRegistration(void) {
  pthread_once(&cross_once, CrossCreate);
  return &cross_registration;
}
