#ifndef THIRD_PARTY_LITERT_C_LITERT_ENVIRONMENT_H_
#define THIRD_PARTY_LITERT_C_LITERT_ENVIRONMENT_H_

#include "third_party/litert/c/litert_common.h"

#ifdef __cplusplus
extern "C" {
#endif

// Its layout is not needed here: an environment can do without options.
typedef struct LiteRtEnvOption LiteRtEnvOption;

LITERT_CAPI_EXPORT LiteRtStatus
LiteRtCreateEnvironment(int num_options, const LiteRtEnvOption* options,
                        LiteRtEnvironment* environment);
LITERT_CAPI_EXPORT void LiteRtDestroyEnvironment(LiteRtEnvironment environment);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_LITERT_C_LITERT_ENVIRONMENT_H_
