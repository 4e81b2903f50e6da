#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "third_party/tensorflow/core/framework/dataset_stateful_op_allowlist.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::shape_inference::DimensionHandle;
using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::ShapeHandle;

absl::Status ScalarInputs(InferenceContext* c, int count) {
  ShapeHandle unused;
  for (int i = 0; i < count; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return absl::OkStatus();
}

absl::Status ScalarOutput(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return absl::OkStatus();
}

absl::Status TwoScalarInputs(InferenceContext* c) { return ScalarInputs(c, 2); }

absl::Status ThreeScalarInputs(InferenceContext* c) {
  return ScalarInputs(c, 3);
}

absl::Status ThreeScalarInputsScalarOutput(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ThreeScalarInputs(c));
  return ScalarOutput(c);
}

absl::Status ExportShapeFunction(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInputs(c, 1));
  // Two vectors of one length, which nobody knows before the table is read.
  const ShapeHandle pairs = c->Vector(c->UnknownDim());
  c->set_output(0, pairs);
  c->set_output(1, pairs);
  return absl::OkStatus();
}

absl::Status ImportShapeFunction(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInputs(c, 1));
  ShapeHandle keys, values;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &keys));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &values));
  const DimensionHandle num_keys = c->Dim(keys, 0);
  const DimensionHandle num_values = c->Dim(values, 0);
  DimensionHandle unused;
  if (!c->Merge(num_keys, num_values, &unused).ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "keys and values must have the same length: ", c->Value(num_keys),
        " and ", c->Value(num_values)));
  }
  return absl::OkStatus();
}

// No op calls SetIsStateful: a resource among its inputs or outputs sets the
// flag by itself. The two that only read are allowed in the functions of a
// dataset whose iterator is saved: such a checkpoint leaves the table out.

REGISTER_OP("Examples>SimpleHashTableCreate")
    .Output("output: resource")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetShapeFn(ScalarOutput)
    .Doc(R"doc(
Makes an empty table, which lives as long as a handle to it does.

output: A handle to the table.
key_dtype: Type of the keys.
value_dtype: Type of the values.
)doc");

REGISTER_OP("Examples>SimpleHashTableFind")
    .Input("resource_handle: resource")
    .Input("key: key_dtype")
    .Input("default_value: value_dtype")
    .Output("value: value_dtype")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetShapeFn(ThreeScalarInputsScalarOutput)
    .Doc(R"doc(
Reads the value of a key.

resource_handle: A handle to the table.
key: The key, a scalar.
default_value: What to return where the table has no such key, a scalar.
value: A scalar.
)doc");

ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS("Examples>SimpleHashTableFind");

REGISTER_OP("Examples>SimpleHashTableInsert")
    .Input("resource_handle: resource")
    .Input("key: key_dtype")
    .Input("value: value_dtype")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetShapeFn(ThreeScalarInputs)
    .Doc(R"doc(
Sets the value of a key, which may be new to the table or not.

resource_handle: A handle to the table.
key: The key, a scalar.
value: The value, a scalar.
)doc");

REGISTER_OP("Examples>SimpleHashTableRemove")
    .Input("resource_handle: resource")
    .Input("key: key_dtype")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetShapeFn(TwoScalarInputs)
    .Doc(R"doc(
Removes a key and its value. It is an error if the table has no such key.

resource_handle: A handle to the table.
key: The key, a scalar.
value_dtype: Type of the table's values, which no input tells.
)doc");

REGISTER_OP("Examples>SimpleHashTableExport")
    .Input("table_handle: resource")
    .Output("keys: key_dtype")
    .Output("values: value_dtype")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetShapeFn(ExportShapeFunction)
    .Doc(R"doc(
Reads the whole table.

table_handle: A handle to the table.
keys: A vector of all keys, in no particular order.
values: A vector of their values, in the order of `keys`.
)doc");

ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS("Examples>SimpleHashTableExport");

REGISTER_OP("Examples>SimpleHashTableImport")
    .Input("table_handle: resource")
    .Input("keys: key_dtype")
    .Input("values: value_dtype")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetShapeFn(ImportShapeFunction)
    .Doc(R"doc(
Puts new contents in place of all that the table holds.

table_handle: A handle to the table.
keys: A vector. Of a key that is there more than once, the last value counts.
values: A vector of the length of `keys`.
)doc");

}  // namespace
}  // namespace custom_op_examples
