#include "tflite/custom/signal/fourier_transform.h"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "ducc0/fft/fft.h"
#include "ducc0/fft/fft1d_impl.h"
#include "ducc0/infra/aligned_array.h"
#include "ducc0/infra/simd.h"
#include "ducc0/infra/threading.h"
#include "ducc0/math/cmplx.h"

// The only one of DUCC's functions for threads that a transform refers to. Here
// there is one thread.
namespace ducc0::detail_threading {
namespace {

class OneThread : public Scheduler {
 public:
  explicit OneThread(size_t work) : rest_(0, work) {}
  size_t num_threads() const override { return 1; }
  size_t thread_num() const override { return 0; }
  Range getNext() override { return std::exchange(rest_, Range()); }

 private:
  Range rest_;
};

}  // namespace

void execStatic(size_t work, size_t /*threads*/, size_t /*chunk*/,
                std::function<void(Scheduler&)> function) {
  OneThread scheduler(work);
  function(scheduler);
}

}  // namespace ducc0::detail_threading

namespace tflite::custom::signal_ops {
namespace {

using ducc0::Cmplx;

int64_t Product(const std::vector<int64_t>& sizes, size_t from, size_t to) {
  return std::accumulate(sizes.begin() + from, sizes.begin() + to, int64_t{1},
                         std::multiplies<int64_t>());
}

// Whether DUCC takes memory for one complex transform of so many elements: it
// does for parts of long ones that it makes SIMD lanes of. It does not for
// transforms that are lanes themselves.
bool TakesMemory(int64_t length) {
  constexpr int64_t kMostSimple = 5000;
  constexpr int64_t kMostByFour = 100000;
  return length > kMostSimple && (length % 4 != 0 || length > kMostByFour);
}

// Lines of a tensor along one axis.
struct Lines {
  Lines(const std::vector<int64_t>& shape, int axis)
      : outer(Product(shape, 0, axis)),
        length(shape[axis]),
        inner(Product(shape, axis + 1, shape.size())) {}

  int64_t count() const { return outer * inner; }
  // The first element of a line; the others follow in steps of `inner`.
  int64_t Start(int64_t line) const {
    return line / inner * length * inner + line % inner;
  }

  int64_t outer;
  int64_t length;
  int64_t inner;
};

// How lines are transformed: all of them alike, so that one plan serves them.
struct LineKind {
  LineKind(const Lines& lines, int64_t length, bool real)
      : length(length),
        real(real),
        lanes(lines.count() > 1 ||
              TakesMemory(real && length % 2 == 0 ? length / 2 : length)) {}

  bool operator<(const LineKind& other) const {
    return std::tie(length, real, lanes) <
           std::tie(other.length, other.real, other.lanes);
  }

  int64_t length;
  bool real;
  bool lanes;  // Several at once, each in a lane of SIMD vectors.
};

template <typename T>
class LinePlan {
 public:
  explicit LinePlan(const LineKind& kind)
      : length_(kind.length), lanes_(kind.lanes) {
    // DUCC makes lanes of parts of a line where it may, which is for one line.
    const bool vectorize = !lanes_;
    size_t scratch;
    if (kind.real) {
      real_ = std::make_unique<ducc0::detail_fft::pocketfft_r<T>>(length_,
                                                                  vectorize);
      scratch = real_->bufsize();
    } else {
      complex_ = std::make_unique<ducc0::detail_fft::pocketfft_c<T>>(length_,
                                                                     vectorize);
      scratch = complex_->bufsize();
    }
    const size_t values = (kind.real ? 1 : 2) * (lanes_ ? kWidth<Vector> : 1);
    line_.resize(values * length_);
    scratch_.resize(values * scratch);
  }

  // `in` and `out` may be the same.
  void Complex(const Lines& lines, const std::complex<T>* in,
               std::complex<T>* out, bool forward, T factor) {
    ForEachGroup(lines.count(), [&](auto lane, int64_t first, int64_t count) {
      using V = decltype(lane);
      auto* line = reinterpret_cast<Cmplx<V>*>(line_.data());
      for (int64_t n = 0; n < kWidth<V>; ++n) {
        // Lanes without a line of their own repeat one.
        const auto* x = in + lines.Start(first + std::min(n, count - 1));
        for (int64_t i = 0; i < length_; ++i) {
          At(line[i].r, n) = x[i * lines.inner].real();
          At(line[i].i, n) = x[i * lines.inner].imag();
        }
      }
      const Cmplx<V>* result = complex_->exec(
          line, reinterpret_cast<Cmplx<V>*>(scratch_.data()), factor, forward);
      for (int64_t n = 0; n < count; ++n) {
        auto* y = out + lines.Start(first + n);
        for (int64_t i = 0; i < length_; ++i) {
          y[i * lines.inner] = {At(result[i].r, n), At(result[i].i, n)};
        }
      }
    });
  }

