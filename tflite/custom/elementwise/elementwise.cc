#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/kernel.h"
#include "tflite/custom/op_definition.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::elementwise {
namespace {

// The types that a line of ops.inc names, each with the function for it.
#define OVERLOAD(function, tflite_type, type) \
  {tflite_type, tflite_type, sizeof(type), sizeof(type), function<type>},
#define FLOATS(function)                    \
  OVERLOAD(function, kTfLiteFloat32, float) \
  OVERLOAD(function, kTfLiteFloat64, double)
#define NUMBERS(function)                   \
  OVERLOAD(function, kTfLiteInt32, int32_t) \
  OVERLOAD(function, kTfLiteInt64, int64_t) \
  FLOATS(function)
#define INTEGERS(function)                    \
  OVERLOAD(function, kTfLiteInt8, int8_t)     \
  OVERLOAD(function, kTfLiteInt16, int16_t)   \
  OVERLOAD(function, kTfLiteInt32, int32_t)   \
  OVERLOAD(function, kTfLiteInt64, int64_t)   \
  OVERLOAD(function, kTfLiteUInt8, uint8_t)   \
  OVERLOAD(function, kTfLiteUInt16, uint16_t) \
  OVERLOAD(function, kTfLiteUInt32, uint32_t) \
  OVERLOAD(function, kTfLiteUInt64, uint64_t)

#define REALS(function) \
  INTEGERS(function)    \
  FLOATS(function)

// Floats in, whether something holds out.
#define PREDICATE(function, tflite_type, type) \
  {tflite_type, kTfLiteBool, sizeof(type), sizeof(bool), function<type>},
#define PREDICATES(function)                 \
  PREDICATE(function, kTfLiteFloat32, float) \
  PREDICATE(function, kTfLiteFloat64, double)

#define COMPARED(function)                                   \
  PREDICATES(function)                                       \
  PREDICATE(function, kTfLiteInt8, int8_t)                   \
  PREDICATE(function, kTfLiteInt16, int16_t)                 \
  PREDICATE(function, kTfLiteInt32, int32_t)                 \
  PREDICATE(function, kTfLiteInt64, int64_t)                 \
  PREDICATE(function, kTfLiteUInt8, uint8_t)                 \
  PREDICATE(function, kTfLiteUInt16, uint16_t)               \
  PREDICATE(function, kTfLiteUInt32, uint32_t)               \
  PREDICATE(function, kTfLiteUInt64, uint64_t)               \
  PREDICATE(function, kTfLiteComplex64, std::complex<float>) \
  PREDICATE(function, kTfLiteComplex128, std::complex<double>)

// Integers in, numbers of bits out.
#define COUNT(function, tflite_type, type) \
  {tflite_type, kTfLiteUInt8, sizeof(type), sizeof(uint8_t), function<type>},
#define COUNTS(function)                   \
  COUNT(function, kTfLiteInt8, int8_t)     \
  COUNT(function, kTfLiteInt16, int16_t)   \
  COUNT(function, kTfLiteInt32, int32_t)   \
  COUNT(function, kTfLiteInt64, int64_t)   \
  COUNT(function, kTfLiteUInt8, uint8_t)   \
  COUNT(function, kTfLiteUInt16, uint16_t) \
  COUNT(function, kTfLiteUInt32, uint32_t) \
  COUNT(function, kTfLiteUInt64, uint64_t)

// Complex numbers, floats out of them, and of floats.
#define CONVERSION(function, from_type, to_type, from, to) \
  {from_type, to_type, sizeof(from), sizeof(to), function<from>},
#define COMPLEX(function)                                   \
  OVERLOAD(function, kTfLiteComplex64, std::complex<float>) \
  OVERLOAD(function, kTfLiteComplex128, std::complex<double>)
#define FLOATS_AND_COMPLEX(function) \
  FLOATS(function)                   \
  COMPLEX(function)
#define ARITHMETIC(function) \
  REALS(function)            \
  COMPLEX(function)
#define FROM_COMPLEX(function)                                                \
  CONVERSION(function, kTfLiteComplex64, kTfLiteFloat32, std::complex<float>, \
             float)                                                           \
  CONVERSION(function, kTfLiteComplex128, kTfLiteFloat64,                     \
             std::complex<double>, double)
#define TO_COMPLEX(function)                                      \
  CONVERSION(function, kTfLiteFloat32, kTfLiteComplex64, float,   \
             std::complex<float>)                                 \
  CONVERSION(function, kTfLiteFloat64, kTfLiteComplex128, double, \
             std::complex<double>)

#define ELEMENTWISE_OP(name, inputs, shapes, types)                          \
  constexpr Overload k##name##Overloads[] = {types(name)};                   \
  constexpr Op k##name = {#name, inputs, Shapes::shapes, k##name##Overloads, \
                          std::size(k##name##Overloads)};
#define ELEMENTWISE_OP_WITH_OPTION(name, inputs, shapes, types, option, \
                                   otherwise)                           \
  constexpr Overload k##name##Overloads[] = {types(name)};              \
  constexpr Op k##name = {#name,                                        \
                          inputs,                                       \
                          Shapes::shapes,                               \
                          k##name##Overloads,                           \
                          std::size(k##name##Overloads),                \
                          #option,                                      \
                          otherwise};
#include "tflite/custom/elementwise/ops.inc"
#undef ELEMENTWISE_OP

template <const Op& kOp>
void* Init(TfLiteOpaqueContext* /*context*/, const char* buffer,
           size_t length) {
  return InitOp(kOp, buffer, length);
}

template <const Op& kOp>
constexpr OpDefinition kDefinition = {kOp.name,
                                      {Init<kOp>, Free, Prepare, Invoke}};

}  // namespace

#define ELEMENTWISE_OP(name, inputs, shapes, types) \
  TFLITE_CUSTOM_DEFINE_OP(name, kDefinition<k##name>)
#include "tflite/custom/elementwise/ops.inc"
#undef ELEMENTWISE_OP

}  // namespace tflite::custom::elementwise
