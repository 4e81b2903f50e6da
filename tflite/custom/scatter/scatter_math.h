#ifndef TFLITE_CUSTOM_SCATTER_SCATTER_MATH_H_
#define TFLITE_CUSTOM_SCATTER_SCATTER_MATH_H_

#include <cstdint>

#include "tflite/custom/wrapping.h"

namespace tflite::custom::scatter_ops {

// What becomes of an element and its update. The comparisons decide what
// becomes of a NaN, as TensorFlow's do.

struct Add {
  template <typename T>
  static T Join(T old, T update) {
    return WrappingSum(old, update);
  }
};

struct Subtract {
  template <typename T>
  static T Join(T old, T update) {
    return WrappingDifference(old, update);
  }
};

struct Max {
  template <typename T>
  static T Join(T old, T update) {
    return old < update ? update : old;
  }
};

struct Min {
  template <typename T>
  static T Join(T old, T update) {
    return update < old ? update : old;
  }
};

struct Replace {
  template <typename T>
  static T Join(T /*old*/, T update) {
    return update;
  }
};

template <typename Op, typename T>
void JoinRow(int64_t size, const T* update, T* row) {
  for (int64_t i = 0; i < size; ++i) row[i] = Op::Join(row[i], update[i]);
}

// Joins row i of `updates` to row indices[i] of `data`, counted modulo their
// number, which is not zero.
template <typename Op, typename T>
void ScatterRows(int64_t rows, int64_t size, int64_t count,
                 const int32_t* indices, const T* updates, T* data) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = (indices[i] % rows + rows) % rows;
    JoinRow<Op>(size, updates + i * size, data + row * size);
  }
}

// Where an index of `depth` numbers points among the slices of a tensor whose
// first dimensions are `sizes`; -1 where that is outside.
template <typename I>
int64_t SliceAt(int depth, const I* index, const int* sizes) {
  int64_t at = 0;
  for (int i = 0; i < depth; ++i) {
    if (index[i] < 0 || index[i] >= sizes[i]) return -1;
    at = at * sizes[i] + index[i];
  }
  return at;
}

}  // namespace tflite::custom::scatter_ops

#endif  // TFLITE_CUSTOM_SCATTER_SCATTER_MATH_H_
