// The headers of the kernels in custom_ops.inc, a line each.
#ifndef TFLITE_CUSTOM_CUSTOM_OPS_H_
#define TFLITE_CUSTOM_CUSTOM_OPS_H_

#include "tflite/custom/atan.h"
#include "tflite/custom/elementwise/elementwise.h"

#endif  // TFLITE_CUSTOM_CUSTOM_OPS_H_
