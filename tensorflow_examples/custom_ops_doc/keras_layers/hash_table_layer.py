"""A layer of Keras that holds a `ShardedHashTable`, and is saved with it."""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Mapping
from collections.abc import MutableMapping
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)

# The layers of this process, by the name that their configurations give them.
_LAYERS: weakref.WeakValueDictionary[str, HashTableLayer] = (
    weakref.WeakValueDictionary()
)


@keras.saving.register_keras_serializable("custom_ops")
class HashTableLayer(keras.layers.Layer):
    """Looks keys up in a table, which is a part of the model.

    Keras saves variables and no tables. Of this layer `model.save`,
    `save_weights` and `load_weights`, `load_model` and `export` keep what is in
    the table, and `clone_model` copies it.

    >>> counts = HashTableLayer("string", "int64", 0)
    >>> counts.table.insert(["a", "b"], [7, 8])
    >>> counts(tf.constant(["b", "c"])).numpy()
    array([8, 0])

    To write to the table while the model is trained, derive a class and
    register it as Keras has it:

        @keras.saving.register_keras_serializable("my_package")
        class CountVisits(HashTableLayer):
            def call(self, keys, training=False):
                if training:
                    self.table.accumulate(keys, tf.ones_like(keys))
                return super().call(keys)

    Layers that share a table share a layer of this class: a functional model
    calls it in several places; a model of your own makes it in `__init__` and
    gives it to its layers. A layer that is given one returns it from
    `get_config` as it is, and finds in `from_config` what
    `keras.saving.deserialize_keras_object` takes.

    The table is on the CPU and XLA cannot look into it, so `supports_jit` is
    False and `jit_compile="auto"` does not choose XLA for the model. A file of
    the older format, `model.save("model.h5")`, has variables alone.

    Attributes:
      table: The `ShardedHashTable`.
    """

    def __init__(
        self,
        key_dtype: tf.DType | type | str,
        value_dtype: tf.DType | type | str,
        default_value: Any,
        *,
        empty_key: Any = None,
        **kwargs: Any,
    ) -> None:
        """Makes a layer with an empty table.

        Args:
          key_dtype: As `ShardedHashTable` has it.
          value_dtype: Likewise.
          default_value: Likewise.
          empty_key: Likewise; keys that are vectors have its shape.
          **kwargs: Arguments of `keras.layers.Layer`.

        Raises:
          RuntimeError: If Keras' backend is not TensorFlow.
          TypeError, ValueError, tf.errors.InvalidArgumentError: As
            `ShardedHashTable` does.
        """
        if keras.backend.backend() != "tensorflow":
            raise RuntimeError(
                "the table is TensorFlow's and Keras' backend is "
                f"{keras.backend.backend()}; set KERAS_BACKEND=tensorflow"
            )
        kwargs.setdefault("autocast", False)
        super().__init__(**kwargs)
        self.supports_jit = False
        with tf.init_scope():
            if empty_key is None:
                empty_key = tf.zeros([], key_dtype)
            empty_key = tf.convert_to_tensor(empty_key, key_dtype)
            self.table = sharded_hash_table.ShardedHashTable(
                key_dtype, value_dtype, default_value, empty_key=empty_key
            )
            # Read while it can be: `get_config` may be called in a graph.
            self._empty_key = empty_key.numpy()
            self._default_value = self.table.default_value.numpy()
        if type(self).build is keras.layers.Layer.build:
            self.built = True  # There is nothing to build.
        self._id = str(uuid.uuid4())
        _LAYERS[self._id] = self

    def call(self, keys: Any) -> Any:
        """Returns the values of keys: `table.lookup(keys)`."""
        return self.table.lookup(keys)

    def get_config(self) -> dict[str, Any]:
        """Returns what `from_config` makes the layer of."""
        return {
            **super().get_config(),
            "key_dtype": self.table.key_dtype.name,
            "value_dtype": self.table.value_dtype.name,
            "default_value": _to_json(self._default_value),
            "empty_key": _to_json(self._empty_key),
            "copy_of": self._id,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> HashTableLayer:
        """Makes a layer of what `get_config` returned.

        If the layer that returned it is still there, what is in its table is
        copied: `clone_model` knows a layer by its configuration alone.
        """
        config = dict(config)
        source = _LAYERS.get(config.pop("copy_of", ""))
        # A table of strings takes strings, of others there are none.
        for key in ("default_value", "empty_key"):
            config[key] = _to_bytes(config[key])
        layer = cls(**config)
        if source is not None:
            layer.table.do_import(*source.table.export())
        return layer

    def save_own_variables(self, store: MutableMapping[str, Any]) -> None:
        """Puts the table into a model's file, after the layer's weights."""
        super().save_own_variables(store)
        keys, values = self.table.export()
        for name, array in (("keys", keys.numpy()), ("values", values.numpy())):
            for key, part in _to_arrays(name, array).items():
                store[key] = part

    def load_own_variables(self, store: Mapping[str, Any]) -> None:
        """Makes table and weights those which `save_own_variables` saved.

        Raises:
          ValueError: If the file has no table of these types and of this shape
            of values. The table stays as it was.
        """
        keys = self._array("keys", self.table.key_dtype, self._empty_key, store)
        values = self._array(
            "values", self.table.value_dtype, self._default_value, store
        )
        if len(keys) != len(values):
            raise ValueError(
                f"layer {self.name!r}: the file has {len(keys)} keys and "
                f"{len(values)} values"
            )
        # Keras numbers weights, and counts what is in the file.
        super().load_own_variables(
            {key: store[key] for key in store.keys() if key.isdigit()}
        )
        self.table.do_import(
            tf.convert_to_tensor(keys, self.table.key_dtype),
            tf.convert_to_tensor(values, self.table.value_dtype),
        )

    def _array(
        self, name: str, dtype: tf.DType, like: Any, store: Mapping[str, Any]
    ) -> np.ndarray:
        """Reads keys or values, each of the shape of `like`."""
        wanted = _to_arrays(name, np.zeros([0], dtype.as_numpy_dtype))
        parts = {}
        for key, empty in wanted.items():
            if key not in store.keys():
                raise ValueError(
                    f"layer {self.name!r}: the file has no {key!r} of a table "
                    f"with {name} of type {dtype.name}; it has "
                    f"{sorted(store.keys())}"
                )
            parts[key] = np.asarray(store[key])
            if parts[key].dtype != empty.dtype:
                raise ValueError(
                    f"layer {self.name!r}: the file has {key!r} of type "
                    f"{parts[key].dtype}; {name} of type {dtype.name} are "
                    f"stored as {empty.dtype}"
                )
        array = _of_arrays(name, dtype, parts)
        shape = np.shape(like)
        if array.ndim == 0 or array.shape[1:] != shape:
            raise ValueError(
                f"layer {self.name!r}: the file has {name} of shape "
                f"{list(array.shape)}, and one of the table's has the shape "
                f"{list(shape)}"
            )
        return array


# HDF5 has neither bfloat16 nor strings of any bytes, so Keras' files have these
# as integers.


def _to_arrays(name: str, array: np.ndarray) -> dict[str, np.ndarray]:
    """Returns the arrays of numbers that stand for an array in a file."""
    if array.dtype == object:
        strings = array.ravel().tolist()
        lengths = np.array([len(s) for s in strings], np.int64)
        return {
            f"{name}_bytes": np.frombuffer(b"".join(strings), np.uint8),
            f"{name}_lengths": lengths.reshape(array.shape),
        }
    if array.dtype == tf.bfloat16.as_numpy_dtype:
        return {f"{name}_bfloat16": array.view(np.uint16)}
    return {name: array}


def _of_arrays(
    name: str, dtype: tf.DType, arrays: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Returns the array that arrays of a file stand for."""
    if dtype == tf.string:
        text = arrays[f"{name}_bytes"].tobytes()
        lengths = arrays[f"{name}_lengths"]
        if lengths.sum() != len(text) or (lengths < 0).any():
            raise ValueError(
                f"the file has {len(text)} {name}_bytes, but {name}_lengths of "
                f"{lengths.sum()} in all"
            )
        ends = np.cumsum(lengths)
        strings = np.empty([lengths.size], object)
        strings[:] = [
            text[begin:end]
            for begin, end in zip(ends - lengths.ravel(), ends, strict=True)
        ]
        return strings.reshape(lengths.shape)
    if dtype == tf.bfloat16:
        return arrays[f"{name}_bfloat16"].view(dtype.as_numpy_dtype)
    return arrays[name]


def _to_json(value: Any) -> Any:
    """Returns a default value as JSON has it; bytes that are no UTF-8 as well."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, list):
        return [_to_json(x) for x in value]
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype == tf.bfloat16.as_numpy_dtype:
            value = value.astype(np.float32)
        return _to_json(value.tolist())
    return value


def _to_bytes(value: Any) -> Any:
    """Returns the strings of `_to_json` as bytes."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, list):
        return [_to_bytes(x) for x in value]
    return value
