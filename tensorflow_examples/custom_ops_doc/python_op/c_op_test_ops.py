"""Ops with C code, and nodes for them, for the tests of c_op."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Type:
    """What C code asks of a tensor type."""

    dtype: str
    ndim: int


@dataclasses.dataclass(frozen=True)
class Variable:
    """What C code asks of a variable."""

    type: Type


@dataclasses.dataclass(frozen=True)
class Node:
    """What C code asks of an Apply."""

    inputs: Sequence[Variable]
    outputs: Sequence[Variable]


def make_node(
    inputs: Sequence[tuple[str, int]], outputs: Sequence[tuple[str, int]]
) -> Node:
    """Returns a node from the dtype and ndim of each variable."""
    return Node(
        [Variable(Type(*variable)) for variable in inputs],
        [Variable(Type(*variable)) for variable in outputs],
    )


DOUBLES = make_node([("float64", 1)], [("float64", 1)])

# Leaves an output of the first input's shape in the storage, one that is there where its shape is right.
ALLOCATE = """
  if (%(z)s == NULL || !PyArray_SAMESHAPE(%(x)s, %(z)s)) {
    Py_XDECREF(%(z)s);
    %(z)s = (PyArrayObject*)PyArray_SimpleNew(
        PyArray_NDIM(%(x)s), PyArray_DIMS(%(x)s), TYPENUM_OUTPUT_0);
    if (%(z)s == NULL) %(fail)s
  }
"""


class DoubleOp:
    """2 * x, of doubles, in C and in Python."""

    loop = """
  const npy_intp n = PyArray_DIM(%(x)s, 0);
  for (npy_intp i = 0; i < n; ++i) {
    *(dtype_%(z)s*)PyArray_GETPTR1(%(z)s, i) = 2 * *(dtype_%(x)s*)PyArray_GETPTR1(%(x)s, i);
  }
"""

    def __init__(self, name: str = "DoubleOp", extra: str = "") -> None:
        """Makes the op; `extra` is C code that comes first."""
        self.name = name
        self.extra = extra

    def __str__(self) -> str:
        return self.name

    def perform(
        self,
        node: Any,
        inputs: Sequence[np.ndarray],
        output_storage: Sequence[list],
    ) -> None:
        """Does in Python what c_code does in C."""
        (x,) = inputs
        z = np.empty_like(x)
        for i in range(len(x)):
            z[i] = 2 * x[i]
        output_storage[0][0] = z

    def c_code(
        self,
        node: Any,
        name: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        sub: dict[str, str],
    ) -> str:
        """Returns the loop."""
        names = dict(x=inputs[0], z=outputs[0], fail=sub["fail"])
        return self.extra + (ALLOCATE + self.loop) % names


class CodeOp:
    """An op whose C code, and other methods, the test gives."""

    def __init__(self, code: str, name: str = "CodeOp", **methods: Any) -> None:
        """Makes the op.

        Args:
          code: a format of `x`, `y`, ... for inputs and `z` for the first output.
          name: what str() of the op gives.
          **methods: what a method of the name returns; `check_input` is itself.
        """
        self.code = code
        self.name = name
        for method, result in methods.items():
            value = (
                result
                if method == "check_input"
                else lambda *_, result=result: result
            )
            setattr(self, method, value)

    def __str__(self) -> str:
        return self.name

    def c_code(
        self,
        node: Any,
        inputs: Sequence[str],
        outputs: Sequence[str],
        sub: dict[str, str],
    ) -> str:
        """Returns the code; without `name`, as the document lists it."""
        return self.code % {
            **dict(zip("xyw", inputs, strict=False)),
            **dict(zip("zv", outputs, strict=False)),
            **sub,
        }
