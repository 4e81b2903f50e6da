// How a window goes along one dimension of a tensor, as convolutions and
// poolings do it.
#ifndef TFLITE_CUSTOM_WINDOW_MATH_H_
#define TFLITE_CUSTOM_WINDOW_MATH_H_

#include <algorithm>
#include <cstdint>

namespace tflite::custom {

// All of it fits in 32 bits but for products, which are of 64.
struct Window {
  int64_t input;  // Elements of the dimension.
  int64_t size;   // Elements that the window takes,
  int64_t stride;
  int64_t rate = 1;    // of which each is so far from the next.
  int64_t before = 0;  // Elements of padding before the first.
  int64_t output = 0;  // How many places the window has.

  // From its first element to its last.
  int64_t Reach() const { return (size - 1) * rate + 1; }

  // Windows that lie in the input. `output` is negative where none can.
  void Fit() { Fit(0, 0); }
  // The same with so much padding.
  void Fit(int64_t before_first, int64_t after_last) {
    before = before_first;
    output = (input + before_first + after_last - Reach() + stride) / stride;
  }
  // As many windows as there are strides, with the padding that this needs, of
  // which the larger half is after the last element.
  void Spread() {
    output = (input + stride - 1) / stride;
    before = std::max<int64_t>((output - 1) * stride + Reach() - input, 0) / 2;
  }

  // Where the window's first element lies at `place`: negative in the padding.
  int64_t Begin(int64_t place) const { return place * stride - before; }
  // Of the window's elements, those from First to End are no padding.
  int64_t First(int64_t place) const {
    const int64_t outside = -Begin(place);
    return outside <= 0 ? 0 : std::min((outside + rate - 1) / rate, size);
  }
  int64_t End(int64_t place) const {
    const int64_t inside = input - Begin(place);
    return inside <= 0 ? 0
                       : std::max(First(place),
                                  std::min((inside + rate - 1) / rate, size));
  }
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_WINDOW_MATH_H_
