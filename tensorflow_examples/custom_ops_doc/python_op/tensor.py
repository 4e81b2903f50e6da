"""Types of tensors, and the functions that an op's `grad` is written with.

The functions take variables, tensors and arrays alike. With a variable among
their arguments they return variables, otherwise tensors; dtypes are promoted as
NumPy does, and Python numbers take the dtype of what they meet.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import tensor_type
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable
from tensorflow_examples.custom_ops_doc.python_op import tensorflow_function

TensorType = tensor_type.TensorType
TensorVariable = tensor_variable.TensorVariable
TensorConstant = tensor_variable.TensorConstant
as_tensor_variable = tensor_variable.as_tensor_variable
as_tensor = as_tensor_variable
constant = as_tensor_variable

_apply = tensorflow_function.apply

# Types: a letter for the dtype, and a name for the shape.

_DTYPES = {
    "b": "int8",
    "w": "int16",
    "i": "int32",
    "l": "int64",
    "f": "float32",
    "d": "float64",
    "c": "complex64",
    "z": "complex128",
}
_SHAPES = {
    "scalar": (),
    "vector": (None,),
    "row": (1, None),
    "col": (None, 1),
    "matrix": (None, None),
    "tensor3": (None,) * 3,
    "tensor4": (None,) * 4,
    "tensor5": (None,) * 5,
}
for _letter, _dtype in _DTYPES.items():
    for _name, _shape in _SHAPES.items():
        globals()[_letter + _name] = TensorType(_dtype, _shape)


def _variable(shape, name, dtype):
    return TensorType(dtype or config.floatX, shape)(name)


def scalar(name: str | None = None, dtype: Any = None) -> TensorVariable:
    """Returns a symbolic scalar, of `config.floatX` unless `dtype` is given."""
    return _variable((), name, dtype)


def vector(name: str | None = None, dtype: Any = None) -> TensorVariable:
    """Returns a symbolic vector, of `config.floatX` unless `dtype` is given."""
    return _variable((None,), name, dtype)


def row(name: str | None = None, dtype: Any = None) -> TensorVariable:
    """Returns a symbolic matrix of one row."""
    return _variable((1, None), name, dtype)


def col(name: str | None = None, dtype: Any = None) -> TensorVariable:
    """Returns a symbolic matrix of one column."""
    return _variable((None, 1), name, dtype)


def matrix(name: str | None = None, dtype: Any = None) -> TensorVariable:
    """Returns a symbolic matrix, of `config.floatX` unless `dtype` is given."""
    return _variable((None,) * 2, name, dtype)


def tensor3(name: str | None = None, dtype: Any = None) -> TensorVariable:
    """Returns a symbolic tensor of rank 3."""
    return _variable((None,) * 3, name, dtype)


def tensor4(name: str | None = None, dtype: Any = None) -> TensorVariable:
    """Returns a symbolic tensor of rank 4."""
    return _variable((None,) * 4, name, dtype)


def tensor(
    name: str | None = None, dtype: Any = None, shape: Sequence | None = None
) -> TensorVariable:
    """Returns a symbolic tensor; of any rank where `shape` is None."""
    return _variable(shape, name, dtype)


# What the functions are made of.


def _is_number(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex))


def _promote(*args: Any) -> list[Any]:
    """Gives all arguments one dtype: NumPy's, with Python numbers weak."""
    typed = [x if _is_number(x) else as_tensor_variable(x) for x in args]
    dtypes = [x.type for x in typed if not _is_number(x)]
    if not dtypes:
        result = np.result_type(*map(np.asarray, args))
        return [np.asarray(x, result) for x in args]
    result = dtypes[0].numpy_dtype
    for t in dtypes[1:]:
        if t.numpy_dtype != result:
            result = np.promote_types(result, t.numpy_dtype)
    for x in typed:
        if isinstance(x, complex) and result.kind != "c":
            result = np.promote_types(result, np.complex64)
        elif isinstance(x, float) and result.kind in "biu":
            result = np.dtype(config.floatX)
        elif type(x) is int and result.kind == "b":
            result = np.dtype(np.int64)
    given_variable = builtins.any(isinstance(x, graph.Variable) for x in args)
    promoted = []
    for given, x in zip(args, typed, strict=True):
        if _is_number(x):
            promoted.append(np.asarray(x, result))
        elif x.type.numpy_dtype != result:
            promoted.append(cast(x if given_variable else given, result))
        else:
            promoted.append(given)
    return promoted


