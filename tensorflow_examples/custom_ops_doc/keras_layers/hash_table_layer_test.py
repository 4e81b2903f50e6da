"""Tests of HashTableLayer: a table is a part of a Keras model."""

import os

import keras
import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.keras_layers import hash_table_layer

HashTableLayer = hash_table_layer.HashTableLayer


@keras.saving.register_keras_serializable("hash_table_layer_test")
class CountVisits(HashTableLayer):
    """Counts the keys that it is trained with."""

    def __init__(self, **kwargs):
        kwargs = {
            "key_dtype": "int64",
            "value_dtype": "int64",
            "default_value": 0,
            **kwargs,
        }
        super().__init__(**kwargs)

    def call(self, keys, training=False):
        if training:
            self.table.accumulate(keys, tf.ones_like(keys))
        return super().call(keys)


@keras.saving.register_keras_serializable("hash_table_layer_test")
class Scaled(keras.layers.Layer):
    """Multiplies a value of a table that it may share by a weight."""

    def __init__(self, table, **kwargs):
        super().__init__(autocast=False, **kwargs)
        self.table_layer = table

    def build(self, shape):
        self.scale = self.add_weight(shape=(), initializer="ones")

    def call(self, keys):
        return tf.cast(self.table_layer(keys), tf.float32) * self.scale

    def get_config(self):
        return {**super().get_config(), "table": self.table_layer}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        if isinstance(config["table"], dict):
            config["table"] = keras.saving.deserialize_keras_object(
                config["table"]
            )
        return cls(**config)


@keras.saving.register_keras_serializable("hash_table_layer_test")
class Weighted(HashTableLayer):
    """A table whose values are multiplied by a weight of the same layer."""

    def build(self, shape):
        self.weight = self.add_weight(shape=(), initializer="ones")
        super().build(shape)

    def call(self, keys):
        return super().call(keys) * self.weight


