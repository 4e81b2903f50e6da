"""Tests of cube."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from cube import cube_op

_DTYPES = (tf.float32, tf.float64)


class CubeTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.parameters(*_DTYPES)
    def test_values(self, dtype):
        x = np.arange(-3, 3).reshape(2, 3)
        result = cube_op.cube(tf.cast(x, dtype))
        self.assertEqual(result.dtype, dtype)
        self.assertAllEqual(result, x**3)

    def test_an_empty_input_gives_an_empty_output(self):
        self.assertEqual(cube_op.cube(tf.zeros([2, 0])).shape, [2, 0])

    def test_a_graph_knows_the_shape(self):
        function = tf.function(cube_op.cube)
        concrete = function.get_concrete_function(tf.TensorSpec([None, 3]))
        self.assertEqual(concrete.output_shapes.as_list(), [None, 3])

    @parameterized.parameters(*_DTYPES)
    def test_gradient(self, dtype):
        x = tf.constant([-2, 0, 3], dtype)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cube_op.cube(x)
        self.assertAllEqual(tape.gradient(y, x), [12, 0, 27])

    def test_gradient_is_that_of_finite_differences(self):
        x = tf.constant([-2, 0, 3], tf.float64)
        theoretical, numerical = tf.test.compute_gradient(cube_op.cube, [x])
        self.assertAllClose(theoretical, numerical, atol=1e-2)


if __name__ == "__main__":
    tf.test.main()
