#ifndef TFLITE_CUSTOM_SIGNAL_FOURIER_TRANSFORM_H_
#define TFLITE_CUSTOM_SIGNAL_FOURIER_TRANSFORM_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace tflite::custom::signal_ops {

enum class FourierKind {
  kComplex,         // FFT
  kComplexInverse,  // IFFT
  kRealToComplex,   // RFFT
  kComplexToReal,   // IRFFT
};

// What is transformed: all lines along `axes` of a tensor of `shape`.
// Visible, where the rest of its library is hidden: in tests the kernels are in
// another one.
struct __attribute__((visibility("default"))) FourierSize {
  FourierKind kind;
  std::vector<int64_t> shape;
  std::vector<int> axes;  // All different; the last is the real one.
  // As many as axes: what a line is cut or filled up with zeros to. For a
  // kComplexToReal, whose lines along the last axis are half as long, of what
  // they become.
  std::vector<int64_t> lengths;

  // The shape that the input is cut or filled up to, and the output's.
  std::vector<int64_t> FittedShape() const;
  std::vector<int64_t> OutputShape() const;
};

// Fourier transforms of tensors of one size, of T, float or double, by the
// library that TensorFlow uses: DUCC. The inverse ones divide by the number of
// elements.
template <typename T>
class __attribute__((visibility("default"))) FourierTransform {
 public:
  // Takes all the memory that Run uses. Null where there is not enough.
  static std::unique_ptr<FourierTransform> Make(const FourierSize& size);

  virtual ~FourierTransform() = default;
  // From T or std::complex<T> to T or std::complex<T>, as the kind says.
  virtual void Run(const void* input, void* output) = 0;
};

extern template class FourierTransform<float>;
extern template class FourierTransform<double>;

}  // namespace tflite::custom::signal_ops

#endif  // TFLITE_CUSTOM_SIGNAL_FOURIER_TRANSFORM_H_
