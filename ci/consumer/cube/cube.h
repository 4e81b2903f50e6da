#ifndef CUBE_CUBE_H_
#define CUBE_CUBE_H_

#include <cstdint>

namespace consumer {

// Sets each of the `count` elements of `output` to the cube of that of `x`.
template <typename T>
void Cube(const T* x, int64_t count, T* output) {
  for (int64_t i = 0; i < count; ++i) {
    output[i] = x[i] * x[i] * x[i];
  }
}

}  // namespace consumer

#endif  // CUBE_CUBE_H_
