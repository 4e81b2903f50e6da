// What kernels on the opaque API do with tensors again and again: get, check,
// measure and resize them, with errors that name op, role, tensor and value.
#ifndef TFLITE_CUSTOM_OPAQUE_TENSOR_H_
#define TFLITE_CUSTOM_OPAQUE_TENSOR_H_

#include <algorithm>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {

// Reports what is wrong, as printf would write it, and returns kTfLiteError.
__attribute__((format(printf, 2, 3))) TfLiteStatus
Failure(TfLiteOpaqueContext* context, const char* format, ...);

// Fails where the node does not have exactly so many inputs and outputs, or has
// left one out.
TfLiteStatus EnsureArity(TfLiteOpaqueContext* context,
                         const TfLiteOpaqueNode* node, const char* op,
                         int inputs, int outputs);

TfLiteStatus EnsureType(TfLiteOpaqueContext* context, const char* op,
                        const char* role, const TfLiteOpaqueTensor* tensor,
                        std::initializer_list<TfLiteType> allowed);

// Fails for another type than those of WithNumber.
TfLiteStatus EnsureNumber(TfLiteOpaqueContext* context, const char* op,
                          const char* role, const TfLiteOpaqueTensor* tensor);

// Fails for another type than those of WithElementOf.
TfLiteStatus EnsureFixedSize(TfLiteOpaqueContext* context, const char* op,
                             const char* role,
                             const TfLiteOpaqueTensor* tensor);

TfLiteStatus EnsureSameShape(TfLiteOpaqueContext* context, const char* op,
                             const char* a_role, const TfLiteOpaqueTensor* a,
                             const char* b_role, const TfLiteOpaqueTensor* b);

TfLiteStatus EnsureScalar(TfLiteOpaqueContext* context, const char* op,
                          const char* role, const TfLiteOpaqueTensor* tensor);

// For a tensor that Invoke has resized: fails where it has no memory for its
// elements.
TfLiteStatus EnsureMemory(TfLiteOpaqueContext* context, const char* op,
                          const char* role, const TfLiteOpaqueTensor* tensor);

std::vector<int> ShapeOf(const TfLiteOpaqueTensor* tensor);
// Such as "[2,3]".
std::string ShapeString(const std::vector<int>& shape);
std::string ShapeString(const TfLiteOpaqueTensor* tensor);
int64_t NumElements(const TfLiteOpaqueTensor* tensor);

// Whether the tensor's value is there already in Prepare, and stays.
bool IsConstant(const TfLiteOpaqueTensor* tensor);

TfLiteStatus Resize(TfLiteOpaqueContext* context, TfLiteOpaqueTensor* tensor,
                    const std::vector<int>& shape);

// For an op whose output has its shape from the values of `inputs`, which the
// function `resize` gives it: ResizeInPrepare does so where all of them are
// constants, and else leaves it to ResizeInInvoke, for a dynamic tensor.
inline bool AreConstant(
    std::initializer_list<const TfLiteOpaqueTensor*> inputs) {
  return std::all_of(inputs.begin(), inputs.end(), IsConstant);
}

template <typename F>
TfLiteStatus ResizeInPrepare(
    std::initializer_list<const TfLiteOpaqueTensor*> inputs,
    TfLiteOpaqueTensor* output, const F& resize) {
  if (AreConstant(inputs)) return resize();
  TfLiteOpaqueTensorSetAllocationTypeToDynamic(output);
  return kTfLiteOk;
}

template <typename F>
TfLiteStatus ResizeInInvoke(
    TfLiteOpaqueContext* context, const char* op,
    std::initializer_list<const TfLiteOpaqueTensor*> inputs,
    TfLiteOpaqueTensor* output, const F& resize) {
  if (AreConstant(inputs)) return kTfLiteOk;
  const TfLiteStatus status = resize();
  if (status != kTfLiteOk) return status;
  return EnsureMemory(context, op, "output", output);
}

template <typename T>
const T* Data(const TfLiteOpaqueTensor* tensor) {
  return static_cast<const T*>(TfLiteOpaqueTensorData(tensor));
}

template <typename T>
T* MutableData(TfLiteOpaqueTensor* tensor) {
  return static_cast<T*>(TfLiteOpaqueTensorData(tensor));
}

// An INT32 or INT64 scalar, or element `index` of such a tensor.
inline int64_t IntAt(const TfLiteOpaqueTensor* tensor, int64_t index = 0) {
  return TfLiteOpaqueTensorType(tensor) == kTfLiteInt64
             ? Data<int64_t>(tensor)[index]
             : Data<int32_t>(tensor)[index];
}

// Calls f(T()) for the C++ type of an element. A type that is none of these has
// been refused in Prepare.
template <typename F>
auto WithFloat(TfLiteType type, const F& f) {
  return type == kTfLiteFloat64 ? f(double()) : f(float());
}

template <typename F>
auto WithIndex(TfLiteType type, const F& f) {
  return type == kTfLiteInt64 ? f(int64_t()) : f(int32_t());
}

template <typename F>
auto WithNumber(TfLiteType type, const F& f) {
  switch (type) {
    case kTfLiteFloat64:
      return f(double());
    case kTfLiteInt64:
      return f(int64_t());
    case kTfLiteInt32:
      return f(int32_t());
    case kTfLiteInt16:
      return f(int16_t());
    case kTfLiteInt8:
      return f(int8_t());
    case kTfLiteUInt64:
      return f(uint64_t());
    case kTfLiteUInt32:
      return f(uint32_t());
    case kTfLiteUInt16:
      return f(uint16_t());
    case kTfLiteUInt8:
      return f(uint8_t());
    default:
      return f(float());
  }
}

// For what needs to know of a type no more than its size: f(T()) for a T of
// that size.
template <typename F>
auto WithElementOf(TfLiteType type, const F& f) {
  switch (type) {
    case kTfLiteInt8:
    case kTfLiteUInt8:
    case kTfLiteBool:
      return f(uint8_t());
    case kTfLiteInt16:
    case kTfLiteUInt16:
    case kTfLiteFloat16:
    case kTfLiteBFloat16:
      return f(uint16_t());
    case kTfLiteInt32:
    case kTfLiteUInt32:
    case kTfLiteFloat32:
      return f(uint32_t());
    case kTfLiteComplex128:
      return f(std::complex<double>());
    default:
      return f(uint64_t());
  }
}

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_OPAQUE_TENSOR_H_
