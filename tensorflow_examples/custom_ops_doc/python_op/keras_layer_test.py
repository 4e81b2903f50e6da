"""Tests of ops in Keras models and in tf.data."""

import os

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import tensor
from tensorflow_examples.custom_ops_doc.python_op import test_ops


@python_op.as_op(
    [tensor.fmatrix], [tensor.fmatrix], infer_shape=lambda node, shapes: shapes
)
def halve(x):
    return x / 2


class KerasTest(tf.test.TestCase):
    def test_an_op_is_a_layer_of_a_functional_model(self):
        x = tf.keras.Input((3,), dtype="float64")
        y = test_ops.Double()(x)
        self.assertEqual(tuple(y.shape), (None, 3))
        self.assertEqual(y.dtype, "float64")
        model = tf.keras.Model(x, y)
        self.assertAllEqual(model(np.ones([2, 3])), np.full([2, 3], 2.0))

    def test_several_inputs_and_outputs_are_taken(self):
        x, y = tf.keras.Input((3,)), tf.keras.Input((3,))
        model = tf.keras.Model([x, y], test_ops.SumAndDifference()(x, y))
        both = model([tf.fill([1, 3], 5.0), tf.ones([1, 3])])
        self.assertAllEqual(both, [[[6.0] * 3], [[4.0] * 3]])

    def test_a_model_is_trained_through_it(self):
        x = tf.keras.Input((2,))
        dense = tf.keras.layers.Dense(1)
        model = tf.keras.Model(x, test_ops.Power(2)(dense(x)))
        model.compile(tf.keras.optimizers.SGD(0.01), "mse")
        a = np.random.default_rng(0).random([64, 2]).astype("f")
        loss = model.fit(a, a.sum(1) ** 2, epochs=8, verbose=0).history["loss"]
        self.assertLess(loss[-1], loss[0])

    def test_a_model_is_saved_and_loaded(self):
        x = tf.keras.Input((2,))
        model = tf.keras.Model(x, test_ops.Power(3)(x))
        path = os.path.join(self.create_tempdir().full_path, "model.keras")
        model.save(path)
        loaded = tf.keras.models.load_model(path)
        a = np.float32([[2.0, 3.0]])
        self.assertAllEqual(loaded(a), [[8.0, 27.0]])

    def test_an_op_made_of_a_function_is_saved_and_loaded(self):
        x = tf.keras.Input((2,))
        model = tf.keras.Model(x, halve(x))
        path = os.path.join(self.create_tempdir().full_path, "model.keras")
        model.save(path)
        loaded = tf.keras.models.load_model(path)
        self.assertAllEqual(loaded(np.float32([[2.0, 3.0]])), [[1.0, 1.5]])

    def test_a_list_of_one_output_is_had_where_asked_for(self):
        outputs = test_ops.Double()(
            tf.keras.Input((3,), dtype="float64"), return_list=True
        )
        self.assertLen(outputs, 1)

    def test_xla_is_not_chosen_for_it(self):
        x = tf.keras.Input((2,))
        layer = tf.keras.Model(x, test_ops.Power(3)(x)).layers[-1]
        self.assertFalse(layer.supports_jit)

    def test_what_is_no_op_is_not_loaded(self):
        x = tf.keras.Input((2,))
        layer = tf.keras.Model(x, test_ops.Power(3)(x)).layers[-1]
        config = {
            **layer.get_config(),
            "op": {"module": "os", "name": "popen", "props": {}},
        }
        with self.assertRaisesRegex(TypeError, "os.popen, which is no op"):
            type(layer).from_config(config)

    def test_a_dataset_maps_it(self):
        op = test_ops.Double()
        dataset = tf.data.Dataset.range(10).map(op, num_parallel_calls=4)
        self.assertAllEqual(list(dataset), 2 * np.arange(10))


if __name__ == "__main__":
    tf.test.main()
