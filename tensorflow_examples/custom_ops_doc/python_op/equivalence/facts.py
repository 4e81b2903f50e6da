"""What holds of ops besides what they compute."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op.equivalence import cases
from tensorflow_examples.custom_ops_doc.python_op.equivalence import op_classes
from tensorflow_examples.custom_ops_doc.python_op.equivalence import recording


def facts(theano: Any) -> dict[str, Any]:
    """Returns facts, by what they are about, of values that JSON has."""
    classes = op_classes.op_classes(theano)
    ops = _ops(classes)
    return {
        "str": {what: _text(op) for what, op in ops.items()},
        "equal": _equal(ops, lambda a, b: a == b),
        "unequal": _equal(ops, lambda a, b: a != b),
        "hash": _equal(ops, lambda a, b: hash(a) == hash(b)),
        "errors": {
            what: _error(call)
            for what, call in _mistakes(classes, theano).items()
        },
        "outputs": _outputs(classes, theano),
    }


def _ops(op: dict[str, type]) -> dict[str, Any]:
    return {
        "DoubleOp1": op["DoubleOp1"](),
        "DoubleOp1 again": op["DoubleOp1"](),
        "DoubleOp2": op["DoubleOp2"](),
        "AXPBOp 4 5": op["AXPBOp"](4, 5),
        "AXPBOp 4 5 again": op["AXPBOp"](4, 5),
        "AXPBOp 4.0 5": op["AXPBOp"](4.0, 5),
        "AXPBOp 5 4": op["AXPBOp"](5, 4),
        "AXPBOp of NumPy": op["AXPBOp"](np.float64(4), np.int32(5)),
        "ScaleOp 4 5": op["ScaleOp"](4, 5),
        "NamedOp": op["NamedOp"]("a b", (1, 2)),
        "NamedOp again": op["NamedOp"]("a b", (1, 2)),
        "NamedOp of another": op["NamedOp"]("a b", (1, 3)),
        "UnequalOp": op["UnequalOp"](),
        "UnequalOp again": op["UnequalOp"](),
    }


def _text(op):
    # NumPy 2 writes np.float64(4.0) for what is 4.0 to NumPy 1.
    return re.sub(r"\bnp\.\w+\((.*?)\)", r"\1", str(op))


def _equal(ops, function):
    return {
        f"{a}, {b}": bool(function(ops[a], ops[b]))
        for a, b in itertools.product(ops, repeat=2)
    }


def _error(call: Callable[[], Any]) -> str | None:
    """Returns the name of the class of what a call raises."""
    try:
        call()
    except Exception as e:
        return type(e).__name__
    return None


def _mistakes(op: dict[str, type], theano: Any) -> dict[str, Callable[[], Any]]:
    """Returns calls that are wrong, or nearly so."""
    tensor = theano.tensor
    double, dot, power = op["DoubleOp2"](), op["DotOp"](), op["PowerOp"]()
    matrix = tensor.dmatrix

    class NoVariableOp(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x])

        perform = op["DoubleOp1"].perform

    class NoTypesOp(theano.Op):
        __props__ = ()
        perform = op["DoubleOp1"].perform

    class NoGradientOp(theano.Op):
        __props__ = ()
        itypes = [matrix]
        otypes = [matrix]
        perform = op["DoubleOp1"].perform

    class FewGradientsOp(NoGradientOp):
        __props__ = ()

        def grad(self, inputs, output_gradients):
            return []

    def props(value):
        return lambda: type("PropsOp", (theano.Op,), {"__props__": value})

    def gradient(op):
        x = tensor.dmatrix()
        return lambda: theano.grad(op(x).sum(), [x])

    def call(output, value):
        x = matrix()
        return lambda: theano.function([x], output(x))(value)

    return {
        "nothing wrong": lambda: double(matrix()),
        "a matrix of float32": lambda: double(tensor.fmatrix()),
        "a matrix of integers": lambda: double(tensor.lmatrix()),
        "a vector for a matrix": lambda: double(tensor.dvector()),
        "a tensor3 for a matrix": lambda: double(tensor.dtensor3()),
        "a row for a matrix": lambda: double(tensor.drow()),
        "the second input's type": lambda: dot(matrix(), tensor.dvector()),
        "too few inputs": lambda: dot(matrix()),
        "too many inputs": lambda: double(matrix(), matrix()),
        "make_node raises": lambda: power(matrix(), tensor.dscalar()),
        "make_node's arguments": lambda: power(matrix()),
        "an input that is no variable": lambda: NoVariableOp()(1.0),
        "an output that is an input": lambda: NoVariableOp()(double(matrix())),
        "no make_node and no types": lambda: NoTypesOp()(matrix()),
        "__props__ is a list": props(["a"]),
        "__props__ of numbers": props((1,)),
        "an undefined gradient": gradient(op["RoundOp"]()),
        "no gradient": gradient(NoGradientOp()),
        "too few gradients": gradient(FewGradientsOp()),
        "a cost that is no scalar": lambda: theano.grad(matrix(), matrix()),
        "a cost that does not depend on it": lambda: theano.grad(
            double(matrix()).sum(), matrix()
        ),
        "a function's argument of rank 1": call(double, np.zeros(3)),
        "a function's argument of another dtype": call(
            double, np.zeros((2, 2), np.complex128)
        ),
        "a function's argument of a narrower dtype": call(
            double, np.zeros((2, 2), np.float32)
        ),
        "shapes that do not fit": call(lambda x: dot(x, x), np.zeros((2, 3))),
    }


def _outputs(op: dict[str, type], theano: Any) -> dict[str, Any]:
    """Returns the type of each output of each case, for its first inputs."""
    found = {}
    for case in cases.cases(op):
        inputs = [
            theano.tensor.TensorType(x.dtype.name, (None,) * x.ndim)()
            for x in case.inputs(0)
        ]
        found[case.name] = [
            [y.dtype, y.ndim] for y in recording.as_list(case.apply(*inputs))
        ]
    return found


def shapes(theano: Any, symbolic: recording.Symbolic) -> dict[str, Any]:
    """Returns the shapes of the cases' outputs, and which ops ran for them.

    Args:
      theano: as `op_classes` takes it.
      symbolic: what computes the shapes.
    """
    op = op_classes.op_classes(theano)
    ran: set[str] = set()
    for name, c in op.items():
        c.perform = _noting(c.perform, name, ran)
    found = {}
    for case in cases.cases(op):
        ran.clear()
        results = [symbolic.shapes(case, case.inputs(i)) for i in range(20)]
        found[case.name] = {
            "shapes": [[s.tolist() for s in result] for result in results],
            "ran": sorted(ran),
        }
    return found


def _noting(perform, name, ran):
    def wrapped(self, node, inputs, output_storage):
        ran.add(name)
        perform(self, node, inputs, output_storage)

    return wrapped
