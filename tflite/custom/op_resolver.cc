#include "tflite/custom/op_resolver.h"

#include <string>

#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_experimental.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::c_library {
namespace {

template <typename Op>
const TfLiteRegistration* Find(void* resolver, Op op, int version) {
  return static_cast<const MutableOpResolver*>(resolver)->FindOp(op, version);
}

}  // namespace

const TfLiteRegistration* MutableOpResolver::FindOp(TfLiteBuiltinOperator op,
                                                    int version) const {
  const auto found = builtins_.find({op, version});
  return found == builtins_.end() ? nullptr : &found->second;
}

const TfLiteRegistration* MutableOpResolver::FindOp(const char* op,
                                                    int version) const {
  const auto found = customs_.find({op, version});
  return found == customs_.end() ? nullptr : &found->second;
}

void MutableOpResolver::AddBuiltin(TfLiteBuiltinOperator op,
                                   const TfLiteRegistration* registration,
                                   int version) {
  TfLiteRegistration& added = builtins_[{op, version}];
  added = *registration;
  added.builtin_code = op;
  added.custom_name = nullptr;
  added.version = version;
}

void MutableOpResolver::AddBuiltin(TfLiteBuiltinOperator op,
                                   const TfLiteRegistration* registration,
                                   int min_version, int max_version) {
  for (int version = min_version; version <= max_version; ++version) {
    AddBuiltin(op, registration, version);
  }
}

void MutableOpResolver::AddCustom(const char* name,
                                  const TfLiteRegistration* registration,
                                  int version) {
  const auto entry =
      customs_.insert_or_assign({std::string(name), version}, *registration)
          .first;
  entry->second.builtin_code = kTfLiteBuiltinCustom;
  entry->second.custom_name = entry->first.first.c_str();
  entry->second.version = version;
}

void MutableOpResolver::AddCustom(const char* name,
                                  const TfLiteRegistration* registration,
                                  int min_version, int max_version) {
  for (int version = min_version; version <= max_version; ++version) {
    AddCustom(name, registration, version);
  }
}

void MutableOpResolver::AddAll(const MutableOpResolver& other) {
  for (const auto& [key, registration] : other.builtins_) {
    AddBuiltin(key.first, &registration, key.second);
  }
  for (const auto& [key, registration] : other.customs_) {
    AddCustom(key.first.c_str(), &registration, key.second);
  }
  has_builtins_ = has_builtins_ || other.has_builtins_;
}

void SetOpResolver(TfLiteInterpreterOptions* options,
                   const MutableOpResolver* resolver) {
  if (!resolver->has_builtins_) {
    TfLiteInterpreterOptionsSetOpResolver(
        options, Find<TfLiteBuiltinOperator>, Find<const char*>,
        const_cast<MutableOpResolver*>(resolver));
    return;
  }
  // With callbacks the C library would not look among its own ops.
  for (const auto& [key, registration] : resolver->builtins_) {
    TfLiteInterpreterOptionsAddBuiltinOp(options, key.first, &registration,
                                         key.second, key.second);
  }
  for (const auto& [key, registration] : resolver->customs_) {
    TfLiteInterpreterOptionsAddCustomOp(options, key.first.c_str(),
                                        &registration, key.second, key.second);
  }
}

}  // namespace tflite::custom::c_library
