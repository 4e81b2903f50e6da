"""Puts simple_hash_table's ops, which have state, through opcheck."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import opcheck
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    simple_hash_table,
)

KEYS = np.array([1, 2, 3], np.int32)
VALUES = np.array([10.0, 20.0, 30.0], np.float32)

# What an op of a kernel library that has state, and whose inputs are scalars,
# has nothing to say of.
NOT_APPLICABLE = {
    "output storage",
    "perform equals c_code",
    "equality and hash",
    "pickle",
    "non-contiguous inputs",
    "Keras layer",
}


class SimpleHashTableTest(parameterized.TestCase, tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.table = simple_hash_table.SimpleHashTable(
            tf.int32, tf.float32, -1.0
        )
        self.reset()

    def reset(self):
        self.table.do_import(KEYS, VALUES)

    def state(self):
        """The table, in the order of its keys."""
        keys, values = self.table.export()
        order = tf.argsort(keys)
        return tf.gather(keys, order), tf.gather(values, order)

    def check(self, op, *inputs, **kwargs):
        report = opcheck.opcheck(
            op, inputs, reset=self.reset, state=self.state, **kwargs
        )
        self.assertTrue(report.ok, report)
        self.assertTrue(report.row("outputs").detail.endswith("stateful"))
        return report

    def test_find_passes(self):
        report = self.check(self.table.find, np.int32(2))
        for check in ("eager equals graph", "deterministic", "SavedModel"):
            self.assertEqual(report.row(check).result, "pass", report)

    def test_find_with_a_default_passes(self):
        self.check(self.table.find, np.int32(7), np.float32(-7))

    def test_insert_passes(self):
        report = self.check(self.table.insert, np.int32(5), np.float32(50))
        self.assertIn(
            "Examples>SimpleHashTableInsert",
            report.row("registered as stateful").detail,
        )

    def test_remove_passes(self):
        report = self.check(self.table.remove, np.int32(2))
        self.assertIn("refused", report.row("threads").detail)

    def test_import_passes(self):
        keys = np.array([4, 5], np.int32)
        report = self.check(self.table.do_import, keys, keys.astype(np.float32))
        self.assertEqual(report.row("empty inputs").detail, "(0,), (0,)")

    def test_export_passes(self):
        def export():
            keys, values = self.table.export()
            order = tf.argsort(keys)
            return tf.gather(keys, order), tf.gather(values, order)

        self.check(export)

    def test_state_is_found_without_a_reset_and_values_are_not_compared(self):
        report = opcheck.opcheck(
            self.table.insert, (np.int32(5), np.float32(50))
        )
        self.assertTrue(report.ok, report)
        self.assertEqual(report.row("deterministic").result, "skipped")
        self.assertIn("not values", report.row("eager equals graph").detail)

    def test_only_what_does_not_apply_is_left_out(self):
        report = self.check(self.table.find, np.int32(2))
        rest = {r.check for r in report.rows if r.result != "pass"}
        self.assertEqual(
            rest - NOT_APPLICABLE,
            {
                "eager equals XLA",
                "gradient",
                "forward mode",
                "gradient in a graph",
                "second derivative",
                "empty inputs",
                "zero-rank inputs",
            },
            report,
        )


if __name__ == "__main__":
    tf.test.main()
