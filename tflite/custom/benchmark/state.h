#ifndef TFLITE_CUSTOM_BENCHMARK_STATE_H_
#define TFLITE_CUSTOM_BENCHMARK_STATE_H_

#include <ostream>
#include <vector>

#include "tflite/custom/benchmark/graph.h"
#include "tflite/custom/benchmark/options.h"

namespace tflite::custom::benchmark {

// The lines that the public tool prints of an interpreter: tensors, where they
// are in memory, nodes, and who runs them. It has no access to the sizes of the
// arenas themselves; the extents of the tensors in them stand for these.
void PrintInterpreterState(const std::vector<Subgraph>& subgraphs,
                           const Options& options, std::ostream& out);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_STATE_H_
