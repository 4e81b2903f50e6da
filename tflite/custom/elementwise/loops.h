#ifndef TFLITE_CUSTOM_ELEMENTWISE_LOOPS_H_
#define TFLITE_CUSTOM_ELEMENTWISE_LOOPS_H_

#include <cstddef>

#include "tflite/custom/elementwise/run.h"

namespace tflite::custom::elementwise {

template <typename T>
const T* InputOf(const Run& run, int index) {
  return static_cast<const T*>(run.inputs[index]);
}

// output[i] = function(x[i]), from T to U.
template <typename T, typename U = T, typename F>
void Unary(const Run& run, F function) {
  const T* x = InputOf<T>(run, 0);
  U* y = static_cast<U*>(run.output);
  for (size_t i = 0; i < run.size; ++i) y[i] = function(x[i]);
}

// output[i] = function(a[i], b[i]), for functions so slow that the loop around
// them does not matter.
template <typename T, typename F>
void Binary(const Run& run, F function) {
  const T* a = InputOf<T>(run, 0);
  const T* b = InputOf<T>(run, 1);
  T* y = static_cast<T*>(run.output);
  for (size_t i = 0; i < run.size; ++i) {
    y[i] = function(a[i * run.steps[0]], b[i * run.steps[1]]);
  }
}

// The same for functions that the compiler can vectorise once it knows the
// steps.
template <typename T, typename U = T, typename F>
void FastBinary(const Run& run, F function) {
  const T* a = InputOf<T>(run, 0);
  const T* b = InputOf<T>(run, 1);
  U* y = static_cast<U*>(run.output);
  if (run.steps[0] == 1 && run.steps[1] == 1) {
    for (size_t i = 0; i < run.size; ++i) y[i] = function(a[i], b[i]);
  } else if (run.steps[0] == 1) {
    const T only = *b;
    for (size_t i = 0; i < run.size; ++i) y[i] = function(a[i], only);
  } else if (run.steps[1] == 1) {
    const T only = *a;
    for (size_t i = 0; i < run.size; ++i) y[i] = function(only, b[i]);
  } else {
    const U value = function(*a, *b);
    for (size_t i = 0; i < run.size; ++i) y[i] = value;
  }
}

// output[i] = function(a[i], b[i], c[i]), as Binary.
template <typename T, typename F>
void Ternary(const Run& run, F function) {
  const T* a = InputOf<T>(run, 0);
  const T* b = InputOf<T>(run, 1);
  const T* c = InputOf<T>(run, 2);
  T* y = static_cast<T*>(run.output);
  for (size_t i = 0; i < run.size; ++i) {
    y[i] =
        function(a[i * run.steps[0]], b[i * run.steps[1]], c[i * run.steps[2]]);
  }
}

}  // namespace tflite::custom::elementwise

#endif  // TFLITE_CUSTOM_ELEMENTWISE_LOOPS_H_
