#ifndef TFLITE_CUSTOM_REGISTRATION_H_
#define TFLITE_CUSTOM_REGISTRATION_H_

#include <cstddef>

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

// The methods of a kernel on the opaque API; null where it has none.
struct OpaqueMethods {
  void* (*init)(TfLiteOpaqueContext* context, const char* buffer,
                size_t length) = nullptr;
  void (*free)(TfLiteOpaqueContext* context, void* data) = nullptr;
  TfLiteStatus (*prepare)(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) = nullptr;
  TfLiteStatus (*invoke)(TfLiteOpaqueContext* context,
                         TfLiteOpaqueNode* node) = nullptr;
};

// The concrete registration of `op`, with its methods also in fields of their
// own: a runtime that came in another library than the one that made `op` can
// call those, but must not look into `op`.
TfLiteRegistration MakeRegistration(TfLiteRegistrationExternal* op,
                                    const OpaqueMethods& methods);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_REGISTRATION_H_
