"""Ops compute and differentiate here as they do under PyTensor."""

import json
import os
import re
import subprocess
import tempfile

import numpy as np
import tensorflow as tf
from absl import flags
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op.equivalence import cases
from tensorflow_examples.custom_ops_doc.python_op.equivalence import facts
from tensorflow_examples.custom_ops_doc.python_op.equivalence import op_classes
from tensorflow_examples.custom_ops_doc.python_op.equivalence import recording

_PYTENSOR = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "run_pytensor"
)
# More of them: --test_arg=--inputs=2000.
_INPUTS = flags.DEFINE_integer("inputs", 200, "how many, for each case")

# How far derivatives may be apart, as a part of the largest of an array.
_TOLERANCES = {"float32": 1e-6, "float64": 1e-12}

# TensorFlow passes on what a kernel raises as an error of its own.
_OTHER_ERRORS = {"shapes that do not fit": "InvalidArgumentError"}

_CASES = cases.cases(op_classes.op_classes(python_op))
_NAMED = [
    {"testcase_name": "_" + re.sub(r"\W+", "_", case.name), "case": case}
    for case in _CASES
]

_expected = {}


def setUpModule():  # noqa: N802
    """Has PyTensor compute, in a process that has its packages alone."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "pytensor.npz")
        # PyTensor would look for a compiler, and make a folder for what it compiles.
        env = {**os.environ, "PYTENSOR_FLAGS": f"cxx=,base_compiledir={folder}"}
        env.pop("PYTHONPATH", None)
        subprocess.run(
            [_PYTENSOR, f"--output={output}", f"--inputs={_INPUTS.value}"],
            check=True,
            env=env,
        )
        with np.load(output) as file:
            _expected.update(file)


class Eager:
    """Evaluates cases on tensors; see `recording.Backend`."""

    def values(self, case, inputs):
        return _numpy(case.apply(*map(tf.constant, inputs)))

    def gradients(self, case, inputs, cotangents):
        return _numpy(self._gradients(case, inputs, cotangents)[1])

    def tangents(self, case, inputs, tangents):
        xs = list(map(tf.constant, inputs))

        def of_floats(*floats):
            rest = iter(floats)
            return _floats(
                recording.as_list(
                    case.apply(
                        *[next(rest) if x.dtype.is_floating else x for x in xs]
                    )
                )
            )

        return _numpy(python_op.Rop(of_floats, _floats(xs), tangents))

    def second_gradients(self, case, inputs, cotangents, tangents):
        with tf.GradientTape() as tape:
            xs, gradients = self._gradients(case, inputs, cotangents, tape)
        return _numpy(
            tape.gradient(gradients, xs, tangents, tf.UnconnectedGradients.ZERO)
        )

    def _gradients(self, case, inputs, cotangents, outer_tape=None):
        xs = list(map(tf.constant, inputs))
        floats = _floats(xs)
        if outer_tape is not None:
            outer_tape.watch(floats)
        with tf.GradientTape() as tape:
            tape.watch(floats)
            ys = _floats(recording.as_list(case.apply(*xs)))
        return floats, tape.gradient(
            ys, floats, list(map(tf.constant, cotangents))
        )


def _floats(tensors):
    return [t for t in tensors if t.dtype.is_floating]


def _numpy(tensors):
    return [t.numpy() for t in recording.as_list(tensors)]


class EquivalenceTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(*_NAMED)
    def test_eager_results_are_those_of_pytensor(self, case):
        self._check(Eager(), case)

    @parameterized.named_parameters(*_NAMED)
    def test_results_of_functions_are_those_of_pytensor(self, case):
        self._check(recording.Symbolic(python_op), case)

    def _check(self, backend, case):
        expected = {
            name: array
            for name, array in _expected.items()
            if name.startswith(f"{case.name}/")
        }
        found = recording.record(backend, case, range(_INPUTS.value))
        self.assertEqual(list(found), list(expected))
        self.assertIn(f"{case.name}/{_INPUTS.value - 1}/value/0", found)
        for name, array in found.items():
            wanted = expected[name]
            self.assertEqual(array.dtype, wanted.dtype, name)
            self.assertEqual(array.shape, wanted.shape, name)
            if "/value/" in name:
                np.testing.assert_array_equal(array, wanted, name)
                continue
            largest = np.max(np.abs(wanted), initial=0)
            np.testing.assert_allclose(
                array,
                wanted,
                rtol=0,
                atol=_TOLERANCES[wanted.dtype.name] * largest,
                err_msg=name,
            )


class FactsTest(tf.test.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.expected = json.loads(str(_expected["facts"]))
        cls.found = json.loads(json.dumps(facts.facts(python_op)))

    def test_op_is_shown_by_the_same_text(self):
        self.assertEqual(self.found["str"], self.expected["str"])

    def test_ops_are_equal_where_they_are_under_pytensor(self):
        self.assertEqual(self.found["equal"], self.expected["equal"])
        self.assertEqual(self.found["unequal"], self.expected["unequal"])

    def test_hashes_are_equal_where_they_are_under_pytensor(self):
        self.assertEqual(self.found["hash"], self.expected["hash"])

    def test_outputs_are_of_the_same_types(self):
        self.assertEqual(self.found["outputs"], self.expected["outputs"])

    def test_mistakes_raise_the_same_errors(self):
        self.assertEqual(
            self.found["errors"], {**self.expected["errors"], **_OTHER_ERRORS}
        )

    def test_shapes_are_the_same_and_found_by_running_the_same_ops(self):
        shapes = facts.shapes(python_op, recording.Symbolic(python_op))
        self.assertEqual(shapes, json.loads(str(_expected["shapes"])))


if __name__ == "__main__":
    tf.test.main()
