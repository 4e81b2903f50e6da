"""A hash table for many keys and many threads: a mutable table to use in earnest."""

from typing import overload

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    gen_sharded_hash_table_op,
)

TensorLike = tf.types.experimental.TensorLike

# How many tensors of keys, and as many of values, a checkpoint has of a table.
# It is part of the format: what is saved in 16 slices is read in 16.
_CHECKPOINT_SLICES = 16

_NUMBERS = (
    tf.int32,
    tf.int64,
    tf.float16,
    tf.bfloat16,
    tf.float32,
    tf.float64,
)


class ShardedHashTable(tf.saved_model.experimental.TrackableResource):
    """A mutable hash table, from scalars to tensors of one shape.

    It has the methods of `tf.lookup.experimental.MutableHashTable`, and can
    stand wherever that one does. Batches of keys may have any shape. It is safe
    to use from many threads, which read without waiting for one another:

    - What concerns one key happens in some one order, which agrees with the
      order in which calls begin and end. A batch of keys is not one event, but
      of a key that it holds more than once only the last value is ever seen.
    - `export`, and with it a checkpoint, shows all keys as of one moment.
      `clear`, `do_import` and the restoring of a checkpoint happen at one moment
      for all who write or export.

    The table is destroyed when the last handle to it is; it has no name by
    which others could find it. It is saved with and restored from checkpoints
    and SavedModels, in slices. A lookup is not differentiable.

    >>> table = ShardedHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [7, 8])
    >>> table.lookup([["a"], ["c"]]).numpy()
    array([[ 7],
           [-1]])
    >>> table.accumulate(["a", "c", "c"], [1, 10, 10])
    >>> table.export(stable_order=True)[1].numpy()
    array([ 8,  8, 20])

    There is no `len(table)`, as a table without keys would then be false;
    there is `size()`.
    """

    def __init__(
        self,
        key_dtype: tf.DType | type | str,
        value_dtype: tf.DType | type | str,
        default_value: TensorLike,
        name: str = "ShardedHashTable",
        checkpoint: bool = True,
        *,
        num_shards: int = 64,
    ) -> None:
        """Makes an empty table.

        Args:
          key_dtype: The type of the keys: `tf.int32`, `tf.int64` or
            `tf.string`, as `tf.as_dtype` takes it.
          value_dtype: The type of the values: `tf.bool`, `tf.int32`,
            `tf.int64`, `tf.float16`, `tf.bfloat16`, `tf.float32`, `tf.float64`
            or `tf.string`, likewise.
          default_value: What `lookup` returns for a key that is not in the
            table, unless told otherwise. Its shape is that of every value.
          name: A name for the operations of the table.
          checkpoint: Whether checkpoints and SavedModels store what is in the
            table.
          num_shards: How many parts with a lock each the table has; a power of
            two of at most 1024. More of them let more threads write at once.

        Raises:
          ValueError: If the shape of `default_value` is not known.
          TypeError or ValueError: If `default_value` is not of `value_dtype`.
          tf.errors.InvalidArgumentError: If there is no table for these types,
            or none of `num_shards` shards. A graph raises a `TypeError` for the
            types, or the error when it runs.
        """
        super().__init__()
        self._key_dtype = tf.as_dtype(key_dtype)
        self._value_dtype = tf.as_dtype(value_dtype)
        self._default_value = tf.convert_to_tensor(
            default_value, dtype=self._value_dtype, name="default_value"
        )
        self._value_shape = self._default_value.shape
        if not self._value_shape.is_fully_defined():
            raise ValueError(
                "default_value must have a known shape, as every value has it. "
                f"Its shape: {self._value_shape}"
            )
        self._name = name
        self._checkpoint = checkpoint
        self._num_shards = num_shards
        self._resource_handle = self._create_resource()

    def _create_resource(self) -> tf.Tensor:
        """Makes the table and returns the handle that owns it.

        `TrackableResource` calls it too, for a table in a SavedModel.
        """
        return gen_sharded_hash_table_op.examples_sharded_hash_table_create(
            key_dtype=self._key_dtype,
            value_dtype=self._value_dtype,
            value_shape=self._value_shape,
            num_shards=self._num_shards,
            name=self._name,
        )

    def _serialize_to_tensors(self) -> dict[str, tf.Tensor]:
        """Gives what a checkpoint stores. Called by `Trackable`.

        A table may be larger than a tensor should be, so it is stored in
        slices, all as of one moment.
        """
        if not self._checkpoint:
            return {}
        keys, values = (
            gen_sharded_hash_table_op.examples_sharded_hash_table_export_slices(
                self.resource_handle,
                key_dtype=self._key_dtype,
                value_dtype=self._value_dtype,
                num_slices=_CHECKPOINT_SLICES,
            )
        )
        tensors = {}
        for i, (slice_keys, slice_values) in enumerate(
            zip(keys, values, strict=True)
        ):
            tensors[f"table-keys-{i}"] = slice_keys
            tensors[f"table-values-{i}"] = slice_values
        return tensors

    def _restore_from_tensors(
        self, restored_tensors: dict[str, tf.Tensor]
    ) -> tf.Operation | None:
        """Takes what a checkpoint stored. Called by `Trackable`.

        Any number of slices will do, whatever keys are in which.
        """
        count = len(restored_tensors) // 2
        if count == 0:
            return None
        return gen_sharded_hash_table_op.examples_sharded_hash_table_import(
            self.resource_handle,
            [restored_tensors[f"table-keys-{i}"] for i in range(count)],
            [restored_tensors[f"table-values-{i}"] for i in range(count)],
        )

    def _copy_trackable_to_cpu(self, object_map: dict) -> None:
        """Copies the table, for a checkpoint that is written meanwhile."""
        if self not in object_map:
            object_map[self] = ShardedHashTable(
                self._key_dtype,
                self._value_dtype,
                self._default_value,
                self._name,
                self._checkpoint,
                num_shards=self._num_shards,
            )
        object_map[self]._restore_from_tensors(self._serialize_to_tensors())

    @property
    def name(self) -> str:
        """The name of the table's operations."""
        return self._name

    @property
    def key_dtype(self) -> tf.DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> tf.DType:
        """The type of the values."""
        return self._value_dtype

    @property
    def value_shape(self) -> tf.TensorShape:
        """The shape of the value of one key."""
        return self._value_shape

    @property
    def default_value(self) -> tf.Tensor:
        """What `lookup` returns for a key that is not in the table."""
        return self._default_value

    def _operation_name(self, name: str | None, method: str) -> str:
        return name or f"{self._name}_{method}"

    def _keys(self, keys: TensorLike) -> tf.Tensor:
        return tf.convert_to_tensor(keys, self._key_dtype, name="keys")

    def _set_shape(self, values: tf.Tensor, keys: tf.TensorShape) -> None:
        """Tells a graph the shape of the values of keys.

        The op knows it from the handle, if the table was made in the graph.
        """
        if not tf.executing_eagerly():
            values.set_shape(keys.concatenate(self._value_shape))

    def size(self, name: str | None = None) -> tf.Tensor:
        """Returns the number of keys, a scalar of type `tf.int64`.

        If others write meanwhile, keys that they add or remove may be counted
        or not.
        """
        return gen_sharded_hash_table_op.examples_sharded_hash_table_size(
            self.resource_handle, name=self._operation_name(name, "size")
        )

    @overload
    def lookup(
        self,
        keys: tf.RaggedTensor,
        dynamic_default_values: TensorLike | tf.RaggedTensor | None = None,
        name: str | None = None,
    ) -> tf.RaggedTensor: ...

    @overload
    def lookup(
        self,
        keys: tf.SparseTensor,
        dynamic_default_values: TensorLike | tf.SparseTensor | None = None,
        name: str | None = None,
    ) -> tf.SparseTensor: ...

    @overload
    def lookup(
        self,
        keys: TensorLike,
        dynamic_default_values: TensorLike | None = None,
        name: str | None = None,
    ) -> tf.Tensor: ...

    def lookup(self, keys, dynamic_default_values=None, name=None):
        """Returns the values of keys.

        Args:
          keys: A tensor of any shape, a `tf.RaggedTensor` or a
            `tf.SparseTensor`, of type `key_dtype`.
          dynamic_default_values: What to return for keys that are not in the
            table: a tensor of the shape `value_shape` for all of them, or one
            of the shape of what is returned, with a default for each; for
            ragged or sparse keys that is one ragged or sparse as they are. If
            None, the table's `default_value`.
          name: A name for the operation.

        Returns:
          The values, of type `value_dtype` and of the shape of `keys` followed
          by `value_shape`; ragged or sparse as `keys` are.

        Raises:
          TypeError or ValueError: If an argument is of another type, or in a
            graph is known to have another shape, or if `keys` is sparse and the
            values are not scalars.
          tf.errors.InvalidArgumentError: If `dynamic_default_values` has
            another shape.
        """
        if isinstance(keys, tf.RaggedTensor):
            if isinstance(dynamic_default_values, tf.RaggedTensor):
                dynamic_default_values = dynamic_default_values.flat_values
            return keys.with_flat_values(
                self.lookup(keys.flat_values, dynamic_default_values, name)
            )
        if isinstance(keys, tf.SparseTensor):
            if self._value_shape.rank != 0:
                raise ValueError(
                    "The values of sparse keys must be scalars. The shape of a "
                    f"value: {self._value_shape}"
                )
            if isinstance(dynamic_default_values, tf.SparseTensor):
                dynamic_default_values = dynamic_default_values.values
            return tf.SparseTensor(
                keys.indices,
                self.lookup(keys.values, dynamic_default_values, name),
                keys.dense_shape,
            )
        if dynamic_default_values is None:
            defaults = self._default_value
        else:
            defaults = tf.convert_to_tensor(
                dynamic_default_values, self._value_dtype, name="default_values"
            )
        keys = self._keys(keys)
        values = gen_sharded_hash_table_op.examples_sharded_hash_table_find(
            self.resource_handle,
            keys,
            defaults,
            name=self._operation_name(name, "lookup"),
        )
        self._set_shape(values, keys.shape)
        return values

    def __getitem__(self, keys: TensorLike) -> tf.Tensor:
        """Returns the values of keys, as `lookup` does."""
        return self.lookup(keys)

    def insert(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Sets the values of keys, which may be in the table already.

        Args:
          keys: A tensor of any shape, of type `key_dtype`. Of a key that is
            there more than once, the last value counts.
          values: A tensor of type `value_dtype` and of the shape of `keys`
            followed by `value_shape`.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError or ValueError: If an argument is of another type, or in a
            graph is known to have another shape.
          tf.errors.InvalidArgumentError: If `values` has another shape. The
            table stays as it was.
          tf.errors.ResourceExhaustedError: If there is no memory for more keys.
            Some of them may be in the table.
        """
        return gen_sharded_hash_table_op.examples_sharded_hash_table_insert(
            self.resource_handle,
            self._keys(keys),
            tf.convert_to_tensor(values, self._value_dtype, name="values"),
            name=self._operation_name(name, "insert"),
        )

    def accumulate(
        self, keys: TensorLike, deltas: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Adds to the values of keys, so that no addition is lost.

        A key that is not in the table starts from zero, as in a counter, and
        not from `default_value`, which is what a lookup says of it.

        Args:
          keys: A tensor of any shape, of type `key_dtype`. To a key that is
            there more than once all of its deltas are added.
          deltas: A tensor of type `value_dtype` and of the shape of `keys`
            followed by `value_shape`. Integers wrap around.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError: If the values of the table are not numbers.
          TypeError or ValueError: If an argument is of another type, or in a
            graph is known to have another shape.
          tf.errors.InvalidArgumentError: If `deltas` has another shape. The
            table stays as it was.
          tf.errors.ResourceExhaustedError: If there is no memory for more keys.
            Some of the deltas may have been added.
        """
        if self._value_dtype not in _NUMBERS:
            raise TypeError(
                f"Values of type {self._value_dtype.name} cannot be added, only "
                f"those of {', '.join(dtype.name for dtype in _NUMBERS)}"
            )
        return gen_sharded_hash_table_op.examples_sharded_hash_table_accumulate(
            self.resource_handle,
            self._keys(keys),
            tf.convert_to_tensor(deltas, self._value_dtype, name="deltas"),
            name=self._operation_name(name, "accumulate"),
        )

    def remove(
        self, keys: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Removes keys and their values. Keys that are not there are ignored.

        Args:
          keys: A tensor of any shape, of type `key_dtype`.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError or ValueError: If `keys` is of another type.
        """
        return gen_sharded_hash_table_op.examples_sharded_hash_table_remove(
            self.resource_handle,
            self._keys(keys),
            name=self._operation_name(name, "remove"),
        )

    def clear(self, name: str | None = None) -> tf.Operation | None:
        """Removes all keys and their values, and frees their memory.

        Args:
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.
        """
        return gen_sharded_hash_table_op.examples_sharded_hash_table_clear(
            self.resource_handle, name=self._operation_name(name, "clear")
        )

    def export(
        self, name: str | None = None, *, stable_order: bool = False
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns all keys and their values, as of one moment.

        Args:
          name: A name for the operation.
          stable_order: Whether to sort the keys, strings by their bytes. It
            takes several times as long.

        Returns:
          The keys, a vector of type `key_dtype`, in no particular order unless
          `stable_order`; and their values, in the same order, of type
          `value_dtype` and of the shape of the keys followed by `value_shape`.
        """
        keys, values = (
            gen_sharded_hash_table_op.examples_sharded_hash_table_export(
                self.resource_handle,
                key_dtype=self._key_dtype,
                value_dtype=self._value_dtype,
                stable_order=stable_order,
                name=self._operation_name(name, "export"),
            )
        )
        self._set_shape(values, tf.TensorShape([None]))
        return keys, values

    def do_import(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Puts new keys and values in place of all that the table holds.

        Args:
          keys: A vector of type `key_dtype`. Of a key that is there more than
            once, the last value counts.
          values: A tensor of type `value_dtype` and of the shape of `keys`
            followed by `value_shape`.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError or ValueError: If an argument is of another type, or in a
            graph is known to have another shape.
          tf.errors.InvalidArgumentError: If an argument has another shape. The
            table stays as it was.
          tf.errors.ResourceExhaustedError: If there is no memory for the new
            keys beside those that are there. The table stays as it was.
        """
        return gen_sharded_hash_table_op.examples_sharded_hash_table_import(
            self.resource_handle,
            [self._keys(keys)],
            [tf.convert_to_tensor(values, self._value_dtype, name="values")],
            name=self._operation_name(name, "import"),
        )


# A lookup is not differentiable: a cotangent of the values ends here, where
# without these lines it would be an error.
for _op in (
    "Create",
    "Find",
    "Insert",
    "Accumulate",
    "Remove",
    "Clear",
    "Size",
    "Export",
    "ExportSlices",
    "Import",
):
    tf.no_gradient(f"Examples>ShardedHashTable{_op}")
