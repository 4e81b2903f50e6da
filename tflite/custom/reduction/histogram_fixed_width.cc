#include <cstdint>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/reduction/histogram_fixed_width_math.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::reduction_ops {
namespace {

constexpr char kName[] = "HistogramFixedWidth";

// As the model schema numbers types, which is how the option `dtype` does.
constexpr int64_t kSchemaInt32 = 2;
constexpr int64_t kSchemaInt64 = 4;

struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : dtype(options.Int("dtype", kSchemaInt32)) {}
  int64_t dtype;
};

// Gives the output its shape, for which the value of `bins` must be there.
TfLiteStatus ResizeOutput(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          const TfLiteOpaqueTensor* bins) {
  const int64_t count = IntAt(bins);
  if (count <= 0) {
    TfLiteOpaqueContextReportError(context,
                                   "%s: nbins must be positive, not %lld",
                                   kName, static_cast<long long>(count));
    return kTfLiteError;
  }
  return Resize(context, TfLiteOpaqueNodeGetOutput(context, node, 0),
                {static_cast<int>(count)});
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const OpData* data = StateOf<OpData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 3, 1));
  const TfLiteOpaqueTensor* values = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* range = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* bins = TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "values", values,
                 {kTfLiteInt32, kTfLiteInt64, kTfLiteFloat32, kTfLiteFloat64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, kName, "value_range", range,
                                          {TfLiteOpaqueTensorType(values)}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "nbins", bins, {kTfLiteInt32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureScalar(context, kName, "nbins", bins));
  if (data->dtype != kSchemaInt32 && data->dtype != kSchemaInt64) {
    TfLiteOpaqueContextReportError(
        context, "%s: option 'dtype' must be %lld or %lld, not %lld", kName,
        static_cast<long long>(kSchemaInt32),
        static_cast<long long>(kSchemaInt64),
        static_cast<long long>(data->dtype));
    return kTfLiteError;
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "output", output,
                 {data->dtype == kSchemaInt64 ? kTfLiteInt64 : kTfLiteInt32}));
  if (TfLiteOpaqueTensorNumDims(range) != 1 ||
      TfLiteOpaqueTensorDim(range, 0) != 2) {
    TfLiteOpaqueContextReportError(
        context, "%s: value_range must have the shape [2], not %s", kName,
        ShapeString(range).c_str());
    return kTfLiteError;
  }
  return ResizeInPrepare({bins}, output,
                         [&] { return ResizeOutput(context, node, bins); });
}

template <typename T>
TfLiteStatus Count(TfLiteOpaqueContext* context,
                   const TfLiteOpaqueTensor* values_tensor, const T* range,
                   TfLiteOpaqueTensor* output) {
  if (!(range[0] < range[1])) {
    TfLiteOpaqueContextReportError(
        context,
        "%s: value_range must rise, value_range[0] < value_range[1], but is "
        "[%g, %g]",
        kName, static_cast<double>(range[0]), static_cast<double>(range[1]));
    return kTfLiteError;
  }
  const T* values = Data<T>(values_tensor);
  const int64_t count = NumElements(values_tensor);
  const int64_t nan = FirstNan(count, values);
  if (nan != count) {
    TfLiteOpaqueContextReportError(
        context, "%s: values must not be NaN, but element %lld is", kName,
        static_cast<long long>(nan));
    return kTfLiteError;
  }
  WithIndex(TfLiteOpaqueTensorType(output), [&](auto index) {
    HistogramFixedWidth(count, values, range[0], range[1],
                        TfLiteOpaqueTensorDim(output, 0),
                        MutableData<decltype(index)>(output));
  });
  return kTfLiteOk;
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* values = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* range = TfLiteOpaqueNodeGetInput(context, node, 1);
  const TfLiteOpaqueTensor* bins = TfLiteOpaqueNodeGetInput(context, node, 2);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      ResizeInInvoke(context, kName, {bins}, output,
                     [&] { return ResizeOutput(context, node, bins); }));
  return WithNumber(TfLiteOpaqueTensorType(values), [&](auto zero) {
    using T = decltype(zero);
    return Count<T>(context, values, Data<T>(range), output);
  });
}

constexpr OpDefinition kOp = {
    kName, {InitState<OpData>, FreeState<OpData>, Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(HistogramFixedWidth, kOp)

}  // namespace tflite::custom::reduction_ops
