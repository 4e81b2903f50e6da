// An external delegate that takes no node: it says that it was asked, or, when
// told to, why it cannot be made.

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

extern "C" TFL_CAPI_EXPORT TfLiteDelegate* tflite_plugin_create_delegate(
    const char* const* keys, const char* const* values, size_t count,
    void (*report_error)(const char*)) {
  for (size_t i = 0; i < count; ++i) {
    if (std::strcmp(keys[i], "fail") == 0) {
      report_error(values[i]);
      return nullptr;
    }
    std::fprintf(stderr, "external delegate: %s is %s\n", keys[i], values[i]);
  }
  auto* delegate = new TfLiteDelegate();
  delegate->Prepare = [](TfLiteContext*, TfLiteDelegate*) {
    std::fprintf(stderr, "external delegate: prepared\n");
    return kTfLiteOk;
  };
  return delegate;
}

extern "C" TFL_CAPI_EXPORT void tflite_plugin_destroy_delegate(
    TfLiteDelegate* delegate) {
  delete delegate;
}
