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

    def derivatives(
        self,
        case: cases.Case,
        inputs: Arrays,
        cotangents: Arrays,
        tangents: Arrays,
        second: bool,
    ) -> dict[str, Arrays]:
        """Returns the derivatives that are asked of a case.

        Args:
          case: the case.
          inputs: its inputs.
          cotangents: what each output of floating-point numbers is projected
            on.
          tangents: one for each input of floating-point numbers.
          second: whether to return the second gradient, if the case has it.

        Returns:
          "gradient": that of the outputs' projection, for each input of
          floating-point numbers; "second gradient": that of the gradients'
          projection on the tangents; "Rop": that of each output of
          floating-point numbers.
        """


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
        if not floats or not case.derivatives:
            continue
        cotangents = case.like(
            [y for y in values if is_float(y.dtype)], index, _COTANGENTS
        )
        tangents = case.like(floats, index, _TANGENTS)
        derivatives = backend.derivatives(
            case,
            inputs,
            cotangents,
            tangents,
            index % _SECOND_GRADIENTS == 0,
        )
        for what, arrays in derivatives.items():
            note(index, what, arrays)
    return found


class Symbolic:
    """Evaluates cases by functions of symbolic variables, compiled once a rank."""

    def __init__(self, theano: Any):
        self._theano = theano
        self._functions = {}

    def values(self, case: cases.Case, inputs: Arrays) -> Arrays:
        """See `Backend`."""
        return self._call(self._values, case, inputs, inputs)

    def derivatives(
        self,
        case: cases.Case,
        inputs: Arrays,
        cotangents: Arrays,
        tangents: Arrays,
        second: bool,
    ) -> dict[str, Arrays]:
        """See `Backend`."""
        arguments = [*inputs, *cotangents, *tangents]
        results = iter(self._call(self._derivatives, case, inputs, arguments))
        found = {"gradient": [next(results) for _ in tangents]}
        if case.derivatives > 1:
            second_gradients = [next(results) for _ in tangents]
            if second:
                found["second gradient"] = second_gradients
            found["Rop"] = list(results)
        return found

    def shapes(self, case: cases.Case, inputs: Arrays) -> Arrays:
        """Returns the shapes of the outputs, by a function of these alone."""
        return self._call(self._shapes, case, inputs, inputs)

    def _call(self, make, case, inputs, arguments):
        types = tuple((x.dtype.name, x.ndim) for x in inputs)
        key = (make.__name__, case.name, types)
        if key not in self._functions:
            variables = [self._variable(*t) for t in types]
            self._functions[key] = self._theano.function(
                *make(case, variables, as_list(case.apply(*variables)))
            )
        return self._functions[key](*arguments)

    def _variable(self, dtype, rank):
        return self._theano.tensor.TensorType(dtype, (None,) * rank)()

    def _values(self, case, variables, outputs):
        return variables, outputs

    def _shapes(self, case, variables, outputs):
        return variables, [self._theano.tensor.shape(y) for y in outputs]

    def _derivatives(self, case, variables, outputs):
        xs, ys = (
            [v for v in given if is_float(v.dtype)]
            for given in (variables, outputs)
        )
        cotangents = [self._variable(y.dtype, y.ndim) for y in ys]
        tangents = [self._variable(x.dtype, x.ndim) for x in xs]
        results = gradients = self._gradients(ys, cotangents, xs)
        if case.derivatives > 1:
            results = [
                *gradients,
                *self._gradients(gradients, tangents, xs),
                *self._theano.Rop(ys, xs, tangents),
            ]
        return [*variables, *cotangents, *tangents], results

    def _gradients(self, ys, cotangents, xs):
        # The gradient of what is linear does not depend on the input.
        return self._theano.grad(
            _projection(ys, cotangents), xs, disconnected_inputs="ignore"
        )


def _projection(variables, others):
    terms = [(w * v).sum() for v, w in zip(variables, others, strict=True)]
    return functools.reduce(lambda a, b: a + b, terms)
