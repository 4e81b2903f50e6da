"""Tests of the contract: Op, Apply, types, and how ops run."""

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import python_op

tensor = python_op.tensor


class Double(python_op.Op):
    """Doubles: the document's DoubleOp1."""

    __props__ = ()

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


class EagerTest(tf.test.TestCase):
    def test_takes_and_returns_tensors(self):
        result = Double()(tf.constant([1.0, 2.0]))
        self.assertIsInstance(result, tf.Tensor)
        self.assertAllEqual(result, [2.0, 4.0])


if __name__ == "__main__":
    tf.test.main()
