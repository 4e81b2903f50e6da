#ifndef TFLITE_CUSTOM_TESTDATA_DOCUMENT_LISTING_CC_H_
#define TFLITE_CUSTOM_TESTDATA_DOCUMENT_LISTING_CC_H_

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace atan_op_as_documented {
TfLiteRegistrationExternal* AtanOpRegistrationExternal();
const TfLiteRegistration* AtanOpRegistration();
}  // namespace atan_op_as_documented

namespace my_namespace::my_custom_op {
TfLiteRegistrationExternal* MyCustomOpRegistrationExternal();
const TfLiteRegistration* MyCustomOpRegistration();
}  // namespace my_namespace::my_custom_op

#endif  // TFLITE_CUSTOM_TESTDATA_DOCUMENT_LISTING_CC_H_