def _elementwise(name, function, *args):
    return _apply(
        name,
        function,
        _promote(*args),
        tensorflow_function.broadcast_dimensions,
    )


def _same_shape(node, shapes):
    return shapes[:1]


def _unary(name, function, floating=False):
    def of(x):
        x = as_tensor_variable(x) if not isinstance(x, tf.Tensor) else x
        if floating and np.dtype(as_tensor_variable(x).dtype).kind in "biu":
            x = cast(x, config.floatX)
        return _apply(name, function, [x], _same_shape)

    of.__name__ = of.__qualname__ = name
    of.__doc__ = f"Returns {name} of each element."
    return of


def _binary(name, function, doc):
    def of(a, b):
        return _elementwise(name, function, a, b)

    of.__name__ = of.__qualname__ = name
    of.__doc__ = f"Returns {doc}, element by element, broadcast."
    return of


def shape(x: Any) -> Any:
    """Returns the shape of `x` as an int64 vector.

    Where an op with `infer_shape` computes `x`, the op is not run for it.
    """
    # Imported here: shape inference is written with these functions.
    from tensorflow_examples.custom_ops_doc.python_op import shape_inference

    return shape_inference.shape(x)


# Element by element.

negative = neg = _unary("neg", tf.negative)
absolute = abs_ = abs = _unary("abs", tf.abs)  # noqa: A001
sgn = sign = _unary("sgn", tf.sign)
invert = _unary("invert", lambda x: ~x)
floor = _unary("floor", tf.floor, True)
ceil = _unary("ceil", tf.math.ceil, True)
round = _unary("round", tf.round)  # noqa: A001
sqr = square = _unary("sqr", tf.square)
exp = _unary("exp", tf.exp, True)
expm1 = _unary("expm1", tf.math.expm1, True)
log = _unary("log", tf.math.log, True)
log1p = _unary("log1p", tf.math.log1p, True)
log2 = _unary("log2", lambda x: tf.math.log(x) / np.log(2), True)
log10 = _unary("log10", lambda x: tf.math.log(x) / np.log(10), True)
sqrt = _unary("sqrt", tf.sqrt, True)
reciprocal = inv = _unary("reciprocal", tf.math.reciprocal, True)
sin = _unary("sin", tf.sin, True)
cos = _unary("cos", tf.cos, True)
tan = _unary("tan", tf.tan, True)
arcsin = _unary("arcsin", tf.asin, True)
arccos = _unary("arccos", tf.acos, True)
arctan = _unary("arctan", tf.atan, True)
sinh = _unary("sinh", tf.sinh, True)
cosh = _unary("cosh", tf.cosh, True)
tanh = _unary("tanh", tf.tanh, True)
arcsinh = _unary("arcsinh", tf.asinh, True)
arccosh = _unary("arccosh", tf.acosh, True)
arctanh = _unary("arctanh", tf.atanh, True)
sigmoid = expit = _unary("sigmoid", tf.sigmoid, True)
softplus = _unary("softplus", tf.math.softplus, True)
erf = _unary("erf", tf.math.erf, True)
erfc = _unary("erfc", tf.math.erfc, True)
gammaln = _unary("gammaln", tf.math.lgamma, True)
psi = digamma = _unary("psi", tf.math.digamma, True)
isnan = _unary("isnan", tf.math.is_nan, True)
isinf = _unary("isinf", tf.math.is_inf, True)
real = _unary("real", tf.math.real)
imag = _unary("imag", tf.math.imag)
conj = conjugate = _unary("conj", tf.math.conj)
angle = _unary("angle", tf.math.angle)
identity = tensor_copy = _unary("identity", tf.identity)

