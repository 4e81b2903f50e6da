#include "tflite/custom/benchmark/input_spec.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {
namespace {

// No parts for no text.
std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos;
       begin = end + 1) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::optional<int32_t> ParseInt(const std::string& text) {
  int32_t number;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

// Name and file around the one ':' that is not doubled.
std::optional<std::pair<std::string, std::string>> SplitNameAndFile(
    const std::string& item) {
  std::pair<std::string, std::string> result;
  std::string* part = &result.first;
  for (size_t i = 0; i < item.size(); ++i) {
    const bool colon = item[i] == ':';
    if (colon && (i + 1 == item.size() || item[i + 1] != ':')) {
      if (part == &result.second) return std::nullopt;
      part = &result.second;
      continue;
    }
    if (colon) ++i;
    *part += item[i];
  }
  if (result.first.empty() || result.second.empty()) return std::nullopt;
  return result;
}

class Parser {
 public:
  explicit Parser(const Options& options) : options_(options) {}

  ErrorOr<std::vector<InputSpec>> Parse() {
    if (auto error = ParseShapes()) return *error;
    if (auto error = ParseRanges()) return *error;
    if (auto error = ParseFiles()) return *error;
    return std::move(specs_);
  }

 private:
  std::optional<Error> ParseShapes() {
    const std::vector<std::string> names = Split(options_.input_layer, ',');
    const std::vector<std::string> shapes =
        Split(options_.input_layer_shape, ':');
    if (names.size() != shapes.size()) {
      return Error{"--input_layer names " + std::to_string(names.size()) +
                   " inputs, but --input_layer_shape has " +
                   std::to_string(shapes.size()) +
                   " shapes; write as many, such as --input_layer=a,b "
                   "--input_layer_shape=1,224,224,4:1,20"};
    }
    for (size_t i = 0; i < names.size(); ++i) {
      std::vector<int> shape;
      for (const std::string& text : Split(shapes[i], ',')) {
        const std::optional<int32_t> size = ParseInt(text);
        if (!size || *size < 0) {
          return Error{"--input_layer_shape has '" + text + "' in the shape " +
                       shapes[i] + " of '" + names[i] +
                       "'; a size must be an integer of at least 0"};
        }
        shape.push_back(*size);
      }
      specs_.push_back({names[i], std::move(shape), std::nullopt, ""});
    }
    return std::nullopt;
  }

  std::optional<Error> ParseRanges() {
    for (const std::string& item :
         Split(options_.input_layer_value_range, ':')) {
      const std::vector<std::string> parts = Split(item, ',');
      if (parts.size() != 3) {
        return Error{"--input_layer_value_range has the item '" + item +
                     "'; it must be NAME,LOW,HIGH"};
      }
      const std::optional<int32_t> low = ParseInt(parts[1]);
      const std::optional<int32_t> high = ParseInt(parts[2]);
      if (!low || !high || *low > *high) {
        return Error{"--input_layer_value_range has the range " + parts[1] +
                     " to " + parts[2] + " for '" + parts[0] +
                     "'; it must be two integers, the lower first"};
      }
      InputSpec* spec = Find(parts[0]);
      if (spec == nullptr)
        return Unknown("--input_layer_value_range", parts[0]);
      spec->range = {*low, *high};
    }
    return std::nullopt;
  }

  std::optional<Error> ParseFiles() {
    for (const std::string& item :
         Split(options_.input_layer_value_files, ',')) {
      const auto parts = SplitNameAndFile(item);
      if (!parts) {
        return Error{"--input_layer_value_files has the item '" + item +
                     "'; it must be NAME:FILE, any other ':' doubled"};
      }
      InputSpec* spec = Find(parts->first);
      if (spec == nullptr) {
        return Unknown("--input_layer_value_files", parts->first);
      }
      spec->file = parts->second;
    }
    return std::nullopt;
  }

  InputSpec* Find(const std::string& name) {
    for (InputSpec& spec : specs_) {
      if (spec.name == name) return &spec;
    }
    // The model's own name: looked up once there is a model.
    if (!options_.input_layer.empty()) return nullptr;
    specs_.push_back({name, std::nullopt, std::nullopt, ""});
    return &specs_.back();
  }

  Error Unknown(const std::string& flag, const std::string& name) const {
    return Error{flag + " is for '" + name +
                 "', which --input_layer does not name; it names " +
                 options_.input_layer};
  }

  const Options& options_;
  std::vector<InputSpec> specs_;
};

}  // namespace

ErrorOr<std::vector<InputSpec>> ParseInputSpecs(const Options& options) {
  return Parser(options).Parse();
}

}  // namespace tflite::custom::benchmark
