// Whether a node has the memory that its kernel is about to use. In C, so that
// kernels of both styles have it.
#ifndef TFLITE_CUSTOM_NODE_MEMORY_H_
#define TFLITE_CUSTOM_NODE_MEMORY_H_

#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// For Invoke: fails if an output or a temporary of the node has no memory. The
// runtime does not look at what its allocation gave: if that was nothing, it
// places tensors as if its memory began at null. It does look at inputs.
// Dynamic tensors, which get their memory in Invoke, are left to the kernel.
TfLiteStatus EnsureNodeMemory(TfLiteOpaqueContext* context,
                              const TfLiteOpaqueNode* node, const char* op);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_NODE_MEMORY_H_
