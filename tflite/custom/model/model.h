#ifndef TFLITE_CUSTOM_MODEL_MODEL_H_
#define TFLITE_CUSTOM_MODEL_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tflite/custom/model/error_or.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom {

// A custom op that a model calls.
struct CustomOpCode {
  std::string name;
  int version;
};

struct Signature {
  struct Tensor {
    std::string name;  // In the signature.
    std::string tensor_name;
    // Among the inputs, or outputs, of the graph; beyond them where it is none.
    size_t position;
    int32_t index;  // In the graph.
  };

  std::string key;
  size_t graph;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

// A .tflite file, verified by the runtime, in which no tensor lies about its
// size. Must outlive its interpreters.
class Model {
 public:
  // Maps a file, or a part of one that is open: "fd:NUMBER:OFFSET:SIZE".
  static ErrorOr<Model> Load(const std::string& path);
  // Takes the contents of a file, which must outlive the model. Errors call
  // them `name`.
  static ErrorOr<Model> FromBytes(std::string_view bytes,
                                  const std::string& name);

  const TfLiteModel* get() const { return model_.get(); }
  const std::string& path() const { return path_; }
  std::string_view bytes() const { return bytes_; }
  size_t size_in_bytes() const { return bytes_.size(); }

  std::vector<CustomOpCode> CustomOpCodes() const;
  std::vector<Signature> Signatures() const;
  // Of the first graph, as indices of its tensors.
  std::vector<int32_t> GraphInputs() const;
  std::vector<int32_t> GraphOutputs() const;

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
  // Null where the bytes are the caller's.
  std::unique_ptr<const void, Unmap> mapping_{nullptr, Unmap{0}};
  // Null where the file is used as it is; see buffer_offsets.h.
  std::unique_ptr<std::string> rewritten_;
  std::string_view bytes_;
  std::unique_ptr<TfLiteModel, Delete> model_;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_MODEL_H_
