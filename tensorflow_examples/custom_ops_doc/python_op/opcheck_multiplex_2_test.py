"""Puts multiplex_2, an op of a kernel library without state, through opcheck."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op
from tensorflow_examples.custom_ops_doc.python_op import opcheck

COND = np.array([[True, False, True], [False, False, True]])


def _values(dtype, start):
    return (np.arange(6).reshape(2, 3) + start).astype(dtype)


class MultiplexTest(parameterized.TestCase, tf.test.TestCase):
    @parameterized.parameters(
        np.float64,
        np.float32,
        np.complex64,
        np.complex128,
        np.float16,
        tf.bfloat16.as_numpy_dtype,
        np.int32,
        np.uint8,
        np.bool_,
    )
    def test_passes_with_every_kind_of_dtype(self, dtype):
        inputs = (COND, _values(dtype, 0), _values(dtype, -7))
        report = opcheck.opcheck(multiplex_2_op.multiplex, inputs)
        self.assertTrue(report.ok, report)

    def test_passes_with_strings(self):
        a = np.array([[b"a", b"b", b"c"], [b"d", b"", b"f"]], object)
        report = opcheck.opcheck(multiplex_2_op.multiplex, (COND, a, a[::-1]))
        self.assertTrue(report.ok, report)

    def test_passes_all_that_is_not_for_python_ops_alone(self):
        inputs = (COND, _values(np.float64, 0), _values(np.float64, -7))
        report = opcheck.opcheck(multiplex_2_op.multiplex, inputs)
        rest = {r.check: r.result for r in report.rows if r.result != "pass"}
        self.assertEqual(
            rest,
            {
                "output storage": "skipped",
                "perform equals c_code": "skipped",
                "equality and hash": "skipped",
                "pickle": "skipped",
                "non-contiguous inputs": "skipped",
                "registered as stateful": "skipped",
            },
            report,
        )
        self.assertIn("(0, 3)", report.row("empty inputs").detail)


if __name__ == "__main__":
    tf.test.main()
