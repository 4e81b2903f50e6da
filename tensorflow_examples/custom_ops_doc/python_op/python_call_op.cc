#include "absl/status/status.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::UnknownShape;

REGISTER_OP("Examples>PythonCall")
    .Input("inputs: Tin")
    .Output("outputs: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("token: int")
    .Attr("op_name: string")
    .SetShapeFn(UnknownShape)
    .Doc(R"doc(
Calls a Python function of this process on the inputs' memory.

The thread that TensorFlow runs the op in is never the last one of its pool: then
another thread makes the call, so that what the function waits for can run.

inputs: What the function is called with.
outputs: What it returns. The shapes are known when it has run.
token: Names the function. Another process does not know it.
op_name: What a message calls the function.
)doc");

REGISTER_OP("Examples>PythonCallFunctions")
    .Input("callback: int64")
    .Input("num_threads: int64")
    .Output("addresses: int64")
    .SetIsStateful()
    .SetShapeFn([](InferenceContext* c) {
      c->set_output(0, c->Vector(4));
      return absl::OkStatus();
    })
    .Doc(R"doc(
Sets what `Examples>PythonCall` calls, and returns what that may call in turn.

callback: Address of `void(Call*, const int64_t* description, int64_t size)`.
num_threads: How many threads run a graph's ops.
addresses: Of SetOutput, ForwardInput, KeepInput and SetError; see the kernel.
)doc");

}  // namespace
}  // namespace custom_op_examples
