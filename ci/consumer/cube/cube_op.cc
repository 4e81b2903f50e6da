#include "absl/status/status.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace consumer {
namespace {

using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::ShapeHandle;

// Inputs and output share one shape. Each input may know a part of it that the
// others do not.
absl::Status CubeShapeFunction(InferenceContext* c) {
  ShapeHandle shape = c->input(0);
  for (int i = 1; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->Merge(shape, c->input(i), &shape));
  }
  c->set_output(0, shape);
  return absl::OkStatus();
}

REGISTER_OP("Consumer>Cube")
    .Input("x: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .SetShapeFn(CubeShapeFunction)
    .Doc(R"doc(
Computes the cube of each element.

x: Of any shape.
output: Of the shape and type of `x`.
)doc");

}  // namespace
}  // namespace consumer
