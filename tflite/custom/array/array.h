// Kernels that make, look up, check and sum tensors as they lie in memory. All
// results are singletons that live as long as the process.
#ifndef TFLITE_CUSTOM_ARRAY_ARRAY_H_
#define TFLITE_CUSTOM_ARRAY_ARRAY_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::array_ops {

// Any number of tensors of one shape.
TFLITE_CUSTOM_DECLARE_OP(AccumulateNV2)

// A tensor of floats without NaN and infinity; option `message`.
TFLITE_CUSTOM_DECLARE_OP(CheckNumericsV2)

// A tensor and the order of its dimensions in the output.
TFLITE_CUSTOM_DECLARE_OP(ConjugateTranspose)

// Dimensions of a tensor, and what goes with each; options `src_format` and
// `dst_format`.
TFLITE_CUSTOM_DECLARE_OP(DataFormatDimMap)
TFLITE_CUSTOM_DECLARE_OP(DataFormatVecPermute)

// A tensor, whose NaNs are counted.
TFLITE_CUSTOM_DECLARE_OP(DebugNanCount)

// A tensor and the diagonal of one.
TFLITE_CUSTOM_DECLARE_OP(Diag)
TFLITE_CUSTOM_DECLARE_OP(DiagPart)
TFLITE_CUSTOM_DECLARE_OP(MatrixDiagPart)

// A tensor, which is passed on.
TFLITE_CUSTOM_DECLARE_OP(Copy)
TFLITE_CUSTOM_DECLARE_OP(CopyHost)
TFLITE_CUSTOM_DECLARE_OP(DeepCopy)
TFLITE_CUSTOM_DECLARE_OP(GuaranteeConst)

// Predictions of classes and a target for each row of them; option or input k.
TFLITE_CUSTOM_DECLARE_OP(InTopK)
TFLITE_CUSTOM_DECLARE_OP(InTopKV2)

// Start, stop and how many.
TFLITE_CUSTOM_DECLARE_OP(LinSpace)

// A tensor and a number less than its last dimension; option `reverse`.
TFLITE_CUSTOM_DECLARE_OP(NthElement)

// Sorted rows, and rows of values.
TFLITE_CUSTOM_DECLARE_OP(LowerBound)
TFLITE_CUSTOM_DECLARE_OP(UpperBound)

}  // namespace tflite::custom::array_ops

#endif  // TFLITE_CUSTOM_ARRAY_ARRAY_H_
