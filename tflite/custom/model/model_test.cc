#include "tflite/custom/model/model.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/single_node_model.h"

namespace tflite::custom {
namespace {

using Kind = CustomNode::Tensor::Kind;

// By the model schema's TensorType.
constexpr int8_t kFloat32 = 0;
constexpr int8_t kString = 5;
constexpr int8_t kInt4 = 17;

// A model with one constant.
std::string ModelWith(int8_t type, const std::vector<int32_t>& shape,
                      const std::string& data) {
  CustomNode node;
  node.op = "Atan";
  node.inputs = {{Kind::kConstant, type, shape, data}};
  node.outputs = {{Kind::kVariable, kFloat32, {1}, ""}};
  return SingleNodeModel(node);
}

std::string ErrorOf(const std::string& bytes) {
  const ErrorOr<Model> model = Model::FromBytes(bytes, "m");
  return model.ok() ? "" : model.error().message;
}

std::string Words(const std::vector<int32_t>& words) {
  return std::string(reinterpret_cast<const char*>(words.data()),
                     words.size() * sizeof(int32_t));
}

TEST(ModelTest, TakesTensorsThatSayTheTruth) {
  EXPECT_EQ(ErrorOf(ModelWith(kFloat32, {2, 3}, std::string(24, 'x'))), "");
  EXPECT_EQ(ErrorOf(ModelWith(kFloat32, {}, std::string(4, 'x'))), "");
  EXPECT_EQ(ErrorOf(ModelWith(kInt4, {3}, std::string(2, 'x'))), "");
  EXPECT_EQ(ErrorOf(ModelWith(kString, {2}, Words({2, 16, 18, 20}) + "abcd")),
            "");
}

TEST(ModelTest, RefusesATensorWithMoreOrLessDataThanItsShape) {
  EXPECT_EQ(ErrorOf(ModelWith(kFloat32, {2, 3}, std::string(20, 'x'))),
            "m is damaged: its tensor 'tensor_0' of shape [2, 3] takes 24 "
            "bytes, but its data have 20");
  EXPECT_EQ(ErrorOf(ModelWith(kFloat32, {1}, std::string(8, 'x'))),
            "m is damaged: its tensor 'tensor_0' of shape [1] takes 4 bytes, "
            "but its data have 8");
  EXPECT_EQ(ErrorOf(ModelWith(kInt4, {3}, "x")),
            "m is damaged: its tensor 'tensor_0' of shape [3] takes 2 bytes, "
            "but its data have 1");
}

TEST(ModelTest, RefusesShapesThatAreNone) {
  const std::string data(4, 'x');
  EXPECT_EQ(ErrorOf(ModelWith(kFloat32, {2, -1}, data)),
            "m is damaged: its tensor 'tensor_0' cannot have the shape "
            "[2, -1]");
  const int32_t most = INT32_MAX;
  EXPECT_EQ(ErrorOf(ModelWith(kFloat32, {most, most, most}, data)),
            "m is damaged: its tensor 'tensor_0' cannot have the shape "
            "[2147483647, 2147483647, 2147483647]");
}

TEST(ModelTest, RefusesStringsThatLieOutsideTheirData) {
  const std::string wrong =
      "m is damaged: its tensor 'tensor_0' of shape [2] has data that are not "
      "2 strings";
  for (const std::string& data :
       {Words({2, 16, 18, 21}) + "abcd", Words({2, 16, 15, 20}) + "abcd",
        Words({2, 0, 18, 20}) + "abcd", Words({3, 16, 18, 20}) + "abcd",
        Words({2, 16}), std::string("x")}) {
    EXPECT_EQ(ErrorOf(ModelWith(kString, {2}, data)), wrong);
  }
}

TEST(ModelTest, EveryTruncationIsAnErrorInOneLine) {
  const std::string model = ModelWith(kFloat32, {8}, std::string(32, 'x'));
  for (size_t size = 0; size < model.size(); ++size) {
    const std::string message = ErrorOf(model.substr(0, size));
    EXPECT_NE(message, "") << size << " of " << model.size();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace tflite::custom
