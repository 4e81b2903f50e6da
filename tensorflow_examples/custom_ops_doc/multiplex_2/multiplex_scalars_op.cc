#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::ShapeHandle;

// The inputs that are no scalars, and the output, share one shape. Of an input
// of unknown rank nothing can be said.
absl::Status MultiplexScalarsShapeFunction(InferenceContext* c) {
  constexpr absl::string_view kNames[] = {"cond", "a", "b"};
  ShapeHandle output = c->UnknownShape();
  absl::string_view name;
  bool all_known = true;
  for (int i : {1, 2, 0}) {
    const ShapeHandle input = c->input(i);
    if (!c->RankKnown(input)) {
      all_known = false;
    } else if (c->Rank(input) > 0) {
      const ShapeHandle before = output;
      const absl::Status status = c->Merge(before, input, &output);
      if (!status.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(
            name, " and ", kNames[i],
            " must have the same shape or be scalars. ", name,
            " shape: ", c->DebugString(before), " ", kNames[i],
            " shape: ", c->DebugString(input), ". ", status.message()));
      }
      name = kNames[i];
    }
  }
  const bool all_scalars = all_known && !c->RankKnown(output);
  c->set_output(0, all_scalars ? c->Scalar() : output);
  return absl::OkStatus();
}

REGISTER_OP("Examples>MultiplexScalars")
    .Input("cond: bool")
    .Input("a: T")
    .Input("b: T")
    .Output("output_values: T")
    .Attr("T: type")
    .SetShapeFn(MultiplexScalarsShapeFunction)
    .Doc(R"doc(
Chooses as MultiplexDense does, where inputs that are scalars stand for arrays.

The inputs that are no scalars have one shape. For example, `cond` of
`[True, False, True]`, `a` of `[1, 2, 3]` and `b` of `0` give `[1, 0, 3]`.

cond: Of any shape.
a: Of the shape of `cond`, or one of them is a scalar.
b: Of the shape of `cond` and `a`, or a scalar, and of the type of `a`.
output_values: Of the shape of the inputs that are no scalars and the type of
  `a`.
)doc");

}  // namespace
}  // namespace custom_op_examples
