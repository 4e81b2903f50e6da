"""Shows the tables of opcheck for an op in Python, a wrong one, and a kernel.

./bazelw run //tensorflow_examples/custom_ops_doc/python_op:opcheck_demo
"""

import numpy as np
from absl import app

from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op
from tensorflow_examples.custom_ops_doc.python_op import opcheck
from tensorflow_examples.custom_ops_doc.python_op import python_op


class DoubleOp(python_op.Op):
    """Doubles: the document's DoubleOp1."""

    __props__ = ()

    def make_node(self, x):
        x = python_op.tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2

    def infer_shape(self, node, i0_shapes):
        return i0_shapes

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def R_op(self, inputs, eval_points):  # noqa: N802
        if eval_points[0] is None:
            return eval_points
        return self.grad(inputs, eval_points)


class WrongDoubleOp(DoubleOp):
    """Returns an array that it keeps, and its gradient is wrong."""

    kept = None

    def perform(self, node, inputs, output_storage):
        if self.kept is None or self.kept.shape != inputs[0].shape:
            self.kept = np.empty_like(inputs[0])
        np.multiply(inputs[0], 2, out=self.kept)
        output_storage[0][0] = self.kept

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 3]


def main(argv: list[str]) -> None:
    """Prints three tables."""
    del argv
    x = np.arange(20.0).reshape(5, 4)
    cond = np.array([[True, False, True], [False, False, True]])
    a = np.arange(6.0).reshape(2, 3)
    for op, inputs in (
        (DoubleOp(), (x,)),
        (WrongDoubleOp(), (x,)),
        (multiplex_2_op.multiplex, (cond, a, -a)),
    ):
        print(opcheck.opcheck(op, inputs), end="\n\n")


if __name__ == "__main__":
    app.run(main)
