#include "tflite/custom/benchmark/inputs.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/files.h"
#include "tflite/custom/benchmark/input_spec.h"
#include "tflite/custom/benchmark/session.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/tensor_info.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {
namespace {

using Engine = std::mt19937;
using Range = std::optional<std::pair<int32_t, int32_t>>;

constexpr char kSentence[] = "The quick brown fox jumps over the lazy dog.";

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
std::vector<char> Reals(size_t size, Engine& engine, const Range& range) {
  const T low = range ? static_cast<T>(range->first) : T{-0.5};
  const T high = range ? static_cast<T>(range->second) : T{0.5};
  return Fill<T>(size, engine, std::uniform_real_distribution<T>(low, high));
}

// IEEE half precision of a normal number, or of zero.
uint16_t Half(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const uint32_t sign = bits >> 16 & 0x8000;
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127 + 15;
  if (exponent <= 0) return static_cast<uint16_t>(sign);
  if (exponent >= 31) return static_cast<uint16_t>(sign | 0x7bff);
  return static_cast<uint16_t>(sign | exponent << 10 | (bits >> 13 & 0x3ff));
}

std::vector<char> Halves(size_t size, Engine& engine, const Range& range) {
  std::uniform_real_distribution<float> values(
      range ? static_cast<float>(range->first) : -0.5f,
      range ? static_cast<float>(range->second) : 0.5f);
  return Fill<uint16_t>(size, engine,
                        [&](Engine& e) { return Half(values(e)); });
}

// Null where the type cannot hold the range; `error` then says so.
template <typename T>
std::optional<std::vector<char>> Integers(size_t size, Engine& engine,
                                          const Range& range, int32_t low,
                                          int32_t high, std::string& error) {
  if (range) {
    using Limits = std::numeric_limits<T>;
    const auto fits = [](int32_t value) {
      if (value < 0) {
        return Limits::is_signed &&
               value >= static_cast<int64_t>(Limits::lowest());
      }
      return static_cast<uint64_t>(value) <=
             static_cast<uint64_t>(Limits::max());
    };
    std::tie(low, high) = *range;
    if (!fits(low) || !fits(high)) {
      error = "its type holds " + std::to_string(Limits::lowest()) + " to " +
              std::to_string(Limits::max()) + ", not the range " +
              std::to_string(low) + " to " + std::to_string(high);
      return std::nullopt;
    }
  }
  return Fill<T>(size, engine,
                 std::uniform_int_distribution<int32_t>(low, high));
}

std::optional<std::vector<char>> Random(const TensorInfo& tensor,
                                        const Range& range, Engine& engine,
                                        std::string& error) {
  const size_t size = tensor.bytes;
  switch (tensor.type) {
    case kTfLiteFloat32:
    case kTfLiteComplex64:
      return Reals<float>(size, engine, range);
    case kTfLiteFloat64:
    case kTfLiteComplex128:
      return Reals<double>(size, engine, range);
    case kTfLiteFloat16:
      return Halves(size, engine, range);
    case kTfLiteInt8:
      return Integers<int8_t>(size, engine, range, -127, 127, error);
    case kTfLiteUInt8:
      return Integers<uint8_t>(size, engine, range, 0, 254, error);
    case kTfLiteInt16:
      return Integers<int16_t>(size, engine, range, 0, 99, error);
    case kTfLiteUInt16:
      return Integers<uint16_t>(size, engine, range, 0, 99, error);
    case kTfLiteInt32:
      return Integers<int32_t>(size, engine, range, 0, 99, error);
    case kTfLiteUInt32:
      return Integers<uint32_t>(size, engine, range, 0, 99, error);
    case kTfLiteInt64:
      return Integers<int64_t>(size, engine, range, 0, 99, error);
    case kTfLiteUInt64:
      return Integers<uint64_t>(size, engine, range, 0, 99, error);
    case kTfLiteBool:
      return Integers<bool>(size, engine, range, 0, 1, error);
    default:
      error = "no values are made for this type";
      return std::nullopt;
  }
}

// A .pb file is one string; in others each ends in a zero byte, the last may.
std::vector<std::string> Strings(const std::string& path,
                                 const std::vector<char>& bytes) {
  const std::string_view suffix = ".pb";
  if (path.size() > suffix.size() &&
      path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0) {
    return {std::string(bytes.begin(), bytes.end())};
  }
  std::vector<std::string> strings;
  std::string string;
  for (const char c : bytes) {
    if (c == '\0') {
      strings.push_back(std::move(string));
      string.clear();
    } else {
      string += c;
    }
  }
  if (!string.empty()) strings.push_back(std::move(string));
  return strings;
}

size_t NumElements(const TensorInfo& tensor) {
  size_t count = 1;
  for (const int size : tensor.shape) count *= static_cast<size_t>(size);
  return count;
}

std::optional<Error> FillStrings(Session& session, size_t index,
                                 const InputSpec& spec) {
  const TensorInfo& tensor = session.inputs()[index];
  const size_t count = NumElements(tensor);
  std::vector<std::string> strings(count, kSentence);
  if (!spec.file.empty()) {
    // More than fits into a tensor of strings.
    constexpr size_t kMostBytes = size_t{1} << 31;
    const ErrorOr<std::vector<char>> bytes = ReadFile(spec.file, kMostBytes);
    if (!bytes.ok()) return bytes.error();
    strings = Strings(spec.file, *bytes);
    if (strings.size() != count) {
      return Error{spec.file + " has " + std::to_string(strings.size()) +
                   " strings, but input '" + tensor.name + "', " +
                   Description(tensor) + ", takes " + std::to_string(count)};
    }
  }
  if (session.SetStrings(index, strings)) return std::nullopt;
  return Error{"cannot write the strings of input '" + tensor.name + "'"};
}

const InputSpec* FindSpec(const std::vector<InputSpec>& specs, size_t index,
                          const std::string& name) {
  if (!specs.empty() && specs.front().shape) return &specs[index];
  for (const InputSpec& spec : specs) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

}  // namespace

ErrorOr<Inputs> Inputs::Create(Session& session,
                               const std::vector<InputSpec>& specs) {
  Inputs inputs;
  Engine engine;
  for (size_t i = 0; i < session.inputs().size(); ++i) {
    const TensorInfo& tensor = session.inputs()[i];
    const InputSpec* found = FindSpec(specs, i, tensor.name);
    const InputSpec spec = found == nullptr ? InputSpec{} : *found;
    // The runtime keeps strings apart from what runs overwrite, so that
    // writing them once is enough.
    if (tensor.type == kTfLiteString) {
      if (const auto error = FillStrings(session, i, spec)) return *error;
      continue;
    }
    if (!spec.file.empty()) {
      // One more than it takes: there may be too many.
      ErrorOr<std::vector<char>> bytes = ReadFile(spec.file, tensor.bytes + 1);
      if (!bytes.ok()) return bytes.error();
      if (bytes->size() != tensor.bytes) {
        const bool more = bytes->size() > tensor.bytes;
        return Error{spec.file + " has " +
                     (more ? "more" : std::to_string(bytes->size())) +
                     " bytes, but input '" + tensor.name + "', " +
                     Description(tensor) + ", takes " +
                     std::to_string(tensor.bytes)};
      }
      inputs.inputs_.push_back({i, std::move(*bytes)});
      continue;
    }
    std::string why;
    std::optional<std::vector<char>> bytes =
        Random(tensor, spec.range, engine, why);
    if (!bytes) {
      return Error{"cannot fill input '" + tensor.name + "', " +
                   Description(tensor) + ": " + why};
    }
    if (!bytes->empty()) inputs.inputs_.push_back({i, *std::move(bytes)});
  }
  return inputs;
}

size_t Inputs::bytes() const {
  size_t sum = 0;
  for (const Input& input : inputs_) sum += input.bytes.size();
  return sum;
}

}  // namespace tflite::custom::benchmark
