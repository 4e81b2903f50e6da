#ifndef THIRD_PARTY_LITERT_C_LITERT_OPTIONS_H_
#define THIRD_PARTY_LITERT_C_LITERT_OPTIONS_H_

#include "third_party/litert/c/litert_common.h"
#include "third_party/litert/c/litert_custom_op_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bits.
typedef enum {
  kLiteRtHwAcceleratorNone = 0,
  kLiteRtHwAcceleratorCpu = 1,
} LiteRtHwAccelerators;
typedef int LiteRtHwAcceleratorSet;

LITERT_CAPI_EXPORT LiteRtStatus LiteRtCreateOptions(LiteRtOptions* options);
LITERT_CAPI_EXPORT void LiteRtDestroyOptions(LiteRtOptions options);
LITERT_CAPI_EXPORT LiteRtStatus LiteRtSetOptionsHardwareAccelerators(
    LiteRtOptions options, LiteRtHwAcceleratorSet hardware_accelerators);

// Copies the name and the kernel. The user data must outlive every compiled
// model that is made with the options.
LITERT_CAPI_EXPORT LiteRtStatus LiteRtAddCustomOpKernelOption(
    LiteRtOptions options, const char* custom_op_name, int custom_op_version,
    const LiteRtCustomOpKernel* custom_op_kernel,
    void* custom_op_kernel_user_data);

// Options that only one part of the runtime knows; their payload is a string of
// TOML lines. The CPU accelerator's are named "xnnpack", and have
// "num_threads". The interpreter's are named "runtime_options_string";
// "error_reporter_mode" of them is 0 to drop what goes wrong, 1 to write it to
// standard error, 2 to keep it for LiteRtCompiledModelGetErrorMessages. A
// payload that was taken is freed with `payload_deleter`; options that were
// added belong to those they were added to.
typedef struct LiteRtOpaqueOptionsT* LiteRtOpaqueOptions;
LITERT_CAPI_EXPORT LiteRtStatus LiteRtCreateOpaqueOptions(
    const char* payload_identifier, void* payload_data,
    void (*payload_deleter)(void* payload_data), LiteRtOpaqueOptions* options);
LITERT_CAPI_EXPORT void LiteRtDestroyOpaqueOptions(LiteRtOpaqueOptions options);
LITERT_CAPI_EXPORT LiteRtStatus LiteRtAddOpaqueOptions(
    LiteRtOptions options, LiteRtOpaqueOptions opaque_options);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_LITERT_C_LITERT_OPTIONS_H_
