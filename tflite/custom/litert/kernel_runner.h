#ifndef TFLITE_CUSTOM_LITERT_KERNEL_RUNNER_H_
#define TFLITE_CUSTOM_LITERT_KERNEL_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/runtime_log.h"
#include "tflite/custom/model/single_node_model.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom {

// Where kernels come from: two functions that a library of tflite_registerer
// exports, see registerer.h.
struct KernelLibrary {
  int (*has)(const char* name, int version);
  void (*register_with_options)(void* options);
};

// Of kernels with one name and version the last library's is taken.
using KernelLibraries = std::vector<KernelLibrary>;

// The kernels of register.cc in this binary.
const KernelLibraries& LinkedKernels();

bool HasKernel(const KernelLibraries& libraries, const std::string& op,
               int version);

// Runs the kernel of one node, in an interpreter of the C library that has
// nothing but this node: to the kernel it is as in any other model.
class KernelRunner {
 public:
  // A view of the elements of a tensor.
  struct Bytes {
    void* data;
    size_t size;
  };
  using Shape = std::vector<int>;

  static ErrorOr<std::unique_ptr<KernelRunner>> Create(
      const CustomNode& node,
      const KernelLibraries& libraries = LinkedKernels());

  // Prepares the kernel for these shapes of the inputs that are neither absent
  // nor constant.
  std::optional<Error> Prepare(const std::vector<Shape>& inputs);

  // Prepare, and what the kernel makes the outputs' shapes. An error where it
  // could only tell when it runs.
  ErrorOr<std::vector<Shape>> OutputShapes(const std::vector<Shape>& inputs);

  // After Prepare, for inputs of those shapes.
  std::optional<Error> Invoke(const std::vector<Bytes>& inputs);

  // Views of the outputs: their sizes after Prepare, but for those of which
  // only the run tells, and their elements after Invoke.
  std::vector<Bytes> Outputs() const;

  // Invoke, and the outputs copied. After OutputShapes, for tensors of those
  // shapes.
  std::optional<Error> Run(const std::vector<Bytes>& inputs,
                           const std::vector<Bytes>& outputs);

  const std::string& op() const { return op_; }

 private:
  struct Delete {
    void operator()(TfLiteModel* m) const { TfLiteModelDelete(m); }
    void operator()(TfLiteInterpreter* i) const { TfLiteInterpreterDelete(i); }
  };

  KernelRunner() = default;

  Error Failed(const std::string& what) const;
  Error WrongSize(const char* role, size_t index, size_t size,
                  const TfLiteTensor* tensor) const;

  std::string op_;
  std::string bytes_;
  RuntimeLog log_;
  std::unique_ptr<TfLiteModel, Delete> model_;
  std::unique_ptr<TfLiteInterpreter, Delete> interpreter_;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_LITERT_KERNEL_RUNNER_H_
