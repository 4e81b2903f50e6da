"""What the ops are applied to: seeded random inputs, alike in every process."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

Inputs = Callable[[np.random.Generator], list[np.ndarray]]


@dataclasses.dataclass(frozen=True)
class Case:
    """A function made of ops, and where it is evaluated.

    Attributes:
      name: its name.
      apply: takes a tensor or variable for each input; returns a tensor or
        variable, or a list of them.
      draw: returns random inputs, of other shapes each time.
      derivatives: what it is asked for besides values: 0 nothing, 1 gradients, 2
        Rop and gradients of gradients too.
    """

    name: str
    apply: Callable[..., Any]
    draw: Inputs
    derivatives: int = 2

    def inputs(self, index: int) -> list[np.ndarray]:
        """Returns the random inputs number `index`."""
        return self.draw(self._generator(index, 0))

    def like(
        self, arrays: list[np.ndarray], index: int, what: int
    ) -> list[np.ndarray]:
        """Returns random cotangents or tangents number `index` for arrays.

        Args:
          arrays: arrays of floating-point numbers.
          index: the number.
          what: tells cotangents from tangents; a number from 1.
        """
        generator = self._generator(index, what)
        return [
            np.asarray(generator.standard_normal(x.shape)).astype(x.dtype)
            for x in arrays
        ]

    def _generator(self, *numbers: int) -> np.random.Generator:
        return np.random.default_rng([zlib.crc32(self.name.encode()), *numbers])


def cases(op: dict[str, type]) -> list[Case]:
    """Returns the cases, of the classes that `op_classes` returns."""
    dot, outer = op["DotOp"](), op["OuterOp"]()
    multiply, sine = op["MultiplyOp"](), op["SinExpOp"]()
    softmax, tanh = op["SoftmaxOp"](), op["TanhOp"]()
    both = op["SumAndDifferenceOp"]()
    double = op["DoubleOp1"]()

    def layer(x, w):
        return softmax(tanh(dot(double(x), w)))

    def diamond(x, y):
        z = multiply(x, y)
        return both(sine(z), tanh(z))

    return [
        Case("DoubleOp1", double, arrays()),
        Case("DoubleOp1 of float32", double, arrays(dtype="float32")),
        Case("DoubleOp2", op["DoubleOp2"](), arrays(rank=2)),
        Case("AXPBOp", op["AXPBOp"](4, 5), arrays()),
        Case("ScaleOp", op["ScaleOp"](0.5, -1.5), arrays()),
        Case("MultiplyOp", multiply, arrays(2)),
        Case("SumAndDifferenceOp", both, arrays(2)),
        Case("sum alone", lambda x, y: both(x, y)[0], arrays(2)),
        Case("difference alone", lambda x, y: both(x, y)[1], arrays(2)),
        Case("DotOp", dot, _matrices),
        Case("SinExpOp", sine, arrays()),
        Case("SumOp of axis 0", op["SumOp"](0), arrays(rank=2)),
        Case("SumOp of axis 1", op["SumOp"](1), arrays(rank=3)),
        Case("CubeOp", op["CubeOp"](), arrays()),
        Case("TanhOp", tanh, arrays()),
        Case("PowerOp", op["PowerOp"](), _power),
        Case("RatioOp", op["RatioOp"](), _ratio),
        Case("HalfOp", op["HalfOp"](), _integers),
        Case("SoftmaxOp", softmax, _rows),
        Case("LogSumExpOp", op["LogSumExpOp"](), _rows),
        Case("LogSumExpOp, keepdims", op["LogSumExpOp"](True), _rows),
        Case("OuterOp", outer, vectors),
        Case("ExpOp", op["ExpOp"](), arrays()),
        Case("TransposeOp", op["TransposeOp"](), arrays(rank=2)),
        Case("DivModOp", op["DivModOp"](0.75), arrays(rank=1)),
        Case("NamedOp", op["NamedOp"]("a b", (1, 2)), arrays()),
        Case("TanhOp of special values", tanh, _special),
        Case("a square", lambda x: multiply(x, x), arrays()),
        Case(
            "a product with a constant",
            lambda x: multiply(x, np.arange(3.0)),
            lambda generator: [normal(generator, (3,))],
        ),
        Case("a layer", layer, _layer),
        Case("a diamond", diamond, arrays(2)),
    ]


def _shape(
    generator: np.random.Generator, rank: int, least: int = 0
) -> tuple[int, ...]:
    # Sizes 0 and 1 are as frequent as each other one.
    return tuple(generator.integers(least, 6, rank).tolist())


def normal(
    generator: np.random.Generator,
    shape: tuple[int, ...],
    dtype: str = "float64",
) -> np.ndarray:
    """Returns normally distributed numbers."""
    return np.asarray(generator.standard_normal(shape)).astype(dtype)


def arrays(
    count: int = 1,
    rank: int | None = None,
    dtype: str = "float64",
    least: int = 0,
) -> Inputs:
    """Returns what draws arrays of one shape.

    Args:
      count: the number of arrays.
      rank: their rank; 0 to 4 where it is None.
      dtype: their dtype.
      least: the smallest size of a dimension.
    """

    def draw(generator):
        r = int(generator.integers(0, 5)) if rank is None else rank
        shape = _shape(generator, r, least)
        return [normal(generator, shape, dtype) for _ in range(count)]

    return draw


def _matrices(generator):
    rows, inner, columns = _shape(generator, 3)
    return [
        normal(generator, (rows, inner)),
        normal(generator, (inner, columns)),
    ]


def vectors(generator: np.random.Generator) -> list[np.ndarray]:
    """Draws two vectors."""
    return [normal(generator, _shape(generator, 1)) for _ in range(2)]


def _rows(generator):
    """Draws an array whose last dimension is not empty."""
    shape = _shape(generator, int(generator.integers(0, 4)))
    return [3 * normal(generator, (*shape, int(generator.integers(1, 6))))]


def _special(generator):
    values = [0.0, -0.0, 5e-324, -1e308, np.inf, -np.inf, np.nan]
    return [generator.choice(values, _shape(generator, 2))]


def _power(generator):
    (x,) = arrays()(generator)
    return [x, np.asarray(generator.integers(1, 5))]


def _ratio(generator):
    shape = _shape(generator, 1)
    return [normal(generator, shape), generator.integers(1, 100, shape)]


def _integers(generator):
    return [generator.integers(-100, 100, _shape(generator, 2), np.int32)]


def _layer(generator):
    rows, inner, _ = _shape(generator, 3)
    columns = int(generator.integers(1, 6))
    return [
        normal(generator, (rows, inner)),
        normal(generator, (inner, columns)),
    ]
