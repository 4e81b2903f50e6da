// What the runtime tells a profiler: its settings, and each op as it runs.
// Neither struct is ABI stable; these are the 2.17 library's.
#ifndef THIRD_PARTY_TENSORFLOW_LITE_PROFILING_TELEMETRY_C_PROFILER_H_
#define THIRD_PARTY_TENSORFLOW_LITE_PROFILING_TELEMETRY_C_PROFILER_H_

#include <stddef.h>
#include <stdint.h>

#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

// `source` says what `data` is; the interpreter's own settings are a
// TfLiteTelemetryInterpreterSettings.
typedef struct TfLiteTelemetrySettings {
  uint32_t source;
  const void* data;
} TfLiteTelemetrySettings;

typedef struct TfLiteTelemetryConversionMetadata
    TfLiteTelemetryConversionMetadata;
typedef struct TfLiteTelemetryInterpreterSettings
    TfLiteTelemetryInterpreterSettings;
typedef struct TfLiteTelemetrySubgraphInfo TfLiteTelemetrySubgraphInfo;
typedef struct TfLiteTelemetryGpuDelegateSettings
    TfLiteTelemetryGpuDelegateSettings;

TFL_CAPI_EXPORT const int32_t*
TfLiteTelemetryConversionMetadataGetModelOptimizationModes(
    const TfLiteTelemetryConversionMetadata* metadata);
TFL_CAPI_EXPORT size_t
TfLiteTelemetryConversionMetadataGetNumModelOptimizationModes(
    const TfLiteTelemetryConversionMetadata* metadata);

TFL_CAPI_EXPORT const TfLiteTelemetryConversionMetadata*
TfLiteTelemetryInterpreterSettingsGetConversionMetadata(
    const TfLiteTelemetryInterpreterSettings* settings);
TFL_CAPI_EXPORT size_t TfLiteTelemetryInterpreterSettingsGetNumSubgraphInfo(
    const TfLiteTelemetryInterpreterSettings* settings);
TFL_CAPI_EXPORT const TfLiteTelemetrySubgraphInfo*
TfLiteTelemetryInterpreterSettingsGetSubgraphInfo(
    const TfLiteTelemetryInterpreterSettings* settings);

TFL_CAPI_EXPORT size_t TfLiteTelemetrySubgraphInfoGetNumQuantizations(
    TfLiteTelemetrySubgraphInfo* subgraph_info);
TFL_CAPI_EXPORT const TfLiteQuantization*
TfLiteTelemetrySubgraphInfoGetQuantizations(
    TfLiteTelemetrySubgraphInfo* subgraph_info);

TFL_CAPI_EXPORT size_t TfLiteTelemetryGpuDelegateSettingsGetNumNodesDelegated(
    const TfLiteTelemetryGpuDelegateSettings* settings);
TFL_CAPI_EXPORT int TfLiteTelemetryGpuDelegateSettingsGetBackend(
    const TfLiteTelemetryGpuDelegateSettings* settings);

// Each function is given the profiler first.
typedef struct TfLiteTelemetryProfilerStruct {
  void* data;
  void (*ReportTelemetryEvent)(struct TfLiteTelemetryProfilerStruct* profiler,
                               const char* event_name, uint64_t status);
  void (*ReportTelemetryOpEvent)(struct TfLiteTelemetryProfilerStruct* profiler,
                                 const char* event_name, int64_t op_idx,
                                 int64_t subgraph_idx, uint64_t status);
  // `settings` holds only during the call.
  void (*ReportSettings)(struct TfLiteTelemetryProfilerStruct* profiler,
                         const char* setting_name,
                         const TfLiteTelemetrySettings* settings);
  // An op begins; what this returns comes back when it ends.
  uint32_t (*ReportBeginOpInvokeEvent)(
      struct TfLiteTelemetryProfilerStruct* profiler, const char* op_name,
      int64_t op_idx, int64_t subgraph_idx);
  void (*ReportEndOpInvokeEvent)(struct TfLiteTelemetryProfilerStruct* profiler,
                                 uint32_t event_handle);
  // An op whose delegate measured it; `elapsed_time` is in microseconds.
  void (*ReportOpInvokeEvent)(struct TfLiteTelemetryProfilerStruct* profiler,
                              const char* op_name, uint64_t elapsed_time,
                              int64_t op_idx, int64_t subgraph_idx);
} TfLiteTelemetryProfilerStruct;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // THIRD_PARTY_TENSORFLOW_LITE_PROFILING_TELEMETRY_C_PROFILER_H_
