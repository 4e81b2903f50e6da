// Kernels that pretend to quantize, and their gradients. All results are
// singletons that live as long as the process.
#ifndef TFLITE_CUSTOM_QUANTIZATION_QUANTIZATION_H_
#define TFLITE_CUSTOM_QUANTIZATION_QUANTIZATION_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::quantization_ops {

// Options `num_bits` and `narrow_range`; the range in options, in scalars, or
// in vectors with a number for each of the last dimension.
TFLITE_CUSTOM_DECLARE_OP(FakeQuantWithMinMaxArgsGradient)
TFLITE_CUSTOM_DECLARE_OP(FakeQuantWithMinMaxVarsGradient)
TFLITE_CUSTOM_DECLARE_OP(FakeQuantWithMinMaxVarsPerChannel)
TFLITE_CUSTOM_DECLARE_OP(FakeQuantWithMinMaxVarsPerChannelGradient)

// An input, its range, and in V3 the number of bits; options as TensorFlow's.
TFLITE_CUSTOM_DECLARE_OP(QuantizeAndDequantizeV3)
TFLITE_CUSTOM_DECLARE_OP(QuantizeAndDequantizeV4)
TFLITE_CUSTOM_DECLARE_OP(QuantizeAndDequantizeV4Grad)

}  // namespace tflite::custom::quantization_ops

#endif  // TFLITE_CUSTOM_QUANTIZATION_QUANTIZATION_H_
