"""TensorFlow's functions over variables, symbolic ones too."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import tensor_type
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable

# One dimension of a shape: a number, a scalar tensor or a scalar variable.
Dimension = Any
InferShape = Callable[[graph.Apply, list[tuple]], list[tuple]]


class TensorFlowFunction:
    """What an `Apply` has as its op where TensorFlow computes it.

    Attributes:
      name: a text for people.
      function: takes and returns tensors.
    """

    def __init__(
        self,
        name: str,
        function: Callable,
        infer_shape: InferShape | None = None,
    ):
        self.name = name
        self.function = function
        if infer_shape is not None:
            self.infer_shape = infer_shape

    def __call__(self, *tensors: tf.Tensor):
        return self.function(*tensors)

    def __str__(self) -> str:
        return self.name


def is_symbolic(variable: graph.Variable) -> bool:
    """Whether a variable has no tensor yet."""
    return variable.tensor is None


def apply(
    name: str,
    function: Callable,
    inputs: Sequence[Any],
    infer_shape: InferShape | None = None,
):
    """Applies a function of tensors to variables, tensors and arrays.

    Args:
      name: a text for people.
      function: takes a tensor for each input; returns one or a list of them.
      inputs: what `as_tensor_variable` takes.
      infer_shape: as of an Op; None where the shape needs the value.

    Returns:
      What `function` returns: as tensors, or as variables if any input is one.
    """
    variables = [tensor_variable.as_tensor_variable(x) for x in inputs]
    if any(map(is_symbolic, variables)):
        return _apply_symbolically(name, function, variables, infer_shape)
    result = function(*[v.tensor for v in variables])
    if not any(isinstance(x, graph.Variable) for x in inputs):
        return result
    return tf.nest.map_structure(tensor_variable.as_tensor_variable, result)


def _apply_symbolically(name, function, variables, infer_shape):
    specs = [
        tf.TensorSpec(tensor_type.known_shape(v), v.type.tf_dtype)
        for v in variables
    ]
    # Traced for the dtypes and ranks alone, in a graph that is thrown away.
    traced = tf.function(function, autograph=False).get_concrete_function(
        *specs
    )
    outputs = tf.nest.map_structure(
        lambda t: tensor_type.rank_type(t.dtype, t.shape.rank)(),
        traced.structured_outputs,
    )
    for v in variables:
        if isinstance(v, tensor_variable.TensorConstant):
            v.freeze()
    op = TensorFlowFunction(name, function, infer_shape)
    graph.Apply(op, variables, tf.nest.flatten(outputs))
    return outputs


def broadcast_dimensions(node: graph.Apply, shapes: list[tuple]) -> list[tuple]:
    """The `infer_shape` of element-wise functions."""
    del node
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    return [tuple(map(_broadcast, zip(*padded, strict=True)))]


def _broadcast(dimensions: tuple[Dimension, ...]) -> Dimension:
    known = [d for d in dimensions if isinstance(d, int)]
    unknown = [d for d in dimensions if not isinstance(d, int)]
    for d in known:
        if d != 1:
            return d
    result = unknown[0] if unknown else 1
    for d in unknown[1:]:
        if d is not result:
            a, b = tf.convert_to_tensor(result), tf.convert_to_tensor(d)
            result = tf.where(a == 1, b, a)
    return result
