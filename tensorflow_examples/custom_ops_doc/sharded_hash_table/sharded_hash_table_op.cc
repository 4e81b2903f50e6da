#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::DataType;
using ::tensorflow::PartialTensorShape;
using ::tensorflow::shape_inference::DimensionHandle;
using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::ShapeAndType;
using ::tensorflow::shape_inference::ShapeHandle;

absl::Status ScalarHandle(InferenceContext* c) {
  ShapeHandle unused;
  return c->WithRank(c->input(0), 0, &unused);
}

// The shape of a value, as the handle notes it; of unknown rank if it does not.
ShapeHandle ValueShape(InferenceContext* c) {
  const std::vector<ShapeAndType>* notes = c->input_handle_shapes_and_types(0);
  return notes != nullptr && notes->size() == 2 ? (*notes)[1].shape
                                                : c->UnknownShape();
}

absl::Status CreateShapeFunction(InferenceContext* c) {
  DataType key_dtype, value_dtype;
  PartialTensorShape value_shape;
  TF_RETURN_IF_ERROR(c->GetAttr("key_dtype", &key_dtype));
  TF_RETURN_IF_ERROR(c->GetAttr("value_dtype", &value_dtype));
  TF_RETURN_IF_ERROR(c->GetAttr("value_shape", &value_shape));
  if (!value_shape.IsFullyDefined()) {
    return absl::InvalidArgumentError(
        absl::StrCat("value_shape must be fully defined. It is ",
                     value_shape.DebugString()));
  }
  ShapeHandle value;
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(value_shape, &value));
  c->set_output(0, c->Scalar());
  c->set_output_handle_shapes_and_types(
      0, std::vector<ShapeAndType>{{c->Scalar(), key_dtype},
                                   {value, value_dtype}});
  return absl::OkStatus();
}

// The shape of the values of keys: that of the keys, followed by a value's.
absl::Status ShapeOfValues(InferenceContext* c, ShapeHandle* values) {
  return c->Concatenate(c->input(1), ValueShape(c), values);
}

absl::Status FindShapeFunction(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarHandle(c));
  const ShapeHandle defaults = c->input(2);
  ShapeHandle values;
  TF_RETURN_IF_ERROR(ShapeOfValues(c, &values));
  ShapeHandle unused;
  if (!c->Merge(defaults, ValueShape(c), &unused).ok() &&
      !c->Merge(defaults, values, &unused).ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "default_values must have the shape of one value or of all. Its "
        "shape: ",
        c->DebugString(defaults), ", of one value: ",
        c->DebugString(ValueShape(c)), ", of all: ", c->DebugString(values)));
  }
  c->set_output(0, values);
  return absl::OkStatus();
}

absl::Status InsertShapeFunction(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarHandle(c));
  ShapeHandle values, unused;
  TF_RETURN_IF_ERROR(ShapeOfValues(c, &values));
  if (!c->Merge(c->input(2), values, &unused).ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "values must have the shape of keys followed by that of one value: ",
        c->DebugString(values), ". Its shape: ", c->DebugString(c->input(2))));
  }
  return absl::OkStatus();
}

absl::Status SizeShapeFunction(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarHandle(c));
  c->set_output(0, c->Scalar());
  return absl::OkStatus();
}

// Any number of pairs of keys and values, each of a length that nobody knows
// before the table is read.
absl::Status ExportShapeFunction(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarHandle(c));
  const int slices = c->num_outputs() / 2;
  for (int i = 0; i < slices; ++i) {
    const ShapeHandle keys = c->Vector(c->UnknownDim());
    ShapeHandle values;
    TF_RETURN_IF_ERROR(c->Concatenate(keys, ValueShape(c), &values));
    c->set_output(i, keys);
    c->set_output(slices + i, values);
  }
  return absl::OkStatus();
}

absl::Status ImportShapeFunction(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarHandle(c));
  const int slices = (c->num_inputs() - 1) / 2;
  for (int i = 0; i < slices; ++i) {
    ShapeHandle keys, values, unused;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1 + i), 1, &keys));
    TF_RETURN_IF_ERROR(c->Concatenate(keys, ValueShape(c), &values));
    if (!c->Merge(c->input(1 + slices + i), values, &unused).ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "values must have the shape of keys followed by that of one value: ",
          c->DebugString(values),
          ". Its shape: ", c->DebugString(c->input(1 + slices + i))));
    }
  }
  return absl::OkStatus();
}

// No op calls SetIsStateful: a resource among its inputs or outputs sets the
// flag by itself.

#define KEY_DTYPE "key_dtype: {int32, int64, string}"
#define VALUE_DTYPE \
  "value_dtype: {bool, int32, int64, half, bfloat16, float, double, string}"

REGISTER_OP("Examples>ShardedHashTableCreate")
    .Output("output: resource")
    .Attr(KEY_DTYPE)
    .Attr(VALUE_DTYPE)
    .Attr("value_shape: shape = {}")
    .Attr("num_shards: int = 64")
    .SetShapeFn(CreateShapeFunction)
    .Doc(R"doc(
Makes an empty table, which lives as long as a handle to it does.

output: A handle to the table.
key_dtype: Type of the keys.
value_dtype: Type of the values.
value_shape: Shape of the value of one key.
num_shards: How many parts the table has, each with its own lock; a power of two of at most 1024.
)doc");

