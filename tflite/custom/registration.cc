#include "tflite/custom/registration.h"

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

TfLiteRegistration MakeRegistration(TfLiteRegistrationExternal* op,
                                    const OpaqueMethods& methods) {
  TfLiteRegistration registration = {};
  // An opaque context is a context and an opaque node a node, behind a name
  // that hides their fields: the functions take the same pointers.
  registration.init =
      reinterpret_cast<decltype(registration.init)>(methods.init);
  registration.free =
      reinterpret_cast<decltype(registration.free)>(methods.free);
  registration.prepare =
      reinterpret_cast<decltype(registration.prepare)>(methods.prepare);
  registration.invoke =
      reinterpret_cast<decltype(registration.invoke)>(methods.invoke);
  registration.builtin_code = TfLiteRegistrationExternalGetBuiltInCode(op);
  registration.custom_name = TfLiteRegistrationExternalGetCustomName(op);
  registration.version = TfLiteRegistrationExternalGetVersion(op);
  registration.registration_external = op;
  return registration;
}

}  // namespace tflite::custom
