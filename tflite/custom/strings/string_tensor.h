// Tensors of strings, which lie in memory as an int32 of how many they are,
// int32s of where each of them begins and the last one ends, and their bytes.
#ifndef TFLITE_CUSTOM_STRINGS_STRING_TENSOR_H_
#define TFLITE_CUSTOM_STRINGS_STRING_TENSOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::string_ops {

// Those of a tensor, where they lie. A model may hold anything in their place:
// nothing of it is believed.
class Strings {
 public:
  // Fails where the tensor does not hold as many strings as it has elements.
  TfLiteStatus Read(TfLiteOpaqueContext* context, const char* op,
                    const char* role, const TfLiteOpaqueTensor* tensor);

  int64_t size() const { return size_; }
  std::string_view operator[](int64_t index) const {
    const int32_t begin = Offset(index);
    return {data_ + begin, static_cast<size_t>(Offset(index + 1) - begin)};
  }

 private:
  int32_t Offset(int64_t index) const;

  const char* data_ = nullptr;
  int64_t size_ = 0;
};

// Makes the strings those of a tensor, and gives it a shape of so many
// elements.
TfLiteStatus Write(TfLiteOpaqueContext* context, const char* op,
                   const std::vector<std::string>& strings,
                   const std::vector<int>& shape, TfLiteOpaqueTensor* tensor);

}  // namespace tflite::custom::string_ops

#endif  // TFLITE_CUSTOM_STRINGS_STRING_TENSOR_H_
