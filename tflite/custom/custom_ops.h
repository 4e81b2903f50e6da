// The headers of the kernels in custom_ops.inc, a line each.
#ifndef TFLITE_CUSTOM_CUSTOM_OPS_H_
#define TFLITE_CUSTOM_CUSTOM_OPS_H_

#include "tflite/custom/array/array.h"
#include "tflite/custom/atan.h"
#include "tflite/custom/elementwise/elementwise.h"
#include "tflite/custom/image/image.h"
#include "tflite/custom/linalg/cross.h"
#include "tflite/custom/linalg/linalg.h"
#include "tflite/custom/multiplex/multiplex_dense.h"
#include "tflite/custom/quantization/quantization.h"
#include "tflite/custom/reduction/reduction.h"
#include "tflite/custom/scatter/scatter.h"
#include "tflite/custom/sparse/sparse.h"

namespace tflite::custom {

// What is written in C has no namespace of its own.
namespace c_ops {
using ::CrossOpRegistration;
using ::CrossOpRegistrationExternal;
}  // namespace c_ops

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_CUSTOM_OPS_H_
