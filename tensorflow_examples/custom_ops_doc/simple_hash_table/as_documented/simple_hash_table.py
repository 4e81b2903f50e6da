"""The guide's Python listings, with what they leave out."""

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.simple_hash_table.as_documented.simple_hash_table_op import (
    gen_simple_hash_table_op,
)


class SimpleHashTable(tf.saved_model.experimental.TrackableResource):
    """The guide's class; it prints neither __init__ nor the last four methods."""

    def __init__(
        self, key_dtype, value_dtype, default_value, name="SimpleHashTable"
    ):
        super().__init__()
        self._key_dtype = tf.as_dtype(key_dtype)
        self._value_dtype = tf.as_dtype(value_dtype)
        self._default_value = tf.convert_to_tensor(
            default_value, dtype=self._value_dtype
        )
        self._name = name
        self._resource_handle = self._create_resource()

    def _create_resource(self):
        assert self._default_value.get_shape().ndims == 0
        table_ref = gen_simple_hash_table_op.examples_simple_hash_table_create(
            key_dtype=self._key_dtype,
            value_dtype=self._value_dtype,
            name=self._name,
        )
        return table_ref

    def _serialize_to_tensors(self):
        tensors = self.export()
        return {"table-keys": tensors[0], "table-values": tensors[1]}

    def _restore_from_tensors(self, restored_tensors):
        return gen_simple_hash_table_op.examples_simple_hash_table_import(
            self.resource_handle,
            restored_tensors["table-keys"],
            restored_tensors["table-values"],
        )

    def find(self, key, dynamic_default_value=None, name=None):
        with tf.name_scope(name or "%s_lookup_table_find" % self._name):
            key = tf.convert_to_tensor(key, dtype=self._key_dtype, name="key")
            if dynamic_default_value is not None:
                dynamic_default_value = tf.convert_to_tensor(
                    dynamic_default_value,
                    dtype=self._value_dtype,
                    name="default_value",
                )
            value = gen_simple_hash_table_op.examples_simple_hash_table_find(
                self.resource_handle,
                key,
                dynamic_default_value
                if dynamic_default_value is not None
                else self._default_value,
            )
        return value

    def insert(self, key, value):
        """Sets the value of a key."""
        return gen_simple_hash_table_op.examples_simple_hash_table_insert(
            self.resource_handle,
            tf.convert_to_tensor(key, self._key_dtype),
            tf.convert_to_tensor(value, self._value_dtype),
        )

    def remove(self, key):
        """Removes a key."""
        return gen_simple_hash_table_op.examples_simple_hash_table_remove(
            self.resource_handle,
            tf.convert_to_tensor(key, self._key_dtype),
            value_dtype=self._value_dtype,
        )

    def export(self):
        """Returns all keys and their values."""
        return gen_simple_hash_table_op.examples_simple_hash_table_export(
            self.resource_handle,
            key_dtype=self._key_dtype,
            value_dtype=self._value_dtype,
        )

    def do_import(self, keys, values):
        """Replaces all keys and values."""
        return gen_simple_hash_table_op.examples_simple_hash_table_import(
            self.resource_handle,
            tf.convert_to_tensor(keys, self._key_dtype),
            tf.convert_to_tensor(values, self._value_dtype),
        )


tf.no_gradient("Examples>SimpleHashTableCreate")
tf.no_gradient("Examples>SimpleHashTableFind")
tf.no_gradient("Examples>SimpleHashTableInsert")
tf.no_gradient("Examples>SimpleHashTableRemove")
