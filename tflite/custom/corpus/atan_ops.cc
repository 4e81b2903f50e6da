// The one kernel that the models of convert_models.py are calibrated with. A
// tool with all kernels would compile them a second time, for the build's own
// use.

#include <vector>

#include "tflite/custom/atan.h"
#include "tflite/custom/register.h"

namespace tflite::custom {

const std::vector<CustomOp>& ListedCustomOps() {
  static const auto* const ops = new std::vector<CustomOp>{
      {atan_op::AtanOpRegistrationExternal, atan_op::AtanOpRegistration}};
  return *ops;
}

}  // namespace tflite::custom
