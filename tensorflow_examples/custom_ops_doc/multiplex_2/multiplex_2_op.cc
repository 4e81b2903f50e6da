#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::ShapeHandle;

// Merges what is known of two shapes, or says in the kernel's own words that
// they differ, with TensorFlow's finding after it.
absl::Status MergeShapes(InferenceContext* c, absl::string_view x_name,
                         ShapeHandle x, absl::string_view y_name, ShapeHandle y,
                         absl::string_view or_else, ShapeHandle* merged) {
  const absl::Status status = c->Merge(x, y, merged);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(
      x_name, " and ", y_name, " must have the same shape", or_else, ". ",
      x_name, " shape: ", c->DebugString(x), " ", y_name,
      " shape: ", c->DebugString(y), ". ", status.message()));
}

// The three inputs and the output share one shape. Each input may know a part
// of it that the others do not.
absl::Status SameShapeFunction(InferenceContext* c) {
  ShapeHandle values;
  TF_RETURN_IF_ERROR(
      MergeShapes(c, "a", c->input(1), "b", c->input(2), "", &values));
  ShapeHandle output;
  TF_RETURN_IF_ERROR(
      MergeShapes(c, "a", values, "cond", c->input(0), "", &output));
  c->set_output(0, output);
  return absl::OkStatus();
}

// The inputs that are no scalars, and the output, share one shape. Of an input
// of unknown rank nothing can be said.
absl::Status ScalarsBroadcastShapeFunction(InferenceContext* c) {
  constexpr absl::string_view kNames[] = {"cond", "a", "b"};
  ShapeHandle output = c->UnknownShape();
  absl::string_view name;
  bool all_known = true;
  for (int i : {1, 2, 0}) {
    const ShapeHandle input = c->input(i);
    if (!c->RankKnown(input)) {
      all_known = false;
    } else if (c->Rank(input) > 0) {
      TF_RETURN_IF_ERROR(MergeShapes(c, name, output, kNames[i], input,
                                     " or be scalars", &output));
      name = kNames[i];
    }
  }
  const bool all_scalars = all_known && !c->RankKnown(output);
  c->set_output(0, all_scalars ? c->Scalar() : output);
  return absl::OkStatus();
}

absl::Status MultiplexShapeFunction(InferenceContext* c) {
  bool broadcast_scalars;
  TF_RETURN_IF_ERROR(c->GetAttr("broadcast_scalars", &broadcast_scalars));
  return broadcast_scalars ? ScalarsBroadcastShapeFunction(c)
                           : SameShapeFunction(c);
}

// "Examples>" is a namespace: it keeps an op of this name in another library
// from being the same op.
REGISTER_OP("Examples>MultiplexDense")
    .Input("cond: bool")
    .Input("a: T")
    .Input("b: T")
    .Output("output_values: T")
    .Attr("T: type")
    .Attr("broadcast_scalars: bool = false")
    .SetShapeFn(MultiplexShapeFunction)
    .Doc(R"doc(
Chooses, element by element, from `a` where `cond` holds and else from `b`.

All inputs have one shape; nothing is broadcast, except scalars where
`broadcast_scalars` is set. For example, `cond` of `[True, False, True]`, `a` of
`[1, 2, 3]` and `b` of `[10, 20, 30]` give `[1, 20, 3]`.

cond: Of any shape.
a: Of the shape of `cond`.
b: Of the shape of `cond` and the type of `a`.
broadcast_scalars: Whether inputs that are scalars stand for arrays of the shape
  of the others, each of whose elements they are.
output_values: Of the shape of the inputs and the type of `a`.
)doc");

}  // namespace
}  // namespace custom_op_examples
