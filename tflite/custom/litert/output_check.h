#ifndef TFLITE_CUSTOM_LITERT_OUTPUT_CHECK_H_
#define TFLITE_CUSTOM_LITERT_OUTPUT_CHECK_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tflite/custom/litert/kernel_runner.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"

namespace tflite::custom {

// What LiteRT's CompiledModel makes of the outputs of a signature. It takes
// their shapes before the run, and writes each to a buffer of that size: an
// output whose shape only the run tells comes out wrong, or is written past its
// buffer.
struct OutputCheck {
  // What is wrong with such an output, with its op; the model must not run.
  std::optional<Error> error;
  // If set, an op upstream finds its shape only when it runs, but the file
  // gives the output a shape that can hold: after a run, and after one that
  // failed, the outputs must be looked at. The words name the op.
  std::string uncertain;
};

// `input_shapes` are the shapes that inputs are about to have, by their names
// in the signature, or in order where the model has none; empty for the file's.
struct InputShape {
  std::string name;
  std::vector<int> shape;
};

// Believes the C library's interpreter, which prepares the graph for the same
// shapes but does not run it: what it calls dynamic is dynamic in LiteRT too.
//
// `signature` is its place in the model; 0 where the model has none.
OutputCheck CheckOutputs(const Model& model, size_t signature,
                         const std::vector<InputShape>& input_shapes,
                         const KernelLibraries& libraries);

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_LITERT_OUTPUT_CHECK_H_
