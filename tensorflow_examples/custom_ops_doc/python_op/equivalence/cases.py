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
    """

    name: str
    apply: Callable[..., Any]
    draw: Inputs

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
        Case("DoubleOp1", double, _arrays()),
        Case("DoubleOp1 of float32", double, _arrays(dtype="float32")),
        Case("DoubleOp2", op["DoubleOp2"](), _arrays(rank=2)),
        Case("AXPBOp", op["AXPBOp"](4, 5), _arrays()),
        Case("ScaleOp", op["ScaleOp"](0.5, -1.5), _arrays()),
        Case("MultiplyOp", multiply, _arrays(2)),
        Case("SumAndDifferenceOp", both, _arrays(2)),
        Case("sum alone", lambda x, y: both(x, y)[0], _arrays(2)),
        Case("difference alone", lambda x, y: both(x, y)[1], _arrays(2)),
        Case("DotOp", dot, _matrices),
        Case("SinExpOp", sine, _arrays()),
        Case("SumOp of axis 0", op["SumOp"](0), _arrays(rank=2)),
        Case("SumOp of axis 1", op["SumOp"](1), _arrays(rank=3)),
        Case("CubeOp", op["CubeOp"](), _arrays()),
        Case("TanhOp", tanh, _arrays()),
        Case("PowerOp", op["PowerOp"](), _power),
        Case("RatioOp", op["RatioOp"](), _ratio),
        Case("HalfOp", op["HalfOp"](), _integers),
        Case("SoftmaxOp", softmax, _rows),
        Case("LogSumExpOp", op["LogSumExpOp"](), _rows),
        Case("LogSumExpOp, keepdims", op["LogSumExpOp"](True), _rows),
        Case("OuterOp", outer, _vectors),
        Case("ExpOp", op["ExpOp"](), _arrays()),
        Case("TransposeOp", op["TransposeOp"](), _arrays(rank=2)),
        Case("DivModOp", op["DivModOp"](0.75), _arrays(rank=1)),
        Case("NamedOp", op["NamedOp"]("a b", (1, 2)), _arrays()),
        Case("a layer", layer, _layer),
        Case("a diamond", diamond, _arrays(2)),
    ]


def _shape(generator: np.random.Generator, rank: int) -> tuple[int, ...]:
    # Sizes 0 and 1 are as frequent as each other one.
    return tuple(generator.integers(0, 6, rank).tolist())


def _normal(generator, shape, dtype="float64"):
    return np.asarray(generator.standard_normal(shape)).astype(dtype)


def _arrays(
    count: int = 1, rank: int | None = None, dtype: str = "float64"
) -> Inputs:
    """Returns what draws arrays of one shape, of rank 0 to 4 where it is None."""

    def draw(generator):
        r = int(generator.integers(0, 5)) if rank is None else rank
        shape = _shape(generator, r)
        return [_normal(generator, shape, dtype) for _ in range(count)]

    return draw


def _matrices(generator):
    rows, inner, columns = _shape(generator, 3)
    return [
        _normal(generator, (rows, inner)),
        _normal(generator, (inner, columns)),
    ]


def _vectors(generator):
    return [_normal(generator, _shape(generator, 1)) for _ in range(2)]


def _rows(generator):
    """Draws an array whose last dimension is not empty."""
    shape = _shape(generator, int(generator.integers(0, 4)))
    return [3 * _normal(generator, (*shape, int(generator.integers(1, 6))))]


def _power(generator):
    (x,) = _arrays()(generator)
    return [x, np.asarray(generator.integers(1, 5))]


def _ratio(generator):
    shape = _shape(generator, 1)
    return [_normal(generator, shape), generator.integers(1, 100, shape)]


def _integers(generator):
    return [generator.integers(-100, 100, _shape(generator, 2), np.int32)]


def _layer(generator):
    rows, inner, _ = _shape(generator, 3)
    columns = int(generator.integers(1, 6))
    return [
        _normal(generator, (rows, inner)),
        _normal(generator, (inner, columns)),
    ]
