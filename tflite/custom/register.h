#ifndef TFLITE_CUSTOM_REGISTER_H_
#define TFLITE_CUSTOM_REGISTER_H_

#include <string>
#include <vector>

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite {

class MutableOpResolver;

namespace custom {

// A kernel. Both functions return singletons.
struct CustomOp {
  TfLiteRegistrationExternal* (*registration_external)();
  const TfLiteRegistration* (*registration)();
};

// Every kernel of this folder, in the order of custom_ops.inc; of a target of
// tflite_selected_ops, those that its models need.
const std::vector<CustomOp>& ListedCustomOps();

// Adds kernels of other folders, and returns true. The source that
// tflite_custom_ops writes calls it as its library is loaded; once CustomOps()
// has been called it would be too late, and ends the program.
bool AddCustomOps(const std::vector<CustomOp>& ops);

// The listed kernels and the added ones. Of kernels with one name and version
// only the last is there, so that an added one takes a listed one's place.
const std::vector<CustomOp>& CustomOps();

// Their names, sorted.
std::vector<std::string> CustomOpNames();

// Null where no kernel has this name and version.
const TfLiteRegistration* FindCustomOp(const char* name, int version);

// Lets interpreters made with `options` use every kernel.
void RegisterCustomOps(TfLiteInterpreterOptions* options);

// Lets interpreters made with `resolver` use every kernel, whichever library
// the resolver comes from (see foreign_resolver.h). False where that failed;
// the resolver is then as it was.
[[nodiscard]] bool RegisterCustomOps(MutableOpResolver* resolver);

}  // namespace custom
}  // namespace tflite

#endif  // TFLITE_CUSTOM_REGISTER_H_
