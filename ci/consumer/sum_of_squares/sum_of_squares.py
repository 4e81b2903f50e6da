"""The op SumOfSquares, written in Python."""

from typing import Any

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op import python_op

tensor = python_op.tensor

_DTYPES = [
    "float32",
    "float64",
]


class SumOfSquares(python_op.Op):
    """The sum of the squares of the inputs, element by element."""

    __props__ = ()

    def make_node(
        self,
        x: Any,
        y: Any,
    ) -> python_op.Apply:
        """Returns the node that applies the op.

        Args:
          x: a tensor of any shape, which all inputs share.
          y: a tensor of any shape, which all inputs share.

        Raises:
          TypeError: an input has another dtype than the first, or than
            those that the op takes.
        """
        inputs = [
            tensor.as_tensor_variable(x),
            tensor.as_tensor_variable(y),
        ]
        for x in inputs:
            if x.type.dtype not in _DTYPES:
                raise TypeError(
                    f"{self}: an input must have one of the dtypes"
                    f" {', '.join(_DTYPES)}, not {x.type.dtype}"
                )
            if x.type.dtype != inputs[0].type.dtype:
                raise TypeError(
                    f"{self}: the inputs must have one dtype, not"
                    f" {inputs[0].type.dtype} and {x.type.dtype}"
                )
        return python_op.Apply(self, inputs, [inputs[0].type()])

    def perform(
        self,
        node: python_op.Apply,
        inputs: list[np.ndarray],
        output_storage: list[list],
    ) -> None:
        """Computes the output with NumPy."""
        for x in inputs:
            if x.shape != inputs[0].shape:
                raise ValueError(
                    f"{self}: the inputs must have one shape, not"
                    f" {inputs[0].shape} and {x.shape}"
                )
        result = np.square(inputs[0])
        for x in inputs[1:]:
            result = result + np.square(x)
        output_storage[0][0] = result

    def infer_shape(self, node: python_op.Apply, shapes: list) -> list:
        """Returns the output's shape, which is that of each input."""
        return [shapes[0]]

    def grad(self, inputs: list, output_gradients: list) -> list:
        """Returns the gradients: 2 * input * gradient each."""
        (gradient,) = output_gradients
        return [2 * x * gradient for x in inputs]

    def R_op(self, inputs: list, eval_points: list) -> list:  # noqa: N802
        """Returns the Jacobian times the vectors that are not None."""
        terms = [
            2 * x * v
            for x, v in zip(inputs, eval_points, strict=True)
            if v is not None
        ]
        return [sum(terms[1:], terms[0]) if terms else None]
