"""Tests of DebugMode and opcheck with ops that have c_code."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import debug_mode
from tensorflow_examples.custom_ops_doc.python_op import opcheck
from tensorflow_examples.custom_ops_doc.python_op import python_op

DebugMode = debug_mode.DebugMode
tensor = python_op.tensor

X = np.arange(1.0, 13.0).reshape(4, 3)


class DoubleInBoth(python_op.Op):
    """Doubles a matrix, in Python and in C."""

    __props__ = ()
    itypes = [tensor.dmatrix]
    otypes = [tensor.dmatrix]

    # A format of the names of input, output and failure.
    allocate = """
        if (!{z} || !PyArray_SAMESHAPE({x}, {z})) {{
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_SimpleNew(
                2, PyArray_DIMS({x}), NPY_DOUBLE);
            if (!{z}) {fail}
        }}
    """
    loop = """
        for (npy_intp i = 0; i < PyArray_DIM({x}, 0); ++i)
            for (npy_intp j = 0; j < PyArray_DIM({x}, 1); ++j)
                *(npy_double*)PyArray_GETPTR2({z}, i, j) =
                    2 * *(npy_double*)PyArray_GETPTR2({x}, i, j);
    """

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2

    def c_code(self, node, name, inputs, outputs, sub):
        names = {"x": inputs[0], "z": outputs[0], "fail": sub["fail"]}
        return (self.allocate + self.loop).format(**names)

    def infer_shape(self, node, shapes):
        return shapes


class TriplesInC(DoubleInBoth):
    loop = DoubleInBoth.loop.replace("2 * *", "3 * *")


class TriplesInPython(DoubleInBoth):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 3


class RoundsInC(DoubleInBoth):
    """Differs from perform by what rounding may cause."""

    loop = DoubleInBoth.loop.replace("2 * *", "(2 + 4e-16) * *")


class WritesToInputInC(DoubleInBoth):
    loop = DoubleInBoth.loop + "*(npy_double*)PyArray_DATA({x}) = 0;"


class TrustsStridesInC(DoubleInBoth):
    """Takes any storage of the right shape for one that is contiguous."""

    loop = (
        """
        if (!PyArray_IS_C_CONTIGUOUS({z})) {{
            PyErr_SetString(PyExc_ValueError, "output is not contiguous");
            {fail}
        }}
    """
        + DoubleInBoth.loop
    )


class AddsInC(DoubleInBoth):
    loop = DoubleInBoth.loop.replace(
        "=\n                    2", "+=\n                    2"
    )
    allocate = """
        if (!{z} || !PyArray_SAMESHAPE({x}, {z})) {{
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_ZEROS(
                2, PyArray_DIMS({x}), NPY_DOUBLE, 0);
            if (!{z}) {fail}
        }}
    """


class TakesInputForContiguousInC(DoubleInBoth):
    loop = """
        for (npy_intp i = 0; i < PyArray_SIZE({x}); ++i)
            *(npy_double*)PyArray_GETPTR2({z}, i / 3, i % 3) =
                2 * ((npy_double*)PyArray_DATA({x}))[i];
    """


class OnlyInC(DoubleInBoth):
    perform = python_op.Op.perform


WRONG = [
    (TriplesInC(), debug_mode.BadThunkOutput, "between perform and c_code"),
    (TriplesInPython(), debug_mode.BadThunkOutput, "between perform and"),
    (WritesToInputInC(), debug_mode.BadDestroyMap, "c_code changed input 0"),
    (TrustsStridesInC(), debug_mode.BadThunkOutput, "c_code fails"),
    (AddsInC(), debug_mode.BadThunkOutput, "of c_code depends on"),
]


def setUpModule():
    # Without a compiler there is nothing to test.
    config.c_code_on_failure = "raise"


class DebugModeTest(parameterized.TestCase, tf.test.TestCase):
    @parameterized.parameters(DoubleInBoth(), RoundsInC(), OnlyInC())
    def test_right_op_passes(self, op):
        with DebugMode():
            self.assertAllClose(op(X), X * 2, 1e-14)
            self.assertAllClose(tf.function(op)(tf.constant(X)), X * 2, 1e-14)

    @parameterized.parameters(*WRONG)
    def test_wrong_op_raises_the_error_of_its_fault(self, op, error, message):
        with self.assertRaisesRegex(error, message), DebugMode():
            op(tf.constant(X))

    @parameterized.parameters(TriplesInC(), TriplesInPython())
    def test_either_may_be_left_out(self, op):
        for options in ({"check_c": False}, {"check_py": False}):
            with DebugMode(**options):
                op(tf.constant(X))

    def test_what_is_left_out_is_not_run(self):
        mode = DebugMode(check_c=False)
        node = AddsInC().make_node(X)
        self.assertEqual(
            [name for name, _ in mode.implementations(node)], ["perform"]
        )
        self.assertAllEqual(mode.computed(node, [X])[0], X * 2)

    def test_the_only_implementation_is_always_run(self):
        node = OnlyInC().make_node(X)
        mode = DebugMode(check_c=False)
        self.assertEqual(
            [name for name, _ in mode.implementations(node)], ["c_code"]
        )


class OpcheckTest(parameterized.TestCase, tf.test.TestCase):
    def test_right_op_passes(self):
        report = opcheck.opcheck(DoubleInBoth(), (X,))
        self.assertTrue(report.ok, report)
        self.assertEqual(report.row("perform equals c_code").result, "pass")

    @parameterized.parameters(
        (TriplesInC(), "perform equals c_code"),
        (WritesToInputInC(), "inputs unchanged"),
        (TrustsStridesInC(), "output storage"),
        (TakesInputForContiguousInC(), "non-contiguous inputs"),
    )
    def test_wrong_op_fails_the_row_of_its_fault_alone(self, op, check):
        report = opcheck.opcheck(op, (X,))
        self.assertEqual([r.check for r in report.failures], [check], report)


if __name__ == "__main__":
    tf.test.main()
