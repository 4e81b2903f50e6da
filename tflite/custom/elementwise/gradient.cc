// Gradients that a model has when its training step is converted: of Elu,
// LeakyRelu, Relu, Relu6, Softplus and Softsign by (gradient, feature), of
// Reciprocal by (output, gradient).

#include <cmath>

#include "tflite/custom/elementwise/functions.h"
#include "tflite/custom/elementwise/instantiate.h"
#include "tflite/custom/elementwise/loops.h"
#include "tflite/custom/elementwise/packets.h"
#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {
namespace {

template <typename T>
struct SoftplusGradFunctor {
  T operator()(const T& gradient, const T& feature) const {
    return gradient / (std::exp(-feature) + T{1});
  }
  template <typename Packet>
  Packet packetOp(const Packet& gradient, const Packet& feature) const {
    using namespace Eigen::internal;  // NOLINT: found by argument elsewhere.
    return pdiv(gradient, padd(pexp(pnegate(feature)), pset1<Packet>(T{1})));
  }
};

template <typename T>
const char* ReciprocalGradient(const Run& run) {
  FastBinary<T>(run, [](T output, T gradient) {
    // No gradient stays none, also where the output is infinite.
    return gradient == T{0} ? T{0} : -output * output * gradient;
  });
  return nullptr;
}

}  // namespace
}  // namespace tflite::custom::elementwise

namespace Eigen::internal {

template <typename T>
struct functor_traits<tflite::custom::elementwise::SoftplusGradFunctor<T>>
    : functor_traits<scalar_exp_op<T>> {};

}  // namespace Eigen::internal

namespace tflite::custom::elementwise {

template <typename T>
const char* EluGrad(const Run& run) {
  FastBinary<T>(run, [](T gradient, T activation) {
    return activation < T{0} ? (activation + T{1}) * gradient : gradient;
  });
  return nullptr;
}
ELEMENTWISE_FLOATS(EluGrad)

template <typename T>
const char* InvGrad(const Run& run) {
  return ReciprocalGradient<T>(run);
}
ELEMENTWISE_FLOATS(InvGrad)

template <typename T>
const char* LeakyReluGrad(const Run& run) {
  const T alpha = static_cast<T>(run.option);
  FastBinary<T>(run, [alpha](T gradient, T feature) {
    return feature > T{0} ? gradient : gradient * alpha;
  });
  return nullptr;
}
ELEMENTWISE_FLOATS(LeakyReluGrad)

template <typename T>
const char* ReciprocalGrad(const Run& run) {
  return ReciprocalGradient<T>(run);
}
ELEMENTWISE_FLOATS(ReciprocalGrad)

template <typename T>
const char* Relu6Grad(const Run& run) {
  FastBinary<T>(run, [](T gradient, T feature) {
    return static_cast<T>(gradient * T(feature > T{0} && feature < T{6}));
  });
  return nullptr;
}
ELEMENTWISE_REALS(Relu6Grad)

template <typename T>
const char* ReluGrad(const Run& run) {
  FastBinary<T>(run, [](T gradient, T feature) {
    return static_cast<T>(gradient * T(feature > T{0}));
  });
  return nullptr;
}
ELEMENTWISE_REALS(ReluGrad)

template <typename T>
const char* SoftplusGrad(const Run& run) {
  Packets<T, SoftplusGradFunctor<T>, 2>(run);
  return nullptr;
}
ELEMENTWISE_FLOATS(SoftplusGrad)

template <typename T>
const char* SoftsignGrad(const Run& run) {
  FastBinary<T>(run, [](T gradient, T feature) {
    const T one_more = std::abs(feature) + T{1};
    return gradient / (one_more * one_more);
  });
  return nullptr;
}
ELEMENTWISE_FLOATS(SoftsignGrad)

}  // namespace tflite::custom::elementwise
