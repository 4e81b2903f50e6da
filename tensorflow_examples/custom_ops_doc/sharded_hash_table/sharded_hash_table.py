"""A hash table for many keys and many threads: a mutable table to use in earnest."""

import copy

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    gen_sharded_hash_table_op as gen_ops,
)

TensorLike = tf.types.experimental.TensorLike
_Keys = TensorLike | tf.RaggedTensor | tf.SparseTensor
_Result = tf.Tensor | tf.RaggedTensor | tf.SparseTensor
_RAGGED_OR_SPARSE = (tf.RaggedTensor, tf.SparseTensor)

# How many tensors of keys, and as many of values, a checkpoint has of a table.
# It is part of the format: what is saved in 16 slices is read in 16.
_CHECKPOINT_SLICES = 16


class ShardedHashTable(tf.lookup.experimental.MutableHashTable):
    """A mutable hash table, from scalars or vectors to tensors of one shape.

    It is one of TensorFlow's: it can stand wherever a
    `tf.lookup.experimental.MutableHashTable` or `DenseHashTable` does, whose
    methods are described there. Batches of keys may have any shape. It is safe
    to use from many threads, which read without waiting for one another:

    - What concerns one key happens in some one order, which agrees with the
      order in which calls begin and end. A batch of keys is not one event, but
      of a key that it holds more than once only the last value is ever seen.
    - `export`, and with it a checkpoint, shows all keys as of one moment.
      `clear`, `do_import` and the restoring of a checkpoint happen at one moment
      for all who write or export.

    In eager code the table is destroyed when the last handle to it is. In a
    graph its node's name keeps it in the session, from one run to the next, also
    that of a SavedModel; `tf.saved_model.load` makes a table of its own. It is
    saved with and restored from checkpoints and SavedModels. A lookup is not
    differentiable.

    A write returns its operation in a graph, None in eager code. It raises
    `tf.errors.InvalidArgumentError` for a shape that does not fit, or
    `tf.errors.ResourceExhaustedError` if memory has run out, and leaves the
    table as it was; but if others wrote to it in the middle of the call, some
    of the keys may be in it.

    >>> table = ShardedHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [7, 8])
    >>> table.lookup([["a"], ["c"]]).numpy()
    array([[ 7],
           [-1]])
    >>> table.accumulate(["a", "c", "c"], [1, 10, 10])
    >>> table.export(stable_order=True)[1].numpy()
    array([ 8,  8, 20])

    There is no `len(table)`, as a table without keys would then be false;
    there is `size()`. Nor is it iterated: Python would look up 0, 1, ... for
    ever, in `key in table` too.
    """

    __iter__ = None

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
          key_dtype: `tf.int32`, `tf.int64` or `tf.string`, as `tf.as_dtype`
            takes it.
          value_dtype: `tf.bool`, `tf.int32`, `tf.int64`, `tf.float16`,
            `tf.bfloat16`, `tf.float32`, `tf.float64` or `tf.string`, likewise.
          default_value: What `lookup` returns for a key that is not there,
            unless told otherwise. Its shape is that of every value.
          name: A name for the table and its operations.
          checkpoint: Whether checkpoints and SavedModels store what is in the
            table.
          experimental_is_anonymous: Whether a table that is made in a graph
            goes with the call that made it: what it holds is gone in the next.
          num_shards: How many parts with a lock each the table has; a power of
            two of at most 1024. More of them let more threads write at once.
          empty_key: A key has its shape: give a vector if keys are vectors. It
            is a key like any other; this and the next two are what
            `DenseHashTable` takes.
          deleted_key: Of no effect.
          initial_num_buckets: Of no effect.

        Raises:
          ValueError: If the shape of `default_value` or `empty_key` is not
            known.
          TypeError or ValueError: If `default_value` is not of `value_dtype`.
          tf.errors.InvalidArgumentError: If there is no table for these types,
            or none of `num_shards` shards. A graph raises a `TypeError` for the
            types, or the error when it runs.
        """
        del deleted_key, initial_num_buckets
        key_dtype, value_dtype = (
            tf.as_dtype(key_dtype),
            tf.as_dtype(value_dtype),
        )
        self._default = tf.convert_to_tensor(default_value, value_dtype)
        self._key_shape = tf.TensorShape([])
        if empty_key is not None:
            self._key_shape = tf.convert_to_tensor(empty_key, key_dtype).shape
        for what, shape in (
            ("default_value", self._default.shape),
            ("empty_key", self._key_shape),
        ):
            if not shape.is_fully_defined():
                raise ValueError(f"{what} must have a known shape, not {shape}")
        self._checkpointed = checkpoint
        self._is_of_eager_code = tf.executing_eagerly()
        self._create_arguments = {
            "key_dtype": key_dtype,
            "value_dtype": value_dtype,
            "key_shape": self._key_shape,
            "value_shape": self._default.shape,
            "num_shards": num_shards,
            "anonymous": experimental_is_anonymous,
            "name": name,
        }
        common = name, checkpoint, experimental_is_anonymous
        super().__init__(key_dtype, value_dtype, self._default, *common)

    def _create_resource(self) -> tf.Tensor:
        """Makes the table and returns a handle to it.

        It is called again for a SavedModel: in the graph that a session is to
        run, where the node's name keeps the table, and in a function by which
        each `tf.saved_model.load` is to make one, which the function keeps.
        """
        in_function = tf.compat.v1.get_default_graph().building_function
        arguments = dict(self._create_arguments)
        arguments["anonymous"] |= tf.executing_eagerly()
        return gen_ops.examples_sharded_hash_table(
            use_node_name_sharing=self._checkpointed
            and not (in_function and self._is_of_eager_code),
            **arguments,
        )

    def _serialize_to_tensors(self) -> dict[str, tf.Tensor]:
        """Gives what a checkpoint stores. Called by `Trackable`.

        It is in slices, as a table may be larger than a tensor should be.
        """
        if not self._checkpointed:
            return {}
        slices = gen_ops.examples_sharded_hash_table_export_slices(
            self.resource_handle,
            self.key_dtype,
            self.value_dtype,
            num_slices=_CHECKPOINT_SLICES,
        )
        return {
            f"-{what}-{i}": tensor
            for what, tensors in zip(("keys", "values"), slices, strict=True)
            for i, tensor in enumerate(tensors)
        }

    def _restore_from_tensors(
        self, restored_tensors: dict[str, tf.Tensor]
    ) -> tf.Operation | None:
        """Takes what a checkpoint stored, in any slices. Called by `Trackable`."""
        slices = range(len(restored_tensors) // 2)
        if not slices:
            return None
        return gen_ops.examples_sharded_hash_table_import_slices(
            self.resource_handle,
            [restored_tensors[f"-keys-{i}"] for i in slices],
            [restored_tensors[f"-values-{i}"] for i in slices],
        )

    def _copy_trackable_to_cpu(self, object_map: dict) -> None:
        """Copies the table, for a checkpoint that is written meanwhile."""
        if self not in object_map:
            object_map[self] = self._with_another_resource()
        object_map[self].do_import(*self.export())

    def _with_another_resource(self) -> "ShardedHashTable":
        other = copy.copy(self)
        other._resource_handle = other._create_resource()
        return other

    def __deepcopy__(self, memo: dict) -> "ShardedHashTable":
        """Returns another table that holds the same."""
        if not tf.executing_eagerly():
            raise NotImplementedError(
                "A table can be copied in eager code only. In a graph, give "
                "what it exports to do_import of another one."
            )
        memo[id(self)] = copied = self._with_another_resource()
        copied.do_import(*self.export())
        return copied

    def restore_from(
        self, checkpoint: str, path: str, free_keys: TensorLike = ()
    ) -> None:
        """Takes what a table of TensorFlow's has stored in a checkpoint.

        What this class has stored, `tf.train.Checkpoint` restores.

        Args:
          checkpoint: The checkpoint, as `tf.train.latest_checkpoint` names it.
          path: Where the table is in it: `"model/table"`, if
            `tf.train.Checkpoint(model=model)` has saved `model.table`, or the
            table's name, if `tf.compat.v1.train.Saver` has.
          free_keys: Keys to leave out: a `DenseHashTable` stores its
            `empty_key` and its `deleted_key` for slots that are free.

        Raises:
          ValueError, tf.errors.InvalidArgumentError: If the checkpoint has no
            table at `path`, or one of other types or shapes. The table stays as
            it was.
        """
        reader = tf.train.load_checkpoint(checkpoint)
        prefixes = {
            key.removesuffix("-keys").removesuffix("/.ATTRIBUTES/table"): (
                key.removesuffix("keys")
            )
            for key in reader.get_variable_to_shape_map()
            if key.endswith("-keys")
        }
        if path not in prefixes:
            raise ValueError(
                f"{checkpoint} has no table of TensorFlow's at {path!r}. It has "
                f"them at: {sorted(prefixes)}"
            )
        # A DenseHashTable's scalars are vectors there.
        keys = reader.get_tensor(prefixes[path] + "keys")
        keys = tf.reshape(keys, [-1, *self._key_shape])
        values = reader.get_tensor(prefixes[path] + "values")
        values = tf.reshape(values, [-1, *self.value_shape])
        keep = tf.ones([len(keys)], tf.bool)
        for free in tf.convert_to_tensor(free_keys, keys.dtype):
            same = tf.reshape(keys == free, [len(keys), -1])
            keep &= ~tf.reduce_all(same, axis=1)
        self._restore_from_tensors(
            {"-keys-0": keys[keep], "-values-0": values[keep]}
        )

    @property
    def name(self) -> str:
        """The name of the table and its operations."""
        return self._create_arguments["name"]

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

    def _flat_keys(self, keys: _Keys) -> tf.Tensor:
        if isinstance(keys, tf.RaggedTensor):
            keys = keys.flat_values
        elif isinstance(keys, tf.SparseTensor):
            if self._default.shape.rank or self._key_shape.rank:
                raise ValueError(
                    "Sparse keys and their values must be scalars. A key has "
                    f"the shape {self._key_shape}, a value {self.value_shape}"
                )
            keys = keys.values
        return tf.convert_to_tensor(keys, self.key_dtype, name="keys")

    def _flat_values(self, keys: _Keys, values: _Keys, name: str) -> tf.Tensor:
        """Returns the values, each of which must be where its key is."""
        for kind in _RAGGED_OR_SPARSE:
            if isinstance(keys, kind) != isinstance(values, kind):
                raise TypeError(
                    f"{name} must be a {type(keys).__name__} as keys are, not a "
                    f"{type(values).__name__}"
                )
        if isinstance(keys, tf.RaggedTensor):
            places = keys.nested_row_splits, values.nested_row_splits
            values = _placed("row splits", places, values.flat_values, name)
        elif isinstance(keys, tf.SparseTensor):
            places = [(x.dense_shape, x.indices) for x in (keys, values)]
            values = _placed(
                "indices in the shape", places, values.values, name
            )
        return tf.convert_to_tensor(values, self.value_dtype, name=name)

    def size(self, name: str | None = None) -> tf.Tensor:
        """Returns the number of keys; those written meanwhile may be counted."""
        return tf.raw_ops.LookupTableSizeV2(
            table_handle=self.resource_handle,
            name=self._operation_name(name, "size"),
        )

    def lookup(
        self,
        keys: _Keys,
        dynamic_default_values: _Keys | None = None,
        name: str | None = None,
    ) -> _Result:
        """Returns the values of keys.

        Args:
          keys: Of any shape, ragged or sparse, of type `key_dtype`.
          dynamic_default_values: What to return for keys that are not in the
            table: a tensor of the shape `value_shape` for all of them, or a
            default for each, of the shape of what is returned; for ragged or
            sparse keys that is one ragged or sparse as they are. If None, the
            table's `default_value`.
          name: A name for the operation.

        Returns:
          The values, of the shape of `keys` followed by `value_shape`; ragged
          or sparse as `keys` are.

        Raises:
          TypeError or ValueError: If an argument is of another type, or if
            `keys` is sparse and the values are not scalars.
          tf.errors.InvalidArgumentError: If `dynamic_default_values` has
            another shape, or other row splits or indices than `keys`.
        """
        flat = self._flat_keys(keys)
        defaults = dynamic_default_values
        if defaults is None:
            defaults = self._default
        elif isinstance(defaults, _RAGGED_OR_SPARSE) or not isinstance(
            keys, _RAGGED_OR_SPARSE
        ):
            defaults = self._flat_values(
                keys, defaults, "dynamic_default_values"
            )
        else:  # One for each would be ragged or sparse as the keys are.
            defaults = tf.ensure_shape(
                tf.convert_to_tensor(defaults, self.value_dtype),
                self.value_shape,
            )
        values = tf.raw_ops.LookupTableFindV2(
            table_handle=self.resource_handle,
            keys=flat,
            default_value=defaults,
            name=self._operation_name(name, "lookup"),
        )
        if not tf.executing_eagerly() and flat.shape.rank is not None:
            # The op does not know it from the handle of another graph.
            batch = flat.shape[: flat.shape.rank - self._key_shape.rank]
            values.set_shape(batch.concatenate(self.value_shape))
        if isinstance(keys, tf.RaggedTensor):
            return keys.with_flat_values(values)
        if isinstance(keys, tf.SparseTensor):
            return tf.SparseTensor(keys.indices, values, keys.dense_shape)
        return values

    def insert(
        self, keys: _Keys, values: _Keys, name: str | None = None
    ) -> tf.Operation | None:
        """Sets the values of keys, which may be in the table already.

        Args:
          keys: Of any shape, ragged or sparse, of type `key_dtype`. Of a key
            that is there more than once, the last value counts.
          values: Of type `value_dtype` and of the shape of `keys` followed by
            `value_shape`; ragged or sparse as `keys` are.
          name: A name for the operation.
        """
        values = self._flat_values(keys, values, "values")
        return tf.raw_ops.LookupTableInsertV2(
            table_handle=self.resource_handle,
            keys=self._flat_keys(keys),
            values=values,
            name=self._operation_name(name, "insert"),
        )

    insert_or_assign = insert

    def accumulate(
        self, keys: _Keys, deltas: _Keys, name: str | None = None
    ) -> tf.Operation | None:
        """Adds to the values of keys, so that no addition is lost.

        A key that is not in the table starts from zero, as in a counter, and
        not from `default_value`, which is what a lookup says of it.

        Args:
          keys: As for `insert`. To a key that is there more than once all of
            its deltas are added.
          deltas: As the values for `insert`. Integers wrap around.
          name: A name for the operation.

        Raises:
          tf.errors.InvalidArgumentError: If values are not numbers; in a graph
            a `TypeError`.
        """
        deltas = self._flat_values(keys, deltas, "deltas")
        return gen_ops.examples_sharded_hash_table_accumulate(
            self.resource_handle,
            self._flat_keys(keys),
            deltas,
            name=self._operation_name(name, "accumulate"),
        )

    def remove(
        self, keys: _Keys, name: str | None = None
    ) -> tf.Operation | None:
        """Removes those of `keys` that are there, as for `lookup`."""
        keys = self._flat_keys(keys)
        if keys.shape.rank == 0:  # TensorFlow's shape function wants more.
            keys = tf.reshape(keys, [1])
        return tf.raw_ops.LookupTableRemoveV2(
            table_handle=self.resource_handle,
            keys=keys,
            name=self._operation_name(name, "remove"),
        )

    erase = remove

    def clear(self, name: str | None = None) -> tf.Operation | None:
        """Removes all keys and their values, and frees their memory."""
        return gen_ops.examples_sharded_hash_table_clear(
            self.resource_handle, name=self._operation_name(name, "clear")
        )

    def export(
        self, name: str | None = None, *, stable_order: bool = False
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns all keys and their values, as of one moment.

        Args:
          name: A name for the operation.
          stable_order: Whether to sort the keys, strings by their bytes, or
            else they are in no particular order. It takes several times as long.
        """
        name = self._operation_name(name, "export")
        types = self.key_dtype, self.value_dtype
        if stable_order:
            keys, values = gen_ops.examples_sharded_hash_table_export_sorted(
                self.resource_handle, *types, name=name
            )
        else:
            keys, values = tf.raw_ops.LookupTableExportV2(
                table_handle=self.resource_handle,
                Tkeys=types[0],
                Tvalues=types[1],
                name=name,
            )
        if not tf.executing_eagerly():
            keys.set_shape([None, *self._key_shape])
            values.set_shape([None, *self.value_shape])
        return keys, values

    def do_import(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Puts keys and values, as for `insert`, in place of all there are.

        If it fails, also for want of memory, the table stays as it was.
        """
        return gen_ops.examples_sharded_hash_table_import_slices(
            self.resource_handle,
            [tf.convert_to_tensor(keys, self.key_dtype)],
            [tf.convert_to_tensor(values, self.value_dtype)],
            name=self._operation_name(name, "import"),
        )


def _placed(what: str, places, values: tf.Tensor, name: str) -> tf.Tensor:
    """Returns the values if what tells their places tells those of keys too."""
    if len(places[0]) != len(places[1]):
        raise ValueError(
            f"{name} must have as many {what} as keys, {len(places[0])}, not "
            f"{len(places[1])}"
        )
    checks = []
    for of_keys, of_values in zip(*places, strict=True):
        a, b = tf.cast(of_keys, tf.int64), tf.cast(of_values, tf.int64)
        # It is not an error that they differ in length.
        same = tf.raw_ops.Equal(x=a, y=b, incompatible_shape_error=False)
        same = tf.reduce_all(same) & (tf.size(a) == tf.size(b))
        message = [f"{name} must have the {what} of keys:", a, "Its own:", b]
        checks.append(tf.debugging.Assert(same, message, summarize=10))
    if tf.executing_eagerly():
        return values
    with tf.control_dependencies(checks):
        return tf.identity(values)


# A lookup is not differentiable: a cotangent of the values ends here, where
# without these lines it would be an error. TensorFlow says so of its own ops.
for _of in (
    "",
    "Accumulate",
    "Clear",
    "ExportSorted",
    "ExportSlices",
    "ImportSlices",
):
    tf.no_gradient(f"Examples>ShardedHashTable{_of}")
