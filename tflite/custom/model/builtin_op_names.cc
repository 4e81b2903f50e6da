#include "tflite/custom/model/builtin_op_names.h"

namespace tflite::custom {
namespace {

struct BuiltinOp {
  int code;
  const char* name;
};

constexpr BuiltinOp kBuiltinOps[] = {
#include "tflite/custom/model/builtin_op_names.inc"
};

}  // namespace

const char* BuiltinOpName(int code) {
  for (const BuiltinOp& op : kBuiltinOps) {
    if (op.code == code) return op.name;
  }
  return "?";
}

}  // namespace tflite::custom
