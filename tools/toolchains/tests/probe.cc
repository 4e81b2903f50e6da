// Includes a header of every kind that a kernel includes: C, C++, the
// compiler's own, Linux's, and TensorFlow's.
#include <immintrin.h>
#include <linux/types.h>
#include <stdio.h>

#include <string>
#include <vector>

#include "tensorflow/core/framework/op_kernel.h"

int main() { return std::vector<std::string>{"probe"}.empty(); }
