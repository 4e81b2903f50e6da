#include "tflite/custom/model/tensor_memory.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tflite/custom/model/error_or.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom {
namespace {

// No program has memory below this: it is where tensors lie whose arena begins
// at null.
constexpr uintptr_t kLowestAddress = 1 << 16;

size_t PhysicalMemory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::optional<Error> CheckMemory(const TfLiteTensor* tensor) {
  const size_t bytes = TfLiteTensorByteSize(tensor);
  const auto address = reinterpret_cast<uintptr_t>(TfLiteTensorData(tensor));
  // Linux may promise more than there is, and end who fills it.
  if (bytes == 0 || (address >= kLowestAddress && bytes <= PhysicalMemory())) {
    return std::nullopt;
  }
  const char* name = TfLiteTensorName(tensor);
  return Error{"not enough memory: no room for the tensor '" +
               std::string(name == nullptr ? "" : name) + "', of " +
               std::to_string(bytes) + " bytes"};
}

}  // namespace tflite::custom
