#ifndef TFLITE_CUSTOM_BENCHMARK_EXTERNAL_DELEGATE_H_
#define TFLITE_CUSTOM_BENCHMARK_EXTERNAL_DELEGATE_H_

#include <functional>
#include <memory>
#include <string>

#include "tflite/custom/model/error_or.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {

// A delegate with whatever deletes it.
using DelegatePtr =
    std::unique_ptr<TfLiteDelegate, std::function<void(TfLiteDelegate*)>>;

// Asks the shared library at `path` for its delegate, through the two functions
// that every external delegate exports. `options` are NAME:VALUE items
// separated by ';'. The library stays loaded.
ErrorOr<DelegatePtr> LoadExternalDelegate(const std::string& path,
                                          const std::string& options);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_EXTERNAL_DELEGATE_H_
