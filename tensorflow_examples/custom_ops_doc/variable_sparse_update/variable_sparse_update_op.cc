#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::ShapeAndType;
using ::tensorflow::shape_inference::ShapeHandle;

// The updates are one scalar, or of the shape
// indices.shape[:-1] + variable.shape[indices.shape[-1]:].
absl::Status SparseUpdateShapeFunction(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  ShapeHandle indices;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  const ShapeHandle updates = c->input(2);

  // What is known of the variable is noted in its handle.
  const std::vector<ShapeAndType>* variable =
      c->input_handle_shapes_and_types(0);
  if (variable == nullptr || variable->size() != 1) return absl::OkStatus();
  const ShapeHandle shape = (*variable)[0].shape;
  if (!c->RankKnown(indices) || !c->RankKnown(shape)) return absl::OkStatus();
  const auto depth_dimension = c->Dim(indices, -1);
  if (!c->ValueKnown(depth_dimension)) return absl::OkStatus();
  const int64_t depth = c->Value(depth_dimension);
  if (depth < 1 || depth > c->Rank(shape)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The last dimension of indices must be from 1 to the variable's rank, ",
        c->Rank(shape), ". indices shape: ", c->DebugString(indices)));
  }
  if (!c->RankKnown(updates) || c->Rank(updates) == 0) return absl::OkStatus();
  ShapeHandle batch, slice, expected;
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &batch));
  TF_RETURN_IF_ERROR(c->Subshape(shape, depth, &slice));
  TF_RETURN_IF_ERROR(c->Concatenate(batch, slice, &expected));
  if (!c->Merge(updates, expected, &unused).ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "updates must be a scalar or have the shape ", c->DebugString(expected),
        ". updates shape: ", c->DebugString(updates)));
  }
  return absl::OkStatus();
}

REGISTER_OP("Examples>VariableSparseUpdate")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("operation: {'assign', 'add', 'multiply'}")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(SparseUpdateShapeFunction)
    .Doc(R"doc(
Changes chosen elements of a variable in place.

For example, of a variable of `[1, 2, 3, 4]`, `indices` of `[[0], [2]]`,
`updates` of `[5, 6]` and the operation `multiply` make `[5, 2, 18, 4]`.

resource: The handle of a variable, a scalar.
indices: The last dimension holds the first coordinates of what to change, an
  element where there are as many of them as the variable has dimensions, and
  else a slice. One that is there more than once is changed as often, in order.
updates: A scalar, or of the shape
  `indices.shape[:-1] + variable.shape[indices.shape[-1]:]`.
operation: What to do with an element and its update.
)doc");

}  // namespace
}  // namespace custom_op_examples
