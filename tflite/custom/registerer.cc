// What libtflite_custom_ops.so exports: the kernels of register.cc for the
// interpreters in Python wheels.

#include "tflite/custom/registerer.h"

#include <string>
#include <vector>

#include "tflite/custom/register.h"
#include "third_party/tensorflow/lite/c/c_api.h"

int TfLiteCustomOpsRegisterer(void* resolver) {
  return tflite::custom::RegisterCustomOps(
             static_cast<tflite::MutableOpResolver*>(resolver))
             ? 0
             : 1;
}

void TfLiteCustomOpsRegisterWithOptions(void* options) {
  tflite::custom::RegisterCustomOps(
      static_cast<TfLiteInterpreterOptions*>(options));
}

const char* TfLiteCustomOpsName(int index) {
  static const auto* const names =
      new std::vector<std::string>(tflite::custom::CustomOpNames());
  if (index < 0 || index >= static_cast<int>(names->size())) return nullptr;
  return (*names)[index].c_str();
}
