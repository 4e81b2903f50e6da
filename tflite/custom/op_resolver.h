#ifndef TFLITE_CUSTOM_OP_RESOLVER_H_
#define TFLITE_CUSTOM_OP_RESOLVER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

// The op resolvers of TFLite's C++ API, for interpreters of the C library:
//
//   tflite::ops::builtin::MutableOpResolver resolver;
//   resolver.AddAll(tflite::ops::builtin::BuiltinOpResolver());
//   resolver.AddCustom("Atan", atan_op::AtanOpRegistration());
//   SetOpResolver(options, &resolver);
//
// The classes' real namespace is not tflite's: a binary may hold a TFLite of
// its own, whose symbols must not meet these.
namespace tflite::custom::c_library {

class OpResolver {
 public:
  virtual ~OpResolver() = default;
  // Null where the op is not known. Of a BuiltinOpResolver's ops the C library
  // shows nothing, so only those that were added later are found.
  virtual const TfLiteRegistration* FindOp(TfLiteBuiltinOperator op,
                                           int version) const = 0;
  virtual const TfLiteRegistration* FindOp(const char* op,
                                           int version) const = 0;
};

// The last that was added for an op and version is the one that counts.
class MutableOpResolver : public OpResolver {
 public:
  const TfLiteRegistration* FindOp(TfLiteBuiltinOperator op,
                                   int version) const override;
  const TfLiteRegistration* FindOp(const char* op, int version) const override;

  // Each copies `registration`, and gives the copy the op's code or name.
  void AddBuiltin(TfLiteBuiltinOperator op,
                  const TfLiteRegistration* registration, int version = 1);
  void AddBuiltin(TfLiteBuiltinOperator op,
                  const TfLiteRegistration* registration, int min_version,
                  int max_version);
  void AddCustom(const char* name, const TfLiteRegistration* registration,
                 int version = 1);
  void AddCustom(const char* name, const TfLiteRegistration* registration,
                 int min_version, int max_version);
  void AddAll(const MutableOpResolver& other);

 protected:
  // Whether what is not found here is sought among the C library's own ops.
  bool has_builtins_ = false;

 private:
  friend void SetOpResolver(TfLiteInterpreterOptions* options,
                            const MutableOpResolver* resolver);

  std::map<std::pair<TfLiteBuiltinOperator, int>, TfLiteRegistration> builtins_;
  // Registrations point to the names.
  std::map<std::pair<std::string, int>, TfLiteRegistration> customs_;
};

// All built-in ops of the C library.
class BuiltinOpResolver : public MutableOpResolver {
 public:
  BuiltinOpResolver() { has_builtins_ = true; }
};

// Interpreters made with `options` know the resolver's ops and no others. It
// must not change any more, and outlive them. One resolver for each `options`,
// and no TfLiteInterpreterOptionsAdd...Op beside it.
void SetOpResolver(TfLiteInterpreterOptions* options,
                   const MutableOpResolver* resolver);

}  // namespace tflite::custom::c_library

namespace tflite::ops::builtin {

using custom::c_library::BuiltinOpResolver;
using custom::c_library::MutableOpResolver;

}  // namespace tflite::ops::builtin

#endif  // TFLITE_CUSTOM_OP_RESOLVER_H_
