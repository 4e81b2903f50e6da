// Ops that cover what a generated wrapper has to express, and do next to
// nothing: the tests of gen_op_wrapper.py and check_op_library.py are their
// only callers.

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace {

using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::tensorflow::shape_inference::InferenceContext;

absl::Status OneOutputLikeFirstInput(InferenceContext* c) {
  c->set_output(0, c->input(0));
  return absl::OkStatus();
}

absl::Status ScalarOutput(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return absl::OkStatus();
}

absl::Status UnknownOutputs(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) {
    c->set_output(i, c->UnknownShape());
  }
  return absl::OkStatus();
}

absl::Status NoOutputs(InferenceContext* c) { return absl::OkStatus(); }

// Sets output i to input i. Where the op has fewer inputs than outputs the
// last input is used again.
class ForwardOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_outputs(); ++i) {
      context->set_output(
          i, context->input(std::min(i, context->num_inputs() - 1)));
    }
  }
};

// Does nothing; for an op without outputs.
class SinkOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {}
};

// Counts the elements of all inputs.
class CountOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    int64_t count = 0;
    for (int i = 0; i < context->num_inputs(); ++i) {
      count += context->input(i).NumElements();
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, TensorShape({}), &output));
    output->scalar<int64_t>()() = count;
  }
};

// Outputs the attribute `i`, so that a caller sees which value arrived.
class AttrsOp : public OpKernel {
 public:
  explicit AttrsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("i", &i_));
  }

  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, TensorShape({}), &output));
    output->scalar<int64_t>()() = i_;
  }

 private:
  int64_t i_ = 0;
};

}  // namespace

// One input, one output, a type attribute inferred from the input, and a name
// with a scope.
REGISTER_OP("Examples>SampleIdentity")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(OneOutputLikeFirstInput)
    .Doc(R"doc(
Returns its input.

x: Any tensor, "quoted" or with a back\slash.
y: The same tensor.
)doc");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleIdentity").Device(tensorflow::DEVICE_CPU), ForwardOp);

// No output.
REGISTER_OP("Examples>SampleSink")
    .Input("x: float")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc("Takes a tensor and returns the operation.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleSink").Device(tensorflow::DEVICE_CPU), SinkOp);

// Neither input nor output.
REGISTER_OP("Examples>SampleNothing")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc("Takes nothing, returns the operation.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleNothing").Device(tensorflow::DEVICE_CPU), SinkOp);

// Several outputs: a named tuple.
REGISTER_OP("Examples>SamplePair")
    .Input("x: T")
    .Input("y: U")
    .Output("first: T")
    .Output("second: U")
    .Attr("T: {float, int32}")
    .Attr("U: {int64, string}")
    .SetShapeFn(UnknownOutputs)
    .Doc("Returns both inputs.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SamplePair").Device(tensorflow::DEVICE_CPU), ForwardOp);

// Inputs whose types no attribute decides.
REGISTER_OP("Examples>SampleFixed")
    .Input("x: int64")
    .Input("flag: bool")
    .Input("text: string")
    .Output("y: int64")
    .SetShapeFn(OneOutputLikeFirstInput)
    .Doc("Inputs of types that are no attribute.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleFixed").Device(tensorflow::DEVICE_CPU), ForwardOp);

// A list of N tensors of one type, as input and as output.
REGISTER_OP("Examples>SampleSameTypes")
    .Input("xs: N * T")
    .Output("ys: N * T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .SetShapeFn(UnknownOutputs)
    .Doc("Returns its inputs, which have one type.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleSameTypes").Device(tensorflow::DEVICE_CPU), ForwardOp);

// A list of tensors of several types, as input and as output.
REGISTER_OP("Examples>SampleMixedTypes")
    .Input("xs: Ts")
    .Output("ys: Ts")
    .Attr("Ts: list(type) >= 1")
    .SetShapeFn(UnknownOutputs)
    .Doc("Returns its inputs, which may have several types.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleMixedTypes").Device(tensorflow::DEVICE_CPU),
    ForwardOp);

