#ifndef THIRD_PARTY_LITERT_C_LITERT_CUSTOM_OP_KERNEL_H_
#define THIRD_PARTY_LITERT_C_LITERT_CUSTOM_OP_KERNEL_H_

#include <stddef.h>

#include "third_party/litert/c/litert_common.h"
#include "third_party/litert/c/litert_layout.h"
#include "third_party/litert/c/litert_tensor_buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

// The four functions of a custom op. `user_data` is what was registered with
// them, the same for every node that calls the op: nothing tells which node it
// is. ai-edge-litert 2.3.0 calls all four, takes none to be null, and does not
// look at what they return.
typedef struct {
  // Once for each node, with its custom options.
  LiteRtStatus (*Init)(void* user_data, const void* init_data,
                       size_t init_data_size);
  // Whenever shapes change.
  LiteRtStatus (*GetOutputLayouts)(void* user_data, size_t num_inputs,
                                   const LiteRtLayout* input_layouts,
                                   size_t num_outputs,
                                   LiteRtLayout* output_layouts);
  LiteRtStatus (*Run)(void* user_data, size_t num_inputs,
                      const LiteRtTensorBuffer* inputs, size_t num_outputs,
                      LiteRtTensorBuffer* outputs);
  // Once for each Init.
  LiteRtStatus (*Destroy)(void* user_data);
} LiteRtCustomOpKernel;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_LITERT_C_LITERT_CUSTOM_OP_KERNEL_H_
