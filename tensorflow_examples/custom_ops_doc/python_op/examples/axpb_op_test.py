"""Tests of the op with properties."""

import numpy
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import python_op as theano
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools as utt
from tensorflow_examples.custom_ops_doc.python_op.examples import axpb_op


class test_AXPB(utt.OpContractTestMixin, utt.InferShapeTester):
    ops = [axpb_op.AXPBOp(4, 5), axpb_op.AXPBOp(2, 3), axpb_op.AXPBOp(4, 3)]

    def clone(self, op):
        return axpb_op.AXPBOp(op.a, op.b)

    def test_basic(self):
        x = theano.tensor.matrix()
        f = theano.function([x], [op(x) for op in self.ops])
        inp = numpy.random.rand(5, 4)
        for op, out in zip(self.ops, f(inp), strict=True):
            utt.assert_allclose(op.a * inp + op.b, out)

    def test_infer_shape(self):
        x = theano.tensor.matrix()
        self._compile_and_check(
            [x], [self.ops[0](x)], [numpy.random.rand(5, 4)], axpb_op.AXPBOp
        )

    def test_grad(self):
        utt.verify_grad(self.ops[0], [numpy.random.rand(5, 7, 2)])

    def test_gradient_as_the_document_has_it_is_found_wrong(self):
        class Slip(axpb_op.AXPBOp):
            def grad(self, inputs, output_grads):
                return [self.a * output_grads[0] + self.b]

        with self.assertRaisesRegex(utt.GradientError, "Slip{a=4, b=5}"):
            utt.verify_grad(Slip(4, 5), [numpy.random.rand(5, 7, 2)])

    def test_text_has_the_properties(self):
        self.assertEqual(str(self.ops[0]), "AXPBOp{a=4, b=5}")

    def test_main_runs(self):
        axpb_op.main()


if __name__ == "__main__":
    tf.test.main()
