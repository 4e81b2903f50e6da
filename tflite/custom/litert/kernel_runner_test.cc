#include "tflite/custom/litert/kernel_runner.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom {
namespace {

// By the model schema's TensorType.
constexpr int8_t kFloat32 = 0;
constexpr int8_t kInt32 = 2;

std::string MessageOf(const std::optional<Error>& error) {
  return error ? error->message : "";
}

std::unique_ptr<KernelRunner> Create(const CustomNode& node) {
  auto runner = KernelRunner::Create(node);
  if (runner.ok()) return std::move(*runner);
  ADD_FAILURE() << runner.error().message;
  return nullptr;
}

// Counts numbers; the length of its output is the value of its second input.
class BincountTest : public testing::Test {
 protected:
  void SetUp() override {
    CustomNode node;
    node.op = "Bincount";
    using Kind = CustomNode::Tensor::Kind;
    for (const std::vector<int32_t>& shape :
         std::vector<std::vector<int32_t>>{{4}, {}, {0}}) {
      node.inputs.push_back({Kind::kVariable, kInt32, shape, ""});
    }
    node.outputs = {{Kind::kVariable, kInt32, {0}, ""}};
    runner_ = Create(node);
    ASSERT_NE(runner_, nullptr);
  }

  std::optional<Error> Invoke(int32_t size) {
    size_ = size;
    return runner_->Invoke(
        {{numbers_, sizeof(numbers_)}, {&size_, sizeof(size_)}, {nullptr, 0}});
  }

  std::vector<int32_t> Output() const {
    const KernelRunner::Bytes bytes = runner_->Outputs().at(0);
    std::vector<int32_t> values(bytes.size / sizeof(int32_t));
    std::memcpy(values.data(), bytes.data, bytes.size);
    return values;
  }

  int32_t numbers_[4] = {1, 3, 1, 0};
  int32_t size_ = 0;
  std::unique_ptr<KernelRunner> runner_;
};

TEST_F(BincountTest, OutputOfAValuesSizeIsThereAfterInvoke) {
  ASSERT_EQ(MessageOf(runner_->Prepare({{4}, {}, {0}})), "");
  for (const int32_t size : {4, 6, 2}) {
    ASSERT_EQ(MessageOf(Invoke(size)), "");
    std::vector<int32_t> expected = {1, 2, 0, 1, 0, 0};
    expected.resize(size);
    EXPECT_EQ(Output(), expected);
  }
}

TEST_F(BincountTest, InvokeThatFailsSaysWhyAndTheNextOneRuns) {
  ASSERT_EQ(MessageOf(runner_->Prepare({{4}, {}, {0}})), "");
  EXPECT_EQ(MessageOf(Invoke(-1)).find("cannot run the op 'Bincount': "), 0);
  ASSERT_EQ(MessageOf(Invoke(2)), "");
  EXPECT_EQ(Output(), (std::vector<int32_t>{1, 2}));
}

TEST_F(BincountTest, OutputShapesFailsWhereOnlyTheRunTells) {
  const auto shapes = runner_->OutputShapes({{4}, {}, {0}});
  ASSERT_FALSE(shapes.ok());
  EXPECT_EQ(shapes.error().message.find(
                "the op 'Bincount' finds the shape of its output only when it "
                "runs"),
            0);
}

TEST(KernelRunnerTest, RejectsWhatIsNotItsNodes) {
  CustomNode node;
  node.op = "Atan";
  node.inputs =
      node.outputs = {{CustomNode::Tensor::Kind::kVariable, kFloat32, {2}, ""}};
  const std::unique_ptr<KernelRunner> runner = Create(node);
  ASSERT_NE(runner, nullptr);
  EXPECT_EQ(MessageOf(runner->Prepare({})),
            "the op 'Atan' has 1 inputs here, and was given 0");
  ASSERT_EQ(MessageOf(runner->Prepare({{2}})), "");
  float x[2] = {0, 0};
  float y[2] = {1, 1};
  EXPECT_EQ(MessageOf(runner->Invoke({})),
            "the op 'Atan' was given 0 inputs, and its node has 1");
  EXPECT_EQ(MessageOf(runner->Run({{x, sizeof(x)}}, {})),
            "the op 'Atan' was given 0 outputs, and its node has 1");
  EXPECT_EQ(MessageOf(runner->Run({{x, 4}}, {{y, sizeof(y)}})),
            "the op 'Atan' was given 4 bytes for its input 0, which takes 8");
  EXPECT_EQ(MessageOf(runner->Run({{x, sizeof(x)}}, {{y, 4}})),
            "the op 'Atan' was given 4 bytes for its output 0, which takes 8");
  EXPECT_EQ(MessageOf(runner->Run({{x, sizeof(x)}}, {{y, sizeof(y)}})), "");
  EXPECT_EQ(y[1], 0);
}

}  // namespace
}  // namespace tflite::custom
