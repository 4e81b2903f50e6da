#include "tflite/custom/testdata/fake_resolver.h"

#include <cstring>

#include "third_party/tensorflow/lite/c/common.h"

namespace tflite {

const TfLiteRegistration* MutableOpResolver::FindOp(int, int) const {
  return nullptr;
}

const TfLiteRegistration* MutableOpResolver::FindOp(const char* op,
                                                    int version) const {
  return added_.custom_name != nullptr && added_.version == version &&
                 std::strcmp(added_.custom_name, op) == 0
             ? &added_
             : nullptr;
}

MutableOpResolver::~MutableOpResolver() = default;

void MutableOpResolver::AddCustom(const char* name,
                                  const TfLiteRegistration* registration,
                                  int version) {
  added_ = *registration;
  added_.custom_name = name;
  added_.version = version;
}

}  // namespace tflite

tflite::MutableOpResolver* NewFakeResolver() {
  return new tflite::MutableOpResolver;
}
