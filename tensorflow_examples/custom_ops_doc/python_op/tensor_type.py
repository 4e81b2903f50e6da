"""Types of variables: `TensorType`, `DisconnectedType` and `NullType`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import graph

_RANK_NAMES = {0: "scalar", 1: "vector", 2: "matrix"}


class Type:
    """What values a variable may take. Calling it makes such a variable."""

    variable_class: type[graph.Variable] = graph.Variable

    def __call__(self, name: str | None = None) -> Any:
        """Returns a new symbolic variable of this type."""
        return self.variable_class(self, name=name)

    make_variable = __call__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return str(self)


class DisconnectedType(Type):
    """The type of a gradient with respect to what has no influence.

    `grad` returns `DisconnectedType()()` for an input that the outputs do not
    depend on through a differentiable path; TensorFlow then sees None.
    """

    def __str__(self) -> str:
        return "DisconnectedType"


class NullType(Type):
    """The type of a gradient that is undefined or not implemented.

    `grad` returns `NullType(why)()` for such an input. It is an error, which
    tells `why_null`, once that gradient is needed.
    """

    def __init__(self, why_null: str = "(no explanation given)"):
        self.why_null = why_null

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.why_null == other.why_null

    def __hash__(self) -> int:
        return hash((type(self), self.why_null))

    def __str__(self) -> str:
        return f"NullType: {self.why_null}"


class TensorType(Type):
    """Tensors of one dtype and a shape of which some dimensions may be known.

    Attributes:
      dtype: str, the dtype's NumPy name: "float64".
      shape: tuple of int or None (not known), or None where not even the rank
        is known.
      numpy_dtype: the `np.dtype`; object for strings.
      tf_dtype: the `tf.DType`.
    """

    def __init__(
        self,
        dtype: Any,
        shape: Sequence[int | bool | None] | None,
        name: str | None = None,
    ):
        """Makes a type.

        Args:
          dtype: what `tf.as_dtype` takes: "float64", np.int32, tf.bool.
          shape: a sequence with an item for each dimension: its size, or None
            where it may be any. True and False are 1 and None: Theano's
            `broadcastable` flags. None is a tensor of any rank.
          name: a name of the type, for people.

        Raises:
          TypeError: If `dtype` or an item of `shape` is of another kind.
          ValueError: If a dimension is negative.
        """
        self.tf_dtype = tf.as_dtype(dtype)
        if self.tf_dtype in (tf.resource, tf.variant):
            raise TypeError(
                f"a tensor of dtype {self.tf_dtype.name} has no values that "
                f"NumPy could hold"
            )
        self.numpy_dtype = np.dtype(self.tf_dtype.as_numpy_dtype)
        self.dtype = self.tf_dtype.name
        self.shape = None if shape is None else tuple(map(_dimension, shape))
        self.name = name

    @property
    def ndim(self) -> int | None:
        """The rank, or None where it is not known."""
        return None if self.shape is None else len(self.shape)

    @property
    def broadcastable(self) -> tuple[bool, ...] | None:
        """Which dimensions are known to be 1."""
        return None if self.shape is None else tuple(d == 1 for d in self.shape)

    def clone(
        self, dtype: Any = None, shape: Sequence[int | None] | None = None
    ) -> TensorType:
        """Returns this type with another dtype or shape."""
        return TensorType(
            self.dtype if dtype is None else dtype,
            self.shape if shape is None else shape,
        )

    def accepts(self, variable: graph.Variable) -> bool:
        """Whether a variable may have a value of this type.

        Dimensions are compared as far as both sides know them.
        """
        if (
            not isinstance(variable.type, TensorType)
            or variable.type.dtype != self.dtype
        ):
            return False
        static = known_shape(variable)
        return (
            self.shape is None
            or static is None
            or shape_agrees(static, self.shape)
        )

    def filter(
        self,
        data: Any,
        strict: bool = False,
        allow_downcast: bool | None = None,
    ) -> np.ndarray:
        """Returns `data` as an array of this type.

        Args:
          data: an array, or what NumPy makes one of.
          strict: whether an array of another dtype is refused even where no
            value would change.
          allow_downcast: whether the dtype may be a narrower one; None allows
            it for Python numbers and lists alone.

        Raises:
          TypeError: If the dtype or shape does not fit.
        """
        array = np.asarray(data)
        if array.dtype != self.numpy_dtype:
            casting = "unsafe" if allow_downcast else "safe"
            if allow_downcast is None and not hasattr(data, "dtype"):
                casting = "same_kind"
            if strict or not np.can_cast(
                array.dtype, self.numpy_dtype, casting
            ):
                raise TypeError(
                    f"{self} does not take an array of dtype {array.dtype}"
                )
            array = array.astype(self.numpy_dtype)
        if self.shape is not None and not shape_agrees(array.shape, self.shape):
            raise TypeError(
                f"{self} does not take an array of shape {array.shape}"
            )
        return array

    def is_valid_value(self, data: Any) -> bool:
        """Whether `data` is an array of this very type."""
        try:
            self.filter(data, strict=True)
        except TypeError:
            return False
        return isinstance(data, np.ndarray)

    def tensor_spec(self, name: str | None = None) -> tf.TensorSpec:
        """Returns the `tf.TensorSpec` of this type."""
        return tf.TensorSpec(self.shape, self.tf_dtype, name)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, TensorType)
            and self.dtype == other.dtype
            and self.shape == other.shape
        )

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape))

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        if self.shape is None:
            return f"TensorType({self.dtype}, any rank)"
        if any(d is not None for d in self.shape):
            shape = ", ".join("?" if d is None else str(d) for d in self.shape)
            return f"TensorType({self.dtype}, ({shape}))"
        rank = len(self.shape)
        return f"TensorType({self.dtype}, {_RANK_NAMES.get(rank, f'{rank}D')})"


def _dimension(value: int | bool | None) -> int | None:
    if value is None or value is False:
        return None
    if not isinstance(value, (bool, int, np.integer)):
        raise TypeError(
            f"a dimension must be an int or None, but is a "
            f"{type(value).__name__}: {value!r}"
        )
    if value < 0:
        raise ValueError(f"a dimension must not be negative: {value}")
    return int(value)


@functools.cache
def rank_type(dtype: tf.DType, rank: int | None) -> TensorType:
    """Returns the type of tensors of a rank, of which no dimension is known.

    It is the type of a variable that stands for a tensor: as in Theano,
    `x.type()` then says nothing of the sizes, which `infer_shape` is for.
    """
    return TensorType(dtype, None if rank is None else (None,) * rank)


def shape_agrees(
    shape: Sequence[int | None], declared: Sequence[int | None]
) -> bool:
    """Whether shapes are of one rank and do not differ where both are known."""
    return len(shape) == len(declared) and all(
        a is None or b is None or a == b
        for a, b in zip(shape, declared, strict=True)
    )


def known_shape(variable: graph.Variable) -> tuple[int | None, ...] | None:
    """Returns what is known of a variable's shape: its tensor's, or its type's."""
    if variable.tensor is None:
        return variable.type.shape
    shape = variable.tensor.shape
    return None if shape.rank is None else tuple(shape)
