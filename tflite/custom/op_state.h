// What an op keeps between Init and Free, where that is made of its options.
#ifndef TFLITE_CUSTOM_OP_STATE_H_
#define TFLITE_CUSTOM_OP_STATE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "tflite/custom/op_options.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

// Base of an op's state, which has a constructor that takes an OpOptions.
struct OpState {
  std::string error;  // What is wrong with the options; InitState's.
};

template <typename State>
void* InitState(TfLiteOpaqueContext* /*context*/, const char* buffer,
                size_t length) {
  OpOptions options(buffer, length);
  auto state = std::make_unique<State>(options);
  state->error = options.error();
  return state.release();
}

template <typename State>
void FreeState(TfLiteOpaqueContext* /*context*/, void* state) {
  delete static_cast<State*>(state);
}

template <typename State>
State* StateOf(const TfLiteOpaqueNode* node) {
  return static_cast<State*>(TfLiteOpaqueNodeGetUserData(node));
}

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_OP_STATE_H_
