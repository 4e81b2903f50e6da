"""Tests of ops as layers of Keras models."""

import os
import sys

import keras
import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.keras_layers import op_layer
from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op
from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_scalars_op

multiplex = multiplex_2_op.multiplex


@op_layer.takes_keras_tensors
def scaled(x, factor=1.0, shift=None, *, name=None):
    """Returns two tensors of a different shape and type each."""
    x = tf.multiply(x, tf.cast(factor, x.dtype), name=name)
    x = x if shift is None else x + tf.cast(shift, x.dtype)
    return x, tf.shape(x)


class OpLayerTest(tf.test.TestCase, parameterized.TestCase):
    def _reloaded(self, model):
        path = os.path.join(self.create_tempdir().full_path, "model.keras")
        model.save(path)
        return keras.models.load_model(path)

    def test_the_issues_example_is_a_model_that_is_saved(self):
        x = keras.Input((3,))
        y = multiplex(x > 0, x, -x, name="absolute")
        self.assertEqual(y.shape, (None, 3))
        self.assertEqual(y.dtype, "float32")
        model = keras.Model(x, y)
        self.assertIn("absolute", [layer.name for layer in model.layers])
        a = np.float32([[1, -2, 3], [-4, 5, -6]])
        for each in (model, self._reloaded(model)):
            self.assertAllEqual(each(a), np.abs(a))
            self.assertAllEqual(each.predict(a, verbose=0), np.abs(a))

    def test_shapes_are_those_of_the_ops_shape_function(self):
        cond = keras.Input(batch_shape=(4, None), dtype="bool")
        a = keras.Input(batch_shape=(None, 3), dtype="float64")
        y = multiplex(cond, a, a)
        self.assertEqual((y.shape, y.dtype), ((4, 3), "float64"))
        with self.assertRaisesRegex(ValueError, "must have the same shape"):
            multiplex(cond, a, keras.Input(batch_shape=(4, 5), dtype="float64"))

    def test_strings_are_chosen(self):
        cond = keras.Input((), dtype="bool")
        a = keras.Input((), dtype="string")
        model = keras.Model([cond, a], multiplex(cond, a, a))
        self.assertAllEqual(
            model([tf.constant([True]), tf.constant(["x"])]), [b"x"]
        )

    def test_constants_stand_anywhere_and_are_saved(self):
        x = keras.Input((2,))
        for y, want in (
            (multiplex_scalars_op.multiplex_scalars(x > 0, x, 0.5), [1.0, 0.5]),
            (
                multiplex_scalars_op.multiplex_scalars(x > 0, b=x, a=7.0),
                [7, -2],
            ),
            (
                multiplex([[True, False]], x, np.float32([[8.0, 9.0]])),
                [1.0, 9.0],
            ),
            (multiplex(x > 0, x, tf.constant([[3.0, 4.0]])), [1.0, 4.0]),
        ):
            model = keras.Model(x, y)
            for each in (model, self._reloaded(model)):
                self.assertAllEqual(each(np.float32([[1, -2]])), [want])

    def test_a_function_has_several_outputs_and_options(self):
        x = keras.Input((2,))
        model = keras.Model(x, scaled(x, 3.0, shift=[1.0, 2.0]))
        for each in (model, self._reloaded(model)):
            values, shape = each(np.float32([[1, 2]]))
            self.assertAllEqual(values, [[4, 8]])
            self.assertAllEqual(shape, [1, 2])

    def test_tensors_are_taken_as_before(self):
        self.assertAllEqual(scaled(tf.constant([1.0]), 2.0)[0], [2.0])
        self.assertEqual(scaled.__doc__, scaled.__wrapped__.__doc__)
        run = tf.function(multiplex)
        self.assertAllEqual(
            run(tf.constant([True]), tf.constant([1]), tf.constant([2])), [1]
        )

    def test_a_model_is_trained_through_it_in_mixed_precision(self):
        keras.utils.set_random_seed(0)
        x = keras.Input((2,))
        hidden = keras.layers.Dense(8, dtype="mixed_float16")(x)
        y = multiplex(hidden > 0, hidden, hidden * 0.1)
        self.assertEqual(y.dtype, "float16")
        model = keras.Model(x, keras.layers.Dense(1, dtype="float32")(y))
        model.compile(keras.optimizers.SGD(0.05), "mse")
        a = np.random.default_rng(0).random([64, 2]).astype("f")
        history = model.fit(a, a.sum(1), epochs=5, verbose=0).history["loss"]
        self.assertLess(history[-1], history[0] / 2)

    def test_xla_is_chosen_for_no_model_with_it(self):
        x = keras.Input((2,))
        model = keras.Model(x, multiplex(x > 0, x, -x))
        self.assertFalse(model.layers[-1].supports_jit)
        with self.assertWarnsRegex(UserWarning, "jit_compile"):
            model.compile("sgd", "mse", jit_compile=True)
        self.assertFalse(model.jit_compile)

    def test_a_cloned_model_and_one_of_a_configuration_answer_alike(self):
        x = keras.Input((2,))
        model = keras.Model(x, multiplex(x > 0, x, -x))
        for each in (
            keras.models.clone_model(model),
            keras.Model.from_config(model.get_config()),
            keras.models.model_from_json(model.to_json()),
        ):
            self.assertAllEqual(each(np.float32([[1, -2]])), [[1, 2]])

    def test_a_model_is_exported(self):
        x = keras.Input((2,))
        model = keras.Model(x, multiplex(x > 0, x, -x))
        path = os.path.join(self.create_tempdir().full_path, "exported")
        model.export(path, verbose=False)
        loaded = tf.saved_model.load(path)
        self.assertAllEqual(loaded.serve(tf.constant([[1.0, -2.0]])), [[1, 2]])

    def test_a_variable_among_the_constants_is_refused(self):
        x = keras.Input((2,))
        with self.assertRaisesRegex(
            TypeError, "argument 2 of .* is a variable"
        ):
            multiplex(x > 0, x, tf.Variable([[1.0, 2.0]]))

    @parameterized.named_parameters(
        ("function", "os", "system", "os.system, which is no op"),
        ("absent", "os", "no_such", "os.no_such, which is no op"),
        ("module", "not_imported", "f", "import not_imported before"),
    )
    def test_what_is_no_op_is_not_loaded(self, module, name, message):
        layer = op_layer.OpLayer(multiplex, ["0", "1", "2"])
        config = {
            **layer.get_config(),
            "op": {"module": module, "name": name},
        }
        with self.assertRaisesRegex(TypeError, message):
            op_layer.OpLayer.from_config(config)
        self.assertNotIn("not_imported", sys.modules)


if __name__ == "__main__":
    tf.test.main()
