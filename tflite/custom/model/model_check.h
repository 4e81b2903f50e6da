#ifndef TFLITE_CUSTOM_MODEL_MODEL_CHECK_H_
#define TFLITE_CUSTOM_MODEL_MODEL_CHECK_H_

#include <optional>
#include <string>
#include <string_view>

namespace tflite::custom {

// What the runtime takes on trust in a model's flatbuffer, whose structure it
// has verified: that each tensor's data are as many as its shape and type need,
// that strings lie in their tensor, that a resource is made before it is read,
// that custom ops get no sparse operands, and that signatures and metadata lead
// somewhere. Null where all is well; otherwise what is wrong, to go after "FILE
// is damaged: ".
std::optional<std::string> CheckModel(std::string_view file);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_MODEL_CHECK_H_
