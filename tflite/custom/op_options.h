// A custom op's options in an Init of the C++ style.
#ifndef TFLITE_CUSTOM_OP_OPTIONS_H_
#define TFLITE_CUSTOM_OP_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tflite/custom/flex_options.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

// Reads options while their buffer lives, which is during Init alone. Init
// cannot fail, so what is wrong is kept for Prepare to report: EnsureValid.
class OpOptions {
 public:
  OpOptions(const char* buffer, size_t length);

  // The value, or `otherwise` where the options do not name it.
  bool Bool(const char* name, bool otherwise);
  int64_t Int(const char* name, int64_t otherwise);
  // TensorFlow's floats are of single precision.
  float Float(const char* name, float otherwise);
  std::string String(const char* name, const char* otherwise);
  std::vector<int64_t> Ints(const char* name, std::vector<int64_t> otherwise);

  // What was wrong first; empty where nothing was.
  const std::string& error() const { return error_; }

 private:
  bool Found(const char* name, FlexStatus status);

  FlexMap map_ = {};
  std::string error_;
};

// Reports and fails where `error`, as OpOptions gave it, is not empty.
TfLiteStatus EnsureValid(TfLiteOpaqueContext* context, const char* op,
                         const std::string& error);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_OP_OPTIONS_H_
