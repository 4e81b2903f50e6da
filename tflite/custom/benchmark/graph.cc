#include "tflite/custom/benchmark/graph.h"

#include <cstddef>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/model/builtin_op_names.h"
#include "third_party/tensorflow/lite/builtin_ops.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_experimental.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {
namespace {

using List = TfLiteStatus (*)(const TfLiteOpaqueNode*, const int**, int*);

std::vector<int> Indices(const TfLiteOpaqueNode* node, List list) {
  const int* indices = nullptr;
  int size = 0;
  if (list(node, &indices, &size) != kTfLiteOk || size <= 0) return {};
  return std::vector<int>(indices, indices + size);
}

std::vector<int> ToVector(const TfLiteIntArray* array) {
  if (array == nullptr) return {};
  return std::vector<int>(array->data, array->data + array->size);
}

Node Describe(TfLiteOpaqueNode* opaque, const TfLiteOperator* op) {
  Node result;
  const int code = TfLiteOperatorGetBuiltInCode(op);
  const char* custom_name = TfLiteOperatorGetCustomName(op);
  std::ostringstream name;
  if (custom_name != nullptr) {
    name << "Custom Name " << custom_name;
  } else {
    name << "Builtin Code " << std::setw(3) << code << " "
         << BuiltinOpName(code);
  }
  result.op = name.str();
  result.inputs = Indices(opaque, TfLiteOpaqueNodeInputs);
  result.outputs = Indices(opaque, TfLiteOpaqueNodeOutputs);
  result.temporaries = Indices(opaque, TfLiteOpaqueNodeTemporaries);
  const auto* node = reinterpret_cast<const TfLiteNode*>(opaque);
  result.delegate = node->delegate;
  if (node->delegate != nullptr && node->builtin_data != nullptr) {
    if (custom_name != nullptr) result.delegate_name = custom_name;
    result.replaced =
        node->delegate->opaque_delegate_builder != nullptr
            ? ToVector(static_cast<const TfLiteOpaqueDelegateParams*>(
                           node->builtin_data)
                           ->nodes_to_replace)
            : ToVector(
                  static_cast<const TfLiteDelegateParams*>(node->builtin_data)
                      ->nodes_to_replace);
  }
  return result;
}

}  // namespace

size_t Subgraph::num_tensors() const {
  return TfLiteOpaqueContextGetNumTensors(context);
}

const TfLiteTensor* Subgraph::tensor(int index) const {
  if (index < 0 || static_cast<size_t>(index) >= num_tensors()) return nullptr;
  return reinterpret_cast<const TfLiteTensor*>(
      TfLiteOpaqueContextGetOpaqueTensor(context, index));
}

GraphObserver::GraphObserver() {
  builder_.data = this;
  builder_.Prepare = Prepare;
  // Without it the runtime refuses to look at graphs with dynamic tensors.
  builder_.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
  delegate_.reset(TfLiteOpaqueDelegateCreate(&builder_));
}

bool GraphObserver::Observe(TfLiteInterpreter* interpreter) {
  return TfLiteInterpreterModifyGraphWithDelegate(interpreter,
                                                  delegate_.get()) == kTfLiteOk;
}

TfLiteStatus GraphObserver::Prepare(TfLiteOpaqueContext* context,
                                    TfLiteOpaqueDelegate*, void* data) {
  Subgraph subgraph;
  subgraph.context = context;
  const int* indices = nullptr;
  int size = 0;
  TF_LITE_ENSURE_STATUS(TfLiteOpaqueContextGetInputs(context, &indices, &size));
  subgraph.inputs.assign(indices, indices + size);
  TF_LITE_ENSURE_STATUS(
      TfLiteOpaqueContextGetOutputs(context, &indices, &size));
  subgraph.outputs.assign(indices, indices + size);
  TfLiteIntArray* plan = nullptr;
  TF_LITE_ENSURE_STATUS(TfLiteOpaqueContextGetExecutionPlan(context, &plan));
  subgraph.plan = ToVector(plan);
  const size_t count = TfLiteOpaqueContextGetNumNodes(context);
  for (size_t i = 0; i < count; ++i) {
    TfLiteOpaqueNode* node = nullptr;
    TfLiteOperator* op = nullptr;
    TF_LITE_ENSURE_STATUS(TfLiteOpaqueContextGetNodeAndRegistration(
        context, static_cast<int>(i), &node, &op));
    subgraph.nodes.push_back(Describe(node, op));
  }
  // The runtime prepares delegates again where shapes have changed.
  auto& subgraphs = static_cast<GraphObserver*>(data)->subgraphs_;
  for (Subgraph& known : subgraphs) {
    if (known.context == context) {
      known = std::move(subgraph);
      return kTfLiteOk;
    }
  }
  subgraphs.push_back(std::move(subgraph));
  return kTfLiteOk;
}

}  // namespace tflite::custom::benchmark
