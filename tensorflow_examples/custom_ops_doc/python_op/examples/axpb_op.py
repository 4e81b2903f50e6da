"""The document's op with properties: a * x + b.

Run it: ./bazelw run //tensorflow_examples/custom_ops_doc/python_op/examples:axpb_op
"""

import numpy

from tensorflow_examples.custom_ops_doc.python_op import python_op as theano


class AXPBOp(theano.Op):
    """This creates an Op that takes x to a*x+b."""

    __props__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b
        super().__init__()

    def make_node(self, x):
        x = theano.tensor.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        x = inputs[0]
        z = output_storage[0]
        z[0] = self.a * x + self.b

    def infer_shape(self, node, i0_shapes):
        return i0_shapes

    def grad(self, inputs, output_grads):
        # The document has a * output_grads[0] + b here, which is a slip: b does
        # not depend on x.
        return [self.a * output_grads[0]]


def main():
    """Compares ops, and tries them."""
    mult4plus5op = AXPBOp(4, 5)
    another_mult4plus5op = AXPBOp(4, 5)
    mult2plus3op = AXPBOp(2, 3)

    assert mult4plus5op == another_mult4plus5op
    assert mult4plus5op != mult2plus3op

    x = theano.tensor.matrix()
    f = theano.function([x], mult4plus5op(x))
    g = theano.function([x], mult2plus3op(x))

    inp = numpy.random.rand(5, 4).astype(numpy.float32)
    assert numpy.allclose(4 * inp + 5, f(inp))
    assert numpy.allclose(2 * inp + 3, g(inp))
    print(f"{mult4plus5op} and {mult2plus3op} of\n{inp}\nare\n{f(inp)}\nand")
    print(g(inp))


if __name__ == "__main__":
    main()
