#ifndef TFLITE_CUSTOM_FARTHEST_POINT_SAMPLE_FARTHEST_POINT_SAMPLE_H_
#define TFLITE_CUSTOM_FARTHEST_POINT_SAMPLE_FARTHEST_POINT_SAMPLE_H_

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace custom_op_examples {

// The custom op "FarthestPointSample", version 1. Both are singletons that live
// as long as the process.
TfLiteRegistrationExternal* FarthestPointSampleOpRegistrationExternal();
const TfLiteRegistration* FarthestPointSampleOpRegistration();

}  // namespace custom_op_examples

#endif  // TFLITE_CUSTOM_FARTHEST_POINT_SAMPLE_FARTHEST_POINT_SAMPLE_H_