// A list of tensors in, a number out.
REGISTER_OP("Examples>SampleCount")
    .Input("xs: Ts")
    .Output("count: int64")
    .Attr("Ts: list(type) >= 0")
    .SetShapeFn(ScalarOutput)
    .Doc("Counts the elements of all its inputs.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleCount").Device(tensorflow::DEVICE_CPU), CountOp);

// Every kind of attribute that eager code takes, without and with a default.
REGISTER_OP("Examples>SampleRequiredAttrs")
    .Output("y: int64")
    .Attr("i: int")
    .Attr("f: float")
    .Attr("b: bool")
    .Attr("s: string")
    .Attr("t: type")
    .Attr("sh: shape")
    .Attr("fn: func")
    .Attr("li: list(int)")
    .Attr("lf: list(float)")
    .Attr("lb: list(bool)")
    .Attr("ls: list(string)")
    .Attr("lt: list(type)")
    .Attr("lsh: list(shape)")
    .SetShapeFn(ScalarOutput)
    .Doc("Returns the attribute i.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleRequiredAttrs").Device(tensorflow::DEVICE_CPU),
    AttrsOp);

REGISTER_OP("Examples>SampleDefaultAttrs")
    .Output("y: int64")
    .Attr("i: int = -7")
    .Attr("f: float = 0.5")
    .Attr("b: bool = true")
    .Attr("s: string = 'say \"hi\"'")
    .Attr("e: {'one', 'two'} = 'two'")
    .Attr("t: type = DT_FLOAT")
    .Attr("sh: shape = {dim {size: 2} dim {size: -1}}")
    .Attr("ush: shape = {unknown_rank: true}")
    .Attr("li: list(int) = [1, 2]")
    .Attr("lf: list(float) = [0.5]")
    .Attr("lb: list(bool) = [true, false]")
    .Attr("ls: list(string) = ['a', 'b']")
    .Attr("lt: list(type) = [DT_INT32, DT_STRING]")
    .Attr("lsh: list(shape) = []")
    .SetShapeFn(ScalarOutput)
    .Doc("Returns the attribute i, which has a default.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleDefaultAttrs").Device(tensorflow::DEVICE_CPU),
    AttrsOp);

// The kinds of attribute that TensorFlow takes only in a graph.
REGISTER_OP("Examples>SampleGraphAttrs")
    .Output("y: int64")
    .Attr("te: tensor")
    .Attr("lte: list(tensor)")
    .Attr("lfn: list(func)")
    .Attr("i: int = 1")
    .Attr("tf: tensor = { dtype: DT_INT32 int_val: 3 tensor_shape {} }")
    .SetShapeFn(ScalarOutput)
    .Doc("Returns the attribute i.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleGraphAttrs").Device(tensorflow::DEVICE_CPU), AttrsOp);

// A resource handle, the type of a stateful op's handle.
REGISTER_OP("Examples>SampleHandle")
    .Input("handle: resource")
    .Output("same: resource")
    .SetShapeFn(OneOutputLikeFirstInput)
    .Doc("Returns a resource handle.");
REGISTER_KERNEL_BUILDER(
    Name("Examples>SampleHandle").Device(tensorflow::DEVICE_CPU), ForwardOp);

// Names that Python keeps for itself: the op's, an input's, an output's and an
// attribute's.
REGISTER_OP("Lambda")
    .Input("in: float")
    .Output("class: float")
    .Output("def: float")
    .Attr("if: int = 1")
    .SetShapeFn(UnknownOutputs)
    .Doc("Names that are keywords of Python.");
REGISTER_KERNEL_BUILDER(Name("Lambda").Device(tensorflow::DEVICE_CPU),
                        ForwardOp);

// No documentation, and names that the generated module uses itself.
REGISTER_OP("Examples>SamplePlain")
    .Input("os: float")
    .Input("tf_export: float")
    .Output("y: float")
    .SetShapeFn(OneOutputLikeFirstInput);
REGISTER_KERNEL_BUILDER(
    Name("Examples>SamplePlain").Device(tensorflow::DEVICE_CPU), ForwardOp);
