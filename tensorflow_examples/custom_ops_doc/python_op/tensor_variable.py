"""`TensorVariable`: variables that are written like tensors."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import composite_tensor
from tensorflow.python.framework import ops

from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import tensor_type

# Of a tf.Graph: the Variables of the tensors that ops gave in it, by id. A
# Variable keeps its tensor alive, so that the id stays that tensor's.
_VARIABLES_ATTRIBUTE = "_python_op_variables"
# Of a tf.Graph: the tensors of constants, by value.
_CONSTANTS_ATTRIBUTE = "_python_op_constants"


def _functions():
    """Returns the module of the functions, which is built on this one."""
    from tensorflow_examples.custom_ops_doc.python_op import tensor

    return tensor


def _unpacked(args):
    """Returns the arguments `f(1, 2)` and `f((1, 2))` were called with alike."""
    if len(args) == 1 and (
        isinstance(args[0], (list, tuple))
        or (isinstance(args[0], TensorVariable) and args[0].ndim == 1)
    ):
        return args[0]
    return args


class TensorVariable(graph.Variable):
    """A tensor, or what will be one, with a tensor's operators and methods.

    Operators promote dtypes as NumPy does. They return a TensorVariable; where
    this one stands for a `tf.Tensor`, the result does too. TensorFlow's own
    functions take such a variable for its tensor.
    """

    # NumPy's operators then leave `array * variable` to this class.
    __array_ufunc__ = None

    @property
    def dtype(self) -> str:
        """The name of the dtype."""
        return self.type.dtype

    @property
    def ndim(self) -> int | None:
        """The rank, or None where it is not known."""
        return self.type.ndim

    @property
    def broadcastable(self) -> tuple[bool, ...] | None:
        """Which dimensions are known to be 1."""
        return self.type.broadcastable

    @property
    def shape(self) -> TensorVariable:
        """The shape as an int64 vector; of an op's output, without running it."""
        return _functions().shape(self)

    def __tf_tensor__(self, dtype=None, name=None) -> tf.Tensor:
        if self.tensor is None:
            raise TypeError(
                f"{self} is symbolic: it has no value yet that TensorFlow could "
                f"work with. Use python_op.tensor's functions on it, and "
                f"python_op.function to evaluate it"
            )
        value = tf.convert_to_tensor(self.tensor, name=name)
        if dtype is not None and not dtype.is_compatible_with(value.dtype):
            raise ValueError(
                f"{self} is a tensor of dtype {value.dtype.name}, not "
                f"{tf.as_dtype(dtype).name}"
            )
        return value

    def numpy(self) -> np.ndarray:
        """Returns the value as an array, where there is one.

        Raises:
          TypeError: If the variable is symbolic.
          NotImplementedError: If its tensor is one of a graph.
        """
        return np.asarray(tf.convert_to_tensor(self).numpy())

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype)

    def __int__(self) -> int:
        return int(self.numpy())

    def __index__(self) -> int:
        return self.numpy().__index__()

    def __float__(self) -> float:
        return float(self.numpy())

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __len__(self) -> int:
        known = tensor_type.known_shape(self)
        if not known or known[0] is None:
            raise TypeError(f"the length of {self} is not known")
        return known[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    __hash__ = graph.Variable.__hash__

    def __neg__(self):
        return _functions().negative(self)

    def __pos__(self):
        return self

    def __abs__(self):
        return _functions().absolute(self)

    def __invert__(self):
        return _functions().invert(self)

    def __add__(self, other):
        return _functions().add(self, other)

    def __radd__(self, other):
        return _functions().add(other, self)

    def __sub__(self, other):
        return _functions().subtract(self, other)

    def __rsub__(self, other):
        return _functions().subtract(other, self)

    def __mul__(self, other):
        return _functions().multiply(self, other)

    def __rmul__(self, other):
        return _functions().multiply(other, self)

    def __truediv__(self, other):
        return _functions().true_divide(self, other)

    def __rtruediv__(self, other):
        return _functions().true_divide(other, self)

    def __floordiv__(self, other):
        return _functions().floor_divide(self, other)

    def __rfloordiv__(self, other):
        return _functions().floor_divide(other, self)

    def __mod__(self, other):
        return _functions().mod(self, other)

    def __rmod__(self, other):
        return _functions().mod(other, self)

    def __pow__(self, other):
        return _functions().power(self, other)

    def __rpow__(self, other):
        return _functions().power(other, self)

    def __matmul__(self, other):
        return _functions().matmul(self, other)

    def __rmatmul__(self, other):
        return _functions().matmul(other, self)

    def __and__(self, other):
        return _functions().bitwise_and(self, other)

    __rand__ = __and__

    def __or__(self, other):
        return _functions().bitwise_or(self, other)

    __ror__ = __or__

    def __xor__(self, other):
        return _functions().bitwise_xor(self, other)

    __rxor__ = __xor__

    # `==` compares identities, as graphs need; `tensor.eq` compares values.
    def __lt__(self, other):
        return _functions().less(self, other)

    def __le__(self, other):
        return _functions().less_equal(self, other)

    def __gt__(self, other):
        return _functions().greater(self, other)

    def __ge__(self, other):
        return _functions().greater_equal(self, other)

    def __getitem__(self, index):
        return _functions().getitem(self, index)

    @property
    def T(self):  # noqa: N802
        """The variable with its dimensions reversed."""
        return _functions().transpose(self)

    def transpose(self, *axes):
        """Returns it with its dimensions in the order of `axes`, or reversed."""
        axes = _unpacked(axes)
        return _functions().transpose(self, axes or None)

    def dimshuffle(self, *pattern):
        """Returns it with dimensions reordered, and "x" a new one of size 1."""
        return _functions().dimshuffle(self, _unpacked(pattern))

    def reshape(self, *shape):
        """Returns it with another shape."""
        return _functions().reshape(self, _unpacked(shape))

    def flatten(self):
        """Returns it as a vector."""
        return _functions().reshape(self, (-1,))

    ravel = flatten

    def astype(self, dtype):
        """Returns it with another dtype."""
        return _functions().cast(self, dtype)

    def dot(self, other):
        """Returns `tensor.dot(self, other)`."""
        return _functions().dot(self, other)

    def sum(self, axis=None, keepdims=False):
        """Returns the sum over `axis`."""
        return _functions().sum(self, axis, keepdims)

    def prod(self, axis=None, keepdims=False):
        """Returns the product over `axis`."""
        return _functions().prod(self, axis, keepdims)

    def mean(self, axis=None, keepdims=False):
        """Returns the mean over `axis`."""
        return _functions().mean(self, axis, keepdims)

    def max(self, axis=None, keepdims=False):
        """Returns the maximum over `axis`."""
        return _functions().max(self, axis, keepdims)

    def min(self, axis=None, keepdims=False):
        """Returns the minimum over `axis`."""
        return _functions().min(self, axis, keepdims)

    def zeros_like(self, dtype=None):
        """Returns zeros of its shape, and of its dtype or another one."""
        return _functions().zeros_like(self, dtype)

    def ones_like(self, dtype=None):
        """Returns ones of its shape, and of its dtype or another one."""
        return _functions().ones_like(self, dtype)

    def copy(self):
        """Returns the same value as a new variable."""
        return _functions().identity(self)


for _method in vars(TensorVariable).values():
    if inspect.isfunction(_method):
        graph.not_converted(_method)

tensor_type.TensorType.variable_class = TensorVariable


class TensorConstant(TensorVariable):
    """A variable whose value is an array.

    Attributes:
      data: the array.
    """

    def __init__(self, type: tensor_type.TensorType, data: np.ndarray):
        super().__init__(type)
        self.data = data
        self._tensor = None

    @property
    def tensor(self) -> tf.Tensor:
        """The value as a tensor: one for eager code, one for each graph.

        In a graph, equal small values are one tensor, so that an op that is
        applied to them twice is seen to be applied to the same.
        """
        if context.executing_eagerly():
            if self._tensor is None:
                self._tensor = tf.constant(self.data)
            return self._tensor
        default = ops.get_default_graph()
        key = (graph.control_flow_context(default), self._value_key())
        constants = graph.attached(default, _CONSTANTS_ATTRIBUTE)
        if key not in constants:
            # The variable stays with its tensor: the key may be its id.
            constants[key] = (self, tf.constant(self.data))
        return constants[key][1]

    def _value_key(self):
        if self.data.nbytes > 1024 or self.data.dtype.hasobject:
            return id(self)
        return self.data.dtype.str, self.data.shape, self.data.tobytes()

    def freeze(self) -> None:
        """Keeps the value as it is now, whatever happens to the caller's array."""
        self.data = graph.read_only(self.data.copy())

    def __str__(self) -> str:
        return f"TensorConstant{{{np.array2string(self.data, threshold=8)}}}"


@graph.not_converted
def as_tensor_variable(
    x: Any, name: str | None = None, ndim: int | None = None, dtype: Any = None
) -> TensorVariable:
    """Returns `x` as a TensorVariable, so that an Apply may take it.

    Args:
      x: a TensorVariable (returned as it is), a `tf.Tensor`, a `tf.Variable`, an
        array, or nested lists of numbers.
      name: a name for a new variable.
      ndim: the rank wanted.
      dtype: a dtype that lists and Python numbers are converted to; NumPy's
        choice where it is None.

    Returns:
      A variable that stands for `x`. Its type has the dtype and the rank.

    Raises:
      TypeError: If `x` is none of these, as a `tf.SparseTensor` is, or has more
        dimensions than `ndim`.
    """
    if isinstance(x, tf.Tensor):
        variable = _variable_of(x)
    elif isinstance(x, TensorVariable):
        variable = x
    elif isinstance(x, graph.Variable):
        raise TypeError(f"{x} is a variable of type {x.type}, not a tensor")
    elif isinstance(x, (list, tuple)) and any(
        isinstance(item, (graph.Variable, tf.Tensor)) for item in x
    ):
        variable = as_tensor_variable(_functions().stack(x))
    elif isinstance(x, tf.Variable):
        variable = _variable_of(tf.convert_to_tensor(x))
    else:
        variable = _constant(x, dtype)
    if ndim is not None and variable.ndim != ndim:
        raise TypeError(
            f"a tensor of {ndim} dimensions is wanted, and {variable} of type "
            f"{variable.type} has {variable.ndim}"
        )
    if name is not None and variable.name is None:
        variable.name = name
    return variable


def _variable_of(value: tf.Tensor) -> TensorVariable:
    if isinstance(value, ops.EagerTensor):
        rank = len(value._shape_tuple())
    else:
        known = getattr(value.graph, _VARIABLES_ATTRIBUTE, {}).get(id(value))
        if known is not None:
            return known
        rank = value.shape.rank
    variable = TensorVariable(tensor_type.rank_type(value.dtype, rank))
    variable.tensor = value
    return variable


def register(variable: TensorVariable) -> None:
    """Lets `as_tensor_variable` find the variable of an op's output in a graph."""
    known = graph.attached(variable.tensor.graph, _VARIABLES_ATTRIBUTE)
    known[id(variable.tensor)] = variable


def _constant(x: Any, dtype: Any) -> TensorConstant:
    if isinstance(x, composite_tensor.CompositeTensor):
        raise TypeError(
            f"a {type(x).__name__} is not a dense tensor; convert it first, for "
            f"example with tf.sparse.to_dense or its to_tensor method"
        )
    try:
        data = np.asarray(x)
    except ValueError as e:
        raise TypeError(f"{x!r} is not a tensor: {e}") from e
    if dtype is not None and not hasattr(x, "dtype"):
        wanted = np.dtype(tf.as_dtype(dtype).as_numpy_dtype)
        if np.can_cast(data.dtype, wanted, "same_kind"):
            data = data.astype(wanted)
    if data.dtype.kind in "US":
        data = data.astype(object)
    elif data.dtype == object and not _all_text(data):
        raise TypeError(
            f"{x!r}, a {type(x).__name__}, is not a tensor, an array or nested "
            f"lists of numbers"
        )
    return TensorConstant(
        tensor_type.rank_type(tf.as_dtype(data.dtype), data.ndim), data
    )


def _all_text(data: np.ndarray) -> bool:
    return data.size > 0 and all(isinstance(x, (str, bytes)) for x in data.flat)
