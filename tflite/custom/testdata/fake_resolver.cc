#include "tflite/custom/testdata/fake_resolver.h"

#include <cstring>

#include "third_party/tensorflow/lite/c/common.h"

namespace tflite {

const TfLiteRegistration* MutableOpResolver::FindOp(int, int) const {
  return nullptr;
}

const TfLiteRegistration* MutableOpResolver::FindOp(const char* op,
                                                    int version) const {
  for (const TfLiteRegistration& added : added_) {
    if (added.version == version && std::strcmp(added.custom_name, op) == 0) {
      return &added;
    }
  }
  return nullptr;
}

MutableOpResolver::~MutableOpResolver() = default;

void MutableOpResolver::AddCustom(const char* name,
                                  const TfLiteRegistration* registration,
                                  int version) {
  added_.push_back(*registration);
  added_.back().custom_name = name;
  added_.back().version = version;
}

}  // namespace tflite

tflite::MutableOpResolver* NewFakeResolver() {
  return new tflite::MutableOpResolver;
}