add = _binary("add", tf.add, "the sum")
subtract = sub = _binary("sub", tf.subtract, "the difference")
multiply = mul = _binary("mul", tf.multiply, "the product")
floor_divide = int_div = _binary(
    "int_div", tf.math.floordiv, "the quotient rounded down"
)
mod = _binary("mod", tf.math.floormod, "the remainder, of the divisor's sign")
maximum = _binary("maximum", tf.maximum, "the larger")
minimum = _binary("minimum", tf.minimum, "the smaller")
less = lt = _binary("lt", tf.less, "whether a < b")
less_equal = le = _binary("le", tf.less_equal, "whether a <= b")
greater = gt = _binary("gt", tf.greater, "whether a > b")
greater_equal = ge = _binary("ge", tf.greater_equal, "whether a >= b")
equal = eq = _binary("eq", tf.equal, "whether a == b")
not_equal = neq = _binary("neq", tf.not_equal, "whether a != b")


def _bitwise(name, of_bools, of_integers, doc):
    def function(a, b):
        return (of_bools if a.dtype == tf.bool else of_integers)(a, b)

    return _binary(name, function, doc)


bitwise_and = and_ = _bitwise(
    "and", tf.logical_and, tf.bitwise.bitwise_and, "a and b"
)
bitwise_or = or_ = _bitwise(
    "or", tf.logical_or, tf.bitwise.bitwise_or, "a or b"
)
bitwise_xor = xor = _bitwise(
    "xor", tf.math.logical_xor, tf.bitwise.bitwise_xor, "a or else b"
)


def _floating(*args):
    """Gives arguments one dtype, which is a floating-point one."""
    args = _promote(*args)
    if builtins.all(
        as_tensor_variable(x).type.numpy_dtype.kind in "biu" for x in args
    ):
        args = [cast(x, config.floatX) for x in args]
    return args


def true_divide(a: Any, b: Any) -> Any:
    """Returns the quotient; of integers too as a floating-point number."""
    return _elementwise("true_div", tf.truediv, *_floating(a, b))


true_div = true_divide


def arctan2(a: Any, b: Any) -> Any:
    """Returns the angle of the point (b, a), element by element, broadcast."""
    return _elementwise("arctan2", tf.atan2, *_floating(a, b))


def power(a: Any, b: Any) -> Any:
    """Returns `a` to the power of `b`, element by element, broadcast."""
    return _elementwise("pow", tf.pow, a, b)


pow = power  # noqa: A001


def switch(condition: Any, a: Any, b: Any) -> Any:
    """Returns elements of `a` where `condition` is not 0, and else of `b`."""
    a, b = _promote(a, b)
    condition = (
        condition
        if isinstance(condition, tf.Tensor)
        else as_tensor_variable(condition)
    )
    return _apply(
        "switch",
        lambda c, a, b: tf.where(tf.cast(c, tf.bool), a, b),
        [condition, a, b],
        tensorflow_function.broadcast_dimensions,
    )


where = switch


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Returns zeros of the shape of `x`, and of its dtype or another one."""
    return _like("zeros_like", tf.zeros_like, x, dtype)


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Returns ones of the shape of `x`, and of its dtype or another one."""
    return _like("ones_like", tf.ones_like, x, dtype)


def _like(name, function, x, dtype):
    dtype = None if dtype is None else tf.as_dtype(dtype)
    return _apply(name, lambda x: function(x, dtype), [x], _same_shape)


def clip(x: Any, minimum: Any, maximum: Any) -> Any:
    """Returns `x` kept between two bounds."""
    return _elementwise(
        "clip",
        lambda x, a, b: tf.minimum(tf.maximum(x, a), b),
        x,
        minimum,
        maximum,
    )


def cast(x: Any, dtype: Any) -> Any:
    """Returns `x` with another dtype."""
    dtype = tf.as_dtype(dtype)
    return _apply(
        f"cast_{dtype.name}", lambda x: tf.cast(x, dtype), [x], _same_shape
    )


# Reductions.


