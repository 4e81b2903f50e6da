// Eigen's functions, as TensorFlow's are; they call the C library's exp, log,
// pow, lgamma and sin. Where Eigen's loops would not end for days, or ever, the
// value is found another way.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/loops.h"
#include "tflite/custom/elementwise/packets.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {
namespace {

template <typename T>
T ZetaOf(T x, T q) {
  return Eigen::numext::zeta(x, q);
}

// Eigen adds term by term from q up to 9, which from far below 0 is no end. The
// terms below 0 are, but for their sign, those from 1 - (q - floor(q)) to -q.
template <>
double ZetaOf(double x, double q) {
  constexpr double kFar = -1e4;
  const double floor = std::floor(q);
  const bool series = x > 1 && x == std::floor(x) && q != floor;
  if (!series || q >= kFar) return Eigen::numext::zeta(x, q);
  const double fraction = q - floor;
  const double above = Eigen::numext::zeta(x, fraction);
  const double below = Eigen::numext::zeta(x, 1 - fraction);
  const double farther = Eigen::numext::zeta(x, 1 - q);
  return std::fmod(x, 2) == 0 ? above + below - farther
                              : above - below + farther;
}

template <typename T>
T PolygammaOf(T n, T x) {
  // Eigen knows n = 0 and what is no order; for all others it is this.
  if (!(n > 0) || n != std::floor(n)) return Eigen::numext::polygamma(n, x);
  const T factorial = std::exp(Eigen::numext::lgamma(n + 1));
  return std::pow(T(-1), n + 1) * factorial * ZetaOf<T>(n + 1, x);
}

// Whether Eigen's power series for Betainc of floats, where it takes it, goes
// on for ever, or nearly so. Each term is the last one times x / (1 - x) * b /
// a, with b one less and a one more. That grows where x is rounded to 1, and
// stays as it is where a and b are so large that adding one is lost.
bool SeriesIsEndless(float a, float b, float x) {
  if (!(a > 0 && b > 0 && x > 0 && x < 1)) return false;
  if (a <= 1) ++a;
  float rest = 1 - x;
  if (x > a / (a + b)) {
    std::swap(a, b);
    std::swap(x, rest);
  }
  if (!(b > 10 && std::abs(b * x / a) < 0.3f)) return false;
  constexpr float kOneIsLost = 1 << std::numeric_limits<float>::digits;
  return std::min(a, b) >= kOneIsLost || !(x / (1 - x) * b / a <= 1);
}

template <typename T>
T BetaincOf(T a, T b, T x) {
  return Eigen::numext::betainc(a, b, x);
}

// In double Eigen takes other expansions, all of which end.
template <>
float BetaincOf(float a, float b, float x) {
  return SeriesIsEndless(a, b, x)
             ? static_cast<float>(BetaincOf<double>(a, b, x))
             : Eigen::numext::betainc(a, b, x);
}

}  // namespace

ELEMENTWISE_EIGEN_FUNCTOR(Digamma, Eigen::internal::scalar_digamma_op)

#define EIGEN_BINARY(name, functor)                \
  template <typename T>                            \
  const char* name(const Run& run) {               \
    Binary<T>(run, Eigen::internal::functor<T>()); \
    return nullptr;                                \
  }                                                \
  ELEMENTWISE_FLOATS(name)

EIGEN_BINARY(Igamma, scalar_igamma_op)
EIGEN_BINARY(IgammaGradA, scalar_igamma_der_a_op)
EIGEN_BINARY(Igammac, scalar_igammac_op)
EIGEN_BINARY(RandomGammaGrad, scalar_gamma_sample_der_alpha_op)

template <typename T>
const char* Zeta(const Run& run) {
  Binary<T>(run, ZetaOf<T>);
  return nullptr;
}
ELEMENTWISE_FLOATS(Zeta)

template <typename T>
const char* Polygamma(const Run& run) {
  Binary<T>(run, PolygammaOf<T>);
  return nullptr;
}
ELEMENTWISE_FLOATS(Polygamma)

template <typename T>
const char* Betainc(const Run& run) {
  Ternary<T>(run, BetaincOf<T>);
  return nullptr;
}
ELEMENTWISE_FLOATS(Betainc)

}  // namespace tflite::custom::elementwise
