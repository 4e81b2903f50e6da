"""`as_op`: makes an op of a Python function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from collections.abc import Sequence

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op import op
from tensorflow_examples.custom_ops_doc.python_op import tensor_type


class FromFunctionOp(op.Op):
    """An op that calls a function of arrays.

    Attributes:
      fn: the function.
    """

    def __init__(
        self,
        fn: Callable,
        itypes: Sequence[tensor_type.TensorType],
        otypes: Sequence[tensor_type.TensorType],
        infer_shape: Callable | None = None,
    ):
        self.fn = fn
        self.itypes = list(itypes)
        self.otypes = list(otypes)
        if infer_shape is not None:
            self.infer_shape = infer_shape
        functools.update_wrapper(self, fn, updated=())

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.fn is other.fn

    def __hash__(self) -> int:
        return hash((type(self), self.fn))

    def __str__(self) -> str:
        return f"FromFunctionOp{{{self.fn.__name__}}}"

    def __reduce__(self):
        # The decorator has put the op in the function's place.
        return f"{self.fn.__qualname__}"

    def perform(self, node, inputs, output_storage):
        """Calls the function, and spreads what it returns over the outputs."""
        outputs = self.fn(*inputs)
        if not isinstance(outputs, (list, tuple)):
            outputs = (outputs,)
        if len(outputs) != len(output_storage):
            raise TypeError(
                f"{self}: the function must return {len(output_storage)} outputs, "
                f"but returned {len(outputs)}"
            )
        for cell, value in zip(output_storage, outputs, strict=True):
            cell[0] = np.asarray(value)


def as_op(
    itypes: tensor_type.TensorType | Sequence[tensor_type.TensorType],
    otypes: tensor_type.TensorType | Sequence[tensor_type.TensorType],
    infer_shape: Callable | None = None,
) -> Callable[[Callable], FromFunctionOp]:
    """Returns a decorator that makes an op of a Python function.

    The function is called with an array for each input, and returns an array, or
    a list of them, newly allocated. The op has no gradient.

    Args:
      itypes: the inputs' types.
      otypes: the outputs' types.
      infer_shape: takes the node and a list of the inputs' shapes, and returns a
        list of the outputs'. Without it a shape needs the op to be run.

    Returns:
      The decorator.

    Raises:
      TypeError: If an item of `itypes` or `otypes` is no type.
    """
    types = []
    for role, given in (("itypes", itypes), ("otypes", otypes)):
        items = list(given) if isinstance(given, (list, tuple)) else [given]
        for i, item in enumerate(items):
            if not isinstance(item, tensor_type.Type):
                raise TypeError(
                    f"{role}[{i}] must be a type such as tensor.dmatrix, but is "
                    f"{item!r}"
                )
        types.append(items)
    if infer_shape is not None and not callable(infer_shape):
        raise TypeError(f"infer_shape must be a function, not {infer_shape!r}")

    def make_op(fn: Callable) -> FromFunctionOp:
        return FromFunctionOp(fn, *types, infer_shape)

    return make_op
