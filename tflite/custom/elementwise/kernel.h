// The kernel of every element-wise op: what differs from one to the next is an
// Op.
#ifndef TFLITE_CUSTOM_ELEMENTWISE_KERNEL_H_
#define TFLITE_CUSTOM_ELEMENTWISE_KERNEL_H_

#include <cstddef>

#include "tflite/custom/elementwise/run.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::elementwise {

// Which shapes the inputs may have.
enum class Shapes {
  // Any that broadcast.
  kBroadcast,
  // All the same.
  kSame,
  // All that are not scalars the same.
  kSameOrScalar,
  // All that are not scalars as the first, which is the output's.
  kAsFirstOrScalar,
};

// An op for inputs of one type.
struct Overload {
  TfLiteType input;
  TfLiteType output;
  size_t input_size;  // Of an element, in bytes.
  size_t output_size;
  const char* (*function)(const Run& run);
};

struct Op {
  const char* name;
  int num_inputs;
  Shapes shapes;
  const Overload* overloads;
  int num_overloads;
  // An option that the functions take, and what it is where a model does not
  // say; null where the op has none.
  const char* option = nullptr;
  float otherwise = 0;
};

// The methods of the kernel. `op` lives as long as the process.
void* InitOp(const Op& op, const char* buffer, size_t length);
void Free(TfLiteOpaqueContext* context, void* data);
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node);
TfLiteStatus Invoke(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node);

}  // namespace tflite::custom::elementwise

#endif  // TFLITE_CUSTOM_ELEMENTWISE_KERNEL_H_
