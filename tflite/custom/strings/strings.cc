#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/strings/string_math.h"
#include "tflite/custom/strings/string_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::string_ops {
namespace {

// AsString.

constexpr char kAsString[] = "AsString";

struct AsStringData : OpState {
  explicit AsStringData(OpOptions& options)
      : precision(options.Int("precision", -1)),
        scientific(options.Bool("scientific", false)),
        shortest(options.Bool("shortest", false)),
        width(options.Int("width", -1)),
        fill(options.String("fill", "")) {}
  int64_t precision;
  bool scientific;
  bool shortest;
  int64_t width;
  std::string fill;
  std::string format;  // Prepare's: what printf takes, but for the length.
};

TfLiteStatus PrepareAsString(TfLiteOpaqueContext* context,
                             TfLiteOpaqueNode* node) {
  auto* data = StateOf<AsStringData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kAsString, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kAsString, 1, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const TfLiteType type = TfLiteOpaqueTensorType(input);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
      context, kAsString, "input", input,
      {kTfLiteFloat32, kTfLiteFloat64, kTfLiteInt8, kTfLiteInt16, kTfLiteInt32,
       kTfLiteInt64, kTfLiteUInt8, kTfLiteUInt16, kTfLiteUInt32, kTfLiteUInt64,
       kTfLiteBool, kTfLiteComplex64, kTfLiteComplex128}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kAsString, "output", output, {kTfLiteString}));
  const bool inexact = type == kTfLiteFloat32 || type == kTfLiteFloat64 ||
                       type == kTfLiteComplex64 || type == kTfLiteComplex128;
  if (!inexact &&
      (data->scientific || data->shortest || data->precision >= 0)) {
    return Failure(context,
                   "%s: scientific, shortest and precision are options for "
                   "floats and complex numbers, but tensor '%s' is %s",
                   kAsString, TfLiteOpaqueTensorName(input),
                   TfLiteTypeGetName(type));
  }
  if (data->scientific && data->shortest) {
    return Failure(context, "%s: not scientific and shortest at once",
                   kAsString);
  }
  // A number is far shorter, and more would be asked of memory.
  constexpr int kMost = 1 << 16;
  if (data->width > kMost || data->precision > kMost) {
    return Failure(context,
                   "%s: width and precision must be at most %d, but are %lld "
                   "and %lld",
                   kAsString, kMost, static_cast<long long>(data->width),
                   static_cast<long long>(data->precision));
  }
  const std::string& fill = data->fill;
  if (fill.size() > 1 || fill.find_first_not_of(" +-0#") != std::string::npos) {
    return Failure(context,
                   "%s: fill must be empty or one of ' ', '+', '-', '0' and "
                   "'#', not '%s'",
                   kAsString, fill.c_str());
  }
  data->format = "%" + fill;
  if (data->width >= 0) data->format += std::to_string(data->width);
  if (data->precision >= 0) {
    data->format += "." + std::to_string(data->precision);
  }
  return Resize(context, output, ShapeOf(input));
}

// What printf makes of one number; `format` is of the value's type.
template <typename T>
std::string Printed(const std::string& format, T value) {
  std::string text(64, '\0');
  while (true) {
    const int length =
        std::snprintf(text.data(), text.size(), format.c_str(), value);
    if (length < 0) return "";
    const bool fits = static_cast<size_t>(length) < text.size();
    text.resize(length + (fits ? 0 : 1));
    if (fits) return text;
  }
}

template <typename T>
std::string AsText(const AsStringData& data, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    const char* type = data.shortest ? "g" : data.scientific ? "e" : "f";
    return Printed(data.format + type, static_cast<double>(value));
  } else if constexpr (std::is_signed_v<T>) {
    return Printed(data.format + "lld", static_cast<long long>(value));
  } else {
    return Printed(data.format + "llu", static_cast<unsigned long long>(value));
  }
}

template <typename T>
std::string AsText(const AsStringData& data, std::complex<T> value) {
  return "(" + AsText(data, value.real()) + "," + AsText(data, value.imag()) +
         ")";
}

std::string AsText(const AsStringData& /*data*/, bool value) {
  return value ? "true" : "false";
}

TfLiteStatus EvalAsString(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  const auto* data = StateOf<AsStringData>(node);
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  std::vector<std::string> strings(NumElements(input));
  const FlushedDenormals flushed_denormals;
  const auto print = [&](auto zero) {
    for (size_t i = 0; i < strings.size(); ++i) {
      strings[i] = AsText(*data, Data<decltype(zero)>(input)[i]);
    }
  };
  switch (TfLiteOpaqueTensorType(input)) {
    case kTfLiteBool:
      print(bool());
      break;
    case kTfLiteComplex64:
      print(std::complex<float>());
      break;
    case kTfLiteComplex128:
      print(std::complex<double>());
      break;
    default:
      WithNumber(TfLiteOpaqueTensorType(input), print);
  }
  return Write(context, kAsString, strings, ShapeOf(input),
               TfLiteOpaqueNodeGetOutput(context, node, 0));
}

