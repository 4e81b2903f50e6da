"""Puts sharded_hash_table's ops, which take batches and have state, through opcheck."""

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import opcheck
from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)

KEYS = np.array([1, 2, 3], np.int64)
VALUES = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]], np.float32)


class ShardedHashTableTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.table = sharded_hash_table.ShardedHashTable(
            tf.int64, tf.float32, [-1.0, -1.0]
        )
        self.reset()

    def reset(self):
        self.table.do_import(KEYS, VALUES)

    def state(self):
        return self.table.export(stable_order=True)

    def check(self, op, *inputs):
        report = opcheck.opcheck(op, inputs, reset=self.reset, state=self.state)
        self.assertTrue(report.ok, report)
        self.assertTrue(report.row("outputs").detail.endswith("stateful"))
        return report

    def test_lookup_passes(self):
        report = self.check(self.table.lookup, np.array([[2, 7], [1, 1]]))
        for check in (
            "eager equals graph",
            "deterministic",
            "SavedModel",
            "empty inputs",
        ):
            self.assertEqual(report.row(check).result, "pass", report)

    def test_lookup_with_defaults_passes(self):
        self.check(self.table.lookup, KEYS + 1, -VALUES)

    def test_insert_passes(self):
        report = self.check(self.table.insert, KEYS + 1, VALUES)
        self.assertEqual(report.row("empty inputs").result, "pass", report)

    def test_accumulate_passes(self):
        self.check(self.table.accumulate, KEYS + 1, VALUES)

    def test_remove_passes(self):
        report = self.check(self.table.remove, np.array([2, 2, 9]))
        self.assertEqual(report.row("threads").result, "pass", report)

    def test_import_passes(self):
        self.check(self.table.do_import, KEYS * 10, VALUES)

    def test_export_passes(self):
        self.check(lambda: self.table.export(stable_order=True))


if __name__ == "__main__":
    tf.test.main()
