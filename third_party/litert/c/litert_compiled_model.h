#ifndef THIRD_PARTY_LITERT_C_LITERT_COMPILED_MODEL_H_
#define THIRD_PARTY_LITERT_C_LITERT_COMPILED_MODEL_H_

#include <stdbool.h>
#include <stddef.h>

#include "third_party/litert/c/litert_common.h"
#include "third_party/litert/c/litert_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

// The environment and the model must outlive it.
LITERT_CAPI_EXPORT LiteRtStatus LiteRtCreateCompiledModel(
    LiteRtEnvironment environment, LiteRtModel model,
    LiteRtOptions compilation_options, LiteRtCompiledModel* compiled_model);
LITERT_CAPI_EXPORT void LiteRtDestroyCompiledModel(
    LiteRtCompiledModel compiled_model);

LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetCompiledModelInputTensorLayout(
    LiteRtCompiledModel compiled_model, LiteRtParamIndex signature_index,
    LiteRtParamIndex input_index, LiteRtLayout* layout);
// With `update_allocation` the shapes that inputs were given reach the outputs
// first.
LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetCompiledModelOutputTensorLayouts(
    LiteRtCompiledModel compiled_model, LiteRtParamIndex signature_index,
    size_t num_layouts, LiteRtLayout* layouts, bool update_allocation);

// The strict one changes only dimensions that the model leaves open.
LITERT_CAPI_EXPORT LiteRtStatus LiteRtCompiledModelResizeInputTensor(
    LiteRtCompiledModel compiled_model, LiteRtParamIndex signature_index,
    LiteRtParamIndex input_index, const int* dims, size_t dims_size);
LITERT_CAPI_EXPORT LiteRtStatus LiteRtCompiledModelResizeInputTensorNonStrict(
    LiteRtCompiledModel compiled_model, LiteRtParamIndex signature_index,
    LiteRtParamIndex input_index, const int* dims, size_t dims_size);

LITERT_CAPI_EXPORT LiteRtStatus LiteRtRunCompiledModel(
    LiteRtCompiledModel compiled_model, LiteRtParamIndex signature_index,
    size_t num_input_buffers, LiteRtTensorBuffer* input_buffers,
    size_t num_output_buffers, LiteRtTensorBuffer* output_buffers);

// What was reported since the last clearing, if the runtime's options say that
// it is kept; to be freed with free().
LITERT_CAPI_EXPORT LiteRtStatus LiteRtCompiledModelGetErrorMessages(
    LiteRtCompiledModel compiled_model, char** error_messages);
LITERT_CAPI_EXPORT LiteRtStatus
LiteRtCompiledModelClearErrors(LiteRtCompiledModel compiled_model);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_LITERT_C_LITERT_COMPILED_MODEL_H_
