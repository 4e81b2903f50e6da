// Kernels over the three tensors that make a sparse one: indices, a row for
// each value; values; and the shape. All results are singletons that live as
// long as the process.
#ifndef TFLITE_CUSTOM_SPARSE_SPARSE_H_
#define TFLITE_CUSTOM_SPARSE_SPARSE_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::sparse_ops {

// A sparse tensor, and a dense one that broadcasts to it; gives values.
TFLITE_CUSTOM_DECLARE_OP(SparseDenseCwiseAdd)
TFLITE_CUSTOM_DECLARE_OP(SparseDenseCwiseDiv)
TFLITE_CUSTOM_DECLARE_OP(SparseDenseCwiseMul)

// A sparse tensor and the axes that are reduced; option `keep_dims`.
TFLITE_CUSTOM_DECLARE_OP(SparseReduceMax)
TFLITE_CUSTOM_DECLARE_OP(SparseReduceSum)

// A sparse tensor and a dense one of its shape.
TFLITE_CUSTOM_DECLARE_OP(SparseTensorDenseAdd)

}  // namespace tflite::custom::sparse_ops

#endif  // TFLITE_CUSTOM_SPARSE_SPARSE_H_
