#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::ShapeHandle;

absl::Status PartitionShapeFunction(InferenceContext* c) {
  ShapeHandle keys;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &keys));
  int64_t num_partitions;
  TF_RETURN_IF_ERROR(c->GetAttr("num_partitions", &num_partitions));
  for (int64_t i = 0; i < num_partitions; ++i) {
    const ShapeHandle partition = c->Vector(c->UnknownDim());
    c->set_output(i, partition);
    c->set_output(num_partitions + i, partition);
  }
  return absl::OkStatus();
}

REGISTER_OP("Examples>PartitionByHash")
    .Input("keys: T")
    .Output("partitions: num_partitions * T")
    .Output("positions: num_partitions * int32")
    .Attr("num_partitions: int >= 1")
    .Attr("num_slots: int >= 1")
    .Attr("T: {int32, int64, string}")
    .SetShapeFn(PartitionShapeFunction)
    .Doc(R"doc(
Splits keys by a hash of them that never changes.

A key's hash is scaled to a slot, and slots to partitions, so that each
partition has the slots that follow those of the one before. `positions` is what
`tf.dynamic_stitch` takes to undo it.

keys: A vector.
partitions: Vectors of the keys of each partition, in their order.
positions: For each partition, where its keys are in `keys`.
num_slots: At least `num_partitions`.
)doc");

absl::Status ValuesOrErrorShapeFunction(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) {
    c->set_output(i, c->input(2 + i));
  }
  return absl::OkStatus();
}

REGISTER_OP("Examples>ValuesOrError")
    .Input("code: int32")
    .Input("message: string")
    .Input("values: T")
    .Output("results: T")
    .Attr("T: list(type) >= 0")
    .SetIsStateful()  // Else a graph would leave out one without values.
    .SetShapeFn(ValuesOrErrorShapeFunction)
    .Doc(R"doc(
Returns values, or fails with the error of a Python function that made them.

code: A scalar, one of the codes of `tf.errors`, or 0 for no error.
message: A scalar.
)doc");

}  // namespace
}  // namespace custom_op_examples
