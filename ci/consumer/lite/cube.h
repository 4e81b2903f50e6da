#ifndef LITE_CUBE_H_
#define LITE_CUBE_H_

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace consumer {

// The custom op "Consumer>Cube", version 1. Both are singletons that live as
// long as the process.
TfLiteRegistrationExternal* CubeOpRegistrationExternal();
const TfLiteRegistration* CubeOpRegistration();

}  // namespace consumer

#endif  // LITE_CUBE_H_
