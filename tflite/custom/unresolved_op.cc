#include "tflite/custom/unresolved_op.h"

#include <cctype>
#include <cstddef>
#include <optional>
#include <string>

#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/register.h"

namespace tflite::custom {
namespace {

// Ops of TensorFlow itself that the converter leaves to a delegate.
constexpr char kFlex[] = "Flex";
constexpr int kHighestVersion = 16;

// `crop_and_resize` of CropAndResize, as new_op wants it.
std::string SnakeCase(const std::string& name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isalnum(c) == 0) {
      if (!result.empty() && result.back() != '_') result += '_';
      continue;
    }
    if (std::isupper(c) != 0 && i > 0 && !result.empty() &&
        result.back() != '_' &&
        std::isupper(static_cast<unsigned char>(name[i - 1])) == 0) {
      result += '_';
    }
    result += static_cast<char>(std::tolower(c));
  }
  return result;
}

std::string Advice(const CustomOpCode& code) {
  if (code.name.rfind(kFlex, 0) == 0) {
    return "it is TensorFlow's own op, for a delegate that is not here: "
           "convert "
           "without tf.lite.OpsSet.SELECT_TF_OPS and with allow_custom_ops";
  }
  for (int version = 1; version <= kHighestVersion; ++version) {
    if (FindCustomOp(code.name.c_str(), version) == nullptr) continue;
    return "it is registered in version " + std::to_string(version);
  }
  return "`./bazelw run //tools/new_op -- " + SnakeCase(code.name) +
         " --kind=tflite` begins one";
}

}  // namespace

std::optional<Error> UnresolvedOp(const Model& model, const std::string& log) {
  for (const CustomOpCode& code : model.CustomOpCodes()) {
    if (log.find("unresolved custom op: " + code.name + ".") ==
        std::string::npos) {
      continue;
    }
    return Error{model.path() + " needs the custom op '" + code.name +
                 "' (version " + std::to_string(code.version) +
                 "), for which no kernel is registered: " + Advice(code)};
  }
  return std::nullopt;
}

}  // namespace tflite::custom
