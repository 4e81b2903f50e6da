// Prints the kernels of custom_ops.inc for select_ops, a line each: the op's
// name and version as registered, and the function of its registration as
// namespace tflite::custom calls it.

#include <iostream>

#include "tflite/custom/custom_ops.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {
namespace {

void Print(const TfLiteRegistration* registration, const char* function) {
  std::cout << registration->custom_name << ' ' << registration->version << ' '
            << function << '\n';
}

void PrintKernels() {
#define TFLITE_CUSTOM_OP(name_space, name)  \
  Print(name_space::name##OpRegistration(), \
        #name_space "::" #name "OpRegistration");
#include "tflite/custom/custom_ops.inc"
#undef TFLITE_CUSTOM_OP
}

}  // namespace
}  // namespace tflite::custom

int main() { tflite::custom::PrintKernels(); }
