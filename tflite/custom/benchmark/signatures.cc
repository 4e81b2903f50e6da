#include "tflite/custom/benchmark/signatures.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"

namespace tflite::custom::benchmark {

ErrorOr<std::optional<size_t>> ChooseSignature(const Model& model,
                                               const std::string& asked) {
  const std::vector<Signature> signatures = model.Signatures();
  if (signatures.empty()) {
    if (asked.empty()) return std::optional<size_t>();
    return Error{"--signature_to_run_for is '" + asked + "', but " +
                 model.path() + " has no signatures"};
  }
  if (asked.empty() && signatures.size() == 1) return std::optional<size_t>(0);
  std::string keys;
  for (size_t i = 0; i < signatures.size(); ++i) {
    if (!asked.empty() && signatures[i].key == asked) {
      return std::optional<size_t>(i);
    }
    if (i > 0) keys += ", ";
    keys += signatures[i].key;
  }
  if (asked.empty()) {
    return Error{model.path() +
                 " has several signatures; say which to run with "
                 "--signature_to_run_for: " +
                 keys};
  }
  return Error{"--signature_to_run_for is '" + asked + "', which " +
               model.path() + " does not have; it has: " + keys};
}

}  // namespace tflite::custom::benchmark
