// Where Eigen's loops would not end.

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {
namespace {

// Betainc's series in float would go on for ever for each of these.
TEST(FunctionsTest, BetaincOfHugeParametersEndsAndIsThatOfDoubles) {
  const float a[] = {198921.05f, 1e8f, 1e10f};
  const float b[] = {2.8e20f, 2e7f, 1e9f};
  const float x[] = {1.1e-13f, 0.8333f, 0.90909f};
  float y[3];
  EXPECT_EQ(Betainc<float>({3, {a, b, x}, {1, 1, 1}, y}), nullptr);
  for (int i = 0; i < 3; ++i) {
    const double want_a = a[i], want_b = b[i], want_x = x[i];
    double want;
    EXPECT_EQ(
        Betainc<double>({1, {&want_a, &want_b, &want_x}, {1, 1, 1}, &want}),
        nullptr);
    EXPECT_EQ(y[i], static_cast<float>(want)) << i;
    EXPECT_GE(want, 0);
    EXPECT_LE(want, 1);
  }
}

double CallBinary(const char* (*function)(const elementwise::Run&), double a,
                  double b) {
  double y;
  EXPECT_EQ(function({1, {&a, &b}, {1, 1}, &y}), nullptr);
  return y;
}

// From -1e4 on Eigen's own sum is taken.
TEST(FunctionsTest, ZetaAndPolygammaFarBelowZeroGoOnFromThoseNearer) {
  for (const double order : {1.0, 2.0, 3.0, 6.0}) {
    for (const double fraction : {0.25, 0.5, 0.875}) {
      const double far = -10000 - fraction;
      const double term = std::pow(far, -order - 1);
      const double nearest = std::min(fraction, 1 - fraction);
      const double tolerance = 1e-13 * std::pow(nearest, -order - 1);
      EXPECT_NEAR(CallBinary(Zeta<double>, order + 1, far),
                  term + CallBinary(Zeta<double>, order + 1, far + 1),
                  tolerance);
      const double sign = std::fmod(order, 2) == 0 ? 1 : -1;
      const double factorial = std::tgamma(order + 1);
      EXPECT_NEAR(CallBinary(Polygamma<double>, order, far),
                  CallBinary(Polygamma<double>, order, far + 1) -
                      sign * factorial * term,
                  factorial * tolerance);
    }
  }
}

TEST(FunctionsTest, ZetaAndPolygammaEndHoweverFarBelowZero) {
  const double pi_squared = 9.8696044010893586;
  EXPECT_NEAR(CallBinary(Zeta<double>, 2, -1e15 - 0.5), pi_squared, 1e-13);
  EXPECT_NEAR(CallBinary(Polygamma<double>, 1, -1e15 - 0.5), pi_squared, 1e-13);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(CallBinary(Zeta<double>, 2, -1e17), infinity);
  EXPECT_TRUE(std::isnan(CallBinary(Zeta<double>, 2.5, -1e15 - 0.5)));
  EXPECT_EQ(CallBinary(Zeta<double>, 1, -1e15 - 0.5), infinity);
}

}  // namespace
}  // namespace tflite::custom::elementwise
