"""Records a case's values, gradients, gradients of these, and Rop results."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from typing import Protocol

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op.equivalence import cases

Arrays = Sequence[np.ndarray]

# Second gradients take long: these are of every so many inputs.
_SECOND_GRADIENTS = 10

_COTANGENTS = 1
_TANGENTS = 2


class Backend(Protocol):
    """What evaluates a case."""

    def values(self, case: cases.Case, inputs: Arrays) -> Arrays:
        """Returns the outputs."""

    def gradients(
        self, case: cases.Case, inputs: Arrays, cotangents: Arrays
    ) -> Arrays:
        """Returns the gradients of the outputs' projection.

        Args:
          case: the case.
          inputs: its inputs.
          cotangents: what each output of floating-point numbers is projected
            on.

        Returns:
          The gradient for each input of floating-point numbers.
        """

    def tangents(
        self, case: cases.Case, inputs: Arrays, tangents: Arrays
    ) -> Arrays:
        """Returns the Rop of each output of floating-point numbers.

        Args:
          case: the case.
          inputs: its inputs.
          tangents: one for each input of floating-point numbers.
        """

    def second_gradients(
        self,
        case: cases.Case,
        inputs: Arrays,
        cotangents: Arrays,
        tangents: Arrays,
    ) -> Arrays:
        """Returns the gradients of the gradients' projection on the tangents."""


def as_list(outputs: Any) -> list:
    """Returns what a case gives as a list."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def is_float(dtype: Any) -> bool:
    """Whether what is of a dtype is differentiated."""
    return np.dtype(dtype).kind == "f"


def record(
    backend: Backend, case: cases.Case, indices: Iterable[int]
) -> dict[str, np.ndarray]:
    """Evaluates a case at random inputs.

    Args:
      backend: what evaluates it.
      case: the case.
      indices: the numbers of the inputs.

    Returns:
      Arrays by name: "<case>/<index>/<what>/<position>", where what is "value",
      "gradient", "Rop" or "second gradient".
    """
    found = {}

    def note(index, what, arrays):
        for i, array in enumerate(arrays):
            found[f"{case.name}/{index}/{what}/{i}"] = np.asarray(array)

    for index in indices:
        inputs = case.inputs(index)
        values = backend.values(case, inputs)
        note(index, "value", values)
        floats = [x for x in inputs if is_float(x.dtype)]
        if not floats:
            continue
        cotangents = case.like(
            [y for y in values if is_float(y.dtype)], index, _COTANGENTS
        )
        note(index, "gradient", backend.gradients(case, inputs, cotangents))
        tangents = case.like(floats, index, _TANGENTS)
        note(index, "Rop", backend.tangents(case, inputs, tangents))
        if index % _SECOND_GRADIENTS == 0:
            note(
                index,
                "second gradient",
                backend.second_gradients(case, inputs, cotangents, tangents),
            )
    return found


class Symbolic:
    """Evaluates cases by functions of symbolic variables, compiled once a rank."""

    def __init__(self, theano: Any):
        self._theano = theano
        self._functions = {}

    def values(self, case: cases.Case, inputs: Arrays) -> Arrays:
        """See `Backend`."""
        return self._call(self._values, case, inputs, inputs)

    def gradients(
        self, case: cases.Case, inputs: Arrays, cotangents: Arrays
    ) -> Arrays:
        """See `Backend`."""
        return self._call(self._gradients, case, inputs, [*inputs, *cotangents])

    def tangents(
        self, case: cases.Case, inputs: Arrays, tangents: Arrays
    ) -> Arrays:
        """See `Backend`."""
        return self._call(self._tangents, case, inputs, [*inputs, *tangents])

    def second_gradients(
        self,
        case: cases.Case,
        inputs: Arrays,
        cotangents: Arrays,
        tangents: Arrays,
    ) -> Arrays:
        """See `Backend`."""
        return self._call(
            self._second_gradients,
            case,
            inputs,
            [*inputs, *cotangents, *tangents],
        )

    def shapes(self, case: cases.Case, inputs: Arrays) -> Arrays:
        """Returns the shapes of the outputs, by a function of these alone."""
        return self._call(self._shapes, case, inputs, inputs)

    def _call(self, make, case, inputs, arguments):
        types = tuple((x.dtype.name, x.ndim) for x in inputs)
        key = (make.__name__, case.name, types)
        if key not in self._functions:
            variables = [self._variable(*t) for t in types]
            outputs = as_list(case.apply(*variables))
            self._functions[key] = self._theano.function(
                *make(variables, outputs)
            )
        return self._functions[key](*arguments)

    def _variable(self, dtype, rank):
        return self._theano.tensor.TensorType(dtype, (None,) * rank)()

    def _values(self, variables, outputs):
        return variables, outputs

    def _shapes(self, variables, outputs):
        return variables, [self._theano.tensor.shape(y) for y in outputs]

    def _gradients(self, variables, outputs):
        ys = _floats(outputs)
        cotangents = self._variables_like(ys)
        gradients = self._theano.grad(
            _projection(ys, cotangents), _floats(variables)
        )
        return [*variables, *cotangents], gradients

    def _tangents(self, variables, outputs):
        xs = _floats(variables)
        tangents = self._variables_like(xs)
        results = self._theano.Rop(_floats(outputs), xs, tangents)
        return [*variables, *tangents], results

    def _second_gradients(self, variables, outputs):
        given, gradients = self._gradients(variables, outputs)
        xs = _floats(variables)
        tangents = self._variables_like(xs)
        # The gradient of what is linear does not depend on the input.
        results = self._theano.grad(
            _projection(gradients, tangents), xs, disconnected_inputs="ignore"
        )
        return [*given, *tangents], results

    def _variables_like(self, variables):
        return [self._variable(v.dtype, v.ndim) for v in variables]


def _projection(variables, others):
    terms = [(w * v).sum() for v, w in zip(variables, others, strict=True)]
    return functools.reduce(lambda a, b: a + b, terms)


def _floats(variables):
    return [v for v in variables if is_float(v.dtype)]
