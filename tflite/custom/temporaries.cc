#include "tflite/custom/temporaries.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

TfLiteStatus Temporaries::Add(TfLiteOpaqueContext* context,
                              TfLiteOpaqueNode* node,
                              const std::vector<TfLiteType>& types) {
  while (indices_.size() < types.size()) {
    TfLiteOpaqueTensorBuilder* builder = TfLiteOpaqueTensorBuilderCreate();
    TF_LITE_OPAQUE_ENSURE(context, builder != nullptr);
    TfLiteOpaqueTensorBuilderSetType(builder, types[indices_.size()]);
    TfLiteOpaqueTensorBuilderSetAllocationType(builder, kTfLiteArenaRw);
    int index;
    const TfLiteStatus status =
        TfLiteOpaqueContextAddTensor(context, builder, &index);
    TfLiteOpaqueTensorBuilderDelete(builder);
    TF_LITE_OPAQUE_ENSURE_STATUS(status);
    indices_.push_back(index);
  }
  return TfLiteOpaqueNodeSetTemporaries(node, indices_.data(),
                                        static_cast<int>(indices_.size()));
}

TfLiteStatus ResizeTemporary(TfLiteOpaqueContext* context, const char* op,
                             TfLiteOpaqueTensor* temporary, int64_t elements) {
  if (elements < 0 || elements > std::numeric_limits<int>::max()) {
    return Failure(context,
                   "%s: needs room for %lld elements while it runs, but a "
                   "tensor has at most %d",
                   op, static_cast<long long>(elements),
                   std::numeric_limits<int>::max());
  }
  return Resize(context, temporary, {static_cast<int>(elements)});
}

}  // namespace tflite::custom
