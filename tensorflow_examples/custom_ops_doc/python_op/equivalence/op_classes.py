"""Ops of many kinds, written once, for PyTensor and for `python_op`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np


def op_classes(theano: Any) -> dict[str, type]:
    """Returns op classes by name.

    Args:
      theano: what has `Op`, `Apply`, `tensor` and the like: `python_op`, or what
        `run_pytensor` makes of PyTensor.
    """
    tensor = theano.tensor

    def is_connected(gradient):
        return not isinstance(gradient.type, theano.DisconnectedType)

    def total(terms):
        """Returns the sum of a tangent's terms, None where there is none."""
        terms = [t for t in terms if t is not None]
        return functools.reduce(lambda a, b: a + b, terms) if terms else None

    class UnaryOp(theano.Op):
        """What ops of one input and an output of its type have in common."""

        def make_node(self, x):
            x = tensor.as_tensor_variable(x)
            return theano.Apply(self, [x], [x.type()])

    class DoubleOp1(UnaryOp):
        """Doubles; the older infer_shape, grad and R_op."""

        __props__ = ()

        def perform(self, node, inputs, output_storage):
            # NumPy 1 makes a float64 of a scalar float32 times a Python number.
            output_storage[0][0] = inputs[0] * inputs[0].dtype.type(2)

        def infer_shape(self, node, input_shapes):
            return input_shapes

        def grad(self, inputs, output_gradients):
            return [output_gradients[0] * 2]

        def R_op(self, inputs, eval_points):  # noqa: N802
            if eval_points[0] is None:
                return eval_points
            return self.grad(inputs, eval_points)

    class DoubleOp2(theano.Op):
        """Doubles matrices; itypes and otypes."""

        __props__ = ()
        itypes = [tensor.dmatrix]
        otypes = [tensor.dmatrix]

        perform = DoubleOp1.perform
        grad = DoubleOp1.grad
        R_op = DoubleOp1.R_op

        def infer_shape(self, fgraph, node, input_shapes):
            return input_shapes

    class AXPBOp(UnaryOp):
        """Computes a * x + b; __props__. Its Rop is left to its gradient."""

        __props__ = ("a", "b")

        def __init__(self, a, b):
            self.a = a
            self.b = b

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = self.a * inputs[0] + self.b

        def infer_shape(self, node, input_shapes):
            return input_shapes

        def grad(self, inputs, output_gradients):
            return [self.a * output_gradients[0]]

    class MultiplyOp(theano.Op):
        """Multiplies; tangents of either input or of both."""

        __props__ = ()

        def make_node(self, x, y):
            x, y = map(tensor.as_tensor_variable, (x, y))
            if x.type.dtype != y.type.dtype or x.type.ndim != y.type.ndim:
                raise TypeError(f"x and y differ: {x.type} and {y.type}")
            return theano.Apply(self, [x, y], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * inputs[1]

        def infer_shape(self, fgraph, node, input_shapes):
            return input_shapes[:1]

        def grad(self, inputs, output_gradients):
            x, y = inputs
            return [output_gradients[0] * y, output_gradients[0] * x]

        def R_op(self, inputs, eval_points):  # noqa: N802
            x, y = inputs
            dx, dy = eval_points
            return [
                total(
                    [
                        None if dx is None else dx * y,
                        None if dy is None else x * dy,
                    ]
                )
            ]

    class SumAndDifferenceOp(theano.Op):
        """Has two outputs, of which some may have no gradient."""

        __props__ = ()

        def make_node(self, x, y):
            x, y = map(tensor.as_tensor_variable, (x, y))
            return theano.Apply(self, [x, y], [x.type(), y.type()])

        def perform(self, node, inputs, output_storage):
            x, y = inputs
            output_storage[0][0] = x + y
            output_storage[1][0] = x - y

        def infer_shape(self, fgraph, node, input_shapes):
            return input_shapes

        def grad(self, inputs, output_gradients):
            of_sum, of_difference = (
                g if is_connected(g) else tensor.zeros_like(inputs[0])
                for g in output_gradients
            )
            return [of_sum + of_difference, of_sum - of_difference]

        def R_op(self, inputs, eval_points):  # noqa: N802
            dx, dy = eval_points
            return [
                total([dx, dy]),
                total([dx, None if dy is None else -dy]),
            ]

    class DotOp(theano.Op):
        """NumPy's dot of matrices."""

        __props__ = ()
        itypes = [tensor.dmatrix, tensor.dmatrix]
        otypes = [tensor.dmatrix]

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.dot(*inputs)

        def infer_shape(self, fgraph, node, input_shapes):
            (rows, _), (_, columns) = input_shapes
            return [(rows, columns)]

        def grad(self, inputs, output_gradients):
            x, y = inputs
            g = output_gradients[0]
            return [tensor.dot(g, y.T), tensor.dot(x.T, g)]

        def R_op(self, inputs, eval_points):  # noqa: N802
            x, y = inputs
            dx, dy = eval_points
            return [
                total(
                    [
                        None if dx is None else tensor.dot(dx, y),
                        None if dy is None else tensor.dot(x, dy),
                    ]
                )
            ]

    class SinExpOp(UnaryOp):
        """Computes sin(x) * exp(x)."""

        __props__ = ()

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.asarray(
                np.sin(inputs[0]) * np.exp(inputs[0])
            )

        def grad(self, inputs, output_gradients):
            x = inputs[0]
            slope = tensor.exp(x) * (tensor.cos(x) + tensor.sin(x))
            return [output_gradients[0] * slope]

        def R_op(self, inputs, eval_points):  # noqa: N802
            return self.grad(inputs, eval_points)

    class SumOp(theano.Op):
        """Sums along an axis."""

        __props__ = ("axis",)

        def __init__(self, axis):
            self.axis = axis

        def make_node(self, x):
            x = tensor.as_tensor_variable(x)
            output = tensor.TensorType(
                x.type.dtype, (None,) * (x.type.ndim - 1)
            )
            return theano.Apply(self, [x], [output()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.asarray(np.sum(inputs[0], self.axis))

        def infer_shape(self, node, input_shapes):
            shape = list(input_shapes[0])
            del shape[self.axis]
            return [tuple(shape)]

        def grad(self, inputs, output_gradients):
            g = tensor.expand_dims(output_gradients[0], self.axis)
            return [tensor.ones_like(inputs[0]) * g]

        def R_op(self, inputs, eval_points):  # noqa: N802
            return [tensor.sum(eval_points[0], axis=self.axis)]

    class CubeOp(UnaryOp):
        """Cubes; pullback and pushforward, and storage that is used again."""

        __props__ = ()

        def perform(self, node, inputs, output_storage):
            x = inputs[0]
            cell = output_storage[0]
            if cell[0] is None or cell[0].shape != x.shape:
                cell[0] = np.empty_like(x)
            np.multiply(x, x, out=cell[0])
            np.multiply(cell[0], x, out=cell[0])

        def infer_shape(self, fgraph, node, input_shapes):
            return input_shapes

        def pullback(self, inputs, outputs, cotangents):
            return [cotangents[0] * 3 * inputs[0] ** 2]

        def pushforward(self, inputs, outputs, tangents):
            if not is_connected(tangents[0]):
                return [tangents[0]]
            return [tangents[0] * 3 * inputs[0] ** 2]

    class TanhOp(UnaryOp):
        """Whose derivatives are functions of its output; L_op."""

        __props__ = ()

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.asarray(np.tanh(inputs[0]))

        def L_op(self, inputs, outputs, output_gradients):  # noqa: N802
            return [output_gradients[0] * (1 - outputs[0] ** 2)]

        def pushforward(self, inputs, outputs, tangents):
            return [tangents[0] * (1 - outputs[0] ** 2)]

    class PowerOp(theano.Op):
        """A power; its integer exponent is disconnected."""

        __props__ = ()

        def make_node(self, x, n):
            x = tensor.as_tensor_variable(x)
            n = tensor.as_tensor_variable(n)
            if n.type.dtype != "int64" or n.type.ndim != 0:
                raise TypeError(f"n is of type {n.type}, and must be an int64")
            return theano.Apply(self, [x, n], [x.type()])

        def perform(self, node, inputs, output_storage):
            x, n = inputs
            output_storage[0][0] = np.asarray(x**n)

        def infer_shape(self, fgraph, node, input_shapes):
            return input_shapes[:1]

        def connection_pattern(self, node):
            return [[True], [False]]

        def grad(self, inputs, output_gradients):
            x, n = inputs
            return [
                output_gradients[0] * n * x ** (n - 1),
                theano.DisconnectedType()(),
            ]

        def R_op(self, inputs, eval_points):  # noqa: N802
            return self.grad(inputs, eval_points)[:1]

    class RatioOp(theano.Op):
        """A number over an integer, whose gradient is zero."""

        __props__ = ()
        itypes = [tensor.dvector, tensor.lvector]
        otypes = [tensor.dvector]

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] / inputs[1]

        def grad(self, inputs, output_gradients):
            g = output_gradients[0]
            return [g / inputs[1], tensor.zeros_like(g)]

        def R_op(self, inputs, eval_points):  # noqa: N802
            return [eval_points[0] / inputs[1]]

    class HalfOp(theano.Op):
        """Integers to numbers."""

        __props__ = ()
        itypes = [tensor.imatrix]
        otypes = [tensor.dmatrix]

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] / 2

        def infer_shape(self, fgraph, node, input_shapes):
            return input_shapes

        def grad(self, inputs, output_gradients):
            return [tensor.zeros_like(output_gradients[0])]

    class SoftmaxOp(UnaryOp):
        """The softmax along the last dimension."""

        __props__ = ()

        def perform(self, node, inputs, output_storage):
            x = inputs[0]
            e = np.exp(x - np.max(x, axis=-1, keepdims=True))
            output_storage[0][0] = e / np.sum(e, axis=-1, keepdims=True)

        def infer_shape(self, node, input_shapes):
            return input_shapes

        def L_op(self, inputs, outputs, output_gradients):  # noqa: N802
            return [self._derivative(outputs[0], output_gradients[0])]

        def pushforward(self, inputs, outputs, tangents):
            return [self._derivative(outputs[0], tangents[0])]

        def _derivative(self, y, g):
            # The Jacobian is symmetric.
            return y * (g - tensor.sum(g * y, axis=-1, keepdims=True))

    class LogSumExpOp(theano.Op):
        """The logarithm of the sum of exponentials along the last dimension."""

        __props__ = ("keepdims",)

        def __init__(self, keepdims=False):
            self.keepdims = keepdims

        def make_node(self, x):
            x = tensor.as_tensor_variable(x)
            shape = (None,) * (x.type.ndim - 1)
            if self.keepdims:
                shape += (1,)
            return theano.Apply(
                self, [x], [tensor.TensorType(x.type.dtype, shape)()]
            )

        def perform(self, node, inputs, output_storage):
            x = inputs[0]
            largest = np.max(x, axis=-1, keepdims=True)
            summed = np.sum(np.exp(x - largest), axis=-1, keepdims=True)
            y = np.log(summed) + largest
            if not self.keepdims:
                y = np.asarray(y[..., 0])
            output_storage[0][0] = y

        def infer_shape(self, fgraph, node, input_shapes):
            shape = tuple(input_shapes[0][:-1])
            return [(*shape, 1) if self.keepdims else shape]

        def L_op(self, inputs, outputs, output_gradients):  # noqa: N802
            y, g = outputs[0], output_gradients[0]
            if not self.keepdims:
                y, g = tensor.expand_dims(y, -1), tensor.expand_dims(g, -1)
            return [g * tensor.exp(inputs[0] - y)]

    class OuterOp(theano.Op):
        """The outer product of vectors."""

        __props__ = ()
        itypes = [tensor.dvector, tensor.dvector]
        otypes = [tensor.dmatrix]

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.outer(*inputs)

        def infer_shape(self, node, input_shapes):
            return [tuple(input_shapes[0]) + tuple(input_shapes[1])]

        def pullback(self, inputs, outputs, cotangents):
            x, y = inputs
            return [tensor.dot(cotangents[0], y), tensor.dot(x, cotangents[0])]

        def pushforward(self, inputs, outputs, tangents):
            x, y = inputs
            dx, dy = tangents
            return [
                total(
                    [
                        tensor.outer(dx, y) if is_connected(dx) else None,
                        tensor.outer(x, dy) if is_connected(dy) else None,
                    ]
                )
            ]

    class ExpOp(UnaryOp):
        """Whose derivatives apply the op itself."""

        __props__ = ()

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.asarray(np.exp(inputs[0]))

        def grad(self, inputs, output_gradients):
            return [output_gradients[0] * self(inputs[0])]

        def R_op(self, inputs, eval_points):  # noqa: N802
            return self.grad(inputs, eval_points)

    class TransposeOp(theano.Op):
        """Gives a view of its input."""

        __props__ = ()
        view_map = {0: [0]}
        itypes = [tensor.dmatrix]
        otypes = [tensor.dmatrix]

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0].T

        def infer_shape(self, fgraph, node, input_shapes):
            return [tuple(input_shapes[0])[::-1]]

        def grad(self, inputs, output_gradients):
            return [self(output_gradients[0])]

        def R_op(self, inputs, eval_points):  # noqa: N802
            return [self(eval_points[0])]

    class DivModOp(theano.Op):
        """Has a default output; the other one is not differentiable."""

        __props__ = ("divisor",)
        default_output = 1
        itypes = [tensor.dvector]
        otypes = [tensor.lvector, tensor.dvector]

        def __init__(self, divisor):
            self.divisor = divisor

        def perform(self, node, inputs, output_storage):
            quotient, remainder = np.divmod(inputs[0], self.divisor)
            output_storage[0][0] = quotient.astype(np.int64)
            output_storage[1][0] = remainder

        def infer_shape(self, fgraph, node, input_shapes):
            return [input_shapes[0], input_shapes[0]]

        def grad(self, inputs, output_gradients):
            return [output_gradients[1]]

        def R_op(self, inputs, eval_points):  # noqa: N802
            return [None, eval_points[0]]

    class RoundOp(UnaryOp):
        """Whose gradient is undefined."""

        __props__ = ()

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.asarray(np.round(inputs[0]))

        def grad(self, inputs, output_gradients):
            return [theano.grad_undefined(self, 0, inputs[0])]

    class NamedOp(UnaryOp):
        """Has a text and a tuple among its __props__."""

        __props__ = ("name", "sizes")

        def __init__(self, name, sizes):
            self.name = name
            self.sizes = sizes

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0].copy()

        def grad(self, inputs, output_gradients):
            return output_gradients

    class UnequalOp(UnaryOp):
        """Has no __props__, and so equals itself alone."""

        perform = NamedOp.perform

    class ScaleOp(AXPBOp):
        """Has the __props__ of the class that it extends."""

    classes = [
        AXPBOp,
        CubeOp,
        DivModOp,
        DotOp,
        DoubleOp1,
        DoubleOp2,
        ExpOp,
        HalfOp,
        LogSumExpOp,
        MultiplyOp,
        NamedOp,
        OuterOp,
        PowerOp,
        RatioOp,
        RoundOp,
        ScaleOp,
        SinExpOp,
        SoftmaxOp,
        SumAndDifferenceOp,
        SumOp,
        TanhOp,
        TransposeOp,
        UnequalOp,
    ]
    return {c.__name__: c for c in classes}
