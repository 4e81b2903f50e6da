// Registering ops with a resolver of a TFLite that came in another library.
//
// The interpreters in Python wheels hand a registerer the address of a
// tflite::MutableOpResolver, and keep the class to themselves: ai-edge-litert's
// library and the one behind tf.lite export neither AddCustom nor anything else
// of it. What stays is the object, and the C++ ABI.
#ifndef TFLITE_CUSTOM_FOREIGN_RESOLVER_H_
#define TFLITE_CUSTOM_FOREIGN_RESOLVER_H_

#include <vector>

#include "third_party/tensorflow/lite/c/common.h"

namespace tflite {

class MutableOpResolver;

namespace custom {

// Calls MutableOpResolver::AddCustom where the library that made `resolver`
// exports it, which leaves nothing to guess. False where it does not. Another
// library's AddCustom would not do: the class's layout is its own.
bool AddCustomOps(MutableOpResolver* resolver,
                  const std::vector<TfLiteRegistration>& ops);

// Makes `resolver` ask `find` for a custom op before it looks itself. Gives the
// object a virtual table of its own, a copy in which the second function,
// FindOp(const char*, int) in every release of TFLite, is another. False, with
// the object untouched, where the table does not look like an op resolver's.
bool InterposeFindOp(MutableOpResolver* resolver,
                     const TfLiteRegistration* (*find)(const char* name,
                                                       int version));

}  // namespace custom
}  // namespace tflite

#endif  // TFLITE_CUSTOM_FOREIGN_RESOLVER_H_
