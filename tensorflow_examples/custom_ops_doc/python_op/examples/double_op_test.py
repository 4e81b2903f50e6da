"""The document's tests of the doubling ops, and what else it says of them."""

import unittest

import numpy
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import python_op as theano
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools as utt
from tensorflow_examples.custom_ops_doc.python_op.examples import double_op
from tensorflow_examples.custom_ops_doc.python_op.examples.double_op import (
    DoubleOp1,
)
from tensorflow_examples.custom_ops_doc.python_op.examples.double_op import (
    DoubleOp2,
)
from tensorflow_examples.custom_ops_doc.python_op.rop_lop_checker import (
    RopLop_checker,
)


class test_Double(utt.InferShapeTester):
    def setUp(self):
        super().setUp()
        self.op_class = DoubleOp1
        self.op = DoubleOp1()

    def test_basic(self):
        x = theano.tensor.matrix()
        f = theano.function([x], self.op(x))
        inp = numpy.asarray(numpy.random.rand(5, 4), dtype=config.floatX)
        out = f(inp)
        # Compare the result computed to the expected value.
        utt.assert_allclose(inp * 2, out)

    def test_infer_shape(self):
        x = theano.tensor.matrix()
        self._compile_and_check(
            [x],  # theano.function inputs
            [self.op(x)],  # theano.function outputs
            # Always use not square matrix!
            # inputs data
            [numpy.asarray(numpy.random.rand(5, 4), dtype=config.floatX)],
            # Op that should be removed from the graph.
            self.op_class,
        )

    def test_grad(self):
        utt.verify_grad(self.op, [numpy.random.rand(5, 7, 2)])


class test_Double2(test_Double):
    def setUp(self):
        super().setUp()
        self.op_class = DoubleOp2
        self.op = DoubleOp2()

    def test_grad(self):
        utt.verify_grad(self.op, [numpy.random.rand(5, 7)])


class test_DoubleRop(RopLop_checker):
    def setUp(self):
        super().setUp()

    def test_double_rop(self):
        self.check_rop_lop(DoubleOp1()(self.x), self.in_shape)

    def test_rop_of_a_matrix(self):
        self.check_mat_rop_lop(
            DoubleOp2()(self.mx).sum(axis=0), self.mat_in_shape[1]
        )


class TensorFlowTest(utt.SeededTestCase):
    """The same ops where TensorFlow's users have them."""

    def test_eager_and_in_a_graph_and_differentiated(self):
        x = tf.constant([[1.0, 2.0]], tf.float64)
        for op in (double_op.doubleOp1, double_op.doubleOp2):
            for f in (op, tf.function(op)):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = f(x)
                self.assertAllEqual(y, [[2.0, 4.0]])
                self.assertAllEqual(tape.gradient(y, x), [[2.0, 2.0]])


class ProgramTest(unittest.TestCase):
    def test_main_runs(self):
        double_op.main()

    def test_a_test_can_be_run_by_hand(self):
        # As the document has it at the end of a file.
        t = test_DoubleRop("test_double_rop")
        t.setUp()
        t.test_double_rop()


if __name__ == "__main__":
    tf.test.main()
