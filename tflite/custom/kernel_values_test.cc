// Values of inputs that C++ gives no meaning to unless a kernel takes care. The
// undefined-behaviour sanitizer looks at the same tests in ci/sanitizers.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/litert/kernel_runner.h"

namespace tflite::custom {
namespace {

using Kind = CustomNode::Tensor::Kind;

// By the model schema's TensorType.
constexpr int8_t kInt32 = 2;
constexpr int8_t kInt64 = 4;
constexpr int8_t kBool = 6;

template <typename T>
CustomNode::Tensor Constant(int8_t type, const std::vector<int32_t>& shape,
                            const std::vector<T>& values) {
  return {Kind::kConstant, type, shape,
          std::string(reinterpret_cast<const char*>(values.data()),
                      values.size() * sizeof(T))};
}

// The output of `op` for constant inputs, an output of `size` elements.
template <typename T>
std::vector<T> OutputOf(const std::string& op,
                        const std::vector<CustomNode::Tensor>& inputs,
                        int8_t type, int size) {
  CustomNode node;
  node.op = op;
  node.inputs = inputs;
  node.outputs = {{Kind::kVariable, type, {size}, ""}};
  auto runner = KernelRunner::Create(node);
  if (!runner.ok()) {
    ADD_FAILURE() << runner.error().message;
    return {};
  }
  const auto shapes = (*runner)->OutputShapes({});
  if (!shapes.ok()) {
    ADD_FAILURE() << shapes.error().message;
    return {};
  }
  EXPECT_EQ(shapes->at(0), std::vector<int>{size});
  std::vector<T> output(size);
  const auto error =
      (*runner)->Run({}, {{output.data(), output.size() * sizeof(T)}});
  EXPECT_FALSE(error.has_value()) << error->message;
  return output;
}

TEST(KernelValuesTest, AnyByteButZeroIsTrue) {
  EXPECT_EQ(
      OutputOf<int32_t>("Examples>MultiplexDense",
                        {Constant<uint8_t>(kBool, {4}, {0, 1, 2, 255}),
                         Constant<int32_t>(kInt32, {4}, {1, 2, 3, 4}),
                         Constant<int32_t>(kInt32, {4}, {-1, -2, -3, -4})},
                        kInt32, 4),
      (std::vector<int32_t>{-1, 2, 3, 4}));
}

template <typename T>
void ExpectWeightsWrap(int8_t type) {
  constexpr T kLeast = std::numeric_limits<T>::min();
  constexpr T kMost = std::numeric_limits<T>::max();
  EXPECT_EQ(OutputOf<T>("DenseBincount",
                        {Constant<int32_t>(kInt32, {5}, {0, 1, 0, 1, 2}),
                         Constant<int32_t>(kInt32, {}, {3}),
                         Constant<T>(type, {5}, {kMost, kLeast, 2, -1, 7})},
                        type, 3),
            (std::vector<T>{kLeast + 1, kMost, 7}));
}

TEST(KernelValuesTest, SumsOfWeightsWrap) {
  ExpectWeightsWrap<int32_t>(kInt32);
  ExpectWeightsWrap<int64_t>(kInt64);
}

}  // namespace
}  // namespace tflite::custom
