#ifndef TFLITE_CUSTOM_MULTIPLEX_MULTIPLEX_DENSE_H_
#define TFLITE_CUSTOM_MULTIPLEX_MULTIPLEX_DENSE_H_

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace multiplex_ops {

// "Examples>MultiplexDense", the op of
// tensorflow_examples/custom_ops_doc/multiplex_2, over elements of every type
// of a fixed size. Both are singletons that live as long as the process.
TfLiteRegistrationExternal* MultiplexDenseOpRegistrationExternal();
const TfLiteRegistration* MultiplexDenseOpRegistration();

}  // namespace multiplex_ops

#endif  // TFLITE_CUSTOM_MULTIPLEX_MULTIPLEX_DENSE_H_
