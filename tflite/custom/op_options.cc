#include "tflite/custom/op_options.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tflite/custom/flex_options.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

OpOptions::OpOptions(const char* buffer, size_t length) {
  const FlexStatus status = FlexMapOpen(buffer, length, &map_);
  if (status != kFlexOk) {
    error_ = "the options must be a FlexBuffer map, but they are " +
             std::string(FlexStatusName(status)) + ": " +
             std::to_string(length) + " bytes";
  }
}

bool OpOptions::Found(const char* name, FlexStatus status) {
  if (status == kFlexOk) return true;
  if (status != kFlexMissing && error_.empty()) {
    error_ = "option '" + std::string(name) + "' is " + FlexStatusName(status);
  }
  return false;
}

bool OpOptions::Bool(const char* name, bool otherwise) {
  bool value;
  return Found(name, FlexMapGetBool(&map_, name, &value)) ? value : otherwise;
}

int64_t OpOptions::Int(const char* name, int64_t otherwise) {
  int64_t value;
  return Found(name, FlexMapGetInt(&map_, name, &value)) ? value : otherwise;
}

float OpOptions::Float(const char* name, float otherwise) {
  double value;
  return Found(name, FlexMapGetFloat(&map_, name, &value))
             ? static_cast<float>(value)
             : otherwise;
}

std::string OpOptions::String(const char* name, const char* otherwise) {
  const char* value;
  size_t length;
  return Found(name, FlexMapGetString(&map_, name, &value, &length))
             ? std::string(value, length)
             : otherwise;
}

std::vector<int64_t> OpOptions::Ints(const char* name,
                                     std::vector<int64_t> otherwise) {
  size_t count = 0;
  if (!Found(name, FlexMapGetInts(&map_, name, nullptr, 0, &count))) {
    return otherwise;
  }
  std::vector<int64_t> values(count);
  FlexMapGetInts(&map_, name, values.data(), count, &count);
  return values;
}

TfLiteStatus EnsureValid(TfLiteOpaqueContext* context, const char* op,
                         const std::string& error) {
  if (error.empty()) return kTfLiteOk;
  TfLiteOpaqueContextReportError(context, "%s: %s", op, error.c_str());
  return kTfLiteError;
}

}  // namespace tflite::custom
