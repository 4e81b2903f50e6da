#include "tflite/custom/strings/string_tensor.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::string_ops {

int32_t Strings::Offset(int64_t index) const {
  int32_t offset;
  std::memcpy(&offset, data_ + (index + 1) * sizeof(offset), sizeof(offset));
  return offset;
}

TfLiteStatus Strings::Read(TfLiteOpaqueContext* context, const char* op,
                           const char* role, const TfLiteOpaqueTensor* tensor) {
  data_ = Data<char>(tensor);
  size_ = NumElements(tensor);
  if (size_ == 0) return kTfLiteOk;
  const size_t bytes = TfLiteOpaqueTensorByteSize(tensor);
  int32_t count = 0;
  if (data_ != nullptr && bytes >= sizeof(count)) {
    std::memcpy(&count, data_, sizeof(count));
  }
  if (count != size_) {
    return Failure(context,
                   "%s: %s of %s must hold as many strings, but hold %d in %zu "
                   "bytes",
                   op, role, ShapeString(tensor).c_str(), count, bytes);
  }
  const size_t header = sizeof(count) * (static_cast<size_t>(size_) + 2);
  bool fits = header <= bytes;
  for (int64_t i = 0; fits && i <= size_; ++i) {
    const int64_t least = i == 0 ? header : Offset(i - 1);
    fits = Offset(i) >= least && static_cast<size_t>(Offset(i)) <= bytes;
  }
  if (fits) return kTfLiteOk;
  return Failure(context,
                 "%s: %s are damaged: strings that leave their %zu bytes", op,
                 role, bytes);
}

TfLiteStatus Write(TfLiteOpaqueContext* context, const char* op,
                   const std::vector<std::string>& strings,
                   const std::vector<int>& shape, TfLiteOpaqueTensor* tensor) {
  std::vector<const char*> begins;
  std::vector<int> lengths;
  size_t bytes = sizeof(int32_t) * (strings.size() + 2);
  for (const std::string& string : strings) bytes += string.size();
  if (bytes > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return Failure(context,
                   "%s: %zu strings of %zu bytes are too long for a "
                   "tensor",
                   op, strings.size(), bytes);
  }
  for (const std::string& string : strings) {
    begins.push_back(string.data());
    lengths.push_back(static_cast<int>(string.size()));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(TfLiteOpaqueTensorWriteStrings(
      tensor, begins.data(), static_cast<int>(begins.size()), lengths.data()));
  // They are written as a vector.
  return Resize(context, tensor, shape);
}

}  // namespace tflite::custom::string_ops