  // DUCC's real transforms are from and to the real part of element 0, real and
  // imaginary part of element 1 and so on, all that the others follow from.
  void RealToComplex(const Lines& lines, const T* in, const Lines& out_lines,
                     std::complex<T>* out) {
    ForEachGroup(lines.count(), [&](auto lane, int64_t first, int64_t count) {
      using V = decltype(lane);
      auto* line = reinterpret_cast<V*>(line_.data());
      for (int64_t n = 0; n < kWidth<V>; ++n) {
        const T* x = in + lines.Start(first + std::min(n, count - 1));
        for (int64_t i = 0; i < length_; ++i) {
          At(line[i], n) = x[i * lines.inner];
        }
      }
      const V* result = real_->exec(line, reinterpret_cast<V*>(scratch_.data()),
                                    T{1}, /*fwd=*/true);
      for (int64_t n = 0; n < count; ++n) {
        auto* y = out + out_lines.Start(first + n);
        y[0] = At(result[0], n);
        for (int64_t i = 1; i < out_lines.length; ++i) {
          y[i * out_lines.inner] = {
              At(result[2 * i - 1], n),
              2 * i < length_ ? At(result[2 * i], n) : T{0}};
        }
      }
    });
  }

  void ComplexToReal(const Lines& lines, const std::complex<T>* in,
                     const Lines& out_lines, T* out, T factor) {
    ForEachGroup(lines.count(), [&](auto lane, int64_t first, int64_t count) {
      using V = decltype(lane);
      auto* line = reinterpret_cast<V*>(line_.data());
      for (int64_t n = 0; n < kWidth<V>; ++n) {
        const auto* x = in + lines.Start(first + std::min(n, count - 1));
        At(line[0], n) = x[0].real();
        for (int64_t i = 1; i < lines.length; ++i) {
          At(line[2 * i - 1], n) = x[i * lines.inner].real();
          if (2 * i < length_) At(line[2 * i], n) = x[i * lines.inner].imag();
        }
      }
      const V* result = real_->exec(line, reinterpret_cast<V*>(scratch_.data()),
                                    factor, /*fwd=*/false);
      for (int64_t n = 0; n < count; ++n) {
        T* y = out + out_lines.Start(first + n);
        for (int64_t i = 0; i < length_; ++i) {
          y[i * out_lines.inner] = At(result[i], n);
        }
      }
    });
  }

 private:
  using Vector = ducc0::native_simd<T>;
  template <typename V>
  static constexpr int64_t kWidth = sizeof(V) / sizeof(T);

  static T& At(T& value, int64_t /*lane*/) { return value; }
  static T At(const T& value, int64_t /*lane*/) { return value; }
  static auto At(Vector& value, int64_t lane) { return value[lane]; }
  static T At(const Vector& value, int64_t lane) { return value[lane]; }

  // Calls f(V(), first, count) for groups of lines: as many as lanes, or one.
  template <typename F>
  void ForEachGroup(int64_t lines, const F& f) {
    if (!lanes_) {
      for (int64_t i = 0; i < lines; ++i) f(T(), i, int64_t{1});
      return;
    }
    for (int64_t i = 0; i < lines; i += kWidth<Vector>) {
      f(Vector(), i, std::min(kWidth<Vector>, lines - i));
    }
  }

  int64_t length_;
  bool lanes_;
  std::unique_ptr<ducc0::detail_fft::pocketfft_c<T>> complex_;
  std::unique_ptr<ducc0::detail_fft::pocketfft_r<T>> real_;
  ducc0::aligned_array<T> line_;
  ducc0::aligned_array<T> scratch_;
};

// Copies `from`, cut at the end of each dimension or filled up with zeros.
template <typename E>
void Fit(const std::vector<int64_t>& from_shape, const E* from,
         const std::vector<int64_t>& to_shape, E* to, size_t dimension = 0) {
  if (from_shape == to_shape) {
    std::copy_n(from, Product(to_shape, 0, to_shape.size()), to);
    return;
  }
  const int64_t size = to_shape[dimension];
  const int64_t common = std::min(from_shape[dimension], size);
  const int64_t step = Product(to_shape, dimension + 1, to_shape.size());
  if (dimension + 1 == to_shape.size()) {
    std::copy_n(from, common, to);
  } else {
    const int64_t from_step =
        Product(from_shape, dimension + 1, from_shape.size());
    for (int64_t i = 0; i < common; ++i) {
      Fit(from_shape, from + i * from_step, to_shape, to + i * step,
          dimension + 1);
    }
  }
  std::fill_n(to + common * step, (size - common) * step, E{});
}

template <typename T>
class DuccTransform : public FourierTransform<T> {
 public:
  explicit DuccTransform(const FourierSize& size)
      : kind_(size.kind),
        axes_(size.axes),
        shape_(size.shape),
        fitted_(size.FittedShape()),
        output_(size.OutputShape()) {
    if (Product(output_, 0, output_.size()) == 0) return;
    const bool real = kind_ == FourierKind::kRealToComplex ||
                      kind_ == FourierKind::kComplexToReal;
    double divisor = 1;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const int64_t length = size.lengths[i];
      const bool real_axis = real && i + 1 == axes_.size();
      divisor *= static_cast<double>(length);
      const LineKind line_kind(Lines(output_, axes_[i]), length, real_axis);
      auto& plan = plans_[line_kind];
      if (plan == nullptr) plan = std::make_unique<LinePlan<T>>(line_kind);
      plan_of_.push_back(plan.get());
    }
    if (kind_ == FourierKind::kComplexInverse ||
        kind_ == FourierKind::kComplexToReal) {
      factor_ = static_cast<T>(1 / divisor);
    }
    const size_t fitted_count = Product(fitted_, 0, fitted_.size());
    if (kind_ == FourierKind::kRealToComplex && fitted_ != shape_) {
      work_.resize(fitted_count);
    } else if (kind_ == FourierKind::kComplexToReal &&
               (fitted_ != shape_ || axes_.size() > 1)) {
      work_.resize(2 * fitted_count);
    }
  }

