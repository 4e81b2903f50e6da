"""The document's op made of a Python function: as_op.

Run it: ./bazelw run //tensorflow_examples/custom_ops_doc/python_op/examples:numpy_dot
"""

import numpy

from tensorflow_examples.custom_ops_doc.python_op import python_op as theano
from tensorflow_examples.custom_ops_doc.python_op.as_op import as_op
from tensorflow_examples.custom_ops_doc.python_op.function import function


def infer_shape_numpy_dot(node, input_shapes):
    """Returns the shape of a product of matrices."""
    ashp, bshp = input_shapes
    return [ashp[:-1] + bshp[-1:]]


@as_op(
    itypes=[theano.tensor.fmatrix, theano.tensor.fmatrix],
    otypes=[theano.tensor.fmatrix],
    infer_shape=infer_shape_numpy_dot,
)
def numpy_dot(a, b):
    """Returns the product of two matrices."""
    return numpy.dot(a, b)


def main():
    """Tries the op."""
    x = theano.tensor.fmatrix()
    y = theano.tensor.fmatrix()
    f = function([x, y], numpy_dot(x, y))
    inp1 = numpy.random.rand(5, 4).astype("float32")
    inp2 = numpy.random.rand(4, 7).astype("float32")
    out = f(inp1, inp2)
    assert numpy.allclose(inp1 @ inp2, out)
    print(out)


if __name__ == "__main__":
    main()
