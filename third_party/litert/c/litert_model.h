#ifndef THIRD_PARTY_LITERT_C_LITERT_MODEL_H_
#define THIRD_PARTY_LITERT_C_LITERT_MODEL_H_

#include <stddef.h>

#include "third_party/litert/c/litert_common.h"
#include "third_party/litert/c/litert_model_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The model goes on reading the buffer, which must outlive it.
LITERT_CAPI_EXPORT LiteRtStatus LiteRtCreateModelFromBuffer(
    LiteRtEnvironment environment, const void* buffer_addr, size_t buffer_size,
    LiteRtModel* model);
LITERT_CAPI_EXPORT LiteRtStatus LiteRtCreateModelFromFile(
    LiteRtEnvironment environment, const char* filename, LiteRtModel* model);
LITERT_CAPI_EXPORT void LiteRtDestroyModel(LiteRtModel model);

// A model that names no signature has one over its first graph.
LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetNumModelSignatures(
    LiteRtModel model, LiteRtParamIndex* num_signatures);
LITERT_CAPI_EXPORT LiteRtStatus
LiteRtGetModelSignature(LiteRtModel model, LiteRtParamIndex signature_index,
                        LiteRtSignature* signature);

LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetNumSignatureInputs(
    LiteRtSignature signature, LiteRtParamIndex* num_inputs);
LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetSignatureInputName(
    LiteRtSignature signature, LiteRtParamIndex input_idx, const char** name);
LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetSignatureInputTensorByIndex(
    LiteRtSignature signature, LiteRtParamIndex input_idx,
    LiteRtTensor* tensor);

LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetNumSignatureOutputs(
    LiteRtSignature signature, LiteRtParamIndex* num_outputs);
LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetSignatureOutputName(
    LiteRtSignature signature, LiteRtParamIndex output_idx, const char** name);
LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetSignatureOutputTensorByIndex(
    LiteRtSignature signature, LiteRtParamIndex output_idx,
    LiteRtTensor* tensor);

// Fails for a tensor whose rank the model leaves open.
LITERT_CAPI_EXPORT LiteRtStatus LiteRtGetRankedTensorType(
    LiteRtTensor tensor, LiteRtRankedTensorType* ranked_tensor_type);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_LITERT_C_LITERT_MODEL_H_
