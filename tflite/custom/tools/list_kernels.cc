// Prints the kernels of custom_ops.inc for select_ops, a line each: the op's
// name and version as registered, and the C++ name that its functions begin
// with.

#include <iostream>

#include "tflite/custom/custom_ops.h"
#include "third_party/tensorflow/lite/c/common.h"

int main() {
  const auto print = [](const TfLiteRegistration* registration,
                        const char* function) {
    std::cout << registration->custom_name << ' ' << registration->version
              << ' ' << function << '\n';
  };
#define TFLITE_CUSTOM_OP(name_space, name)  \
  print(name_space::name##OpRegistration(), \
        #name_space "::" #name "OpRegistration");
#include "tflite/custom/custom_ops.inc"
#undef TFLITE_CUSTOM_OP
}
