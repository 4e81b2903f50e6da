// The two singletons of an op, written once for every kernel that has nothing
// of its own to say about them.
#ifndef TFLITE_CUSTOM_OP_DEFINITION_H_
#define TFLITE_CUSTOM_OP_DEFINITION_H_

#include "tflite/custom/node_memory.h"
#include "tflite/custom/registration.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

struct OpDefinition {
  const char* name;  // As the converter writes it.
  OpaqueMethods methods;
  int version = 1;
};

// The op's Invoke, which may write to each output that is not dynamic and to
// each temporary.
template <const OpDefinition& op>
TfLiteStatus InvokeWithMemory(TfLiteOpaqueContext* context,
                              TfLiteOpaqueNode* node) {
  const TfLiteStatus status = EnsureNodeMemory(context, node, op.name);
  return status == kTfLiteOk ? op.methods.invoke(context, node) : status;
}

template <const OpDefinition& op>
OpaqueMethods MethodsOf() {
  OpaqueMethods methods = op.methods;
  methods.invoke = InvokeWithMemory<op>;
  return methods;
}

template <const OpDefinition& op>
TfLiteRegistrationExternal* RegistrationExternalOf() {
  // Never destroyed: an interpreter may outlive any static object.
  static TfLiteRegistrationExternal* const external = [] {
    TfLiteRegistrationExternal* r = TfLiteRegistrationExternalCreate(
        kTfLiteBuiltinCustom, op.name, op.version);
    if (op.methods.init != nullptr) {
      TfLiteRegistrationExternalSetInit(r, op.methods.init);
    }
    if (op.methods.free != nullptr) {
      TfLiteRegistrationExternalSetFree(r, op.methods.free);
    }
    TfLiteRegistrationExternalSetPrepare(r, op.methods.prepare);
    TfLiteRegistrationExternalSetInvoke(r, InvokeWithMemory<op>);
    return r;
  }();
  return external;
}

template <const OpDefinition& op>
const TfLiteRegistration* RegistrationOf() {
  static const TfLiteRegistration registration =
      MakeRegistration(RegistrationExternalOf<op>(), MethodsOf<op>());
  return &registration;
}

}  // namespace tflite::custom

// The two functions of an op, as custom_ops.inc knows them: declared in the
// header of its folder, defined beside its OpDefinition.
#define TFLITE_CUSTOM_DECLARE_OP(name)                        \
  TfLiteRegistrationExternal* name##OpRegistrationExternal(); \
  const TfLiteRegistration* name##OpRegistration();
#define TFLITE_CUSTOM_DEFINE_OP(name, ...)                          \
  TfLiteRegistrationExternal* name##OpRegistrationExternal() {      \
    return ::tflite::custom::RegistrationExternalOf<__VA_ARGS__>(); \
  }                                                                 \
  const TfLiteRegistration* name##OpRegistration() {                \
    return ::tflite::custom::RegistrationOf<__VA_ARGS__>();         \
  }

#endif  // TFLITE_CUSTOM_OP_DEFINITION_H_