def _reduction(name, function, doc):
    def of(x, axis=None, keepdims=False):
        axes = None if axis is None else tuple(np.atleast_1d(axis).tolist())

        def infer_shape(node, shapes):
            del node
            rank = len(shapes[0])
            reduced = range(rank) if axes is None else [a % rank for a in axes]
            dims = [
                1 if i in reduced else d
                for i, d in enumerate(shapes[0])
                if keepdims or i not in reduced
            ]
            return [tuple(dims)]

        return _apply(
            name,
            lambda x: function(x, axis=axes, keepdims=keepdims),
            [x],
            infer_shape,
        )

    of.__name__ = of.__qualname__ = name
    of.__doc__ = f"Returns {doc} over `axis`, or over all dimensions."
    return of


def _of_wide_integers(function):
    """Has integers added up, or multiplied, as 64 bits, as NumPy does."""

    def of(x, axis, keepdims):
        if x.dtype.is_unsigned:
            x = tf.cast(x, tf.uint64)
        elif x.dtype.is_integer or x.dtype.is_bool:
            x = tf.cast(x, tf.int64)
        return function(x, axis=axis, keepdims=keepdims)

    return of


def _of_bools(function):
    """Takes numbers for whether they are not 0."""

    def of(x, axis, keepdims):
        return function(tf.cast(x, tf.bool), axis=axis, keepdims=keepdims)

    return of


sum = _reduction("sum", _of_wide_integers(tf.reduce_sum), "the sum")  # noqa: A001
prod = _reduction("prod", _of_wide_integers(tf.reduce_prod), "the product")
max = _reduction("max", tf.reduce_max, "the maximum")  # noqa: A001
min = _reduction("min", tf.reduce_min, "the minimum")  # noqa: A001
any = _reduction("any", _of_bools(tf.reduce_any), "whether any is true")  # noqa: A001
all = _reduction("all", _of_bools(tf.reduce_all), "whether all are true")  # noqa: A001
logsumexp = _reduction(
    "logsumexp", tf.reduce_logsumexp, "the logarithm of the sum of exponentials"
)


def _of_floats(function):
    def of(x, axis, keepdims):
        if not (x.dtype.is_floating or x.dtype.is_complex):
            x = tf.cast(x, config.floatX)
        return function(x, axis=axis, keepdims=keepdims)

    return of


mean = _reduction("mean", _of_floats(tf.reduce_mean), "the mean")
var = _reduction("var", _of_floats(tf.math.reduce_variance), "the variance")
std = _reduction(
    "std", _of_floats(tf.math.reduce_std), "the standard deviation"
)


def argmax(x: Any, axis: int = -1) -> Any:
    """Returns the index of the maximum along `axis`, as int64."""
    return _apply("argmax", lambda x: tf.argmax(x, axis), [x])


def argmin(x: Any, axis: int = -1) -> Any:
    """Returns the index of the minimum along `axis`, as int64."""
    return _apply("argmin", lambda x: tf.argmin(x, axis), [x])


def cumsum(x: Any, axis: int = 0) -> Any:
    """Returns the running sum along `axis`."""
    return _apply("cumsum", lambda x: tf.cumsum(x, axis), [x], _same_shape)


def cumprod(x: Any, axis: int = 0) -> Any:
    """Returns the running product along `axis`."""
    return _apply(
        "cumprod", lambda x: tf.math.cumprod(x, axis), [x], _same_shape
    )


def softmax(x: Any, axis: int = -1) -> Any:
    """Returns the softmax along `axis`."""
    return _apply(
        "softmax", lambda x: tf.nn.softmax(x, axis), _floating(x), _same_shape
    )


# Linear algebra.


def _dot(a, b):
    if a.shape.rank == 0 or b.shape.rank == 0:
        return a * b
    return tf.tensordot(a, b, [[-1], [builtins.max(b.shape.rank - 2, 0)]])


def _dot_shape(node, shapes):
    del node
    a, b = shapes
    if not a or not b:
        return [tuple(a) + tuple(b)]
    return [tuple(a[:-1]) + tuple(b[:-2]) + tuple(b[-1:] if len(b) > 1 else ())]


def dot(a: Any, b: Any) -> Any:
    """Returns `np.dot(a, b)`."""
    return _apply("dot", _dot, _promote(a, b), _dot_shape)


