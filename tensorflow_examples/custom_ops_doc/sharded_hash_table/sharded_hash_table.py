"""A hash table for many keys and many threads: a mutable table to use in earnest."""

import os
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

_COMPOSITE = (tf.RaggedTensor, tf.SparseTensor)


class ShardedHashTable(tf.lookup.experimental.MutableHashTable):
    """A mutable hash table, from scalars or vectors to tensors of one shape.

    It is one of TensorFlow's: its methods are those of
    `tf.lookup.experimental.MutableHashTable` and `DenseHashTable`, and it can
    stand wherever one of those does. Batches of keys may have any shape. It is
    safe to use from many threads, which read without waiting for one another:

    - What concerns one key happens in some one order, which agrees with the
      order in which calls begin and end. A batch of keys is not one event, but
      of a key that it holds more than once only the last value is ever seen.
    - `export`, and with it a checkpoint, shows all keys as of one moment.
      `clear`, `do_import` and the restoring of a checkpoint happen at one moment
      for all who write or export.

    In eager code the table is destroyed when the last handle to it is. In a
    graph it has the name of its node in the session's resource manager, which
    keeps it from one `Session.run` to the next; so does a SavedModel in a
    session, while `tf.saved_model.load` makes a table of its own. It is saved
    with and restored from checkpoints and SavedModels. A lookup is not
    differentiable.

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
        experimental_is_anonymous: bool = False,
        *,
        num_shards: int = 64,
        empty_key: TensorLike | None = None,
        deleted_key: TensorLike | None = None,
        initial_num_buckets: int | None = None,
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
          name: A name for the table and its operations.
          checkpoint: Whether checkpoints and SavedModels store what is in the
            table.
          experimental_is_anonymous: Whether a table that is made in a graph has
            no name and goes with the call that made it: nothing that it holds
            is there in the next `Session.run`.
          num_shards: How many parts with a lock each the table has; a power of
            two of at most 1024. More of them let more threads write at once.
          empty_key: As `DenseHashTable` takes it, where one has to be. A key
            has its shape: give a vector if keys are vectors. It is a key like
            any other.
          deleted_key: Likewise, and of no effect.
          initial_num_buckets: Likewise, and of no effect.

        Raises:
          ValueError: If the shape of `default_value` or `empty_key` is not
            known.
          TypeError or ValueError: If `default_value` is not of `value_dtype`.
          tf.errors.InvalidArgumentError: If there is no table for these types,
            or none of `num_shards` shards. A graph raises a `TypeError` for the
            types, or the error when it runs.
        """
        del deleted_key, initial_num_buckets
        value_dtype = tf.as_dtype(value_dtype)
        self._default = tf.convert_to_tensor(
            default_value, value_dtype, name="default_value"
        )
        if empty_key is None:
            self._key_shape = tf.TensorShape([])
        else:
            self._key_shape = tf.convert_to_tensor(empty_key, key_dtype).shape
        for what, shape in (
            ("default_value", self._default.shape),
            ("empty_key", self._key_shape),
        ):
            if not shape.is_fully_defined():
                raise ValueError(
                    f"{what} must have a known shape, as every "
                    f"{'key' if what == 'empty_key' else 'value'} has it. Its "
                    f"shape: {shape}"
                )
        self._arguments = {
            "key_dtype": tf.as_dtype(key_dtype),
            "value_dtype": value_dtype,
            "default_value": self._default,
            "name": name,
            "checkpoint": checkpoint,
            "experimental_is_anonymous": experimental_is_anonymous,
            "num_shards": num_shards,
            "empty_key": empty_key,
        }
        self._is_of_eager_code = tf.executing_eagerly()
        super().__init__(
            tf.as_dtype(key_dtype),
            value_dtype,
            self._default,
            name,
            checkpoint,
            experimental_is_anonymous,
        )

    def _create_resource(self) -> tf.Tensor:
        """Makes the table and returns a handle to it.

        It is called again for a SavedModel: in the graph that a session is to
        run, where the node's name keeps the table, and in a function by which
        each `tf.saved_model.load` is to make one, which the function keeps.
        """
        arguments = self._arguments
        in_function = tf.compat.v1.get_default_graph().building_function
        return gen_sharded_hash_table_op.examples_sharded_hash_table(
            key_dtype=arguments["key_dtype"],
            value_dtype=arguments["value_dtype"],
            key_shape=self._key_shape,
            value_shape=self._default.shape,
            num_shards=arguments["num_shards"],
            anonymous=tf.executing_eagerly()
            or arguments["experimental_is_anonymous"],
            use_node_name_sharing=arguments["checkpoint"]
            and not (in_function and self._is_of_eager_code),
            name=arguments["name"],
        )

    def _serialize_to_tensors(self) -> dict[str, tf.Tensor]:
        """Gives what a checkpoint stores. Called by `Trackable`.

        A table may be larger than a tensor should be, so it is stored in
        slices, all as of one moment.
        """
        if not self._arguments["checkpoint"]:
            return {}
        slices = (
            gen_sharded_hash_table_op.examples_sharded_hash_table_export_slices(
                self.resource_handle,
                key_dtype=self.key_dtype,
                value_dtype=self.value_dtype,
                num_slices=_CHECKPOINT_SLICES,
            )
        )
        return {
            f"-{what}-{i}": tensor
            for what, tensors in zip(("keys", "values"), slices, strict=True)
            for i, tensor in enumerate(tensors)
        }

    def _restore_from_tensors(
        self, restored_tensors: dict[str, tf.Tensor]
    ) -> tf.Operation | None:
        """Takes what a checkpoint stored. Called by `Trackable`.

        Any number of slices will do, whatever keys are in which.
        """
        count = len(restored_tensors) // 2
        if count == 0:
            return None
        return self._import(
            [restored_tensors[f"-keys-{i}"] for i in range(count)],
            [restored_tensors[f"-values-{i}"] for i in range(count)],
        )

    def _import(
        self,
        keys: list[tf.Tensor],
        values: list[tf.Tensor],
        name: str | None = None,
    ) -> tf.Operation | None:
        return (
            gen_sharded_hash_table_op.examples_sharded_hash_table_import_slices(
                self.resource_handle, keys, values, name=name
            )
        )

    def _copy_trackable_to_cpu(self, object_map: dict) -> None:
        """Copies the table, for a checkpoint that is written meanwhile."""
        if self not in object_map:
            object_map[self] = type(self)(**self._arguments)
        object_map[self]._restore_from_tensors(self._serialize_to_tensors())

    def __deepcopy__(self, memo: dict) -> "ShardedHashTable":
        """Returns another table that holds the same."""
        if not tf.executing_eagerly():
            raise NotImplementedError(
                "A table can be copied in eager code only. Copy it in a graph "
                "by do_import(*table.export())."
            )
        copied = type(self)(**self._arguments)
        memo[id(self)] = copied
        copied.do_import(*self.export())
        return copied

    def restore_from(
        self, checkpoint: str, path: str, empty_keys: TensorLike = ()
    ) -> None:
        """Takes what a table of TensorFlow's has stored in a checkpoint.

        What this class has stored, `tf.train.Checkpoint` restores.

        Args:
          checkpoint: The checkpoint, as `tf.train.latest_checkpoint` names it.
          path: Where the table is in it: `"model/table"`, where
            `tf.train.Checkpoint(model=model)` has saved `model.table`, or the
            table's name, where `tf.compat.v1.train.Saver` has.
          empty_keys: Keys to leave out: a `DenseHashTable` stores its
            `empty_key` and its `deleted_key` for slots that are free.

        Raises:
          ValueError: If the checkpoint has no table at `path`. The table stays
            as it was.
          tf.errors.InvalidArgumentError: If that table has keys or values of
            another type or shape. The table stays as it was.
        """
        reader = tf.train.load_checkpoint(checkpoint)
        names = reader.get_variable_to_shape_map()
        for prefix in (f"{path}/.ATTRIBUTES/table", path):
            if f"{prefix}-keys" in names:
                break
        else:
            tables = sorted(
                name.removesuffix("-keys").removesuffix("/.ATTRIBUTES/table")
                for name in names
                if name.endswith("-keys")
            )
            raise ValueError(
                f"{os.fspath(checkpoint)} has no table of TensorFlow's at "
                f"{path!r}. It has them at: {tables}"
            )
        # A DenseHashTable's scalars are vectors there.
        keys, values = (
            tf.reshape(reader.get_tensor(f"{prefix}-{what}"), [-1, *shape])
            for what, shape in (
                ("keys", self._key_shape),
                ("values", self.value_shape),
            )
        )
        keep = tf.ones([len(keys)], tf.bool)
        for empty in tf.convert_to_tensor(empty_keys, keys.dtype):
            same = tf.reshape(keys == empty, [len(keys), -1])
            keep &= ~tf.reduce_all(same, axis=1)
        self._import([keys[keep]], [values[keep]])

    @property
    def name(self) -> str:
        """The name of the table and its operations."""
        return self._arguments["name"]

    @property
    def value_shape(self) -> tf.TensorShape:
        """The shape of the value of one key."""
        return self._default.shape

    @property
    def default_value(self) -> tf.Tensor:
        """What `lookup` returns for a key that is not in the table."""
        return self._default

    def _operation_name(self, name: str | None, method: str) -> str:
        return name or f"{self.name}_{method}"

    def _keys(self, keys: TensorLike) -> tf.Tensor:
        return tf.convert_to_tensor(keys, self.key_dtype, name="keys")

    def _set_shape(self, values: tf.Tensor, keys: tf.TensorShape) -> None:
        """Tells a graph the shape of the values of keys.

        The op knows it from the handle, if the table was made in the graph.
        """
        if not tf.executing_eagerly() and keys.rank is not None:
            batch = keys[: keys.rank - self._key_shape.rank]
            values.set_shape(batch.concatenate(self.value_shape))

    def _dense(self, keys, values, name: str):
        """Returns the dense keys and values of ragged or sparse ones.

        Raises:
          TypeError: If they are not both ragged or both sparse.
          tf.errors.InvalidArgumentError: If a value's place is not its key's.
        """
        if type(keys) is not type(values):
            raise TypeError(
                f"{name} must be a {type(keys).__name__} as keys are, not a "
                f"{type(values).__name__}"
            )
        if isinstance(keys, tf.RaggedTensor):
            if keys.ragged_rank != values.ragged_rank:
                raise ValueError(
                    f"{name} must have the ragged rank of keys: "
                    f"{keys.ragged_rank}. Its ragged rank: {values.ragged_rank}"
                )
            flat, flat_values = keys.flat_values, values.flat_values
            places = [
                ("row splits", *splits)
                for splits in zip(
                    keys.nested_row_splits,
                    values.nested_row_splits,
                    strict=True,
                )
            ]
        else:
            flat, flat_values = keys.values, values.values
            places = [
                ("dense shape", keys.dense_shape, values.dense_shape),
                ("indices", keys.indices, values.indices),
            ]
        checks = [
            tf.debugging.Assert(
                _equal(of_keys, of_values),
                [
                    f"{name} must have the {what} of keys:",
                    of_keys,
                    f"Its {what}:",
                    of_values,
                ],
                summarize=10,
            )
            for what, of_keys, of_values in places
            if of_keys is not of_values
        ]
        if not tf.executing_eagerly():
            with tf.control_dependencies(checks):
                flat_values = tf.identity(flat_values)
        return flat, flat_values

    def _flat(self, keys) -> tf.Tensor:
        if isinstance(keys, tf.RaggedTensor):
            return keys.flat_values
        if self.value_shape.rank or self._key_shape.rank:
            raise ValueError(
                "Sparse keys and their values must be scalars. The shape of a "
                f"key: {self._key_shape}, of a value: {self.value_shape}"
            )
        return keys.values

    def size(self, name: str | None = None) -> tf.Tensor:
        """Returns the number of keys, a scalar of type `tf.int64`.

        If others write meanwhile, keys that they add or remove may be counted
        or not.
        """
        return tf.raw_ops.LookupTableSizeV2(
            table_handle=self.resource_handle,
            name=self._operation_name(name, "size"),
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
            another shape, or other row splits or indices than `keys`.
        """
        defaults = dynamic_default_values
        if isinstance(keys, _COMPOSITE):
            flat = self._flat(keys)
            if isinstance(defaults, _COMPOSITE):
                flat, defaults = self._dense(
                    keys, defaults, "dynamic_default_values"
                )
            elif defaults is not None:
                defaults = tf.ensure_shape(
                    tf.convert_to_tensor(defaults, self.value_dtype),
                    self.value_shape,
                )
            values = self.lookup(flat, defaults, name)
            if isinstance(keys, tf.RaggedTensor):
                return keys.with_flat_values(values)
            return tf.SparseTensor(keys.indices, values, keys.dense_shape)
        if defaults is None:
            defaults = self._default
        else:
            defaults = self._values(defaults, "dynamic_default_values")
        keys = self._keys(keys)
        values = tf.raw_ops.LookupTableFindV2(
            table_handle=self.resource_handle,
            keys=keys,
            default_value=defaults,
            name=self._operation_name(name, "lookup"),
        )
        self._set_shape(values, keys.shape)
        return values

    def _values(self, values: TensorLike, name: str) -> tf.Tensor:
        if isinstance(values, _COMPOSITE):
            raise TypeError(
                f"{name} must be a tensor as keys are, not a "
                f"{type(values).__name__}"
            )
        return tf.convert_to_tensor(values, self.value_dtype, name=name)

    def _keys_and_values(self, keys, values, name: str):
        """Returns as tensors what is to be inserted or added."""
        if isinstance(keys, _COMPOSITE):
            self._flat(keys)
            keys, values = self._dense(keys, values, name)
        return self._keys(keys), self._values(values, name)

    def insert(
        self,
        keys: TensorLike | tf.RaggedTensor | tf.SparseTensor,
        values: TensorLike | tf.RaggedTensor | tf.SparseTensor,
        name: str | None = None,
    ) -> tf.Operation | None:
        """Sets the values of keys, which may be in the table already.

        Args:
          keys: A tensor of any shape, a `tf.RaggedTensor` or a
            `tf.SparseTensor`, of type `key_dtype`. Of a key that is there more
            than once, the last value counts.
          values: Of type `value_dtype` and of the shape of `keys` followed by
            `value_shape`; ragged or sparse as `keys` are.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError or ValueError: If an argument is of another type.
          tf.errors.InvalidArgumentError: If `values` has another shape, or
            other row splits or indices than `keys`. The table stays as it was.
          tf.errors.ResourceExhaustedError: If there is no memory for more keys.
            Some of them may be in the table.
        """
        keys, values = self._keys_and_values(keys, values, "values")
        return tf.raw_ops.LookupTableInsertV2(
            table_handle=self.resource_handle,
            keys=keys,
            values=values,
            name=self._operation_name(name, "insert"),
        )

    insert_or_assign = insert

    def accumulate(
        self,
        keys: TensorLike | tf.RaggedTensor | tf.SparseTensor,
        deltas: TensorLike | tf.RaggedTensor | tf.SparseTensor,
        name: str | None = None,
    ) -> tf.Operation | None:
        """Adds to the values of keys, so that no addition is lost.

        A key that is not in the table starts from zero, as in a counter, and
        not from `default_value`, which is what a lookup says of it.

        Args:
          keys: As for `insert`. To a key that is there more than once all of
            its deltas are added.
          deltas: As the values for `insert`. Integers wrap around.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError: If the values of the table are not numbers.
          And what `insert` raises.
        """
        if self.value_dtype not in _NUMBERS:
            raise TypeError(
                f"Values of type {self.value_dtype.name} cannot be added, only "
                f"those of {', '.join(dtype.name for dtype in _NUMBERS)}"
            )
        keys, deltas = self._keys_and_values(keys, deltas, "deltas")
        return gen_sharded_hash_table_op.examples_sharded_hash_table_accumulate(
            self.resource_handle,
            keys,
            deltas,
            name=self._operation_name(name, "accumulate"),
        )

    def remove(
        self,
        keys: TensorLike | tf.RaggedTensor | tf.SparseTensor,
        name: str | None = None,
    ) -> tf.Operation | None:
        """Removes keys and their values. Keys that are not there are ignored.

        Args:
          keys: As for `lookup`.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError or ValueError: If `keys` is of another type.
        """
        if isinstance(keys, _COMPOSITE):
            keys = self._flat(keys)
        keys = self._keys(keys)
        if keys.shape.rank == 0:  # TensorFlow's shape function wants more.
            keys = tf.reshape(keys, [1])
        return tf.raw_ops.LookupTableRemoveV2(
            table_handle=self.resource_handle,
            keys=keys,
            name=self._operation_name(name, "remove"),
        )

    erase = remove

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
          The keys, of type `key_dtype`, in no particular order unless
          `stable_order`; and their values, in the same order, of type
          `value_dtype`. The first dimension of both is that of the keys.
        """
        name = self._operation_name(name, "export")
        if stable_order:
            keys, values = (
                gen_sharded_hash_table_op.examples_sharded_hash_table_export_sorted(
                    self.resource_handle,
                    key_dtype=self.key_dtype,
                    value_dtype=self.value_dtype,
                    name=name,
                )
            )
        else:
            keys, values = tf.raw_ops.LookupTableExportV2(
                table_handle=self.resource_handle,
                Tkeys=self.key_dtype,
                Tvalues=self.value_dtype,
                name=name,
            )
        if not tf.executing_eagerly():
            keys.set_shape([None, *self._key_shape])
            values.set_shape([None, *self.value_shape])
        return keys, values

    def do_import(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Puts new keys and values in place of all that the table holds.

        Args:
          keys: Of type `key_dtype` and any shape. Of a key that is there more
            than once, the last value counts.
          values: A tensor of type `value_dtype` and of the shape of `keys`
            followed by `value_shape`.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError or ValueError: If an argument is of another type.
          tf.errors.InvalidArgumentError: If an argument has another shape. The
            table stays as it was.
          tf.errors.ResourceExhaustedError: If there is no memory for the new
            keys beside those that are there. The table stays as it was.
        """
        return self._import(
            [self._keys(keys)],
            [self._values(values, "values")],
            self._operation_name(name, "import"),
        )


def _equal(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """Whether two tensors have the same shape and elements."""
    a, b = tf.cast(a, tf.int64), tf.cast(b, tf.int64)
    if not a.shape.is_compatible_with(b.shape):
        return tf.constant(False)
    same_size = tf.equal(tf.size(a), tf.size(b))
    # It is not an error that they differ in length.
    equal = tf.raw_ops.Equal(x=a, y=b, incompatible_shape_error=False)
    return same_size & tf.reduce_all(equal)


# A lookup is not differentiable: a cotangent of the values ends here, where
# without these lines it would be an error. TensorFlow says so of its own ops.
for _op in (
    "",
    "Accumulate",
    "Clear",
    "ExportSorted",
    "ExportSlices",
    "ImportSlices",
):
    tf.no_gradient(f"Examples>ShardedHashTable{_op}")
