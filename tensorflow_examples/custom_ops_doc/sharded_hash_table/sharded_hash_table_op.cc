#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "third_party/tensorflow/core/framework/dataset_stateful_op_allowlist.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::DataType;
using ::tensorflow::PartialTensorShape;
using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::ShapeAndType;
using ::tensorflow::shape_inference::ShapeHandle;

absl::Status ScalarHandle(InferenceContext* c) {
  ShapeHandle unused;
  return c->WithRank(c->input(0), 0, &unused);
}

// The shape of a key (0) or a value (1), as the handle notes it; of unknown
// rank if it does not.
ShapeHandle NotedShape(InferenceContext* c, int which) {
  const std::vector<ShapeAndType>* notes = c->input_handle_shapes_and_types(0);
  return notes != nullptr && notes->size() == 2 ? (*notes)[which].shape
                                                : c->UnknownShape();
}

absl::Status CreateShapeFunction(InferenceContext* c) {
  std::vector<ShapeAndType> notes;
  for (const char* of : {"key", "value"}) {
    DataType dtype;
    PartialTensorShape shape;
    TF_RETURN_IF_ERROR(c->GetAttr(absl::StrCat(of, "_dtype"), &dtype));
    TF_RETURN_IF_ERROR(c->GetAttr(absl::StrCat(of, "_shape"), &shape));
    if (!shape.IsFullyDefined()) {
      return absl::InvalidArgumentError(absl::StrCat(
          of, "_shape must be fully defined. It is ", shape.DebugString()));
    }
    ShapeHandle handle;
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &handle));
    notes.emplace_back(handle, dtype);
  }
  c->set_output(0, c->Scalar());
  c->set_output_handle_shapes_and_types(0, notes);
  return absl::OkStatus();
}

// Any number of pairs of keys and values, each of a length that nobody knows
// before the table is read.
absl::Status ExportShapeFunction(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarHandle(c));
  const int slices = c->num_outputs() / 2;
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()),
                                      NotedShape(c, i / slices), &shape));
    c->set_output(i, shape);
  }
  return absl::OkStatus();
}

// No op calls SetIsStateful: a resource among its inputs or outputs sets the
// flag by itself. Those that only read are allowed where an iterator is saved.

#define TYPE_ATTRS                             \
  Attr("key_dtype: {int32, int64, string}")    \
      .Attr(                                   \
          "value_dtype: {bool, int32, int64, " \
          "half, bfloat16, float, double, string}")

REGISTER_OP("Examples>ShardedHashTable")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("anonymous: bool = false")
    .TYPE_ATTRS.Attr("key_shape: shape = {}")
    .Attr("value_shape: shape = {}")
    .Attr("num_shards: int = 64")
    .SetShapeFn(CreateShapeFunction)
    .Doc(R"doc(
Makes an empty table, which TensorFlow's ops on lookup tables take.

table_handle: A handle to the table.
container: The container of the resource manager that the table is in; its default one if empty.
shared_name: The name that the table has there. If it has one already, the handle is that table's.
use_node_name_sharing: Whether that name is the node's if `shared_name` is empty. Or else the table has none, and goes with the node's kernel and the handles.
anonymous: Whether each call makes a table, without a name, that lives as long as a handle to it does.
key_dtype: Type of the keys.
value_dtype: Type of the values.
key_shape: Shape of one key.
value_shape: Shape of the value of one key.
num_shards: How many parts the table has, each with its own lock; a power of two of at most 1024.
)doc");

REGISTER_OP("Examples>ShardedHashTableAccumulate")
    .Input("table_handle: resource")
    .Input("keys: key_dtype")
    .Input("deltas: value_dtype")
    .Attr("key_dtype: {int32, int64, string}")
    .Attr("value_dtype: {int32, int64, half, bfloat16, float, double}")
    .SetShapeFn(ScalarHandle)
    .Doc(R"doc(
Adds to the values of keys. A key that is new to the table starts from zero.

table_handle: A handle to the table.
keys: Keys, any number of dimensions of them. To a key that is there more than once, all of its deltas are added.
deltas: What to add, a value for each key.
)doc");

REGISTER_OP("Examples>ShardedHashTableClear")
    .Input("table_handle: resource")
    .SetShapeFn(ScalarHandle)
    .Doc(R"doc(
Removes all keys and their values.

table_handle: A handle to the table.
)doc");

REGISTER_OP("Examples>ShardedHashTableExportSorted")
    .Input("table_handle: resource")
    .Output("keys: key_dtype")
    .Output("values: value_dtype")
    .TYPE_ATTRS.SetShapeFn(ExportShapeFunction)
    .Doc(R"doc(
Reads the whole table as of one moment, in the order of its keys.

table_handle: A handle to the table.
keys: All keys; strings are in the order of their bytes.
values: Their values, in the order of `keys`.
)doc");
ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS(
    "Examples>ShardedHashTableExportSorted");

REGISTER_OP("Examples>ShardedHashTableExportSlices")
    .Input("table_handle: resource")
    .Output("keys: num_slices * key_dtype")
    .Output("values: num_slices * value_dtype")
    .TYPE_ATTRS.Attr("num_slices: int >= 1")
    .SetShapeFn(ExportShapeFunction)
    .Doc(R"doc(
Reads the whole table as of one moment, in slices.

table_handle: A handle to the table.
keys: For each slice its keys, in no particular order. They are about as many in each as long as there are as many shards.
values: For each slice the values of its keys.
num_slices: How many slices to make.
)doc");
ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS(
    "Examples>ShardedHashTableExportSlices");

REGISTER_OP("Examples>ShardedHashTableImportSlices")
    .Input("table_handle: resource")
    .Input("keys: num_slices * key_dtype")
    .Input("values: num_slices * value_dtype")
    .TYPE_ATTRS.Attr("num_slices: int >= 1")
    .SetShapeFn(ScalarHandle)
    .Doc(R"doc(
Puts new contents in place of all that the table holds.

table_handle: A handle to the table.
keys: Batches of keys. Of a key that is there more than once, the last value counts.
values: For each batch of keys, their values.
num_slices: How many batches there are.
)doc");

#undef TYPE_ATTRS

}  // namespace
}  // namespace custom_op_examples
