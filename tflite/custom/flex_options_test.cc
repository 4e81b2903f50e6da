// The reader of FlexBuffer options, on buffers that Python's writer made and on
// broken ones. Each buffer is copied into memory of exactly its size, so that
// the address sanitizer sees any read beyond it.

#include "tflite/custom/flex_options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace {

// {"T": 0, "adjoint": true}, as the converter writes it.
const std::vector<uint8_t> kConverted = {
    0x54, 0x00, 0x61, 0x64, 0x6a, 0x6f, 0x69, 0x6e, 0x74, 0x00, 0x02, 0x0b,
    0x0a, 0x02, 0x01, 0x02, 0x00, 0x01, 0x04, 0x68, 0x04, 0x24, 0x01};

std::vector<uint8_t> ReadFile(const std::string& name) {
  std::ifstream file("tflite/custom/testdata/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

// A copy behind which no byte may be read.
class Exact {
 public:
  explicit Exact(const std::vector<uint8_t>& bytes)
      : size_(bytes.size()), bytes_(new uint8_t[bytes.size()]) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
    status_ = FlexMapOpen(bytes_.get(), size_, &map_);
  }

  FlexStatus status() const { return status_; }
  const FlexMap* map() const { return &map_; }

 private:
  size_t size_;
  std::unique_ptr<uint8_t[]> bytes_;
  FlexMap map_;
  FlexStatus status_;
};

// Reads all that can be read of a buffer that may be broken.
int ReadAll(const std::vector<uint8_t>& bytes) {
  const Exact buffer(bytes);
  if (buffer.status() != kFlexOk) return 0;
  int read = 0;
  for (const char* key : {"T", "adjoint", "int", "big", "negative", "float",
                          "double", "string", "empty", "null", "map", "vector",
                          "ints", "mixed", "typed", "fixed", "missing", ""}) {
    FlexKind kind;
    bool flag;
    int64_t integer;
    double number;
    const char* string;
    size_t length;
    int64_t integers[3];
    read += FlexMapGetInts(buffer.map(), key, integers, 3, &length) == kFlexOk;
    read += FlexMapGetKind(buffer.map(), key, &kind) == kFlexOk;
    read += FlexMapGetBool(buffer.map(), key, &flag) == kFlexOk;
    read += FlexMapGetInt(buffer.map(), key, &integer) == kFlexOk;
    read += FlexMapGetFloat(buffer.map(), key, &number) == kFlexOk;
    if (FlexMapGetString(buffer.map(), key, &string, &length) == kFlexOk) {
      ++read;
      // So that a string that leaves the buffer is seen.
      volatile char last = 0;
      for (size_t i = 0; i < length; ++i) last = string[i];
      static_cast<void>(last);
    }
  }
  return read;
}

TEST(FlexOptionsTest, ReadsWhatTheConverterWrites) {
  const Exact buffer(kConverted);
  ASSERT_EQ(buffer.status(), kFlexOk);
  bool adjoint = false;
  EXPECT_EQ(FlexMapGetBool(buffer.map(), "adjoint", &adjoint), kFlexOk);
  EXPECT_TRUE(adjoint);
  int64_t type = -1;
  EXPECT_EQ(FlexMapGetInt(buffer.map(), "T", &type), kFlexOk);
  EXPECT_EQ(type, 0);
  FlexKind kind;
  EXPECT_EQ(FlexMapGetKind(buffer.map(), "adjoint", &kind), kFlexOk);
  EXPECT_EQ(kind, kFlexBool);
}

TEST(FlexOptionsTest, EmptyBufferIsAnEmptyMap) {
  FlexMap map;
  ASSERT_EQ(FlexMapOpen(nullptr, 0, &map), kFlexOk);
  bool value = true;
  EXPECT_EQ(FlexMapGetBool(&map, "adjoint", &value), kFlexMissing);
  EXPECT_TRUE(value);
}

// What write_flex_options.py writes.
TEST(FlexOptionsTest, ReadsEveryKindOfValue) {
  for (const char* file : {"options.flex", "wide_options.flex"}) {
    SCOPED_TRACE(file);
    const Exact buffer(ReadFile(file));
    ASSERT_EQ(buffer.status(), kFlexOk);
    const FlexMap* map = buffer.map();
    bool flag = false;
    EXPECT_EQ(FlexMapGetBool(map, "adjoint", &flag), kFlexOk);
    EXPECT_TRUE(flag);
    int64_t integer = 0;
    EXPECT_EQ(FlexMapGetInt(map, "int", &integer), kFlexOk);
    EXPECT_EQ(integer, 7);
    EXPECT_EQ(FlexMapGetInt(map, "negative", &integer), kFlexOk);
    EXPECT_EQ(integer, -3);
    EXPECT_EQ(FlexMapGetInt(map, "big", &integer), kFlexOk);
    EXPECT_EQ(integer, int64_t{1} << 40);
    double number = 0;
    EXPECT_EQ(FlexMapGetFloat(map, "float", &number), kFlexOk);
    EXPECT_EQ(number, 0.5);
    EXPECT_EQ(FlexMapGetFloat(map, "double", &number), kFlexOk);
    EXPECT_EQ(number, 0.1);
    EXPECT_EQ(FlexMapGetFloat(map, "int", &number), kFlexOk);
    EXPECT_EQ(number, 7);
    const char* string;
    size_t length;
    ASSERT_EQ(FlexMapGetString(map, "string", &string, &length), kFlexOk);
    EXPECT_EQ(std::string(string, length), "lower");
    ASSERT_EQ(FlexMapGetString(map, "empty", &string, &length), kFlexOk);
    EXPECT_EQ(length, 0);
    FlexKind kind;
    const std::vector<std::pair<const char*, FlexKind>> kinds = {
        {"adjoint", kFlexBool},  {"int", kFlexInt},   {"float", kFlexFloat},
        {"string", kFlexString}, {"null", kFlexNull}, {"map", kFlexMap},
        {"vector", kFlexOther}};
    for (const auto& [key, want] : kinds) {
      EXPECT_EQ(FlexMapGetKind(map, key, &kind), kFlexOk) << key;
      EXPECT_EQ(kind, want) << key;
    }
  }
}

// A list of which elements have types of their own, and of one type.
TEST(FlexOptionsTest, ReadsListsOfIntegers) {
  for (const char* file : {"options.flex", "wide_options.flex"}) {
    SCOPED_TRACE(file);
    const Exact buffer(ReadFile(file));
    ASSERT_EQ(buffer.status(), kFlexOk);
    for (const auto& [key, want] :
         std::vector<std::pair<const char*, std::vector<int64_t>>>{
             {"ints", {1, -2, 300}},
             {"mixed", {1, -2, int64_t{1} << 40}},
             {"typed", {5, 60000, 7, 8, 9}},
             {"fixed", {-4, 6}},
             {"nothing", {}}}) {
      std::vector<int64_t> values(want.size());
      size_t count = 99;
      EXPECT_EQ(FlexMapGetInts(buffer.map(), key, values.data(), values.size(),
                               &count),
                kFlexOk)
          << key;
      EXPECT_EQ(count, want.size()) << key;
      EXPECT_EQ(values, want) << key;
    }
    int64_t first[] = {0, 42};
    size_t count = 0;
    EXPECT_EQ(FlexMapGetInts(buffer.map(), "ints", first, 1, &count), kFlexOk);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(first[0], 1);
    EXPECT_EQ(first[1], 42) << "past the capacity";
    for (const char* key : {"vector", "int", "floats"}) {
      EXPECT_EQ(FlexMapGetInts(buffer.map(), key, first, 1, &count),
                kFlexWrongType)
          << key;
    }
  }
}

TEST(FlexOptionsTest, AnotherTypeAndAMissingKeyLeaveTheResult) {
  const Exact buffer(ReadFile("options.flex"));
  ASSERT_EQ(buffer.status(), kFlexOk);
  bool flag = true;
  int64_t integer = 42;
  double number = 1.5;
  const char* string = "unset";
  size_t length = 5;
  for (const char* key : {"string", "map", "vector", "null"}) {
    EXPECT_EQ(FlexMapGetBool(buffer.map(), key, &flag), kFlexWrongType) << key;
    EXPECT_EQ(FlexMapGetInt(buffer.map(), key, &integer), kFlexWrongType);
    EXPECT_EQ(FlexMapGetFloat(buffer.map(), key, &number), kFlexWrongType);
  }
  EXPECT_EQ(FlexMapGetInt(buffer.map(), "float", &integer), kFlexWrongType);
  EXPECT_EQ(FlexMapGetString(buffer.map(), "int", &string, &length),
            kFlexWrongType);
  for (const char* key : {"missing", "", "in", "integer"}) {
    EXPECT_EQ(FlexMapGetInt(buffer.map(), key, &integer), kFlexMissing) << key;
  }
  EXPECT_TRUE(flag);
  EXPECT_EQ(integer, 42);
  EXPECT_EQ(number, 1.5);
  EXPECT_STREQ(string, "unset");
  EXPECT_EQ(length, 5);
}

TEST(FlexOptionsTest, ARootThatIsNoMapIsOfAnotherType) {
  const Exact number({7, 4, 1});  // The integer 7.
  EXPECT_EQ(number.status(), kFlexWrongType);
}

TEST(FlexOptionsTest, TruncatedBuffersAreNeverReadBeyond) {
  int read = 0;
  for (const std::vector<uint8_t>& whole :
       {kConverted, ReadFile("options.flex"), ReadFile("wide_options.flex")}) {
    for (size_t length = 0; length < whole.size(); ++length) {
      read += ReadAll({whole.begin(), whole.begin() + length});
      read += ReadAll({whole.end() - length, whole.end()});
    }
    EXPECT_GT(ReadAll(whole), 0);
  }
  // Without its beginning a buffer may still say some of what it said.
  EXPECT_GE(read, 0);
}

TEST(FlexOptionsTest, MutatedBuffersAreNeverReadBeyond) {
  std::mt19937 random(20240229);
  int opened = 0;
  for (const std::vector<uint8_t>& whole :
       {kConverted, ReadFile("options.flex"), ReadFile("wide_options.flex")}) {
    for (int round = 0; round < 20000; ++round) {
      std::vector<uint8_t> bytes = whole;
      const int changes = 1 + random() % 4;
      for (int i = 0; i < changes; ++i) {
        // The end, which says what all the rest is, is the likeliest to change.
        const size_t from_end =
            random() % 2 == 0 ? random() % bytes.size()
                              : random() % std::min<size_t>(bytes.size(), 40);
        bytes[bytes.size() - 1 - from_end] = static_cast<uint8_t>(random());
      }
      opened += ReadAll(bytes) > 0;
    }
  }
  EXPECT_GT(opened, 0);
}

TEST(FlexOptionsTest, RandomBytesAreNeverReadBeyond) {
  std::mt19937 random(1);
  for (int round = 0; round < 50000; ++round) {
    std::vector<uint8_t> bytes(random() % 40);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    if (bytes.size() >= 2) {  // A map, in most rounds.
      bytes[bytes.size() - 1] = static_cast<uint8_t>(1 << random() % 4);
      bytes[bytes.size() - 2] = static_cast<uint8_t>(9 << 2 | random() % 4);
    }
    ReadAll(bytes);
  }
}

}  // namespace
