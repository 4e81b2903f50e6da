"""Tests of SumOfSquares."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from sum_of_squares import sum_of_squares
from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools

_DTYPES = [
    "float32",
    "float64",
]


def _inputs(dtype):
    """Returns small inputs, each with values of its own."""
    x = np.arange(6).reshape(2, 3)
    return [tf.cast(np.roll(x, i), dtype) for i in range(2)]


class SumOfSquaresTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.product(dtype=_DTYPES)
    def test_values(self, dtype):
        inputs = _inputs(dtype)
        result = sum_of_squares.SumOfSquares()(*inputs)
        self.assertEqual(result.dtype, dtype)
        self.assertAllEqual(result, sum(np.square(x) for x in inputs))

    @parameterized.product(dtype=_DTYPES)
    def test_values_in_a_graph(self, dtype):
        inputs = _inputs(dtype)
        specs = [tf.TensorSpec([None, 3], dtype)] * 2
        op = sum_of_squares.SumOfSquares()
        function = tf.function(lambda *xs: op(*xs))
        concrete = function.get_concrete_function(*specs)
        self.assertEqual(concrete.output_shapes.as_list(), [None, 3])
        self.assertAllEqual(
            concrete(*inputs),
            sum(np.square(x) for x in inputs),
        )

    def test_other_dtypes_are_refused(self):
        with self.assertRaisesRegex(TypeError, "not complex64"):
            sum_of_squares.SumOfSquares()(*_inputs("complex64"))

    def test_equal_ops_are_equal(self):
        self.assertEqual(
            sum_of_squares.SumOfSquares(),
            sum_of_squares.SumOfSquares(),
        )

    @parameterized.product(
        dtype=[d for d in _DTYPES if tf.as_dtype(d).is_floating]
    )
    def test_gradient(self, dtype):
        inputs = _inputs(dtype)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = sum_of_squares.SumOfSquares()(*inputs)
        gradients = tape.gradient(result, inputs)
        for x, gradient in zip(inputs, gradients, strict=True):
            self.assertAllEqual(gradient, 2 * x)

    def test_jacobian_times_a_vector(self):
        op = sum_of_squares.SumOfSquares()
        inputs = _inputs("float32")
        vectors = [tf.ones_like(x) for x in inputs]
        product = python_op.Rop(lambda *xs: op(*xs), inputs, vectors)
        self.assertAllEqual(product, sum(2 * x for x in inputs))

    def test_gradient_is_that_of_finite_differences(self):
        unittest_tools.verify_grad(
            sum_of_squares.SumOfSquares(),
            [x.numpy() for x in _inputs("float64")],
        )


if __name__ == "__main__":
    tf.test.main()
