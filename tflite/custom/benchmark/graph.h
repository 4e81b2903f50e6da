#ifndef TFLITE_CUSTOM_BENCHMARK_GRAPH_H_
#define TFLITE_CUSTOM_BENCHMARK_GRAPH_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {

struct Node {
  std::string op;  // `Custom Name Atan`, `Builtin Code   0 Add`
  const void* delegate = nullptr;
  std::string delegate_name;
  std::vector<int> replaced;  // The nodes that a delegate's node stands for.
  std::vector<int> inputs;
  std::vector<int> outputs;
  std::vector<int> temporaries;
};

// A subgraph as it will run: the delegates have taken their parts.
struct Subgraph {
  TfLiteOpaqueContext* context;  // The interpreter's.
  std::vector<int> inputs;
  std::vector<int> outputs;
  std::vector<Node> nodes;
  std::vector<int> plan;  // The nodes that run, in order.

  size_t num_tensors() const;
  // Null where the index is not one of a tensor.
  const TfLiteTensor* tensor(int index) const;
};

// Looks into an interpreter. The C API shows only inputs and outputs; to
// delegates it shows everything, so this is a delegate that takes no node.
class GraphObserver {
 public:
  GraphObserver();
  GraphObserver(const GraphObserver&) = delete;
  GraphObserver& operator=(const GraphObserver&) = delete;

  // After all other delegates. Must outlive the interpreter. False where the
  // runtime refused.
  bool Observe(TfLiteInterpreter* interpreter);

  const std::vector<Subgraph>& subgraphs() const { return subgraphs_; }

 private:
  struct Delete {
    void operator()(TfLiteOpaqueDelegate* d) const {
      TfLiteOpaqueDelegateDelete(d);
    }
  };

  static TfLiteStatus Prepare(TfLiteOpaqueContext* context,
                              TfLiteOpaqueDelegate* delegate, void* data);

  TfLiteOpaqueDelegateBuilder builder_ = {};
  std::unique_ptr<TfLiteOpaqueDelegate, Delete> delegate_;
  std::vector<Subgraph> subgraphs_;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_GRAPH_H_
