// The kernels of this folder that RegisterCustomOps works on. A binary that
// needs few of them has another file in the place of this one: see
// tflite_selected_ops.bzl.

#include "tflite/custom/custom_ops.h"

#include <vector>

#include "tflite/custom/register.h"

namespace tflite::custom {

const std::vector<CustomOp>& ListedCustomOps() {
  static const auto* const ops = new std::vector<CustomOp>{
#define TFLITE_CUSTOM_OP(name_space, name) \
  {name_space::name##OpRegistrationExternal, name_space::name##OpRegistration},
#include "tflite/custom/custom_ops.inc"
#undef TFLITE_CUSTOM_OP
  };
  return *ops;
}

}  // namespace tflite::custom
