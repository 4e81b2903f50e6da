// The linear algebra kernels: float32 and float64, any number of leading batch
// dimensions. All results are singletons that live as long as the process.
#ifndef TFLITE_CUSTOM_LINALG_LINALG_H_
#define TFLITE_CUSTOM_LINALG_LINALG_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace linalg_ops {

// "Cholesky": the lower triangle L with L L^T the input, whose lower triangle
// alone is read. NaN where there is none.
TfLiteRegistrationExternal* CholeskyOpRegistrationExternal();
const TfLiteRegistration* CholeskyOpRegistration();

// "LogMatrixDeterminant": sign and logarithm of the absolute value;
// "MatrixDeterminant": what they come to.
TFLITE_CUSTOM_DECLARE_OP(LogMatrixDeterminant)
TFLITE_CUSTOM_DECLARE_OP(MatrixDeterminant)

// "TridiagonalMatMul": the diagonals above, on and below the main one, and what
// is multiplied from the left.
TFLITE_CUSTOM_DECLARE_OP(TridiagonalMatMul)

// "MatrixInverse", of the adjoint where option `adjoint` holds. An error where
// a matrix is singular.
TfLiteRegistrationExternal* MatrixInverseOpRegistrationExternal();
const TfLiteRegistration* MatrixInverseOpRegistration();

// "Qr": Q and R, Q with all its columns where option `full_matrices` holds.
TfLiteRegistrationExternal* QrOpRegistrationExternal();
const TfLiteRegistration* QrOpRegistration();

// "Svd": the singular values in falling order, U and V; options `compute_uv`
// and `full_matrices`. NaN where the input is not finite.
TfLiteRegistrationExternal* SvdOpRegistrationExternal();
const TfLiteRegistration* SvdOpRegistration();

}  // namespace linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_LINALG_H_
