"""Tests of the op made of a Python function."""

import numpy
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import python_op as theano
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools as utt
from tensorflow_examples.custom_ops_doc.python_op.examples import numpy_dot


class test_NumpyDot(utt.InferShapeTester):
    def setUp(self):
        super().setUp()
        self.inputs = [
            numpy.random.rand(5, 4).astype("float32"),
            numpy.random.rand(4, 7).astype("float32"),
        ]

    def test_basic(self):
        x, y = theano.tensor.fmatrix(), theano.tensor.fmatrix()
        f = theano.function([x, y], numpy_dot.numpy_dot(x, y))
        utt.assert_allclose(self.inputs[0] @ self.inputs[1], f(*self.inputs))

    def test_infer_shape(self):
        x, y = theano.tensor.fmatrix(), theano.tensor.fmatrix()
        self._compile_and_check(
            [x, y],
            [numpy_dot.numpy_dot(x, y)],
            self.inputs,
            type(numpy_dot.numpy_dot),
        )

    def test_has_no_gradient(self):
        with self.assertRaisesRegex(NotImplementedError, "numpy_dot"):
            utt.verify_grad(numpy_dot.numpy_dot, self.inputs)

    def test_main_runs(self):
        numpy_dot.main()


if __name__ == "__main__":
    tf.test.main()
