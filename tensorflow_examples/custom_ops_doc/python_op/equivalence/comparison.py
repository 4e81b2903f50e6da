"""Holds what is computed here against what PyTensor computes."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from absl import flags

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op.equivalence import cases
from tensorflow_examples.custom_ops_doc.python_op.equivalence import recording

_INPUTS = flags.DEFINE_integer(
    "inputs", None, "how many, for each case; by default what a test says"
)

_PYTENSOR = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "run_pytensor"
)

# How far apart numbers may be, as a part of the largest of an array.
_TOLERANCES = {"float32": 1e-6, "float64": 1e-12}


def is_sample() -> bool:
    """Whether a test is at its own few inputs, not at those of --inputs."""
    return _INPUTS.value is None


@functools.cache
def run_pytensor(what: str, inputs: int) -> dict[str, np.ndarray]:
    """Returns what PyTensor computes, in a process that has its packages alone.

    Args:
      what: "ops" or "tensor".
      inputs: how many random inputs a case is evaluated at.
    """
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "pytensor.npz")
        # PyTensor would look for a compiler, and for a folder to keep things in.
        env = {**os.environ, "PYTENSOR_FLAGS": f"cxx=,base_compiledir={folder}"}
        env.pop("PYTHONPATH", None)
        command = [_PYTENSOR, what, f"--output={output}", f"--inputs={inputs}"]
        subprocess.run(command, check=True, env=env)
        with np.load(output) as file:
            return dict(file)


def named(given: Sequence[cases.Case]) -> list[dict[str, Any]]:
    """Returns the parameters of a test of cases."""
    return [
        {"testcase_name": "_" + re.sub(r"\W+", "_", case.name), "case": case}
        for case in given
    ]


class PyTensorTestCase(tf.test.TestCase):
    """Holds cases against PyTensor, which runs once for all tests of a process.

    Attributes:
      what: what PyTensor computes, "ops" or "tensor".
      inputs: how many random inputs a case is evaluated at; --inputs overrides
        it.
      exact_values: whether values, unlike derivatives, must be equal.
      least_scale: what is compared with where an array's largest number is
        smaller: 0, or 1 for terms of that order that cancel out.
      pytensor: what `run_pytensor` returned.
    """

    what = "ops"
    inputs = 20
    exact_values = True
    least_scale = 0.0
    pytensor: dict[str, np.ndarray]

    @classmethod
    def setUpClass(cls):
        """Runs PyTensor, unless a class before did."""
        super().setUpClass()
        if not is_sample():
            cls.inputs = _INPUTS.value
        cls.pytensor = run_pytensor(cls.what, cls.inputs)

    def check(self, backend: recording.Backend, case: cases.Case) -> None:
        """Fails unless a case is evaluated to what PyTensor evaluates it to."""
        expected = {
            name: array
            for name, array in self.pytensor.items()
            if name.startswith(f"{case.name}/")
        }
        found = recording.record(backend, case, range(self.inputs))
        self.assertEqual(list(found), list(expected))
        self.assertIn(f"{case.name}/{self.inputs - 1}/value/0", found)
        # Releases of NumPy differ in the last bit of functions such as exp.
        exact = self.exact_values and self.pytensor["numpy"] == np.__version__
        for name, array in found.items():
            wanted = expected[name]
            self.assertEqual(array.dtype, wanted.dtype, name)
            self.assertEqual(array.shape, wanted.shape, name)
            if wanted.dtype.kind != "f" or (exact and "/value/" in name):
                np.testing.assert_array_equal(array, wanted, name)
                continue
            largest = np.max(
                np.abs(wanted),
                initial=self.least_scale,
                where=np.isfinite(wanted),
            )
            np.testing.assert_allclose(
                array,
                wanted,
                rtol=0,
                # TensorFlow's own kernels take what is smaller for zero.
                atol=_TOLERANCES[wanted.dtype.name] * largest
                + np.finfo(wanted.dtype).tiny,
                err_msg=name,
            )


class Eager:
    """Evaluates cases on tensors; see `recording.Backend`."""

    def values(self, case, inputs):
        """See `recording.Backend`."""
        return _numpy(self._apply(case, map(tf.constant, inputs)))

    def derivatives(self, case, inputs, cotangents, tangents, second):
        """See `recording.Backend`."""
        xs = list(map(tf.constant, inputs))
        floats = _floats(xs)
        second = second and case.derivatives > 1
        found = {}
        with tf.GradientTape() if second else contextlib.nullcontext() as outer:
            if second:
                outer.watch(floats)
            with tf.GradientTape() as tape:
                tape.watch(floats)
                ys = _floats(self._apply(case, xs))
            gradients = _gradients(tape, ys, floats, cotangents)
        found["gradient"] = _numpy(gradients)
        if second:
            found["second gradient"] = _numpy(
                _gradients(outer, gradients, floats, tangents)
            )
        if case.derivatives > 1:
            found["Rop"] = self._rop(case, xs, tangents)
        return found

    def _rop(self, case, xs, tangents):
        def of_floats(*floats):
            rest = iter(floats)
            given = [next(rest) if x.dtype.is_floating else x for x in xs]
            return _floats(self._apply(case, given))

        return _numpy(python_op.Rop(of_floats, _floats(xs), tangents))

    def _apply(self, case, tensors):
        return recording.as_list(case.apply(*tensors))


class EagerVariables(Eager):
    """Evaluates cases on variables that stand for tensors."""

    def _apply(self, case, tensors):
        variables = map(python_op.tensor.as_tensor_variable, tensors)
        return list(
            map(tf.convert_to_tensor, recording.as_list(case.apply(*variables)))
        )


def _floats(tensors):
    return [t for t in tensors if t.dtype.is_floating]


def _gradients(tape, ys, xs, cotangents):
    gradients = tape.gradient(
        ys,
        xs,
        list(map(tf.constant, cotangents)),
        tf.UnconnectedGradients.ZERO,
    )
    return list(map(tf.convert_to_tensor, gradients))


def _numpy(tensors):
    return [t.numpy() for t in tensors]
