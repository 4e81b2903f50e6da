#ifndef TFLITE_CUSTOM_MODEL_BUILTIN_OP_NAMES_H_
#define TFLITE_CUSTOM_MODEL_BUILTIN_OP_NAMES_H_

namespace tflite::custom {

// `Add` for 0, as builtin_ops.h spells it; `?` for a code without an op.
const char* BuiltinOpName(int code);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_BUILTIN_OP_NAMES_H_
