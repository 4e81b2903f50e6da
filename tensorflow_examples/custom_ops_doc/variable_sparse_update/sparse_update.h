#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_VARIABLE_SPARSE_UPDATE_SPARSE_UPDATE_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_VARIABLE_SPARSE_UPDATE_SPARSE_UPDATE_H_

#include <cstdint>
#include <type_traits>

namespace custom_op_examples {

struct Assign {
  template <typename T>
  static void Apply(const T& update, T& element) {
    element = update;
  }
};

struct Add {
  template <typename T>
  static void Apply(const T& update, T& element) {
    if constexpr (std::is_integral_v<T>) {
      // Signed numbers that overflow are undefined; unsigned ones wrap.
      element = static_cast<T>(static_cast<uint64_t>(element) +
                               static_cast<uint64_t>(update));
    } else {
      element = element + update;
    }
  }
};

struct Multiply {
  template <typename T>
  static void Apply(const T& update, T& element) {
    if constexpr (std::is_integral_v<T>) {
      element = static_cast<T>(static_cast<uint64_t>(element) *
                               static_cast<uint64_t>(update));
    } else {
      element = element * update;
    }
  }
};

// Returns the first of `count` indices that points outside of an array of the
// given dimensions, or -1. An index is `depth` numbers, one a dimension.
template <typename Index>
int64_t FirstBadIndex(const Index* indices, int64_t count, int64_t depth,
                      const int64_t* dimensions) {
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t d = 0; d < depth; ++d) {
      const auto position = static_cast<int64_t>(indices[i * depth + d]);
      if (position < 0 || position >= dimensions[d]) return i;
    }
  }
  return -1;
}

// Changes the chosen slices of `elements`, one after the other, so that an
// index may be there more than once.
//
// A slice is `slice_size` elements that lie together, those that share their
// first `depth` coordinates. `updates` holds `count` slices, or with
// `one_update` a single element that serves for all. The indices must be in
// range.
//
// This is all the arithmetic of the op and knows nothing of TensorFlow.
template <typename Operation, typename T, typename Index>
void SparseUpdate(const Index* indices, int64_t count, int64_t depth,
                  const int64_t* dimensions, const T* updates, bool one_update,
                  int64_t slice_size, T* elements) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t slice = 0;
    for (int64_t d = 0; d < depth; ++d) {
      slice =
          slice * dimensions[d] + static_cast<int64_t>(indices[i * depth + d]);
    }
    T* const target = elements + slice * slice_size;
    const T* const update = one_update ? updates : updates + i * slice_size;
    for (int64_t j = 0; j < slice_size; ++j) {
      Operation::Apply(update[one_update ? 0 : j], target[j]);
    }
  }
}

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_VARIABLE_SPARSE_UPDATE_SPARSE_UPDATE_H_
