#ifndef TFLITE_CUSTOM_TESTDATA_DOCUMENT_LISTING_C_H_
#define TFLITE_CUSTOM_TESTDATA_DOCUMENT_LISTING_C_H_

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

TfLiteRegistrationExternal* DocumentedAtanOpRegistrationExternal(void);
TfLiteRegistration DocumentedAtanOpRegistration(void);

TfLiteRegistrationExternal* MyCustomOpRegistrationExternal(void);
TfLiteRegistration MyCustomOpRegistration(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFLITE_CUSTOM_TESTDATA_DOCUMENT_LISTING_C_H_
