#ifndef TFLITE_CUSTOM_LITERT_KERNELS_H_
#define TFLITE_CUSTOM_LITERT_KERNELS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tflite/custom/litert/kernel_runner.h"
#include "tflite/custom/model/error_or.h"
#include "third_party/litert/c/litert_options.h"

namespace tflite::custom {

// Kernels for one model in LiteRT's CompiledModel. Must outlive the compiled
// model.
//
// A custom op of LiteRT is not told which node it runs for, of which type its
// tensors are before it runs, nor asked whether it failed; and its constant
// inputs must lie where a file does not put them. So each node that calls an op
// with a kernel gets an op of its own in a copy of the model, without the
// constant inputs; what the copy leaves out is kept here.
class LiteRtKernels {
 public:
  // Adds an op for each such node of `model`, the contents of a .tflite file
  // that the runtime has verified, to `options`. What to compile with them is
  // model(), not what was given here.
  static ErrorOr<std::unique_ptr<LiteRtKernels>> Add(
      std::string_view model, LiteRtOptions options,
      const KernelLibraries& libraries = LinkedKernels());

  ~LiteRtKernels();

  const std::string& model() const { return model_; }

  // What went wrong in a kernel since the last call: LiteRT goes on with
  // whatever the outputs hold.
  std::optional<Error> TakeError();

 private:
  struct Node;

  LiteRtKernels();

  std::string model_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_LITERT_KERNELS_H_