// StringToNumber.

constexpr char kToNumber[] = "StringToNumber";

TfLiteStatus PrepareToNumber(TfLiteOpaqueContext* context,
                             TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kToNumber, 1, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kToNumber, "input", input, {kTfLiteString}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kToNumber, "output", output,
                 {kTfLiteFloat32, kTfLiteFloat64, kTfLiteInt32, kTfLiteInt64,
                  kTfLiteUInt32, kTfLiteUInt64}));
  return Resize(context, output, ShapeOf(input));
}

TfLiteStatus EvalToNumber(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  Strings strings;
  TF_LITE_OPAQUE_ENSURE_STATUS(strings.Read(
      context, kToNumber, "input", TfLiteOpaqueNodeGetInput(context, node, 0)));
  return WithNumber(TfLiteOpaqueTensorType(output), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < strings.size(); ++i) {
      if (ToNumber<T>(strings[i], MutableData<T>(output) + i)) continue;
      return Failure(context, "%s: element %lld is no %s: '%s'", kToNumber,
                     static_cast<long long>(i),
                     TfLiteTypeGetName(TfLiteOpaqueTensorType(output)),
                     std::string(strings[i].substr(0, 64)).c_str());
    }
    return kTfLiteOk;
  });
}

// StringJoin.

constexpr char kJoin[] = "StringJoin";

struct JoinData : OpState {
  explicit JoinData(OpOptions& options)
      : separator(options.String("separator", "")) {}
  std::string separator;
};

// The input that has the output's shape: the first that is no scalar, if any.
int ShapeInput(TfLiteOpaqueContext* context, const TfLiteOpaqueNode* node) {
  const int count = TfLiteOpaqueNodeNumberOfInputs(node);
  for (int i = 0; i < count; ++i) {
    if (TfLiteOpaqueTensorNumDims(TfLiteOpaqueNodeGetInput(context, node, i)) >
        0) {
      return i;
    }
  }
  return 0;
}

TfLiteStatus PrepareJoin(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureValid(context, kJoin, StateOf<JoinData>(node)->error));
  const int count = TfLiteOpaqueNodeNumberOfInputs(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, kJoin, std::max(count, 1), 1));
  for (int i = 0; i < count; ++i) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(
        context, kJoin, "each input",
        TfLiteOpaqueNodeGetInput(context, node, i), {kTfLiteString}));
  }
  const TfLiteOpaqueTensor* shaped =
      TfLiteOpaqueNodeGetInput(context, node, ShapeInput(context, node));
  for (int i = 0; i < count; ++i) {
    const TfLiteOpaqueTensor* input =
        TfLiteOpaqueNodeGetInput(context, node, i);
    if (TfLiteOpaqueTensorNumDims(input) > 0) {
      TF_LITE_OPAQUE_ENSURE_STATUS(
          EnsureSameShape(context, kJoin, "an input", input,
                          "another that is no scalar", shaped));
    }
  }
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kJoin, "output", output, {kTfLiteString}));
  return Resize(context, output, ShapeOf(shaped));
}

TfLiteStatus EvalJoin(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const std::string& separator = StateOf<JoinData>(node)->separator;
  const TfLiteOpaqueTensor* shaped =
      TfLiteOpaqueNodeGetInput(context, node, ShapeInput(context, node));
  std::vector<std::string> joined(NumElements(shaped));
  const int count = TfLiteOpaqueNodeNumberOfInputs(node);
  for (int i = 0; i < count && !joined.empty(); ++i) {
    const TfLiteOpaqueTensor* input =
        TfLiteOpaqueNodeGetInput(context, node, i);
    Strings strings;
    TF_LITE_OPAQUE_ENSURE_STATUS(
        strings.Read(context, kJoin, "an input", input));
    const bool scalar = TfLiteOpaqueTensorNumDims(input) == 0;
    for (size_t j = 0; j < joined.size(); ++j) {
      if (i > 0) joined[j] += separator;
      joined[j] += strings[scalar ? 0 : j];
    }
  }
  return Write(context, kJoin, joined, ShapeOf(shaped),
               TfLiteOpaqueNodeGetOutput(context, node, 0));
}

constexpr OpDefinition kAsStringOp = {
    kAsString,
    {InitState<AsStringData>, FreeState<AsStringData>, PrepareAsString,
     EvalAsString}};
constexpr OpDefinition kToNumberOp = {
    kToNumber,
    {/*init=*/nullptr, /*free=*/nullptr, PrepareToNumber, EvalToNumber}};
constexpr OpDefinition kJoinOp = {
    kJoin, {InitState<JoinData>, FreeState<JoinData>, PrepareJoin, EvalJoin}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(AsString, kAsStringOp)
TFLITE_CUSTOM_DEFINE_OP(StringJoin, kJoinOp)
TFLITE_CUSTOM_DEFINE_OP(StringToNumber, kToNumberOp)

}  // namespace tflite::custom::string_ops
