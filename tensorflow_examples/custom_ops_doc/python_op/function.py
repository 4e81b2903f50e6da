"""`function`: a Python function of arrays, of symbolic inputs and outputs."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import evaluation
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable


class Function:
    """A compiled function; `function` makes it.

    Attributes:
      inputs: its symbolic inputs.
      outputs: its symbolic outputs.
      concrete_function: the `tf.function` that computes it.
    """

    autograph_info__: dict[str, Any] = {}

    def __init__(
        self,
        inputs: Sequence[graph.Variable],
        outputs: Any,
        mode: Any = None,
        allow_input_downcast: bool | None = None,
    ):
        self.inputs = list(inputs)
        self.outputs = outputs
        self._mode = mode
        self._allow_input_downcast = allow_input_downcast
        for i, v in enumerate(self.inputs):
            if not isinstance(v, graph.Variable) or v.tensor is not None:
                raise TypeError(
                    f"input {i} of a function must be a symbolic variable, such "
                    f"as tensor.matrix() gives, but is {v!r}"
                )
        if len(set(self.inputs)) != len(self.inputs):
            raise ValueError("a variable is twice among a function's inputs")
        variables = tf.nest.map_structure(
            tensor_variable.as_tensor_variable, outputs
        )

        def run(*tensors):
            evaluated = evaluation.Evaluation(
                zip(self.inputs, tensors, strict=True)
            )
            return tf.nest.map_structure(evaluated.value, variables)

        self.concrete_function = tf.function(
            run, autograph=False
        ).get_concrete_function(*[v.type.tensor_spec() for v in self.inputs])

    def __call__(self, *args: Any) -> Any:
        """Computes the outputs.

        Args:
          *args: an array for each input. A dtype that fits into the input's
            without loss is taken too.

        Returns:
          An array, or a list of them if the outputs are one.

        Raises:
          TypeError: If an argument is not of its input's type, or their number
            is wrong.
        """
        if len(args) != len(self.inputs):
            raise TypeError(
                f"the function takes {len(self.inputs)} arguments, but was given "
                f"{len(args)}"
            )
        tensors = []
        for i, (arg, v) in enumerate(zip(args, self.inputs, strict=True)):
            try:
                array = v.type.filter(
                    arg, allow_downcast=self._allow_input_downcast
                )
            except TypeError as e:
                raise TypeError(f"argument {i} ({v}): {e}") from None
            tensors.append(tf.constant(array, v.type.tf_dtype))
        with self._mode or contextlib.nullcontext():
            results = self.concrete_function(*tensors)
        return tf.nest.map_structure(lambda t: np.asarray(t.numpy()), results)


@graph.not_converted
def function(
    inputs: Sequence[graph.Variable],
    outputs: Any,
    mode: Any = None,
    allow_input_downcast: bool | None = None,
) -> Function:
    """Makes a function of arrays, that a `tf.function` computes.

    >>> x = tensor.matrix()
    >>> f = function([x], DoubleOp1()(x))
    >>> f([[1.0, 2.0]])
    array([[2., 4.]])

    Args:
      inputs: list of symbolic variables.
      outputs: a variable, or a list of them.
      mode: a `DebugMode` or `NanGuardMode` to run it in.
      allow_input_downcast: whether an argument of a wider dtype is taken; None
        takes it of Python numbers and lists alone.

    Returns:
      A callable that takes an array for each input.

    Raises:
      TypeError: If an input is not symbolic.
      ValueError: If an output needs a variable that is not among the inputs.
    """
    return Function(inputs, outputs, mode, allow_input_downcast)
