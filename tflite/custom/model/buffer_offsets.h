#ifndef TFLITE_CUSTOM_MODEL_BUFFER_OFFSETS_H_
#define TFLITE_CUSTOM_MODEL_BUFFER_OFFSETS_H_

#include <optional>
#include <string>
#include <string_view>

#include "tflite/custom/model/error_or.h"

namespace tflite::custom {

// The converter can write what buffers hold, and the options of custom ops,
// after the tables of a file (_experimental_use_buffer_offset), which the C
// library does not read. Returns such a file with all of it in the tables; none
// if there is nothing outside. `file` must be one that the runtime has
// verified; an error is what is wrong with it, to go after "FILE ".
ErrorOr<std::optional<std::string>> WithBuffersInside(std::string_view file);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_BUFFER_OFFSETS_H_
