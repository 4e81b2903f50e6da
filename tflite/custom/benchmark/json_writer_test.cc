#include "tflite/custom/benchmark/json_writer.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace tflite::custom::benchmark {
namespace {

TEST(JsonWriterTest, NestsObjectsAndArrays) {
  JsonWriter json;
  json.BeginObject().Member("a", 1).Key("b").BeginArray();
  json.Value(true).Null().BeginObject().EndObject().EndArray().EndObject();
  EXPECT_EQ(json.Text(),
            "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null,\n    {}\n  "
            "]\n}\n");
}

TEST(JsonWriterTest, EscapesWhatJsonDoesNotAllow) {
  JsonWriter json;
  json.Value("\"\\\n\x1f/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(
      json.Text(),
      "\"\\\"\\\\\\u000a\\u001f/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\n");
}

TEST(JsonWriterTest, ReplacesWhatIsNotUtf8) {
  for (const char* bytes : {"\xff", "\x80", "\xc3", "\xc0\x80", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xe2\x82"}) {
    JsonWriter json;
    json.Value(bytes);
    EXPECT_EQ(json.Text().rfind("\"\\ufffd", 0), 0) << json.Text();
    EXPECT_EQ(json.Text().find_first_of("\x80\x82\xc0\xc3\xff"),
              std::string::npos);
  }
}

TEST(JsonWriterTest, NumbersReadBackAsTheSame) {
  JsonWriter json;
  json.BeginArray().Value(0.1).Value(1e300);
  json.Value(std::numeric_limits<int64_t>::min());
  json.Value(std::numeric_limits<double>::quiet_NaN()).EndArray();
  EXPECT_EQ(json.Text(),
            "[\n  0.1,\n  1e+300,\n  -9223372036854775808,\n  null\n]\n");
}

}  // namespace
}  // namespace tflite::custom::benchmark
