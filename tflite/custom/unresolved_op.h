#ifndef TFLITE_CUSTOM_UNRESOLVED_OP_H_
#define TFLITE_CUSTOM_UNRESOLVED_OP_H_

#include <optional>
#include <string>

#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"

namespace tflite::custom {

// If `log`, what a runtime reported when it could not prepare the model, says
// that an op has no kernel: the op, and how to get one.
std::optional<Error> UnresolvedOp(const Model& model, const std::string& log);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_UNRESOLVED_OP_H_
