#include "tflite/custom/benchmark/arena.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/model/flatbuffer.h"
#include "tflite/custom/model/model.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {
namespace {

// No program has memory below this: it is where null pointers lead.
constexpr uintptr_t kLowestAddress = 1 << 16;

double PhysicalMemory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Adds what the tensor takes to `total`. True where it is not there.
bool IsUnallocated(const TfLiteTensor* tensor, double* total) {
  // Null stands for an input that the model leaves out.
  if (tensor == nullptr ||
      (tensor->allocation_type != kTfLiteArenaRw &&
       tensor->allocation_type != kTfLiteArenaRwPersistent)) {
    return false;
  }
  const size_t bytes = TfLiteTensorByteSize(tensor);
  *total += static_cast<double>(bytes);
  return *total > PhysicalMemory() ||
         (bytes > 0 && reinterpret_cast<uintptr_t>(TfLiteTensorData(tensor)) <
                           kLowestAddress);
}

std::string Describe(const TfLiteTensor* tensor) {
  const char* name = TfLiteTensorName(tensor);
  return "'" + std::string(name == nullptr ? "" : name) + "', of " +
         std::to_string(TfLiteTensorByteSize(tensor)) + " bytes";
}

}  // namespace

std::optional<std::string> UnallocatedTensor(
    const std::vector<const TfLiteTensor*>& tensors) {
  double total = 0;
  for (const TfLiteTensor* tensor : tensors) {
    if (IsUnallocated(tensor, &total)) return Describe(tensor);
  }
  return std::nullopt;
}

std::optional<std::string> UnallocatedTensor(
    const TfLiteInterpreter* interpreter, const Model& model) {
  // Inputs and outputs have memory of their own, so that it adds up.
  std::vector<const TfLiteTensor*> ends;
  for (int i = 0; i < TfLiteInterpreterGetInputTensorCount(interpreter); ++i) {
    ends.push_back(TfLiteInterpreterGetInputTensor(interpreter, i));
  }
  for (int i = 0; i < TfLiteInterpreterGetOutputTensorCount(interpreter); ++i) {
    ends.push_back(TfLiteInterpreterGetOutputTensor(interpreter, i));
  }
  if (auto tensor = UnallocatedTensor(ends)) return tensor;
  // The operands of ops share it. A tensor that nothing uses gets none.
  const flatbuffer::Vector graphs(flatbuffer::Root(model.bytes().data()),
                                  flatbuffer::kModelSubgraphs);
  const flatbuffer::Vector ops(graphs.Table(0), flatbuffer::kSubgraphOperators);
  for (uint32_t i = 0; i < ops.size(); ++i) {
    for (const int field :
         {flatbuffer::kOperatorInputs, flatbuffer::kOperatorOutputs}) {
      const flatbuffer::Vector operands(ops.Table(i), field);
      for (const int32_t operand : operands.Copy<int32_t>()) {
        if (operand < 0) continue;
        const TfLiteTensor* tensor =
            TfLiteInterpreterGetTensor(interpreter, operand);
        double alone = 0;
        if (IsUnallocated(tensor, &alone)) return Describe(tensor);
      }
    }
  }
  return std::nullopt;
}

}  // namespace tflite::custom::benchmark
