// The template under the element-wise kernels, without TFLite.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/elementwise/broadcast.h"
#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {
namespace {

size_t SizeOf(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), size_t{1},
                         std::multiplies<size_t>());
}

// 1,000,000 * a + b, and how often it was called.
int calls = 0;
const char* MillionAPlusB(const Run& run) {
  ++calls;
  const auto* a = static_cast<const int64_t*>(run.inputs[0]);
  const auto* b = static_cast<const int64_t*>(run.inputs[1]);
  auto* y = static_cast<int64_t*>(run.output);
  for (size_t i = 0; i < run.size; ++i) {
    y[i] = 1000000 * a[i * run.steps[0]] + b[i * run.steps[1]];
  }
  return nullptr;
}

// Runs MillionAPlusB over inputs that hold their own indices.
std::vector<int64_t> Numbered(Broadcast* broadcast, const Shape& a_shape,
                              const Shape& b_shape) {
  EXPECT_TRUE(broadcast->Plan({a_shape, b_shape}));
  std::vector<int64_t> a(SizeOf(a_shape)), b(SizeOf(b_shape));
  std::iota(a.begin(), a.end(), 0);
  std::iota(b.begin(), b.end(), 0);
  std::vector<int64_t> y(SizeOf(broadcast->shape()), -1);
  const void* inputs[] = {a.data(), b.data()};
  calls = 0;
  EXPECT_EQ(broadcast->ForEachRun(MillionAPlusB, inputs, sizeof(int64_t),
                                  y.data(), sizeof(int64_t)),
            nullptr);
  return y;
}

// The same by the rule's letter: an index of the output at a time.
std::vector<int64_t> Expected(const Shape& a_shape, const Shape& b_shape,
                              const Shape& shape) {
  std::vector<int64_t> y;
  const size_t size = SizeOf(shape);
  for (size_t flat = 0; flat < size; ++flat) {
    size_t at[2] = {}, inward[2] = {1, 1}, rest = flat;
    for (size_t i = 0; i < shape.size(); ++i) {
      const size_t index = rest % shape[shape.size() - 1 - i];
      rest /= shape[shape.size() - 1 - i];
      int input = 0;
      for (const Shape* s : {&a_shape, &b_shape}) {
        if (i < s->size()) {
          const size_t dimension = (*s)[s->size() - 1 - i];
          if (dimension != 1) at[input] += index * inward[input];
          inward[input] *= dimension;
        }
        ++input;
      }
    }
    y.push_back(1000000 * static_cast<int64_t>(at[0]) +
                static_cast<int64_t>(at[1]));
  }
  return y;
}

TEST(BroadcastTest, PairsElementsOfRandomShapesByTheRule) {
  std::mt19937 random(1);
  Broadcast broadcast;
  for (int trial = 0; trial < 2000; ++trial) {
    Shape shape(random() % 6), a, b;
    for (int& dimension : shape) dimension = 1 + random() % 4;
    for (Shape* input : {&a, &b}) {
      *input =
          Shape(shape.begin() + random() % (shape.size() + 1), shape.end());
      for (int& dimension : *input) {
        if (random() % 3 == 0) dimension = 1;
      }
    }
    const std::vector<int64_t> y = Numbered(&broadcast, a, b);
    EXPECT_EQ(y, Expected(a, b, broadcast.shape())) << "trial " << trial;
  }
}

TEST(BroadcastTest, TakesTheSameShapesAndScalarsInOneRun) {
  Broadcast broadcast;
  const Shape shape = {2, 3, 4};
  for (const Shape& other : {shape, Shape{}, Shape{1}, Shape{1, 1, 1, 1}}) {
    Numbered(&broadcast, shape, other);
    EXPECT_EQ(calls, 1);
    Numbered(&broadcast, other, shape);
    EXPECT_EQ(calls, 1);
  }
  // The last two dimensions lie alike in both.
  Numbered(&broadcast, shape, {3, 4});
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(Numbered(&broadcast, {}, {}), std::vector<int64_t>{0});
  EXPECT_EQ(broadcast.shape(), Shape{});
}

TEST(BroadcastTest, RunsNothingWhereTheOutputIsEmpty) {
  Broadcast broadcast;
  EXPECT_TRUE(Numbered(&broadcast, {2, 0, 3}, {3}).empty());
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(broadcast.shape(), (Shape{2, 0, 3}));
  EXPECT_TRUE(Numbered(&broadcast, {1}, {0}).empty());
  EXPECT_EQ(broadcast.shape(), Shape{0});
}

TEST(BroadcastTest, RefusesUnequalDimensions) {
  Broadcast broadcast;
  EXPECT_FALSE(broadcast.Plan({{2, 3}, {4}}));
  EXPECT_FALSE(broadcast.Plan({{2}, {0}}));
  EXPECT_FALSE(broadcast.Plan({{1, 2}, {1}, {3, 1, 1, 4}}));
  // And can be planned again.
  EXPECT_EQ(Numbered(&broadcast, {2}, {2}).size(), 2u);
}

TEST(BroadcastTest, StopsAtTheFirstError) {
  Broadcast broadcast;
  ASSERT_TRUE(broadcast.Plan({{3, 2}, {3, 1}}));
  const float values[6] = {};
  const void* inputs[] = {values, values};
  float output[6];
  calls = 0;
  const char* error = broadcast.ForEachRun(
      [](const elementwise::Run&) { return ++calls == 2 ? "second" : nullptr; },
      inputs, sizeof(float), output, sizeof(float));
  EXPECT_STREQ(error, "second");
  EXPECT_EQ(calls, 2);
}

TEST(FunctionsTest, ElementsDoNotDependOnTheirPlaceAndNothingElseIsWritten) {
  // Asin goes by SIMD, Acosh does not.
  for (const char* (*function)(const elementwise::Run&) :
       {Asin<float>, Acosh<float>}) {
    std::vector<float> x(40);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 0.5f + 0.02f * i;
    std::vector<float> whole(x.size());
    function({x.size(), {x.data()}, {1}, whole.data()});
    for (size_t begin = 0; begin < 5; ++begin) {
      for (size_t size = 0; size < 20; ++size) {
        std::vector<float> y(x.size(), 7.0f);
        function({size, {x.data() + begin}, {1}, y.data() + begin});
        for (size_t i = 0; i < y.size(); ++i) {
          const bool inside = i >= begin && i < begin + size;
          const float want = inside ? whole[i] : 7.0f;
          if (std::isnan(want)) {
            EXPECT_TRUE(std::isnan(y[i]));
          } else {
            EXPECT_EQ(y[i], want) << begin << " " << size << " " << i;
          }
        }
      }
    }
  }
}

TEST(FunctionsTest, RemaindersOfTheLeastIntegerDoNotTrap) {
  const int32_t least = std::numeric_limits<int32_t>::min();
  const int32_t by[] = {-1, 1, -2, 3};
  int32_t y[4];
  EXPECT_EQ(TruncateMod<int32_t>({4, {&least, by}, {0, 1}, y}), nullptr);
  EXPECT_EQ(std::vector<int32_t>(y, y + 4),
            (std::vector<int32_t>{0, 0, 0, -2}));
  const int32_t zero = 0;
  EXPECT_STREQ(TruncateMod<int32_t>({4, {by, &zero}, {1, 0}, y}),
               "integer division by zero");
}

}  // namespace
}  // namespace tflite::custom::elementwise