@keras.saving.register_keras_serializable("hash_table_layer_test")
class Subclassed(keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.table_layer = HashTableLayer("string", "float32", [0.0, 0.0])
        self.dense = keras.layers.Dense(1)

    def build(self, input_shape):
        # Keras' own would call the model with floating-point keys.
        self.dense.build((*input_shape, 2))
        self.built = True

    def call(self, keys):
        return self.dense(self.table_layer(keys))


def _model(layer, shape=()):
    keys = keras.Input(shape, dtype=layer.table.key_dtype.name)
    return keras.Model(keys, layer(keys))


def _contents(layer):
    keys, values = layer.table.export()
    order = np.argsort(keys.numpy())
    return keys.numpy()[order], values.numpy()[order]


_TYPES = (
    ("int64_to_int64", "int64", "int64", -1, [1, -(2**62)], [2**62, 3]),
    ("int32_to_float32", "int32", "float32", float("nan"), [1, 2], [0.5, -0.0]),
    ("int64_to_bool", "int64", "bool", False, [1, 2], [True, False]),
    ("int64_to_bfloat16", "int64", "bfloat16", 0.5, [1, 2], [1.5, 3.0]),
    ("int64_to_float16", "int64", "float16", 0.1, [1, 2], [1.5, 3.0]),
    (
        "string_to_vectors",
        "string",
        "float64",
        [0.0, 1.0],
        ["", "a\0b"],
        [[1.0, 2.0], [3.0, 4.0]],
    ),
    (
        "string_to_strings",
        "string",
        "string",
        b"\xff\0",
        [b"\xfe" * 40, "\u00e9"],
        [b"", b"\xff\0\0"],
    ),
    (
        "string_to_vectors_of_strings",
        "string",
        "string",
        ["x", "\u00e9"],
        ["a", "b"],
        [["1", ""], ["", "22"]],
    ),
)


class SavingTest(tf.test.TestCase, parameterized.TestCase):
    def _path(self, name):
        return os.path.join(self.create_tempdir().full_path, name)

    @parameterized.named_parameters(*_TYPES)
    def test_a_keras_file_has_the_table(
        self, key_dtype, value_dtype, default, keys, values
    ):
        layer = HashTableLayer(key_dtype, value_dtype, default)
        layer.table.insert(
            tf.constant(keys, key_dtype), tf.constant(values, value_dtype)
        )
        model = _model(layer)
        path = self._path("model.keras")
        model.save(path)
        want_keys, want_values = _contents(layer)
        del layer, model
        (loaded,) = keras.models.load_model(path).layers[1:]
        self.assertIsInstance(loaded, HashTableLayer)
        got_keys, got_values = _contents(loaded)
        self.assertAllEqual(got_keys, want_keys)
        self.assertEqual(got_values.dtype, want_values.dtype)
        self.assertAllEqual(got_values, want_values)
        self.assertAllEqual(
            loaded.table.default_value, tf.constant(default, value_dtype)
        )

    def test_a_file_of_weights_replaces_what_is_in_the_table(self):
        path = self._path("model.weights.h5")
        layer = HashTableLayer("int64", "int64", -1)
        layer.table.insert([1, 2], [10, 20])
        _model(layer).save_weights(path)
        other = HashTableLayer("int64", "int64", -1)
        other.table.insert([2, 3], [0, 0])
        _model(other).load_weights(path)
        self.assertAllEqual(_contents(other), [[1, 2], [10, 20]])

    def test_an_empty_table_is_saved_and_empties_another(self):
        for key_dtype, key in (("int64", 1), ("string", "a")):
            path = self._path("model.weights.h5")
            _model(HashTableLayer(key_dtype, "float32", [0.0])).save_weights(
                path
            )
            other = HashTableLayer(key_dtype, "float32", [0.0])
            other.table.insert([key], [[1.0]])
            _model(other).load_weights(path)
            self.assertAllEqual(other.table.size(), 0)

    def test_many_keys_are_saved(self):
        keys = np.arange(300_000)
        layer = HashTableLayer("string", "int64", -1)
        layer.table.insert(tf.strings.as_string(keys), keys)
        model = _model(layer)
        path = self._path("model.keras")
        model.save(path)
        loaded = keras.models.load_model(path)
        self.assertAllEqual(loaded.layers[1].table.size(), len(keys))
        self.assertAllEqual(
            loaded(tf.strings.as_string(keys[::999])), keys[::999]
        )

    @parameterized.named_parameters(
        (
            "keys",
            ("int32", "int64", 0),
            "'keys' of type int64; keys of type int32 are stored as int32",
        ),
        ("string_keys", ("string", "int64", 0), "no 'keys_bytes' of a table"),
        ("values", ("int64", "float32", 0), "values of type float32"),
        (
            "shape",
            ("int64", "int64", [0, 0]),
            r"values of shape \[2\], .* has the shape \[2\]",
        ),
    )
    def test_another_table_is_refused_and_kept(self, arguments, message):
        layer = HashTableLayer("int64", "int64", 0)
        layer.table.insert([1, 2], [10, 20])
        store = {}
        layer.save_own_variables(store)
        other = HashTableLayer(*arguments)
        with self.assertRaisesRegex(ValueError, message):
            other.load_own_variables(store)
        with self.assertRaisesRegex(ValueError, r"it has \[\]"):
            other.load_own_variables({})
        self.assertAllEqual(other.table.size(), 0)

    def test_a_file_that_was_cut_is_refused(self):
        layer = HashTableLayer("string", "int64", 0)
        layer.table.insert(["ab"], [1])
        store = {}
        layer.save_own_variables(store)
        store["keys_bytes"] = store["keys_bytes"][:1]
        with self.assertRaisesRegex(
            ValueError, "has 1 keys_bytes, but keys_lengths of 2 in all"
        ):
            layer.load_own_variables(store)
        self.assertAllEqual(layer.table.lookup(["ab"]), [1])

    @parameterized.named_parameters(
        ("numbers", "int64", [0, 0], [[1, 2], [1, 3]]),
        ("strings", "string", ["", "\u00e9"], [["a", "b"], ["a", ""]]),
    )
    def test_keys_that_are_vectors_are_saved(self, dtype, empty_key, keys):
        layer = HashTableLayer(dtype, "float32", [0.0], empty_key=empty_key)
        keys = tf.constant(keys, dtype)
        layer.table.insert(keys, [[1.0], [2.0]])
        model = _model(layer, (2,))
        self.assertEqual(model.output_shape, (None, 1))
        path = self._path("model.keras")
        model.save(path)
        want = model(keys)
        del layer, model
        loaded = keras.models.load_model(path)
        self.assertAllEqual(loaded(keys), want)
        store = {}
        loaded.layers[1].save_own_variables(store)
        other = HashTableLayer(dtype, "float32", [0.0], empty_key=[empty_key])
        with self.assertRaisesRegex(ValueError, "keys"):
            other.load_own_variables(store)

    def test_keys_and_values_of_other_numbers_are_refused(self):
        layer = HashTableLayer("int64", "int64", 0)
        with self.assertRaisesRegex(ValueError, "has 2 keys and 1 values"):
            layer.load_own_variables(
                {"keys": np.array([1, 2]), "values": np.array([1])}
            )

    def test_several_tables_of_one_model_are_kept_apart(self):
        inputs = [keras.Input((), dtype="int64") for _ in range(2)]
        layers = [HashTableLayer("int64", "int64", -1) for _ in range(2)]
        for i, layer in enumerate(layers):
            layer.table.insert([1], [i])
        outputs = [layer(x) for layer, x in zip(layers, inputs, strict=True)]
        model = keras.Model(inputs, outputs)
        path = self._path("model.keras")
        model.save(path)
        loaded = keras.models.load_model(path)
        one = tf.constant([1], tf.int64)
        self.assertAllEqual(loaded([one, one]), [[0], [1]])

    def test_layers_share_a_table(self):
        shared = HashTableLayer("int64", "int64", -1)
        keys = keras.Input((), dtype="int64")
        model = keras.Model(keys, [Scaled(shared)(keys), Scaled(shared)(keys)])
        shared.table.insert([1], [10])
        path = self._path("model.keras")
        model.save(path)
        loaded = keras.models.load_model(path)
        first, second = loaded.layers[1:]
        self.assertIs(first.table_layer, second.table_layer)
        first.table_layer.table.insert([2], [20])
        self.assertAllEqual(
            loaded(tf.constant([1, 2], tf.int64)), [[10.0, 20.0]] * 2
        )

    def test_a_layer_with_a_table_and_weights_is_built_and_saved(self):
        layer = Weighted("int64", "float32", 0.0)
        layer.table.insert([1], [10.0])
        model = _model(layer)
        layer.weight.assign(2.0)
        path = self._path("model.keras")
        model.save(path)
        loaded = keras.models.load_model(path)
        self.assertAllEqual(loaded(tf.constant([1, 2], tf.int64)), [20.0, 0.0])

    def test_a_subclassed_model_is_saved_and_loaded(self):
        model = Subclassed()
        keys = tf.constant(["a", "b"])
        model.table_layer.table.insert(keys, [[1.0, 2.0], [3.0, 4.0]])
        want = model(keys)
        path = self._path("model.keras")
        model.save(path)
        self.assertAllClose(keras.models.load_model(path)(keys), want)

    def test_nested_models_are_saved_and_loaded(self):
        inner = keras.Sequential(
            [
                keras.Input((3,), dtype="int64"),
                HashTableLayer("int64", "float32", [0.0, 0.0]),
            ]
        )
        inner.layers[0].table.insert([7], [[1.0, 2.0]])
        x = keras.Input((4, 3), dtype="int64")
        outer = keras.Model(x, keras.layers.TimeDistributed(inner)(x))
        keys = np.full([2, 4, 3], 7)
        self.assertEqual(outer.output_shape, (None, 4, 3, 2))
        path = self._path("model.keras")
        outer.save(path)
        del inner, outer
        loaded = keras.models.load_model(path)
        self.assertAllEqual(
            loaded.predict(keys, verbose=0), np.tile([1.0, 2.0], [2, 4, 3, 1])
        )

    def test_an_exported_model_has_the_table(self):
        layer = HashTableLayer("string", "int64", -1)
        layer.table.insert(["a"], [10])
        model = _model(layer, (2,))
        path = self._path("exported")
        model.export(path, verbose=False)
        keys = tf.constant([["a", "b"]])
        self.assertAllEqual(tf.saved_model.load(path).serve(keys), [[10, -1]])
        path = self._path("saved")
        tf.saved_model.save(model, path)
        serve = tf.saved_model.load(path).signatures["serving_default"]
        (values,) = serve(keys).values()
        self.assertAllEqual(values, [[10, -1]])

    def test_a_cloned_model_has_a_table_of_its_own_with_the_same_in_it(self):
        inner = keras.Sequential(
            [
                keras.Input((), dtype="int64"),
                HashTableLayer("int64", "int64", 0),
            ]
        )
        inner.layers[0].table.insert([1], [10])
        x = keras.Input((), dtype="int64")
        model = keras.Model(x, inner(x))
        clone = keras.models.clone_model(model)
        inner.layers[0].table.insert([1, 2], [11, 12])
        keys = tf.constant([1, 2], tf.int64)
        self.assertAllEqual(clone(keys), [10, 0])
        self.assertAllEqual(model(keys), [11, 12])

    def test_a_checkpoint_of_tensorflow_has_the_table(self):
        layer = HashTableLayer("int64", "int64", -1)
        layer.table.insert([1], [10])
        path = tf.train.Checkpoint(model=_model(layer)).save(self._path("ckpt"))
        other = HashTableLayer("int64", "int64", -1)
        tf.train.Checkpoint(model=_model(other)).restore(path)
        self.assertAllEqual(_contents(other), [[1], [10]])


class TrainingTest(tf.test.TestCase):
    def test_fit_writes_to_the_table_and_predict_reads_it(self):
        layer = CountVisits()
        keys = keras.Input((), dtype="int64")
        x = keras.ops.cast(layer(keys), "float32")
        x = keras.layers.Dense(1)(keras.ops.expand_dims(x, -1))
        model = keras.Model(keys, x)
        model.compile("sgd", "mse", jit_compile="auto")
        self.assertFalse(model.jit_compile)
        data = np.array([5, 1, 7, 5])
        model.fit(data, np.zeros([4]), batch_size=2, epochs=3, verbose=0)
        self.assertAllEqual(_contents(layer), [[1, 5, 7], [3, 6, 3]])
        model.predict(data, verbose=0)
        model.evaluate(data, np.zeros([4]), verbose=0)
        self.assertAllEqual(_contents(layer), [[1, 5, 7], [3, 6, 3]])
        path = os.path.join(self.create_tempdir().full_path, "model.keras")
        model.save(path)
        loaded = keras.models.load_model(path)
        loaded.fit(data, np.zeros([4]), batch_size=2, epochs=1, verbose=0)
        (count,) = (x for x in loaded.layers if isinstance(x, CountVisits))
        self.assertAllEqual(_contents(count), [[1, 5, 7], [4, 8, 4]])

    def test_an_explicit_jit_compile_is_warned_of_and_not_done(self):
        model = _model(CountVisits())
        with self.assertWarnsRegex(UserWarning, "jit_compile"):
            model.compile("sgd", "mse", jit_compile=True)
        self.assertFalse(model.jit_compile)

    def test_mixed_precision_leaves_values_as_they_are(self):
        layer = HashTableLayer("int64", "float32", 0.1, dtype="mixed_float16")
        layer.table.insert([1], [1e-9])
        model = _model(layer)
        result = model(tf.constant([1, 2], tf.int64))
        self.assertEqual(result.dtype, tf.float32)
        self.assertAllEqual(result, tf.constant([1e-9, 0.1]))


if __name__ == "__main__":
    tf.test.main()
