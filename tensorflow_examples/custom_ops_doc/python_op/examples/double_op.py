"""The document's first ops: they double their input.

Run it: ./bazelw run //tensorflow_examples/custom_ops_doc/python_op/examples:double_op
"""

import numpy

from tensorflow_examples.custom_ops_doc.python_op import python_op as theano


class DoubleOp1(theano.Op):
    """Doubles a tensor of any dtype and rank: its types are in make_node."""

    __props__ = ()

    def make_node(self, x):
        x = theano.tensor.as_tensor_variable(x)
        # Note: using x_.type() is dangerous, as it copies x's broadcasting
        # behaviour
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        x = inputs[0]
        z = output_storage[0]
        z[0] = x * 2

    def infer_shape(self, node, i0_shapes):
        return i0_shapes

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def R_op(self, inputs, eval_points):
        # R_op can receive None as eval_points.
        # That means there is no differentiable path through that input.
        # If this implies that you cannot compute some outputs,
        # return None for those.
        if eval_points[0] is None:
            return eval_points
        return self.grad(inputs, eval_points)


doubleOp1 = DoubleOp1()


class DoubleOp2(theano.Op):
    """Doubles a matrix of float64: its types are itypes and otypes."""

    __props__ = ()

    itypes = [theano.tensor.dmatrix]
    otypes = [theano.tensor.dmatrix]

    def perform(self, node, inputs, output_storage):
        x = inputs[0]
        z = output_storage[0]
        z[0] = x * 2

    def infer_shape(self, node, i0_shapes):
        return i0_shapes

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def R_op(self, inputs, eval_points):
        # As in DoubleOp1.
        if eval_points[0] is None:
            return eval_points
        return self.grad(inputs, eval_points)


doubleOp2 = DoubleOp2()


def main():
    """Tries both ops."""
    for op in (DoubleOp1(), DoubleOp2()):
        x = theano.tensor.matrix()
        f = theano.function([x], op(x))
        inp = numpy.random.rand(5, 4)
        out = f(inp)
        assert numpy.allclose(inp * 2, out)
        print(inp)
        print(out)


if __name__ == "__main__":
    main()
