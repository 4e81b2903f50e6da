// TensorFlow's header of this name, with a macro that has an effect in an op
// library.
//
// The checkpoint of an iterator fails if its dataset calls an op that is
// stateful, unless a registry has the op's name. TensorFlow's header defines
// that registry within an inline function, so a library that is built against
// the wheel gets a registry of its own, in which nobody looks: dlopen takes a
// library's own definition first. That is why datasets with tensorflow_text's
// tokenizers cannot be saved (github.com/tensorflow/text/issues/1289).
//
// Here the variable is named without being defined, so it is the one that
// libtensorflow_framework.so.2 exports and libtensorflow_cc.so.2 reads.

#ifndef THIRD_PARTY_TENSORFLOW_CORE_FRAMEWORK_DATASET_STATEFUL_OP_ALLOWLIST_H_
#define THIRD_PARTY_TENSORFLOW_CORE_FRAMEWORK_DATASET_STATEFUL_OP_ALLOWLIST_H_

#include <string>

#include "tensorflow/core/framework/dataset_stateful_op_allowlist.h"

namespace custom_ops_internal {

// AllowlistedStatefulOpRegistry::Global()::reg. It is weak, so that a library
// also loads into a TensorFlow that does not export it, where the macro then
// does nothing.
extern ::tensorflow::data::AllowlistedStatefulOpRegistry*
    stateful_op_registry __asm__(
        "_ZZN10tensorflow4data29AllowlistedStatefulOpRegistry6GlobalEvE3reg")
        __attribute__((weak, visibility("default")));

inline bool AllowStatefulOpForDatasetFunctions(const std::string& op) {
  return &stateful_op_registry != nullptr && stateful_op_registry != nullptr &&
         stateful_op_registry->Add(op).ok();
}

}  // namespace custom_ops_internal

#undef ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS
#undef ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS_UNIQ
#undef ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS_UNIQ_HELPER

// Lets an op that has a resource but only reads it be called in a dataset whose
// iterator is saved. Stands after REGISTER_OP, with the op's name.
#define ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS(name) \
  ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS_UNIQ_HELPER(__COUNTER__, name)
#define ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS_UNIQ_HELPER(counter, name) \
  ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS_UNIQ(counter, name)
#define ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS_UNIQ(counter, name) \
  [[maybe_unused]] static const bool allowlist_op##counter =        \
      ::custom_ops_internal::AllowStatefulOpForDatasetFunctions(name)

#endif  // THIRD_PARTY_TENSORFLOW_CORE_FRAMEWORK_DATASET_STATEFUL_OP_ALLOWLIST_H_