REGISTER_OP("Examples>ShardedHashTableFind")
    .Input("table_handle: resource")
    .Input("keys: key_dtype")
    .Input("default_values: value_dtype")
    .Output("values: value_dtype")
    .Attr(KEY_DTYPE)
    .Attr(VALUE_DTYPE)
    .SetShapeFn(FindShapeFunction)
    .Doc(R"doc(
Reads the values of keys.

table_handle: A handle to the table.
keys: Keys, of any shape.
default_values: What to return for keys that the table does not have: one value for all of them, or one for each of `keys`.
values: The values, in the shape of `keys` followed by that of one value.
)doc");

REGISTER_OP("Examples>ShardedHashTableInsert")
    .Input("table_handle: resource")
    .Input("keys: key_dtype")
    .Input("values: value_dtype")
    .Attr(KEY_DTYPE)
    .Attr(VALUE_DTYPE)
    .SetShapeFn(InsertShapeFunction)
    .Doc(R"doc(
Sets the values of keys, which may be new to the table or not.

table_handle: A handle to the table.
keys: Keys, of any shape. Of a key that is there more than once, the last value counts.
values: Their values, in the shape of `keys` followed by that of one value.
)doc");

REGISTER_OP("Examples>ShardedHashTableAccumulate")
    .Input("table_handle: resource")
    .Input("keys: key_dtype")
    .Input("deltas: value_dtype")
    .Attr(KEY_DTYPE)
    .Attr("value_dtype: {int32, int64, half, bfloat16, float, double}")
    .SetShapeFn(InsertShapeFunction)
    .Doc(R"doc(
Adds to the values of keys. A key that is new to the table starts from zero.

table_handle: A handle to the table.
keys: Keys, of any shape. To a key that is there more than once, all of its deltas are added.
deltas: What to add, in the shape of `keys` followed by that of one value.
)doc");

REGISTER_OP("Examples>ShardedHashTableRemove")
    .Input("table_handle: resource")
    .Input("keys: key_dtype")
    .Attr(KEY_DTYPE)
    .SetShapeFn(ScalarHandle)
    .Doc(R"doc(
Removes keys and their values.

table_handle: A handle to the table.
keys: Keys, of any shape. Those that the table does not have are ignored.
)doc");

REGISTER_OP("Examples>ShardedHashTableClear")
    .Input("table_handle: resource")
    .SetShapeFn(ScalarHandle)
    .Doc(R"doc(
Removes all keys and their values.

table_handle: A handle to the table.
)doc");

REGISTER_OP("Examples>ShardedHashTableSize")
    .Input("table_handle: resource")
    .Output("size: int64")
    .SetShapeFn(SizeShapeFunction)
    .Doc(R"doc(
Counts the keys of a table.

table_handle: A handle to the table.
size: A scalar.
)doc");

REGISTER_OP("Examples>ShardedHashTableExport")
    .Input("table_handle: resource")
    .Output("keys: key_dtype")
    .Output("values: value_dtype")
    .Attr(KEY_DTYPE)
    .Attr(VALUE_DTYPE)
    .Attr("stable_order: bool = false")
    .SetShapeFn(ExportShapeFunction)
    .Doc(R"doc(
Reads the whole table as of one moment.

table_handle: A handle to the table.
keys: A vector of all keys, in no particular order.
values: Their values, in the order of `keys`: a vector, or a value's dimensions after the first.
stable_order: Whether the keys are to be sorted; strings by their bytes.
)doc");

REGISTER_OP("Examples>ShardedHashTableExportSlices")
    .Input("table_handle: resource")
    .Output("keys: num_slices * key_dtype")
    .Output("values: num_slices * value_dtype")
    .Attr(KEY_DTYPE)
    .Attr(VALUE_DTYPE)
    .Attr("num_slices: int >= 1")
    .SetShapeFn(ExportShapeFunction)
    .Doc(R"doc(
Reads the whole table as of one moment, in slices.

table_handle: A handle to the table.
keys: For each slice a vector of its keys, in no particular order. They are about as many in each as long as there are as many shards.
values: For each slice the values of its keys.
num_slices: How many slices to make.
)doc");

REGISTER_OP("Examples>ShardedHashTableImport")
    .Input("table_handle: resource")
    .Input("keys: num_slices * key_dtype")
    .Input("values: num_slices * value_dtype")
    .Attr(KEY_DTYPE)
    .Attr(VALUE_DTYPE)
    .Attr("num_slices: int >= 1")
    .SetShapeFn(ImportShapeFunction)
    .Doc(R"doc(
Puts new contents in place of all that the table holds.

table_handle: A handle to the table.
keys: Vectors. Of a key that is there more than once, the last value counts.
values: For each vector of keys, their values.
num_slices: How many vectors of keys there are.
)doc");

#undef KEY_DTYPE
#undef VALUE_DTYPE

}  // namespace
}  // namespace custom_op_examples