def matmul(a: Any, b: Any) -> Any:
    """Returns `np.matmul(a, b)`."""

    def function(a, b):
        if a.shape.rank == 1 or b.shape.rank == 1:
            return _dot(a, b)
        return tf.matmul(a, b)

    return _apply("matmul", function, _promote(a, b))


def outer(a: Any, b: Any) -> Any:
    """Returns the outer product of two vectors."""
    return _apply(
        "outer",
        lambda a, b: tf.tensordot(a, b, 0),
        _promote(a, b),
        lambda node, shapes: [tuple(shapes[0]) + tuple(shapes[1])],
    )


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Returns `np.tensordot(a, b, axes)`."""
    return _apply(
        "tensordot", lambda a, b: tf.tensordot(a, b, axes), _promote(a, b)
    )


# Shapes.


def transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    """Returns `x` with its dimensions in the order of `axes`, or reversed."""

    def infer_shape(node, shapes):
        order = reversed(range(len(shapes[0]))) if axes is None else axes
        return [tuple(shapes[0][i] for i in order)]

    return _apply(
        "transpose", lambda x: tf.transpose(x, axes), [x], infer_shape
    )


def dimshuffle(x: Any, pattern: Sequence[int | str]) -> Any:
    """Returns `x` with dimensions reordered.

    Args:
      x: a tensor.
      pattern: for each dimension of the result the dimension of `x`, or "x" for
        a new one of size 1. Dimensions left out must be of size 1.
    """
    rank = as_tensor_variable(x).ndim
    kept = [p for p in pattern if p != "x"]
    dropped = [i for i in range(rank) if i not in kept]
    new = [i for i, p in enumerate(pattern) if p == "x"]

    def function(x):
        x = (
            tf.squeeze(tf.transpose(x, kept + dropped), range(len(kept), rank))
            if dropped
            else tf.transpose(x, kept)
        )
        for i in new:
            x = tf.expand_dims(x, i)
        return x

    return _apply(
        "dimshuffle",
        function,
        [x],
        lambda node, shapes: [
            tuple(1 if p == "x" else shapes[0][p] for p in pattern)
        ],
    )


def _dimensions(dims):
    """Splits a shape into a text of fixed ones, and the variables among them."""
    if isinstance(dims, (graph.Variable, tf.Tensor, np.ndarray)):
        return [dims], lambda vector: vector
    dims = [dims] if _is_number(dims) else list(dims)
    variables = [d for d in dims if not isinstance(d, (int, np.integer))]

    def build(*tensors):
        rest = iter(tensors)
        return (
            tf.stack(
                [
                    tf.constant(d, tf.int64)
                    if isinstance(d, (int, np.integer))
                    else tf.cast(next(rest), tf.int64)
                    for d in dims
                ]
            )
            if variables
            else tf.constant(dims, tf.int64, [len(dims)])
        )

    return variables, build


def reshape(x: Any, newshape: Any, ndim: int | None = None) -> Any:
    """Returns `x` with another shape.

    Args:
      x: a tensor.
      newshape: the shape, of which one dimension may be -1.
      ndim: the new rank; needed where `newshape` is a vector whose length is not
        known.
    """
    variables, build = _dimensions(newshape)

    def function(x, *dims):
        result = tf.reshape(x, build(*dims))
        if ndim is not None:
            result = tf.ensure_shape(result, [None] * ndim)
        return result

    return _apply("reshape", function, [x, *variables])


def flatten(x: Any) -> Any:
    """Returns `x` as a vector."""
    return reshape(x, (-1,))


def broadcast_to(x: Any, shape: Any) -> Any:
    """Returns `x` broadcast to a shape."""
    variables, build = _dimensions(shape)
    return _apply(
        "broadcast_to",
        lambda x, *dims: tf.broadcast_to(x, build(*dims)),
        [x, *variables],
    )


def alloc(value: Any, *shape: Any) -> Any:
    """Returns a tensor of a shape, filled with `value`."""
    return broadcast_to(value, shape)


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Returns zeros, of `config.floatX` unless `dtype` is given."""
    return alloc(
        np.zeros((), tf.as_dtype(dtype or config.floatX).as_numpy_dtype),
        *_items(shape),
    )


