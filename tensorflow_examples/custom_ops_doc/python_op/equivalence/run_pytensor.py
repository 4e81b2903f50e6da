"""Writes what PyTensor computes, and what it says of the ops.

    bazel run :run_pytensor -- ops --output=/tmp/pytensor.npz --inputs=200

PyTensor runs in a process and with packages of its own, NumPy among them; it
compiles no C.
"""

from __future__ import annotations

import argparse
import functools
import inspect
import json
import sys
import types
import warnings
from typing import Any

# Its own NumPy goes before that of TensorFlow, which may be too old for it.
sys.path.sort(key=lambda folder: "pypi_pytensor" not in folder)

import numpy as np
import pytensor
import pytensor.gradient
import pytensor.tensor
from pytensor.compile.mode import Mode
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op

from tensorflow_examples.custom_ops_doc.python_op.equivalence import cases
from tensorflow_examples.custom_ops_doc.python_op.equivalence import facts
from tensorflow_examples.custom_ops_doc.python_op.equivalence import op_classes
from tensorflow_examples.custom_ops_doc.python_op.equivalence import recording
from tensorflow_examples.custom_ops_doc.python_op.equivalence import (
    tensor_cases,
)

# Ops run by their perform, and the graph stays as the ops' authors wrote it.
_MODE = Mode(linker="py", optimizer="fast_compile")
# A shape that infer_shape tells needs the rewriting of graphs.
_SHAPE_MODE = Mode(linker="py", optimizer="fast_run")


class TheanoOp(Op):
    """PyTensor's Op, for which Theano's shorter infer_shape is translated."""

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        infer_shape = cls.__dict__.get("infer_shape")
        if infer_shape and len(inspect.signature(infer_shape).parameters) == 3:
            cls.infer_shape = lambda self, fgraph, node, shapes: infer_shape(
                self, node, shapes
            )

    def perform(self, node, inputs, output_storage):
        """Left to subclasses."""
        raise NotImplementedError


def _function(mode):
    return functools.partial(
        pytensor.function, mode=mode, on_unused_input="ignore"
    )


def _rop(f, wrt, eval_points):
    """Returns the Rop by each op's own; where one has none, by gradients."""
    for use_op in (True, False):
        try:
            return pytensor.gradient.pushforward(
                f, wrt, eval_points, use_op_pushforward=use_op
            )
        except NotImplementedError:
            if not use_op:
                raise
    return None


THEANO = types.SimpleNamespace(
    Apply=Apply,
    DisconnectedType=pytensor.gradient.DisconnectedType,
    Op=TheanoOp,
    Rop=_rop,
    function=_function(_MODE),
    grad=pytensor.gradient.grad,
    grad_undefined=pytensor.gradient.grad_undefined,
    tensor=pytensor.tensor,
)


def main(arguments: list[str]) -> int:
    """Writes the file that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what",
        choices=["ops", "tensor"],
        help="ops, or the functions that their derivatives are written with",
    )
    parser.add_argument("--output", required=True, help="an .npz to write")
    parser.add_argument("--inputs", type=int, default=200)
    options = parser.parse_args(arguments)
    # PyTensor would rather have pullback and pushforward.
    warnings.simplefilter("ignore", FutureWarning)
    symbolic = recording.Symbolic(THEANO)
    given = (
        cases.cases(op_classes.op_classes(THEANO))
        if options.what == "ops"
        else tensor_cases.tensor_cases(pytensor.tensor)
    )
    found = {"numpy": np.array(np.__version__)}
    for case in given:
        found.update(recording.record(symbolic, case, range(options.inputs)))
    if options.what == "ops":
        found["facts"] = np.array(json.dumps(facts.facts(THEANO)))
        found["shapes"] = np.array(json.dumps(_shapes()))
    np.savez(options.output, **found)
    return 0


def _shapes():
    theano = types.SimpleNamespace(**vars(THEANO))
    theano.function = _function(_SHAPE_MODE)
    return facts.shapes(theano, recording.Symbolic(theano))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
