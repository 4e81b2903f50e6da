#ifndef TFLITE_CUSTOM_BENCHMARK_MODEL_H_
#define TFLITE_CUSTOM_BENCHMARK_MODEL_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/error_or.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom::benchmark {

// A custom op that a model calls.
struct CustomOpCode {
  std::string name;
  int version;
};

// A .tflite file, mapped, and verified by the runtime. Must outlive its
// interpreters.
class Model {
 public:
  static ErrorOr<Model> Load(const std::string& path);

  const TfLiteModel* get() const { return model_.get(); }
  const std::string& path() const { return path_; }
  size_t size_in_bytes() const { return bytes_.get_deleter().size; }

  std::vector<CustomOpCode> CustomOpCodes() const;

 private:
  struct Unmap {
    size_t size;
    void operator()(const void* bytes) const;
  };
  struct Delete {
    void operator()(TfLiteModel* model) const { TfLiteModelDelete(model); }
  };

  Model() = default;

  std::string path_;
  std::unique_ptr<const void, Unmap> bytes_{nullptr, Unmap{0}};
  std::unique_ptr<TfLiteModel, Delete> model_;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_MODEL_H_
