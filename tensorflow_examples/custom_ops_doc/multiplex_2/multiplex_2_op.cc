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
                         ShapeHandle* merged) {
  const absl::Status status = c->Merge(x, y, merged);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat(x_name, " and ", y_name, " must have the same shape. ",
                   x_name, " shape: ", c->DebugString(x), " ", y_name,
                   " shape: ", c->DebugString(y), ". ", status.message()));
}

// The three inputs and the output share one shape. Each input may know a part
// of it that the others do not.
absl::Status MultiplexShapeFunction(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(
      MergeShapes(c, "a", c->input(1), "b", c->input(2), &shape));
  TF_RETURN_IF_ERROR(MergeShapes(c, "a", shape, "cond", c->input(0), &shape));
  c->set_output(0, shape);
  return absl::OkStatus();
}

// "Examples>" is a namespace: it keeps an op of this name in another library
// from being the same op.
REGISTER_OP("Examples>MultiplexDense")
    .Input("cond: bool")
    .Input("a: T")
    .Input("b: T")
    .Output("output_values: T")
    .Attr("T: type")
    .SetShapeFn(MultiplexShapeFunction)
    .Doc(R"doc(
Chooses, element by element, from `a` where `cond` holds and else from `b`.

All inputs have one shape; nothing is broadcast. For example, `cond` of
`[True, False, True]`, `a` of `[1, 2, 3]` and `b` of `[10, 20, 30]` give
`[1, 20, 3]`.

cond: Of any shape.
a: Of the shape of `cond`.
b: Of the shape of `cond` and the type of `a`.
output_values: Of the shape of the inputs and the type of `a`.
)doc");

}  // namespace
}  // namespace custom_op_examples
