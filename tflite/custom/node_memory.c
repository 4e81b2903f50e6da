#include "tflite/custom/node_memory.h"

#include <stddef.h>
#include <stdint.h>

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

// No program has memory below this.
static const uintptr_t kLowestAddress = 1 << 16;

static TfLiteStatus EnsureTensorMemory(TfLiteOpaqueContext* context,
                                       const TfLiteOpaqueTensor* tensor,
                                       const char* op, const char* role) {
  // Null stands for a tensor that the model leaves out.
  if (tensor == NULL ||
      (uintptr_t)TfLiteOpaqueTensorData(tensor) >= kLowestAddress) {
    return kTfLiteOk;
  }
  const size_t bytes = TfLiteOpaqueTensorByteSize(tensor);
  if (bytes == 0 ||
      TfLiteOpaqueTensorGetAllocationType(tensor) == kTfLiteDynamic) {
    return kTfLiteOk;
  }
  TfLiteOpaqueContextReportError(context,
                                 "%s: not enough memory: no room for its %s "
                                 "'%s', of %zu bytes",
                                 op, role, TfLiteOpaqueTensorName(tensor),
                                 bytes);
  return kTfLiteError;
}

static TfLiteStatus EnsureAll(TfLiteOpaqueContext* context, const int* tensors,
                              int count, const char* op, const char* role) {
  for (int i = 0; i < count; ++i) {
    if (tensors[i] < 0) continue;
    const TfLiteStatus status = EnsureTensorMemory(
        context, TfLiteOpaqueContextGetOpaqueTensor(context, tensors[i]), op,
        role);
    if (status != kTfLiteOk) return status;
  }
  return kTfLiteOk;
}

TfLiteStatus EnsureNodeMemory(TfLiteOpaqueContext* context,
                              const TfLiteOpaqueNode* node, const char* op) {
  const int* tensors = NULL;
  int count = 0;
  TfLiteStatus status = TfLiteOpaqueNodeOutputs(node, &tensors, &count);
  if (status != kTfLiteOk) return status;
  status = EnsureAll(context, tensors, count, op, "output");
  if (status != kTfLiteOk) return status;
  status = TfLiteOpaqueNodeTemporaries(node, &tensors, &count);
  if (status != kTfLiteOk) return status;
  return EnsureAll(context, tensors, count, op, "temporary");
}
