// The tensors in which a kernel keeps what it needs while Invoke runs.
#ifndef TFLITE_CUSTOM_TEMPORARIES_H_
#define TFLITE_CUSTOM_TEMPORARIES_H_

#include <cstdint>
#include <vector>

#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

// Lies in the op's state, between Init and Free. They are in the arena, which
// other nodes use before and after.
class Temporaries {
 public:
  // In Prepare: gives the node one temporary for each type, where an earlier
  // Prepare has not. This moves the context's tensors: pointers to them are to
  // be got anew.
  TfLiteStatus Add(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                   const std::vector<TfLiteType>& types);

  TfLiteOpaqueTensor* Get(const TfLiteOpaqueContext* context, int index) const {
    return TfLiteOpaqueContextGetOpaqueTensor(context, indices_[index]);
  }

 private:
  std::vector<int> indices_;
};

// Resizes a temporary to so many elements; fails where a tensor cannot have
// them.
TfLiteStatus ResizeTemporary(TfLiteOpaqueContext* context, const char* op,
                             TfLiteOpaqueTensor* temporary, int64_t elements);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_TEMPORARIES_H_
