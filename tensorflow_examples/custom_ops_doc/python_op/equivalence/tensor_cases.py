"""The functions of `tensor`, which derivatives of ops are written with, as cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op.equivalence import cases

# Their derivatives are zero, or there are none.
_FLAT = ("ceil", "floor", "ones_like", "sgn", "zeros_like")
_OF_REAL = (
    "abs",
    "arcsinh",
    "arctan",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "identity",
    "neg",
    "reciprocal",
    "sigmoid",
    "sin",
    "sinh",
    "softplus",
    "sqr",
    "tan",
    "tanh",
)
_OF_POSITIVE = (
    "digamma",
    "gammaln",
    "log",
    "log10",
    "log1p",
    "log2",
    "sqrt",
)
_OF_SMALL = ("arccos", "arcsin", "arctanh")
_OF_TWO = (
    "add",
    "arctan2",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "sub",
    "true_div",
)
_REDUCTIONS = ("max", "mean", "min", "prod", "std", "sum", "var")


def tensor_cases(tensor: Any) -> list[cases.Case]:
    """Returns a case for each of the functions of a module `tensor`."""
    elementwise = cases.arrays(rank=2)
    two = cases.arrays(2, rank=2)
    rows = cases.arrays(rank=2, least=1)
    result = [cases.Case(n, getattr(tensor, n), elementwise) for n in _OF_REAL]
    result += [cases.Case(n, getattr(tensor, n), elementwise, 0) for n in _FLAT]
    result += [
        cases.Case(n, getattr(tensor, n), _positive) for n in _OF_POSITIVE
    ]
    result += [cases.Case(n, getattr(tensor, n), _small) for n in _OF_SMALL]
    result += [cases.Case(n, getattr(tensor, n), two) for n in _OF_TWO]
    for name in _REDUCTIONS:
        function = getattr(tensor, name)
        # PyTensor differentiates a product once, and has no other Rop of it.
        derivatives = 1 if name == "prod" else 2
        for text, reduction in (
            (name, function),
            (f"{name} of axis 0", _along(function, 0)),
            (f"{name} of axis -1", _along(function, -1)),
            (f"{name}, keepdims", _along(function, 1, True)),
        ):
            result.append(cases.Case(text, reduction, rows, derivatives))
    products = [
        cases.Case("dot of matrices", tensor.dot, _product(2, 2)),
        cases.Case("dot of vectors", tensor.dot, _product(1, 1)),
        cases.Case("dot of a matrix and a vector", tensor.dot, _product(2, 1)),
        cases.Case("dot of a vector and a matrix", tensor.dot, _product(1, 2)),
        cases.Case("dot of rank 3 and 2", tensor.dot, _product(3, 2)),
        cases.Case("matmul", tensor.matmul, _product(2, 2)),
        cases.Case("outer", tensor.outer, cases.vectors),
    ]
    shapes = [
        cases.Case("transpose", tensor.transpose, cases.arrays(rank=3)),
        cases.Case("T", lambda x: x.T, cases.arrays(rank=2)),
        cases.Case(
            "transpose of axes",
            lambda x: tensor.transpose(x, (1, 2, 0)),
            cases.arrays(rank=3),
        ),
        cases.Case(
            "dimshuffle",
            lambda x: x.dimshuffle(1, "x", 0),
            cases.arrays(rank=2),
        ),
        cases.Case(
            "expand_dims",
            lambda x: tensor.expand_dims(x, 1),
            cases.arrays(rank=2),
        ),
        cases.Case("flatten", lambda x: x.flatten(), elementwise),
        cases.Case(
            "reshape", lambda x: tensor.reshape(x, (-1, 1)), elementwise
        ),
        cases.Case(
            "reshape to another's shape",
            lambda x, y: tensor.reshape(x, tensor.shape(y)),
            cases.arrays(2, rank=2),
        ),
        cases.Case(
            "concatenate",
            lambda x, y: tensor.concatenate([x, y], axis=1),
            cases.arrays(2, rank=2),
        ),
        cases.Case(
            "stack",
            lambda x, y: tensor.stack([x, y], axis=1),
            cases.arrays(2, rank=2),
        ),
        # PyTensor's gradient of a tile fails.
        cases.Case("tile", lambda x: tensor.tile(x, (2, 3)), rows, 0),
        cases.Case("tril", tensor.tril, cases.arrays(rank=2)),
        cases.Case("triu", tensor.triu, cases.arrays(rank=2)),
        cases.Case("a row", lambda x: x[0], rows),
        cases.Case("a slice", lambda x: x[1:, ::2], cases.arrays(rank=2)),
        cases.Case("a slice backwards", lambda x: x[::-1], rows),
        cases.Case("a new axis", lambda x: x[:, None], cases.arrays(rank=2)),
        cases.Case("the last item", lambda x: x[..., -1], rows),
        cases.Case("taken rows", lambda x, i: x[i], _indexed),
    ]
    others = [
        cases.Case(
            "operators", lambda x, y: -x * y + x / 2 - (1 - y) ** 2, two
        ),
        cases.Case("power", lambda x, y: x**y, _powers),
        cases.Case("switch", lambda x, y: tensor.switch(x > 0, x, y * 2), two),
        cases.Case("clip", lambda x: tensor.clip(x, -0.5, 0.5), elementwise),
        cases.Case("cumsum", lambda x: tensor.cumsum(x, axis=0), rows),
        cases.Case("cumprod", lambda x: tensor.cumprod(x, axis=1), rows),
        cases.Case("logsumexp", _along(tensor.logsumexp, 1), rows),
        cases.Case("argmax", lambda x: tensor.argmax(x, axis=1), rows, 0),
        cases.Case(
            "broadcast", lambda x, y: x.dimshuffle(0, "x") * y, _broadcast
        ),
        cases.Case(
            "alloc", lambda x: tensor.alloc(x, 2, 3), cases.arrays(rank=0)
        ),
        # PyTensor's gradient of a cast is of the dtype that is cast to.
        cases.Case("cast", lambda x: tensor.cast(x, "float32"), elementwise, 0),
    ]
    return result + products + shapes + others


def _along(function, axis, keepdims=False):
    return lambda x: function(x, axis=axis, keepdims=keepdims)


def _positive(generator):
    (x,) = cases.arrays(rank=2)(generator)
    return [np.abs(x) + 0.1]


def _small(generator):
    (x,) = cases.arrays(rank=2)(generator)
    return [0.9 * np.tanh(x)]


def _powers(generator):
    x, y = cases.arrays(2, rank=2)(generator)
    return [np.abs(x) + 0.1, y]


def _product(rank, other_rank):
    def draw(generator):
        sizes = generator.integers(0, 6, rank + other_rank)
        sizes[rank + max(other_rank - 2, 0)] = sizes[rank - 1]
        return [
            cases.normal(generator, tuple(sizes[:rank])),
            cases.normal(generator, tuple(sizes[rank:])),
        ]

    return draw


def _broadcast(generator):
    rows, columns = generator.integers(0, 6, 2)
    return [
        cases.normal(generator, (rows,)),
        cases.normal(generator, (rows, columns)),
    ]


def _indexed(generator):
    (x,) = cases.arrays(rank=2, least=1)(generator)
    return [x, generator.integers(0, len(x), 4)]