def ones(shape: Any, dtype: Any = None) -> Any:
    """Returns ones, of `config.floatX` unless `dtype` is given."""
    return alloc(
        np.ones((), tf.as_dtype(dtype or config.floatX).as_numpy_dtype),
        *_items(shape),
    )


def _items(shape):
    return [shape] if _is_number(shape) else shape


def concatenate(tensors: Sequence[Any], axis: int = 0) -> Any:
    """Returns tensors joined along a dimension that they have."""
    tensors = _promote(*tensors)

    def infer_shape(node, shapes):
        del node
        joined = shapes[0][axis]
        for s in shapes[1:]:
            joined = joined + s[axis]
        dims = list(shapes[0])
        dims[axis] = joined
        return [tuple(dims)]

    return _apply(
        "concatenate", lambda *xs: tf.concat(xs, axis), tensors, infer_shape
    )


def join(axis: int, *tensors: Any) -> Any:
    """Returns tensors joined along a dimension that they have."""
    return concatenate(tensors, axis)


def stack(tensors: Sequence[Any], axis: int = 0) -> Any:
    """Returns tensors joined along a new dimension."""
    return _apply("stack", lambda *xs: tf.stack(xs, axis), _promote(*tensors))


def squeeze(x: Any, axis: Any = None) -> Any:
    """Returns `x` without dimensions of size 1."""
    return _apply("squeeze", lambda x: tf.squeeze(x, axis), [x])


def expand_dims(x: Any, axis: int) -> Any:
    """Returns `x` with a new dimension of size 1."""
    return _apply("expand_dims", lambda x: tf.expand_dims(x, axis), [x])


def tile(x: Any, reps: Sequence[int]) -> Any:
    """Returns `x` repeated along each dimension."""
    return _apply("tile", lambda x: tf.tile(x, reps), [x])


def diag(x: Any) -> Any:
    """Returns the diagonal of a matrix, or a vector as a diagonal matrix."""
    return _apply(
        "diag",
        lambda x: (
            tf.linalg.diag(x) if x.shape.rank == 1 else tf.linalg.diag_part(x)
        ),
        [x],
    )


def tril(x: Any) -> Any:
    """Returns the lower triangle, with zeros above."""
    return _apply(
        "tril", lambda x: tf.linalg.band_part(x, -1, 0), [x], _same_shape
    )


def triu(x: Any) -> Any:
    """Returns the upper triangle, with zeros below."""
    return _apply(
        "triu", lambda x: tf.linalg.band_part(x, 0, -1), [x], _same_shape
    )


def getitem(x: Any, index: Any) -> Any:
    """Returns `x[index]`: slices, numbers, None, Ellipsis, and one index array."""
    if isinstance(index, (list, np.ndarray)) or (
        isinstance(index, (tf.Tensor, graph.Variable))
        and as_tensor_variable(index).ndim != 0
    ):
        return _take(x, index)
    variables: list[Any] = []

    def note(part):
        if isinstance(part, (graph.Variable, tf.Tensor)):
            variables.append(part)
            return lambda rest: next(rest)
        if isinstance(part, slice):
            start, stop, step = map(note, (part.start, part.stop, part.step))
            return lambda rest: slice(start(rest), stop(rest), step(rest))
        return lambda rest: part

    parts = [note(p) for p in (index if isinstance(index, tuple) else (index,))]

    def function(x, *tensors):
        rest = iter(tensors)
        return x[tuple(p(rest) for p in parts)]

    return _apply("getitem", function, [x, *variables])


def _take(x, index):
    if as_tensor_variable(index).dtype == "bool":
        return _apply("boolean_mask", tf.boolean_mask, [x, index])
    return _apply("take", lambda x, i: tf.gather(x, i), [x, index])


def take(x: Any, indices: Any, axis: int = 0) -> Any:
    """Returns the parts of `x` at `indices` along `axis`."""
    return _apply("take", lambda x, i: tf.gather(x, i, axis=axis), [x, indices])


for _function in list(globals().values()):
    if inspect.isfunction(_function):
        graph.not_converted(_function)
