// Kernels that put updates into a copy of a tensor. All results are singletons
// that live as long as the process.
#ifndef TFLITE_CUSTOM_SCATTER_SCATTER_H_
#define TFLITE_CUSTOM_SCATTER_SCATTER_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::scatter_ops {

// x, a vector of rows of it, and what is joined to each of them.
TFLITE_CUSTOM_DECLARE_OP(InplaceAdd)
TFLITE_CUSTOM_DECLARE_OP(InplaceSub)
TFLITE_CUSTOM_DECLARE_OP(InplaceUpdate)

// A tensor, indices of slices of it, and what is joined to each of those;
// option `bad_indices_policy`.
TFLITE_CUSTOM_DECLARE_OP(ScatterNdNonAliasingAdd)
TFLITE_CUSTOM_DECLARE_OP(TensorScatterMax)
TFLITE_CUSTOM_DECLARE_OP(TensorScatterMin)
TFLITE_CUSTOM_DECLARE_OP(TensorScatterSub)

}  // namespace tflite::custom::scatter_ops

#endif  // TFLITE_CUSTOM_SCATTER_SCATTER_H_
