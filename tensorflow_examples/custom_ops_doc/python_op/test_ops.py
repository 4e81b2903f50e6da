"""Ops that the tests of the contract use."""

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import python_op

tensor = python_op.tensor


class Double(python_op.Op):
    """Doubles a tensor: the document's DoubleOp1, which counts its runs."""

    __props__ = ()

    def __init__(self):
        self.runs = 0

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.runs += 1
        # For NumPy 1 a scalar float32 times a Python number is a float64.
        output_storage[0][0] = inputs[0] * inputs[0].dtype.type(2)

    def infer_shape(self, node, i0_shapes):
        return i0_shapes

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def R_op(self, inputs, eval_points):  # noqa: N802
        if eval_points[0] is None:
            return eval_points
        return self.grad(inputs, eval_points)


class Unary(python_op.Op):
    """Computes a function of an array; it has no gradient and no infer_shape."""

    def __init__(self, function, otype=None):
        self.function = function
        self.otype = otype

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [(self.otype or x.type)()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.function(inputs[0])


class Power(python_op.Op):
    """Raises a tensor to an integer power, which has no gradient."""

    __props__ = ("n",)

    def __init__(self, n):
        self.n = n

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.asarray(inputs[0] ** self.n)

    def infer_shape(self, node, shapes):
        return shapes

    def grad(self, inputs, output_gradients):
        if self.n == 0:
            return [tensor.zeros_like(inputs[0])]
        lower = Power(self.n - 1)(inputs[0])
        return [output_gradients[0] * self.n * lower]


class SumAndDifference(python_op.Op):
    """Gives x + y and x - y."""

    __props__ = ()

    def make_node(self, x, y):
        x = tensor.as_tensor_variable(x)
        y = tensor.as_tensor_variable(y)
        return python_op.Apply(self, [x, y], [x.type(), x.type()])

    def perform(self, node, inputs, output_storage):
        x, y = inputs
        output_storage[0][0] = np.asarray(x + y)
        output_storage[1][0] = np.asarray(x - y)

    def infer_shape(self, node, shapes):
        return [shapes[0], shapes[0]]

    def grad(self, inputs, output_gradients):
        a, b = output_gradients
        return [a + b, a - b]

    def R_op(self, inputs, eval_points):  # noqa: N802
        if None in eval_points:
            return [None, None]
        a, b = eval_points
        return [a + b, a - b]


def as_graph(op, *specs):
    """Returns a concrete function that applies an op."""
    function = tf.function(lambda *xs: op(*xs), autograph=False)
    return function.get_concrete_function(*specs)
