"""Shapes of outputs, without running the ops."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import func_graph

from tensorflow_examples.custom_ops_doc.python_op import evaluation
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import tensor_type
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable

Dimensions = tuple[Any, ...]


def has_infer_shape(op: Any) -> bool:
    """Whether an op can tell the shapes of its outputs."""
    return callable(getattr(op, "infer_shape", None))


def infer_shape(
    node: graph.Apply, shapes: list[Dimensions]
) -> list[Dimensions]:
    """Calls the op's `infer_shape`, and checks what it returns.

    Args:
      node: the node.
      shapes: the inputs' shapes: tuples of ints and int64 scalars.

    Returns:
      The outputs' shapes: tuples of ints, scalar tensors and scalar variables.

    Raises:
      TypeError: If the op returns something else, or another rank than declared.
    """
    op = node.op
    # The contract's successor passes the graph first; there is none here.
    args = (None, node) if _takes_graph(type(op)) else (node,)
    if not hasattr(type(op), "infer_shape"):
        args = args[-1:]
    results = op.infer_shape(*args, list(shapes))
    if not isinstance(results, (list, tuple)) or len(results) != len(
        node.outputs
    ):
        raise TypeError(
            f"{op}.infer_shape must return a list of {len(node.outputs)} shapes, "
            f"one for each output, but returned {results!r}"
        )
    checked = []
    for i, (result, v) in enumerate(zip(results, node.outputs, strict=True)):
        if result is None:
            checked.append(None)
            continue
        if isinstance(result, (tf.Tensor, graph.Variable, np.ndarray)):
            result = [result[j] for j in range(v.type.ndim or 0)]
        if v.type.ndim is not None and len(result) != v.type.ndim:
            raise TypeError(
                f"{op}.infer_shape gave output {i} {len(result)} dimensions, but "
                f"it is declared to have {v.type.ndim}"
            )
        checked.append(tuple(result))
    return checked


def _takes_graph(cls: type) -> bool:
    found = _TAKES_GRAPH.get(cls)
    if found is None:
        try:
            parameters = inspect.signature(cls.infer_shape).parameters.values()
        except (AttributeError, TypeError, ValueError):
            parameters = ()
        required = [p for p in parameters if p.default is p.empty]
        found = _TAKES_GRAPH[cls] = len(required) == 4
    return found


_TAKES_GRAPH: dict[type, bool] = {}


def static_shapes(node: graph.Apply) -> list[tf.TensorShape]:
    """Returns what can be told of the outputs' shapes while a graph is built."""
    declared = [tf.TensorShape(v.type.shape) for v in node.outputs]
    inputs = [tensor_type.known_shape(v) for v in node.inputs]
    if not has_infer_shape(node.op) or None in inputs:
        return declared
    results = None
    if not any(d is None for shape in inputs for d in shape):
        try:
            with tf.init_scope():
                results = _static(infer_shape(node, inputs))
        except TypeError:
            pass  # It may look at an input's value, which a graph has alone.
    if results is None:
        # What infer_shape computes of unknown dimensions goes to a graph of its
        # own, which is thrown away: only what folds to a number matters.
        scratch = func_graph.FuncGraph("infer_shape")
        with scratch.as_default():
            shapes = [
                tuple(_placeholder() if d is None else d for d in shape)
                for shape in inputs
            ]
            results = _static(infer_shape(node, shapes))
    merged = []
    for i, (shape, result) in enumerate(zip(declared, results, strict=True)):
        if not shape.is_compatible_with(result):
            raise TypeError(
                f"{node.op}.infer_shape gave output {i} the shape {result}, but "
                f"{shape} is declared"
            )
        merged.append(shape.merge_with(result))
    return merged


def _placeholder() -> tensor_variable.TensorVariable:
    return tensor_variable.as_tensor_variable(
        tf.compat.v1.placeholder(tf.int64, [])
    )


def _static(shapes: list[Dimensions | None]) -> list[tf.TensorShape]:
    return [
        tf.TensorShape(
            None if shape is None else [_static_dimension(d) for d in shape]
        )
        for shape in shapes
    ]


def _static_dimension(dimension: Any) -> int | None:
    if dimension is None:
        return None
    if isinstance(dimension, (int, np.integer)):
        return int(dimension)
    if isinstance(dimension, graph.Variable):
        if dimension.tensor is None:
            return None
        dimension = dimension.tensor
    value = tf.get_static_value(dimension)
    return None if value is None else int(value)


def shape(x: Any) -> Any:
    """Returns the shape of `x` as an int64 vector, see `tensor.shape`."""
    variable = tensor_variable.as_tensor_variable(x)
    if variable.tensor is None:
        result = tensor_type.TensorType(tf.int64, (variable.ndim,))()
        graph.Apply(evaluation.Shape(), [variable], [result])
        return result
    result = evaluation.Evaluation().shape_tensor(variable)
    if isinstance(x, graph.Variable):
        return tensor_variable.as_tensor_variable(result)
    return result
