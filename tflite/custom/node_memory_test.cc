#include "tflite/custom/node_memory.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/model/runtime_log.h"
#include "tflite/custom/model/single_node_model.h"
#include "tflite/custom/register.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom {
namespace {

using Kind = CustomNode::Tensor::Kind;

// By the model schema's TensorType.
constexpr int8_t kFloat32 = 0;
constexpr int8_t kInt32 = 2;

constexpr int32_t kLargestSize = 0x7fffffff;

CustomNode::Tensor Variable(int8_t type, std::vector<int32_t> shape) {
  return {Kind::kVariable, type, std::move(shape), ""};
}

// Of zeros.
CustomNode::Tensor Constant(int8_t type, std::vector<int32_t> shape) {
  size_t size = sizeof(int32_t);
  for (const int32_t dimension : shape) size *= dimension;
  return {Kind::kConstant, type, std::move(shape), std::string(size, '\0')};
}

CustomNode::Tensor Scalar(int32_t value) {
  return {Kind::kConstant,
          kInt32,
          {},
          std::string(reinterpret_cast<const char*>(&value), sizeof(value))};
}

// Outputs of more than any machine has: their sizes are the values of
// constants. Other inputs of the graph would lie at null, which the runtime
// does notice.
std::vector<CustomNode> TooLarge() {
  constexpr int32_t kRows = 1 << 13;
  return {
      {"DenseBincount",
       1,
       "",
       {Constant(kInt32, {kRows, 1}), Scalar(kLargestSize),
        Variable(kInt32, {0})},
       {Variable(kInt32, {kRows, kLargestSize})}},
      {"SparseSegmentSumGrad",
       1,
       "",
       {Constant(kFloat32, {1, kRows}), Constant(kInt32, {1}),
        Constant(kInt32, {1}), Scalar(kLargestSize)},
       {Variable(kFloat32, {kLargestSize, kRows})}},
  };
}

TEST(NodeMemoryTest, AKernelSaysThatItHasNoRoomForItsOutput) {
  for (const CustomNode& node : TooLarge()) {
    const std::string bytes = SingleNodeModel(node);
    RuntimeLog log;
    TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
    TfLiteInterpreterOptionsSetErrorReporter(options, RuntimeLog::Report, &log);
    RegisterCustomOps(options);
    TfLiteModel* model = TfLiteModelCreate(bytes.data(), bytes.size());
    TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
    // The runtime does not notice.
    EXPECT_EQ(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk)
        << log.Line();
    EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteError);
    EXPECT_NE(log.Line().find(node.op +
                              ": not enough memory: no room for its output"),
              std::string::npos)
        << log.Line();
    TfLiteInterpreterDelete(interpreter);
    TfLiteModelDelete(model);
    TfLiteInterpreterOptionsDelete(options);
  }
}

}  // namespace
}  // namespace tflite::custom
