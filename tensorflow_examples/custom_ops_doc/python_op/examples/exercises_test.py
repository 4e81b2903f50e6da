"""Tests of the answers to the exercises."""

import numpy
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import python_op as theano
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools as utt
from tensorflow_examples.custom_ops_doc.python_op.examples import exercises
from tensorflow_examples.custom_ops_doc.python_op.rop_lop_checker import (
    RopLop_checker,
)

_OPS = (
    ("product", exercises.ProductOp(), lambda x, y: [x * y]),
    ("sum_diff", exercises.SumDiffOp(), lambda x, y: [x + y, x - y]),
    ("add", exercises.numpy_add, lambda x, y: [x + y]),
    ("subtract", exercises.numpy_subtract, lambda x, y: [x - y]),
    (
        "add_subtract",
        exercises.numpy_add_subtract,
        lambda x, y: [x + y, x - y],
    ),
)


class test_Exercises(parameterized.TestCase, utt.InferShapeTester):
    def setUp(self):
        super().setUp()
        self.inputs = [
            numpy.random.rand(5, 4).astype("float32") for _ in range(2)
        ]

    @parameterized.named_parameters(*_OPS)
    def test_basic(self, op, expected):
        x, y = theano.tensor.fmatrix(), theano.tensor.fmatrix()
        f = theano.function([x, y], op(x, y, return_list=True))
        for e, out in zip(expected(*self.inputs), f(*self.inputs), strict=True):
            utt.assert_allclose(e, out)

    @parameterized.named_parameters(*_OPS)
    def test_infer_shape(self, op, expected):
        x, y = theano.tensor.fmatrix(), theano.tensor.fmatrix()
        self._compile_and_check(
            [x, y], op(x, y, return_list=True), self.inputs, type(op)
        )

    @parameterized.named_parameters(*_OPS[:2])
    def test_grad(self, op, expected):
        utt.verify_grad(op, [numpy.random.rand(5, 7, 2) for _ in range(2)])

    @parameterized.named_parameters(*_OPS[:2])
    def test_types_that_differ_are_refused(self, op, expected):
        with self.assertRaisesRegex(TypeError, "must be of one type"):
            op(theano.tensor.fmatrix(), theano.tensor.dmatrix())

    def test_main_runs(self):
        exercises.main()


class test_ExercisesRop(RopLop_checker):
    def test_product(self):
        other = self.rng.rand(*self.in_shape)
        op = exercises.ProductOp()
        self.check_rop_lop(op(self.x, other), self.in_shape)
        self.check_rop_lop(op(other, self.x), self.in_shape)
        self.check_rop_lop(op(self.x, self.x), self.in_shape)

    def test_sum_diff(self):
        other = self.rng.rand(*self.in_shape)
        op = exercises.SumDiffOp()
        for inputs in ((self.x, other), (other, self.x), (self.x, self.x)):
            for y in op(*inputs):
                self.check_rop_lop(y, self.in_shape)


if __name__ == "__main__":
    tf.test.main()
