#include "tflite/custom/benchmark/external_delegate.h"

#include <dlfcn.h>

#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/model/error_or.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {
namespace {

constexpr char kCreate[] = "tflite_plugin_create_delegate";
constexpr char kDestroy[] = "tflite_plugin_destroy_delegate";

using Create = TfLiteDelegate* (*)(const char* const* keys,
                                   const char* const* values, size_t count,
                                   void (*report_error)(const char*));
using Destroy = void (*)(TfLiteDelegate*);

// The function that reports has nowhere to put a pointer.
std::string& Reported() {
  static auto* const text = new std::string;
  return *text;
}

}  // namespace

ErrorOr<DelegatePtr> LoadExternalDelegate(const std::string& path,
                                          const std::string& options) {
  std::vector<std::string> keys;
  std::vector<std::string> values;
  std::istringstream items(options);
  for (std::string item; std::getline(items, item, ';');) {
    const size_t colon = item.find(':');
    if (colon == std::string::npos || colon == 0) {
      return Error{"--external_delegate_options has the item '" + item +
                   "'; it must be NAME:VALUE"};
    }
    keys.push_back(item.substr(0, colon));
    values.push_back(item.substr(colon + 1));
  }

  // A bare name would be looked for among the system's libraries.
  const std::string file = std::filesystem::absolute(path).string();
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{std::string("cannot load the external delegate: ") +
                 dlerror()};
  }
  const auto create = reinterpret_cast<Create>(dlsym(library, kCreate));
  const auto destroy = reinterpret_cast<Destroy>(dlsym(library, kDestroy));
  if (create == nullptr || destroy == nullptr) {
    return Error{path + " is not an external delegate: it does not export " +
                 (create == nullptr ? kCreate : kDestroy)};
  }
  std::vector<const char*> c_keys;
  std::vector<const char*> c_values;
  for (const std::string& key : keys) c_keys.push_back(key.c_str());
  for (const std::string& value : values) c_values.push_back(value.c_str());
  Reported().clear();
  TfLiteDelegate* delegate =
      create(c_keys.data(), c_values.data(), keys.size(),
             [](const char* message) { Reported() += message; });
  if (delegate == nullptr) {
    return Error{path + " makes no delegate" +
                 (Reported().empty() ? "" : ": " + Reported())};
  }
  return DelegatePtr(delegate, destroy);
}

}  // namespace tflite::custom::benchmark
