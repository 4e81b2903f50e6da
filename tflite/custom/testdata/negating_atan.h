#ifndef TFLITE_CUSTOM_TESTDATA_NEGATING_ATAN_H_
#define TFLITE_CUSTOM_TESTDATA_NEGATING_ATAN_H_

#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::testdata {

// A kernel of the name and version of Atan, which gives -x for float32 x.
TFLITE_CUSTOM_DECLARE_OP(NegatingAtan)

}  // namespace tflite::custom::testdata

#endif  // TFLITE_CUSTOM_TESTDATA_NEGATING_ATAN_H_
