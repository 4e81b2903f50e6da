// Kernels that count, sum or average. All results are singletons that live as
// long as the process.
#ifndef TFLITE_CUSTOM_REDUCTION_REDUCTION_H_
#define TFLITE_CUSTOM_REDUCTION_REDUCTION_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace reduction_ops {

// "Bincount": numbers, a scalar size, and weights of the numbers' shape or
// none.
TfLiteRegistrationExternal* BincountOpRegistrationExternal();
const TfLiteRegistration* BincountOpRegistration();

// "CumulativeLogsumexp": x and a scalar axis; options `exclusive`, `reverse`.
TfLiteRegistrationExternal* CumulativeLogsumexpOpRegistrationExternal();
const TfLiteRegistration* CumulativeLogsumexpOpRegistration();

// "Cumprod": as "CumulativeLogsumexp".
TfLiteRegistrationExternal* CumprodOpRegistrationExternal();
const TfLiteRegistration* CumprodOpRegistration();

// "DenseBincount": numbers of rank 0 to 2, a scalar size, and weights of the
// numbers' shape or none; option `binary_output`.
TfLiteRegistrationExternal* DenseBincountOpRegistrationExternal();
const TfLiteRegistration* DenseBincountOpRegistration();

// "EuclideanNorm": x and the axes that are reduced; option `keep_dims`.
TfLiteRegistrationExternal* EuclideanNormOpRegistrationExternal();
const TfLiteRegistration* EuclideanNormOpRegistration();

// "HistogramFixedWidth": values, a range, and a scalar number of bins.
TfLiteRegistrationExternal* HistogramFixedWidthOpRegistrationExternal();
const TfLiteRegistration* HistogramFixedWidthOpRegistration();

// "RaggedBincount": splits, numbers, a scalar size, and weights or none;
// option `binary_output`.
TFLITE_CUSTOM_DECLARE_OP(RaggedBincount)

// "SparseBincount": indices, numbers, a dense shape, a scalar size, and weights
// or none; option `binary_output`.
TFLITE_CUSTOM_DECLARE_OP(SparseBincount)

// "SparseSegmentSum" and the like: data, rows of it, and the segment of each of
// those, not falling; and the number of segments or, for a gradient, of rows.
TFLITE_CUSTOM_DECLARE_OP(SparseSegmentMean)
TFLITE_CUSTOM_DECLARE_OP(SparseSegmentMeanGrad)
TFLITE_CUSTOM_DECLARE_OP(SparseSegmentMeanWithNumSegments)
TFLITE_CUSTOM_DECLARE_OP(SparseSegmentSqrtN)
TFLITE_CUSTOM_DECLARE_OP(SparseSegmentSqrtNGrad)
TFLITE_CUSTOM_DECLARE_OP(SparseSegmentSqrtNWithNumSegments)
TFLITE_CUSTOM_DECLARE_OP(SparseSegmentSum)
TFLITE_CUSTOM_DECLARE_OP(SparseSegmentSumGrad)
TFLITE_CUSTOM_DECLARE_OP(SparseSegmentSumWithNumSegments)

// "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd": data and the
// segment of each of its rows, not falling.
TfLiteRegistrationExternal* SegmentMaxOpRegistrationExternal();
const TfLiteRegistration* SegmentMaxOpRegistration();
TfLiteRegistrationExternal* SegmentMeanOpRegistrationExternal();
const TfLiteRegistration* SegmentMeanOpRegistration();
TfLiteRegistrationExternal* SegmentMinOpRegistrationExternal();
const TfLiteRegistration* SegmentMinOpRegistration();
TfLiteRegistrationExternal* SegmentProdOpRegistrationExternal();
const TfLiteRegistration* SegmentProdOpRegistration();

}  // namespace reduction_ops

#endif  // TFLITE_CUSTOM_REDUCTION_REDUCTION_H_
