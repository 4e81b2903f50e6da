#include "tflite/custom/benchmark/input_spec.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {
namespace {

ErrorOr<std::vector<InputSpec>> Parse(const std::string& layer,
                                      const std::string& shape,
                                      const std::string& range = "",
                                      const std::string& files = "") {
  Options options;
  options.input_layer = layer;
  options.input_layer_shape = shape;
  options.input_layer_value_range = range;
  options.input_layer_value_files = files;
  return ParseInputSpecs(options);
}

std::string ErrorOf(const ErrorOr<std::vector<InputSpec>>& specs) {
  return specs.ok() ? "no error" : specs.error().message;
}

TEST(InputSpecTest, NoFlagsNoSpecs) {
  const auto specs = Parse("", "");
  ASSERT_TRUE(specs.ok());
  EXPECT_TRUE(specs->empty());
}

TEST(InputSpecTest, ReadsAllFourFlags) {
  const auto specs =
      Parse("a,b:0,c", "1,224:0:7", "c,-1,2:a,0,254", "b::0:/x::y/z.bin,c:w");
  ASSERT_TRUE(specs.ok()) << specs.error().message;
  ASSERT_EQ(specs->size(), 3);
  EXPECT_EQ((*specs)[0].name, "a");
  EXPECT_EQ((*specs)[0].shape, (std::vector<int>{1, 224}));
  EXPECT_EQ((*specs)[0].range, std::pair(0, 254));
  EXPECT_EQ((*specs)[0].file, "");
  EXPECT_EQ((*specs)[1].name, "b:0");
  EXPECT_EQ((*specs)[1].shape, std::vector<int>{0});
  EXPECT_EQ((*specs)[1].file, "/x:y/z.bin");
  EXPECT_EQ((*specs)[2].range, std::pair(-1, 2));
  EXPECT_EQ((*specs)[2].file, "w");
}

TEST(InputSpecTest, WithoutNamesRangesAndFilesAreForTheModelsOwn) {
  const auto specs = Parse("", "", "x,1,2", "x:f,y:g");
  ASSERT_TRUE(specs.ok());
  ASSERT_EQ(specs->size(), 2);
  EXPECT_EQ((*specs)[0].range, std::pair(1, 2));
  EXPECT_EQ((*specs)[0].file, "f");
  EXPECT_FALSE((*specs)[1].shape.has_value());
}

TEST(InputSpecTest, ErrorsNameTheInputAndWhatWouldBeRight) {
  EXPECT_EQ(ErrorOf(Parse("a,b", "1")),
            "--input_layer names 2 inputs, but --input_layer_shape has 1 "
            "shapes; write as many, such as --input_layer=a,b "
            "--input_layer_shape=1,224,224,4:1,20");
  EXPECT_EQ(ErrorOf(Parse("a", "1,-1")),
            "--input_layer_shape has '-1' in the shape 1,-1 of 'a'; a size "
            "must be an integer of at least 0");
  for (const char* shape : {"x", "1,", "1.5", "99999999999", " 1", "1x"}) {
    EXPECT_NE(ErrorOf(Parse("a", shape)).find("a size must be"),
              std::string::npos)
        << shape;
  }
  EXPECT_EQ(ErrorOf(Parse("a,b", "1:1", "c,1,2")),
            "--input_layer_value_range is for 'c', which --input_layer does "
            "not name; it names a,b");
  EXPECT_EQ(ErrorOf(Parse("a", "1", "a,3,2")),
            "--input_layer_value_range has the range 3 to 2 for 'a'; it must "
            "be two integers, the lower first");
  for (const char* range : {"a,1", "a,1,2,3", "a"}) {
    EXPECT_NE(ErrorOf(Parse("a", "1", range)).find("must be NAME,LOW,HIGH"),
              std::string::npos)
        << range;
  }
  for (const char* range : {"a,x,2", "a,0.5,1", "a,,"}) {
    EXPECT_NE(ErrorOf(Parse("a", "1", range)).find("must be two integers"),
              std::string::npos)
        << range;
  }
  for (const char* files : {"a", "a:", ":f", "a:f:g", "a::f"}) {
    EXPECT_NE(ErrorOf(Parse("a", "1", "", files)).find("must be NAME:FILE"),
              std::string::npos)
        << files;
  }
  EXPECT_EQ(ErrorOf(Parse("a", "1", "", "b:f")),
            "--input_layer_value_files is for 'b', which --input_layer does "
            "not name; it names a");
}

}  // namespace
}  // namespace tflite::custom::benchmark
