#include "tflite/custom/benchmark/inputs.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/error_or.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {
namespace {

using Engine = std::mt19937;

template <typename T, typename Distribution>
std::vector<char> Fill(size_t size, Engine& engine, Distribution distribution) {
  std::vector<char> bytes(size);
  for (size_t i = 0; i + sizeof(T) <= size; i += sizeof(T)) {
    const T value = static_cast<T>(distribution(engine));
    std::memcpy(bytes.data() + i, &value, sizeof(T));
  }
  return bytes;
}

template <typename T>
std::vector<char> Reals(size_t size, Engine& engine) {
  return Fill<T>(size, engine, std::uniform_real_distribution<T>(-0.5, 0.5));
}

template <typename T>
std::vector<char> Integers(size_t size, Engine& engine, int low, int high) {
  return Fill<T>(size, engine, std::uniform_int_distribution<int>(low, high));
}

// IEEE half precision: sign and exponent as for 2^-14 up to 2^-1, any fraction.
std::vector<char> Halves(size_t size, Engine& engine) {
  std::uniform_int_distribution<int> exponent(1, 13);
  std::uniform_int_distribution<int> fraction(0, 1023);
  std::uniform_int_distribution<int> sign(0, 1);
  return Fill<uint16_t>(size, engine, [&](Engine& e) {
    return sign(e) << 15 | exponent(e) << 10 | fraction(e);
  });
}

std::optional<std::vector<char>> Random(TfLiteType type, size_t size,
                                        Engine& engine) {
  switch (type) {
    case kTfLiteFloat32:
    case kTfLiteComplex64:
      return Reals<float>(size, engine);
    case kTfLiteFloat64:
    case kTfLiteComplex128:
      return Reals<double>(size, engine);
    case kTfLiteFloat16:
      return Halves(size, engine);
    case kTfLiteInt8:
      return Integers<int8_t>(size, engine, -127, 127);
    case kTfLiteUInt8:
      return Integers<uint8_t>(size, engine, 0, 254);
    case kTfLiteInt16:
      return Integers<int16_t>(size, engine, 0, 99);
    case kTfLiteUInt16:
      return Integers<uint16_t>(size, engine, 0, 99);
    case kTfLiteInt32:
      return Integers<int32_t>(size, engine, 0, 99);
    case kTfLiteUInt32:
      return Integers<uint32_t>(size, engine, 0, 99);
    case kTfLiteInt64:
      return Integers<int64_t>(size, engine, 0, 99);
    case kTfLiteUInt64:
      return Integers<uint64_t>(size, engine, 0, 99);
    case kTfLiteBool:
      return Integers<bool>(size, engine, 0, 1);
    default:
      return std::nullopt;
  }
}

bool WriteStrings(TfLiteTensor* tensor) {
  constexpr char kSentence[] = "The quick brown fox jumps over the lazy dog.";
  size_t count = 1;
  for (int i = 0; i < TfLiteTensorNumDims(tensor); ++i) {
    count *= TfLiteTensorDim(tensor, i);
  }
  const std::vector<const char*> strings(count, kSentence);
  const std::vector<int> lengths(count, sizeof(kSentence) - 1);
  return TfLiteOpaqueTensorWriteStrings(
             reinterpret_cast<TfLiteOpaqueTensor*>(tensor), strings.data(),
             static_cast<int>(count), lengths.data()) == kTfLiteOk;
}

}  // namespace

ErrorOr<Inputs> Inputs::Create(TfLiteInterpreter* interpreter) {
  Inputs inputs;
  Engine engine;
  const int count = TfLiteInterpreterGetInputTensorCount(interpreter);
  for (int i = 0; i < count; ++i) {
    TfLiteTensor* tensor = TfLiteInterpreterGetInputTensor(interpreter, i);
    // An input may be left out, or be a constant in read-only memory.
    if (tensor == nullptr || tensor->allocation_type == kTfLiteMmapRo) continue;
    const TfLiteType type = TfLiteTensorType(tensor);
    // The runtime keeps strings apart from what runs overwrite, so that
    // writing them once is enough.
    if (type == kTfLiteString && WriteStrings(tensor)) continue;
    std::optional<std::vector<char>> bytes =
        Random(type, TfLiteTensorByteSize(tensor), engine);
    if (!bytes) {
      return Error{std::string("cannot fill input '") +
                   TfLiteTensorName(tensor) + "' of type " +
                   TfLiteTypeGetName(type)};
    }
    inputs.inputs_.push_back({tensor, *std::move(bytes)});
  }
  return inputs;
}

void Inputs::Fill() const {
  for (const Input& input : inputs_) {
    if (input.bytes.empty()) continue;
    std::memcpy(TfLiteTensorData(input.tensor), input.bytes.data(),
                input.bytes.size());
  }
}

}  // namespace tflite::custom::benchmark
