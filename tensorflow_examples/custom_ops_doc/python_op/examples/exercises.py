"""Answers to the document's exercises.

Run it: ./bazelw run //tensorflow_examples/custom_ops_doc/python_op/examples:exercises
"""

import numpy

from tensorflow_examples.custom_ops_doc.python_op import python_op as theano
from tensorflow_examples.custom_ops_doc.python_op.as_op import as_op


class ProductOp(theano.Op):
    """x * y, element by element, of two tensors of one dtype and rank."""

    __props__ = ()

    def make_node(self, x, y):
        x = theano.tensor.as_tensor_variable(x)
        y = theano.tensor.as_tensor_variable(y)
        if x.type != y.type:
            raise TypeError(
                f"x and y must be of one type, but are of type {x.type} and "
                f"{y.type}"
            )
        return theano.Apply(self, [x, y], [x.type()])

    def perform(self, node, inputs, output_storage):
        x, y = inputs
        z = output_storage[0]
        z[0] = x * y

    def infer_shape(self, node, i0_shapes):
        return [i0_shapes[0]]

    def grad(self, inputs, output_grads):
        x, y = inputs
        return [output_grads[0] * y, output_grads[0] * x]

    def R_op(self, inputs, eval_points):
        x, y = inputs
        dx, dy = eval_points
        terms = []
        if dx is not None:
            terms.append(dx * y)
        if dy is not None:
            terms.append(x * dy)
        return [sum(terms[1:], terms[0]) if terms else None]


class SumDiffOp(theano.Op):
    """Two outputs, x + y and x - y, of two tensors of one dtype and rank."""

    __props__ = ()

    def make_node(self, x, y):
        x = theano.tensor.as_tensor_variable(x)
        y = theano.tensor.as_tensor_variable(y)
        if x.type != y.type:
            raise TypeError(
                f"x and y must be of one type, but are of type {x.type} and "
                f"{y.type}"
            )
        return theano.Apply(self, [x, y], [x.type(), y.type()])

    def perform(self, node, inputs, output_storage):
        x, y = inputs
        z1, z2 = output_storage
        z1[0] = x + y
        z2[0] = x - y

    def infer_shape(self, node, i0_shapes):
        return [i0_shapes[0], i0_shapes[0]]

    def grad(self, inputs, output_grads):
        og1, og2 = output_grads
        return [og1 + og2, og1 - og2]

    def R_op(self, inputs, eval_points):
        dx, dy = eval_points
        if dx is None and dy is None:
            return [None, None]
        if dx is None:
            return [dy, -dy]
        if dy is None:
            return [dx, dx]
        return [dx + dy, dx - dy]


def infer_shape_of_first(node, input_shapes):
    """Returns the first input's shape, for each output."""
    return [input_shapes[0]] * len(node.outputs)


@as_op(
    itypes=[theano.tensor.fmatrix, theano.tensor.fmatrix],
    otypes=[theano.tensor.fmatrix],
    infer_shape=infer_shape_of_first,
)
def numpy_add(a, b):
    """Returns a + b."""
    return numpy.add(a, b)


@as_op(
    itypes=[theano.tensor.fmatrix, theano.tensor.fmatrix],
    otypes=[theano.tensor.fmatrix],
    infer_shape=infer_shape_of_first,
)
def numpy_subtract(a, b):
    """Returns a - b."""
    return numpy.subtract(a, b)


@as_op(
    itypes=[theano.tensor.fmatrix, theano.tensor.fmatrix],
    otypes=[theano.tensor.fmatrix, theano.tensor.fmatrix],
    infer_shape=infer_shape_of_first,
)
def numpy_add_subtract(a, b):
    """Returns a + b and a - b."""
    return [numpy.add(a, b), numpy.subtract(a, b)]


def main():
    """Tries all of them."""
    x = theano.tensor.fmatrix()
    y = theano.tensor.fmatrix()
    inp1 = numpy.random.rand(5, 4).astype("float32")
    inp2 = numpy.random.rand(5, 4).astype("float32")
    for op, expected in (
        (ProductOp(), [inp1 * inp2]),
        (SumDiffOp(), [inp1 + inp2, inp1 - inp2]),
        (numpy_add, [inp1 + inp2]),
        (numpy_subtract, [inp1 - inp2]),
        (numpy_add_subtract, [inp1 + inp2, inp1 - inp2]),
    ):
        f = theano.function([x, y], op(x, y, return_list=True))
        out = f(inp1, inp2)
        assert numpy.allclose(expected, out)
        print(f"{op}:\n{numpy.array(out)}")


if __name__ == "__main__":
    main()
