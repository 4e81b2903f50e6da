"""A hash table whose state is a resource: ops with state."""

import contextlib

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.simple_hash_table.simple_hash_table_op import (
    gen_simple_hash_table_op,
)

TensorLike = tf.types.experimental.TensorLike

_NO_SCOPE = contextlib.nullcontext()


def _as_tensor(value: TensorLike, dtype: tf.DType, name: str) -> tf.Tensor:
    """Does what `tf.convert_to_tensor` does, which in eager code takes longer.

    A lookup takes 8 us, and of a tensor or a Python number that convert_to_tensor
    turns into one another 4 to 7.
    """
    if tf.executing_eagerly():
        if isinstance(value, tf.Tensor) and value.dtype is dtype:
            return value
        if type(value) in (bool, int, float, str, bytes):
            return tf.constant(value, dtype)
    return tf.convert_to_tensor(value, dtype, name=name)


class SimpleHashTable(tf.saved_model.experimental.TrackableResource):
    """A mutable hash table from one scalar type to another.

    It shows how an op keeps state that grows; to have a table, take
    `sharded_hash_table`, whose ops work on many keys in one call.

    The table is destroyed when the last handle to it is. It is saved with and
    restored from checkpoints and SavedModels, and safe to use from many
    threads.

    >>> table = SimpleHashTable(tf.int32, float, default_value=-999.0)
    >>> table.find(1).numpy()
    -999.0
    >>> table.insert(1, 100.0)
    >>> table.find(1).numpy()
    100.0

    In a graph of TensorFlow 1, the operation that makes the table runs anew in
    each `session.run`, so the table lasts for one of them. That is also how
    `saved_model_cli` and TensorFlow Serving run a SavedModel, which then answers
    with defaults; the README has a table of what holds where.
    """

    def __init__(
        self,
        key_dtype: tf.DType | type | str,
        value_dtype: tf.DType | type | str,
        default_value: TensorLike,
        name: str = "SimpleHashTable",
    ) -> None:
        """Makes an empty table.

        There are kernels for `tf.int32` keys with `tf.float64`, `tf.float32`,
        `tf.int32` and `tf.string` values, for `tf.int64` keys with these and
        `tf.int64` values, and for `tf.string` keys with all of these and
        `tf.bool` values.

        Args:
          key_dtype: The type of the keys, as `tf.as_dtype` takes it.
          value_dtype: The type of the values, likewise.
          default_value: What `find` returns for a key that is not in the table,
            unless told otherwise; a scalar of type `value_dtype`.
          name: A name for the operations of the table.

        Raises:
          ValueError: If `default_value` is not a scalar.
          TypeError or ValueError: If `default_value` is not of `value_dtype`.
          tf.errors.NotFoundError: In eager code, if there is no kernel for the
            two types. A graph raises it, or `tf.errors.InvalidArgumentError`,
            when it runs.
        """
        super().__init__()
        self._key_dtype = tf.as_dtype(key_dtype)
        self._value_dtype = tf.as_dtype(value_dtype)
        self._default_value = tf.convert_to_tensor(
            default_value, dtype=self._value_dtype, name="default_value"
        )
        if self._default_value.shape.rank not in (0, None):
            raise ValueError(
                "default_value must be a scalar. Its shape: "
                f"{self._default_value.shape}"
            )
        self._name = name
        self._resource_handle = self._create_resource()

    def _create_resource(self) -> tf.Tensor:
        """Makes the table and returns the handle that owns it.

        `TrackableResource` calls it too, for a table in a SavedModel.
        """
        return gen_simple_hash_table_op.examples_simple_hash_table_create(
            key_dtype=self._key_dtype,
            value_dtype=self._value_dtype,
            name=self._name,
        )

    def _serialize_to_tensors(self) -> dict[str, tf.Tensor]:
        """Gives what a checkpoint stores. Called by `Trackable`."""
        keys, values = self.export()
        return {"table-keys": keys, "table-values": values}

    def _restore_from_tensors(
        self, restored_tensors: dict[str, tf.Tensor]
    ) -> tf.Operation | None:
        """Takes what a checkpoint stored. Called by `Trackable`."""
        return gen_simple_hash_table_op.examples_simple_hash_table_import(
            self.resource_handle,
            restored_tensors["table-keys"],
            restored_tensors["table-values"],
        )

    def _scope(
        self, name: str | None, method: str
    ) -> contextlib.AbstractContextManager:
        """Names the operations of a method, of which eager code has none."""
        if tf.executing_eagerly():
            return _NO_SCOPE
        return tf.name_scope(name or f"{self._name}_lookup_table_{method}")

    @property
    def key_dtype(self) -> tf.DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> tf.DType:
        """The type of the values."""
        return self._value_dtype

    def find(
        self,
        key: TensorLike,
        dynamic_default_value: TensorLike | None = None,
        name: str | None = None,
    ) -> tf.Tensor:
        """Returns the value of a key.

        Args:
          key: A scalar of type `key_dtype`.
          dynamic_default_value: What to return if the key is not in the table,
            a scalar of type `value_dtype`. If None, the table's
            `default_value`.
          name: A name for the operation.

        Returns:
          A scalar of type `value_dtype`.

        Raises:
          TypeError or ValueError: If `key` or `dynamic_default_value` is of
            another type, or in a graph is known not to be a scalar.
          tf.errors.InvalidArgumentError: If either is not a scalar.
        """
        with self._scope(name, "find"):
            key = _as_tensor(key, self._key_dtype, "key")
            if dynamic_default_value is None:
                default_value = self._default_value
            else:
                default_value = _as_tensor(
                    dynamic_default_value, self._value_dtype, "default_value"
                )
            return gen_simple_hash_table_op.examples_simple_hash_table_find(
                self.resource_handle, key, default_value
            )

    def insert(
        self, key: TensorLike, value: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Sets the value of a key, which may be in the table already.

        Args:
          key: A scalar of type `key_dtype`.
          value: A scalar of type `value_dtype`.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError or ValueError: If `key` or `value` is of another type, or in
            a graph is known not to be a scalar.
          tf.errors.InvalidArgumentError: If either is not a scalar.
        """
        with self._scope(name, "insert"):
            key = _as_tensor(key, self._key_dtype, "key")
            value = _as_tensor(value, self._value_dtype, "value")
            return gen_simple_hash_table_op.examples_simple_hash_table_insert(
                self.resource_handle, key, value
            )

    def remove(
        self, key: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Removes a key and its value.

        Args:
          key: A scalar of type `key_dtype`.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError or ValueError: If `key` is of another type, or in a graph is
            known not to be a scalar.
          tf.errors.NotFoundError: If the key is not in the table.
          tf.errors.InvalidArgumentError: If `key` is not a scalar.
        """
        with self._scope(name, "remove"):
            key = _as_tensor(key, self._key_dtype, "key")
            # No input tells the type of the values, by which the kernel is
            # chosen, so it is passed as an attribute.
            return gen_simple_hash_table_op.examples_simple_hash_table_remove(
                self.resource_handle, key, value_dtype=self._value_dtype
            )

    def export(self, name: str | None = None) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns all keys and their values.

        Args:
          name: A name for the operation.

        Returns:
          Two vectors of one length: the keys, in no particular order, of type
          `key_dtype`, and their values, in the same order, of type
          `value_dtype`.
        """
        with self._scope(name, "export"):
            keys, values = (
                gen_simple_hash_table_op.examples_simple_hash_table_export(
                    self.resource_handle,
                    key_dtype=self._key_dtype,
                    value_dtype=self._value_dtype,
                )
            )
            return keys, values

    def do_import(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Puts new keys and values in place of all that the table holds.

        It has this name because `import` is a word of Python's grammar.

        Args:
          keys: A vector of type `key_dtype`. Of a key that is there more than
            once, the last value counts.
          values: A vector of type `value_dtype` and of the length of `keys`.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          TypeError or ValueError: If `keys` or `values` is of another type, or
            in a graph is known not to be a vector or to differ in length.
          tf.errors.InvalidArgumentError: If they are not vectors of one length.
            The table stays as it was.
        """
        with self._scope(name, "import"):
            keys = _as_tensor(keys, self._key_dtype, "keys")
            values = _as_tensor(values, self._value_dtype, "values")
            return gen_simple_hash_table_op.examples_simple_hash_table_import(
                self.resource_handle, keys, values
            )


# A lookup is not differentiable: a cotangent of the value ends here, where
# without these lines it would be an error.
tf.no_gradient("Examples>SimpleHashTableCreate")
tf.no_gradient("Examples>SimpleHashTableFind")
tf.no_gradient("Examples>SimpleHashTableInsert")
tf.no_gradient("Examples>SimpleHashTableRemove")
tf.no_gradient("Examples>SimpleHashTableExport")
tf.no_gradient("Examples>SimpleHashTableImport")