  void Run(const void* input, void* output) override {
    if (plan_of_.empty()) return;
    const auto* complex_input = static_cast<const std::complex<T>*>(input);
    auto* complex_output = static_cast<std::complex<T>*>(output);
    auto* complex_work = reinterpret_cast<std::complex<T>*>(work_.data());
    const int last = axes_.back();
    switch (kind_) {
      case FourierKind::kComplex:
      case FourierKind::kComplexInverse:
        if (fitted_ == shape_ && axes_.size() == 1) {
          plan_of_[0]->Complex(Lines(shape_, last), complex_input,
                               complex_output, kind_ == FourierKind::kComplex,
                               factor_);
          return;
        }
        Fit(shape_, complex_input, fitted_, complex_output);
        Complex(complex_output, axes_.size(), kind_ == FourierKind::kComplex,
                factor_);
        return;
      case FourierKind::kRealToComplex: {
        const T* from = static_cast<const T*>(input);
        if (work_.size() > 0) {
          Fit(shape_, from, fitted_, work_.data());
          from = work_.data();
        }
        plan_of_.back()->RealToComplex(Lines(fitted_, last), from,
                                       Lines(output_, last), complex_output);
        Complex(complex_output, axes_.size() - 1, /*forward=*/true, T{1});
        return;
      }
      case FourierKind::kComplexToReal:
        if (work_.size() > 0) {
          Fit(shape_, complex_input, fitted_, complex_work);
          Complex(complex_work, axes_.size() - 1, /*forward=*/false, T{1});
          complex_input = complex_work;
        }
        plan_of_.back()->ComplexToReal(Lines(fitted_, last), complex_input,
                                       Lines(output_, last),
                                       static_cast<T*>(output), factor_);
        return;
    }
  }

 private:
  // Along the first `count` axes, in place. `factor` once.
  void Complex(std::complex<T>* data, size_t count, bool forward, T factor) {
    // But for the real axis, which is not among them, these agree.
    const std::vector<int64_t>& shape =
        kind_ == FourierKind::kComplexToReal ? fitted_ : output_;
    for (size_t i = 0; i < count; ++i) {
      plan_of_[i]->Complex(Lines(shape, axes_[i]), data, data, forward,
                           i == 0 ? factor : T{1});
    }
  }

  FourierKind kind_;
  std::vector<int> axes_;
  std::vector<int64_t> shape_;
  std::vector<int64_t> fitted_;
  std::vector<int64_t> output_;
  T factor_ = 1;
  std::map<LineKind, std::unique_ptr<LinePlan<T>>> plans_;
  std::vector<LinePlan<T>*> plan_of_;  // Of each axis; empty for no elements.
  ducc0::quick_array<T> work_;
};

}  // namespace

std::vector<int64_t> FourierSize::FittedShape() const {
  std::vector<int64_t> fitted = shape;
  for (size_t i = 0; i < axes.size(); ++i) fitted[axes[i]] = lengths[i];
  if (kind == FourierKind::kComplexToReal) {
    fitted[axes.back()] = lengths.back() / 2 + 1;
  }
  return fitted;
}

std::vector<int64_t> FourierSize::OutputShape() const {
  std::vector<int64_t> output = shape;
  for (size_t i = 0; i < axes.size(); ++i) output[axes[i]] = lengths[i];
  if (kind == FourierKind::kRealToComplex && lengths.back() > 0) {
    output[axes.back()] = lengths.back() / 2 + 1;
  }
  return output;
}

template <typename T>
std::unique_ptr<FourierTransform<T>> FourierTransform<T>::Make(
    const FourierSize& size) {
  try {
    return std::make_unique<DuccTransform<T>>(size);
  } catch (const std::exception&) {
    return nullptr;
  }
}

template class FourierTransform<float>;
template class FourierTransform<double>;

}  // namespace tflite::custom::signal_ops
