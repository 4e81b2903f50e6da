"""Evaluates variables of a symbolic graph, and shapes of any, on TensorFlow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import execution
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import shape_inference
from tensorflow_examples.custom_ops_doc.python_op import tensor_type
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable
from tensorflow_examples.custom_ops_doc.python_op import tensorflow_function


class Shape:
    """What computes a variable's shape, without its value where that can be."""

    def __str__(self) -> str:
        return "Shape"

    def infer_shape(self, node, shapes):
        return [(len(shapes[0]),)]


class Evaluation:
    """Values and shapes of variables, given the values of some.

    Each value is computed once, and only if it is needed: a shape needs none of
    the values of ops that have `infer_shape`.
    """

    def __init__(
        self, values: Mapping[graph.Variable, tf.Tensor] | None = None
    ):
        self._values: dict[graph.Variable, tf.Tensor] = dict(values or {})
        self._shapes: dict[graph.Variable, tuple] = {}

    def value(self, variable: graph.Variable) -> tf.Tensor:
        """Returns the value of a variable.

        Raises:
          ValueError: If it depends on an input that was given no value.
        """
        self._settle(("value", variable))
        return self._value_now(variable)

    def shape(self, variable: graph.Variable) -> tuple:
        """Returns the dimensions of a variable: ints and int64 scalars."""
        self._settle(("shape", variable))
        return self._shapes[variable]

    def shape_tensor(self, variable: graph.Variable) -> tf.Tensor:
        """Returns the shape of a variable as an int64 vector."""
        self._settle(("shape", variable))
        shape = self._shapes[variable]
        if shape is None:
            return tf.shape(self.value(variable), out_type=tf.int64)
        return _vector(shape)

    # A graph may be thousands of nodes deep, so there is a stack of what is to
    # be done instead of recursion.

    def _settle(self, task: tuple[str, graph.Variable]) -> None:
        stack = [task]
        while stack:
            task = stack[-1]
            if self._is_done(task):
                stack.pop()
                continue
            missing = [t for t in self._needs(task) if not self._is_done(t)]
            if missing:
                stack.extend(reversed(missing))
                continue
            self._do(task)
            stack.pop()

    def _is_done(self, task) -> bool:
        kind, variable = task
        if kind == "shape":
            return variable in self._shapes
        return variable in self._values or variable.tensor is not None

    def _needs(self, task) -> list[tuple[str, graph.Variable]]:
        kind, variable = task
        node = variable.owner
        if kind == "value":
            if node is None:
                raise ValueError(
                    f"{variable}, a variable of type {variable.type}, is needed "
                    f"but was given no value: it is not among the inputs"
                )
            if isinstance(node.op, Shape):
                return [("shape", node.inputs[0])]
            return [("value", v) for v in node.inputs]
        if self._infers(variable):
            return [("shape", v) for v in node.inputs]
        return [("value", variable)]

    def _infers(self, variable: graph.Variable) -> bool:
        """Whether a shape is found by the owner's infer_shape."""
        if variable in self._values or variable.owner is None:
            return False
        if (
            variable.tensor is not None
            and variable.tensor.shape.is_fully_defined()
        ):
            return False
        node = variable.owner
        return shape_inference.has_infer_shape(node.op) and all(
            v.type.ndim is not None for v in node.inputs
        )

    def _do(self, task) -> None:
        kind, variable = task
        node = variable.owner
        if kind == "shape":
            if not self._infers(variable):
                self._shapes[variable] = _dimensions(self._value_now(variable))
                return
            inputs = [self._shapes[v] for v in node.inputs]
            if None in inputs:
                self._shapes[variable] = None
                return
            shapes = shape_inference.infer_shape(
                node, [tuple(map(_as_variable, s)) for s in inputs]
            )
            for v, shape in zip(node.outputs, shapes, strict=True):
                known = tensor_type.known_shape(v) or ()
                self._shapes[v] = (
                    None
                    if shape is None
                    else tuple(
                        self._dimension(d, known[i] if i < len(known) else None)
                        for i, d in enumerate(shape)
                    )
                )
            # In the graph of a branch the variable is another one than outside.
            self._shapes[variable] = self._shapes[node.outputs[variable.index]]
        elif isinstance(node.op, Shape):
            self._values[variable] = self.shape_tensor(node.inputs[0])
        else:
            results = self._apply(node)
            self._values.update(zip(node.outputs, results, strict=True))

    def _apply(self, node: graph.Apply) -> list[tf.Tensor]:
        tensors = [self._value_now(v) for v in node.inputs]
        if isinstance(node.op, tensorflow_function.TensorFlowFunction):
            return tf.nest.flatten(node.op(*tensors))
        outputs = []
        for v in node.outputs:
            output = v.type()
            output._tag = v._tag
            outputs.append(output)
        return execution.run(
            graph.Apply(
                node.op,
                [
                    _with_tag(tensor_variable.as_tensor_variable(t), v._tag)
                    for t, v in zip(tensors, node.inputs, strict=True)
                ],
                outputs,
            )
        )

    def _value_now(self, variable: graph.Variable) -> tf.Tensor:
        value = self._values.get(variable)
        return variable.tensor if value is None else value

    def _dimension(self, dimension: Any, known: int | None) -> Any:
        if known is not None:
            return known
        if isinstance(dimension, (int, np.integer)):
            return int(dimension)
        if isinstance(dimension, graph.Variable):
            dimension = self.value(dimension)
        return tf.cast(dimension, tf.int64)


def _with_tag(variable, tag):
    """Returns a variable that stands for the same tensor, and has a tag."""
    if tag is None or variable._tag is tag:
        return variable
    tagged = variable.type()
    tagged.tensor = variable.tensor
    tagged._tag = tag
    return tagged


def _as_variable(dimension):
    if isinstance(dimension, int):
        return dimension
    return tensor_variable.as_tensor_variable(dimension)


def _dimensions(tensor: tf.Tensor) -> tuple | None:
    """Returns a tensor's dimensions, numbers where they are known."""
    if tensor.shape.rank is None:
        return None
    if tensor.shape.is_fully_defined():
        return tuple(tensor.shape)
    shape = tf.shape(tensor, out_type=tf.int64)
    return tuple(
        shape[i] if d is None else d for i, d in enumerate(tensor.shape)
    )


def _vector(dimensions: tuple) -> tf.Tensor:
    if all(isinstance(d, int) for d in dimensions):
        return tf.constant(dimensions, tf.int64, [len(dimensions)])
    return tf.stack(
        [
            tf.constant(d, tf.int64) if isinstance(d, int) else d
            for d in dimensions
        ]
    )
