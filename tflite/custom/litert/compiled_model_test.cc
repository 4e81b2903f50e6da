// The kernels in LiteRT's CompiledModel, against the C library's interpreter.

#include "tflite/custom/litert/compiled_model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/litert/kernel_runner.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/register.h"
#include "tflite/custom/testdata/test_interpreter.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom {
namespace {

constexpr char kAtan[] = "tflite/custom/atan.tflite";
constexpr char kAtanOnly[] = "tflite/custom/atan_only.tflite";

// By the model schema's TensorType.
constexpr int8_t kFloat32 = 0;
constexpr int8_t kInt32 = 2;

std::string MessageOf(const std::optional<Error>& error) {
  return error ? error->message : "";
}

std::unique_ptr<CompiledModel> Compile(
    ErrorOr<std::unique_ptr<CompiledModel>> model) {
  if (model.ok()) return std::move(*model);
  ADD_FAILURE() << model.error().message;
  return nullptr;
}

std::vector<float> RunOnce(CompiledModel* model, const std::vector<int>& shape,
                           const std::vector<float>& x) {
  EXPECT_EQ(MessageOf(model->Resize({shape})), "");
  EXPECT_EQ(MessageOf(model->WriteInput(0, x.data(), x.size() * sizeof(float))),
            "");
  EXPECT_EQ(MessageOf(model->Run()), "");
  EXPECT_EQ(model->output(0).shape, shape);
  std::vector<float> y(model->output(0).bytes / sizeof(float));
  EXPECT_EQ(MessageOf(model->ReadOutput(0, y.data(), y.size() * sizeof(float))),
            "");
  return y;
}

TEST(CompiledModelTest, DescribesItsTensors) {
  const auto model = Compile(CompiledModel::Create(kAtanOnly));
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->input_count(), 1);
  ASSERT_EQ(model->output_count(), 1);
  EXPECT_EQ(model->input(0).name, "input_0");
  EXPECT_EQ(model->input(0).type, kTfLiteFloat32);
  EXPECT_EQ(model->input(0).shape, std::vector<int>{4});
  EXPECT_EQ(model->output(0).name, "output_0");
  EXPECT_EQ(model->output(0).bytes, 16);
}

TEST(CompiledModelTest, GivesTheBitsOfTheCLibraryInEveryShape) {
  const auto model = Compile(CompiledModel::Create(kAtanOnly));
  ASSERT_NE(model, nullptr);
  TestInterpreter interpreter(
      kAtanOnly, [](TfLiteInterpreterOptions* o) { RegisterCustomOps(o); });
  for (const std::vector<int>& shape : std::vector<std::vector<int>>{
           {4}, {2, 3}, {1000}, {1, 1, 1, 1, 2}, {3}}) {
    size_t count = 1;
    for (const int dimension : shape) count *= dimension;
    std::vector<float> x(count);
    for (size_t i = 0; i < count; ++i) x[i] = 0.37f * i - 1.5f;
    EXPECT_EQ(RunOnce(model.get(), shape, x), interpreter.Run(shape, x));
  }
}

TEST(CompiledModelTest, RunsTheTrainedModel) {
  const auto model = Compile(CompiledModel::Create(kAtan, /*num_threads=*/2));
  ASSERT_NE(model, nullptr);
  const std::vector<float> y =
      RunOnce(model.get(), {5}, {-8.0f, 0.5f, 2.0f, 2.2f, 201.0f});
  const std::vector<float> want = {-1.4288993f, 0.98279375f, 1.2490457f,
                                   1.2679114f, 1.5658458f};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(y[i], want[i], 1e-4);
}

TEST(CompiledModelTest, AnotherTypeIsAnErrorThatNamesIt) {
  CustomNode node;
  node.op = "Atan";
  node.inputs = {{CustomNode::Tensor::Kind::kVariable, kInt32, {4}, ""}};
  node.outputs = {{CustomNode::Tensor::Kind::kVariable, kInt32, {4}, ""}};
  const auto model =
      CompiledModel::CreateFromBytes(SingleNodeModel(node), "ints.tflite");
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("cannot prepare ints.tflite in LiteRT"),
            std::string::npos)
      << model.error().message;
  EXPECT_NE(model.error().message.find("Atan: input must be FLOAT32"),
            std::string::npos)
      << model.error().message;
}

TEST(CompiledModelTest, ConstantInputReachesTheKernel) {
  const float data[] = {-2.0f, 0.0f, 0.5f};
  CustomNode node;
  node.op = "Atan";
  node.inputs = {
      {CustomNode::Tensor::Kind::kConstant,
       kFloat32,
       {3},
       std::string(reinterpret_cast<const char*>(data), sizeof(data))}};
  node.outputs = {{CustomNode::Tensor::Kind::kVariable, kFloat32, {3}, ""}};
  const auto model =
      Compile(CompiledModel::CreateFromBytes(SingleNodeModel(node), "const"));
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->input_count(), 0);
  ASSERT_EQ(MessageOf(model->Run()), "");
  std::vector<float> y(3);
  ASSERT_EQ(MessageOf(model->ReadOutput(0, y.data(), sizeof(data))), "");
  TestInterpreter interpreter(
      kAtanOnly, [](TfLiteInterpreterOptions* o) { RegisterCustomOps(o); });
  EXPECT_EQ(y, interpreter.Run({3}, {-2.0f, 0.0f, 0.5f}));
}

TEST(CompiledModelTest, OpWithoutKernelIsAnError) {
  CustomNode node;
  node.op = "Frobnicate";
  node.inputs = {{CustomNode::Tensor::Kind::kVariable, kFloat32, {4}, ""}};
  node.outputs = node.inputs;
  const auto model =
      CompiledModel::CreateFromBytes(SingleNodeModel(node), "f.tflite");
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("cannot prepare f.tflite"),
            std::string::npos)
      << model.error().message;
}

TEST(CompiledModelTest, WrongSizesAreErrors) {
  const auto model = Compile(CompiledModel::Create(kAtanOnly));
  ASSERT_NE(model, nullptr);
  const float x[4] = {};
  EXPECT_EQ(MessageOf(model->WriteInput(0, x, 12)),
            "the input 'input_0' of tflite/custom/atan_only.tflite takes 16 "
            "bytes, not 12");
  float y[4];
  EXPECT_EQ(MessageOf(model->ReadOutput(0, y, 4)),
            "the output 'output_0' of tflite/custom/atan_only.tflite takes 16 "
            "bytes, not 4");
  EXPECT_EQ(MessageOf(model->Resize({})),
            "tflite/custom/atan_only.tflite has 1 inputs, but 0 shapes were "
            "given");
}

TEST(CompiledModelTest, WhatIsNoModelIsAnError) {
  const auto model = CompiledModel::CreateFromBytes("abcdefgh", "letters");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().message,
            "letters is not a TFLite model: it does not have 'TFL3' at byte 4");
}

}  // namespace
}  // namespace tflite::custom
