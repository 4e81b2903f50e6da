#include "tflite/custom/opaque_tensor.h"

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

TfLiteStatus Failure(TfLiteOpaqueContext* context, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  TfLiteOpaqueContextReportErrorVa(context, format, arguments);
  va_end(arguments);
  return kTfLiteError;
}

TfLiteStatus EnsureArity(TfLiteOpaqueContext* context,
                         const TfLiteOpaqueNode* node, const char* op,
                         int inputs, int outputs) {
  const int actual_inputs = TfLiteOpaqueNodeNumberOfInputs(node);
  const int actual_outputs = TfLiteOpaqueNodeNumberOfOutputs(node);
  if (actual_inputs != inputs || actual_outputs != outputs) {
    TfLiteOpaqueContextReportError(
        context, "%s: takes %d inputs and gives %d outputs, not %d and %d", op,
        inputs, outputs, actual_inputs, actual_outputs);
    return kTfLiteError;
  }
  for (int i = 0; i < inputs; ++i) {
    if (TfLiteOpaqueNodeGetInput(context, node, i) == nullptr) {
      TfLiteOpaqueContextReportError(context, "%s: input %d is left out", op,
                                     i);
      return kTfLiteError;
    }
  }
  for (int i = 0; i < outputs; ++i) {
    if (TfLiteOpaqueNodeGetOutput(context, node, i) == nullptr) {
      TfLiteOpaqueContextReportError(context, "%s: output %d is left out", op,
                                     i);
      return kTfLiteError;
    }
  }
  return kTfLiteOk;
}

TfLiteStatus EnsureType(TfLiteOpaqueContext* context, const char* op,
                        const char* role, const TfLiteOpaqueTensor* tensor,
                        std::initializer_list<TfLiteType> allowed) {
  const TfLiteType type = TfLiteOpaqueTensorType(tensor);
  if (std::find(allowed.begin(), allowed.end(), type) != allowed.end()) {
    return kTfLiteOk;
  }
  std::string names;
  for (const TfLiteType candidate : allowed) {
    if (!names.empty()) names += " or ";
    names += TfLiteTypeGetName(candidate);
  }
  TfLiteOpaqueContextReportError(
      context, "%s: %s must be %s, but tensor '%s' is %s", op, role,
      names.c_str(), TfLiteOpaqueTensorName(tensor), TfLiteTypeGetName(type));
  return kTfLiteError;
}

TfLiteStatus EnsureNumber(TfLiteOpaqueContext* context, const char* op,
                          const char* role, const TfLiteOpaqueTensor* tensor) {
  return EnsureType(context, op, role, tensor,
                    {kTfLiteFloat32, kTfLiteFloat64, kTfLiteInt8, kTfLiteInt16,
                     kTfLiteInt32, kTfLiteInt64, kTfLiteUInt8, kTfLiteUInt16,
                     kTfLiteUInt32, kTfLiteUInt64});
}

TfLiteStatus EnsureFixedSize(TfLiteOpaqueContext* context, const char* op,
                             const char* role,
                             const TfLiteOpaqueTensor* tensor) {
  return EnsureType(
      context, op, role, tensor,
      {kTfLiteFloat32, kTfLiteFloat64, kTfLiteFloat16, kTfLiteBFloat16,
       kTfLiteInt8, kTfLiteInt16, kTfLiteInt32, kTfLiteInt64, kTfLiteUInt8,
       kTfLiteUInt16, kTfLiteUInt32, kTfLiteUInt64, kTfLiteBool,
       kTfLiteComplex64, kTfLiteComplex128});
}

TfLiteStatus EnsureSameShape(TfLiteOpaqueContext* context, const char* op,
                             const char* a_role, const TfLiteOpaqueTensor* a,
                             const char* b_role, const TfLiteOpaqueTensor* b) {
  if (ShapeOf(a) == ShapeOf(b)) return kTfLiteOk;
  TfLiteOpaqueContextReportError(
      context, "%s: %s and %s must have the same shape: %s and %s", op, a_role,
      b_role, ShapeString(a).c_str(), ShapeString(b).c_str());
  return kTfLiteError;
}

TfLiteStatus EnsureScalar(TfLiteOpaqueContext* context, const char* op,
                          const char* role, const TfLiteOpaqueTensor* tensor) {
  if (TfLiteOpaqueTensorNumDims(tensor) == 0) return kTfLiteOk;
  TfLiteOpaqueContextReportError(context, "%s: %s must be a scalar, not %s", op,
                                 role, ShapeString(tensor).c_str());
  return kTfLiteError;
}

TfLiteStatus EnsureMemory(TfLiteOpaqueContext* context, const char* op,
                          const char* role, const TfLiteOpaqueTensor* tensor) {
  if (NumElements(tensor) == 0 || TfLiteOpaqueTensorData(tensor) != nullptr) {
    return kTfLiteOk;
  }
  TfLiteOpaqueContextReportError(context, "%s: no memory for %s of %s", op,
                                 role, ShapeString(tensor).c_str());
  return kTfLiteError;
}

std::vector<int> ShapeOf(const TfLiteOpaqueTensor* tensor) {
  std::vector<int> shape(std::max(TfLiteOpaqueTensorNumDims(tensor), 0));
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] = TfLiteOpaqueTensorDim(tensor, static_cast<int>(i));
  }
  return shape;
}

std::string ShapeString(const std::vector<int>& shape) {
  std::string result = "[";
  for (const int size : shape) {
    if (result.size() > 1) result += ",";
    result += std::to_string(size);
  }
  return result + "]";
}

std::string ShapeString(const TfLiteOpaqueTensor* tensor) {
  return ShapeString(ShapeOf(tensor));
}

int64_t NumElements(const TfLiteOpaqueTensor* tensor) {
  int64_t count = 1;
  const int rank = TfLiteOpaqueTensorNumDims(tensor);
  for (int i = 0; i < rank; ++i) count *= TfLiteOpaqueTensorDim(tensor, i);
  return count;
}

bool IsConstant(const TfLiteOpaqueTensor* tensor) {
  const TfLiteAllocationType type = TfLiteOpaqueTensorGetAllocationType(tensor);
  return (type == kTfLiteMmapRo || type == kTfLitePersistentRo) &&
         TfLiteOpaqueTensorData(tensor) != nullptr;
}

TfLiteStatus Resize(TfLiteOpaqueContext* context, TfLiteOpaqueTensor* tensor,
                    const std::vector<int>& shape) {
  TfLiteIntArray* size = TfLiteIntArrayCreate(static_cast<int>(shape.size()));
  TF_LITE_OPAQUE_ENSURE(context, size != nullptr);
  std::copy(shape.begin(), shape.end(), size->data);
  return TfLiteOpaqueContextResizeTensor(context, tensor, size);
}

}  // namespace tflite::custom
