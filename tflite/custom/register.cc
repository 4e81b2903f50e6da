#include "tflite/custom/register.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tflite/custom/atan.h"
#include "tflite/custom/elementwise/elementwise.h"
#include "tflite/custom/foreign_resolver.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

const std::vector<CustomOp>& CustomOps() {
  static const auto* const ops = new std::vector<CustomOp>{
      {atan_op::AtanOpRegistrationExternal, atan_op::AtanOpRegistration},
#define ELEMENTWISE_OP(name, inputs, shapes, types) \
  {elementwise::name##OpRegistrationExternal,       \
   elementwise::name##OpRegistration},
#include "tflite/custom/elementwise/ops.inc"
#undef ELEMENTWISE_OP
  };
  return *ops;
}

namespace {

// What a runtime may use that came in another library than the operators: it
// would read them with a layout of its own.
const std::vector<TfLiteRegistration>& ForeignRegistrations() {
  static const auto* const registrations = [] {
    auto* result = new std::vector<TfLiteRegistration>;
    for (const CustomOp& op : CustomOps()) {
      result->push_back(*op.registration());
      result->back().registration_external = nullptr;
    }
    return result;
  }();
  return *registrations;
}

}  // namespace

std::vector<std::string> CustomOpNames() {
  std::vector<std::string> names;
  for (const CustomOp& op : CustomOps()) {
    names.push_back(op.registration()->custom_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

const TfLiteRegistration* FindCustomOp(const char* name, int version) {
  for (const TfLiteRegistration& registration : ForeignRegistrations()) {
    if (registration.version == version &&
        std::strcmp(registration.custom_name, name) == 0) {
      return &registration;
    }
  }
  return nullptr;
}

void RegisterCustomOps(TfLiteInterpreterOptions* options) {
  for (const CustomOp& op : CustomOps()) {
    TfLiteInterpreterOptionsAddOperator(options, op.registration_external());
  }
}

bool RegisterCustomOps(MutableOpResolver* resolver) {
  return AddCustomOps(resolver, ForeignRegistrations()) ||
         InterposeFindOp(resolver, FindCustomOp);
}

}  // namespace tflite::custom
