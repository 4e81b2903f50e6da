"""Tests that operations of a table which run at once neither hang nor go wrong.

By default only what has hung once, for a moment; with `--all_pairs` every pair.
"""

import itertools

import numpy as np
from absl import flags
from absl.testing import absltest
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    operation_pairs,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import run_python

_ALL_PAIRS = flags.DEFINE_bool("all_pairs", False, "Runs every pair.")

_FOUR_WRITERS = "insert,insert,insert,insert"
_READERS = "export,export_sorted,lookup,save"

# What runs at once, with batches of so many keys, for so many seconds.
_SAMPLE = (
    "insert,export:200000:0.5",
    "remove,export:200000:0.5",
    "insert,export_sorted:200000:0.5",
    "insert,save:100000:0.5",
    f"{_FOUR_WRITERS}:4096:0.3",
    f"{_FOUR_WRITERS},{_READERS}:4096:0.3",
    f"{_FOUR_WRITERS},{_READERS}:50000:0.5",
    "insert,copy:4096:0.3",
    "accumulate,restore:4096:0.3",
    "clear,lookup_or:4096:0.3",
    "do_import,size:4096:0.3",
)
_EVERYTHING = (
    *(
        f"{one},{other}:200000:2"
        for one, other in itertools.product(
            operation_pairs.OPERATIONS, repeat=2
        )
    ),
    f"{_FOUR_WRITERS}:4096:20",
    f"{_FOUR_WRITERS},{_READERS}:4096:20",
    f"{_FOUR_WRITERS},{_READERS}:200000:20",
)


class OperationPairsTest(parameterized.TestCase):
    @parameterized.parameters(1, 2, 8)
    def test_operations_at_once_end_and_see_what_was_written(self, threads):
        result = run_python.run_python(
            operation_pairs.__file__,
            f"--threads={threads}",
            *(_EVERYTHING if _ALL_PAIRS.value else _SAMPLE),
        )
        print(result.stdout)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class HistoryTest(absltest.TestCase):
    """That what is wrong is found."""

    def setUp(self):
        super().setUp()
        self.keys = np.arange(100, dtype=np.int64)

    def _history(self, role, started, done):
        batch = operation_pairs.Batch(100)
        self.keys = batch.keys
        self.writer = role(0)
        self.writer.started, self.writer.done = started, done
        return operation_pairs.History(batch, [self.writer])

    def _values(self, *events):
        return np.concatenate(
            [
                self.writer.values(keys, event)
                for keys, event in zip(
                    np.array_split(self.keys, len(events)), events, strict=True
                )
            ]
        )

    def _refuses(self, history, message, values, keys=None):
        keys = self.keys if keys is None else keys
        with self.assertRaisesRegex(operation_pairs.Wrong, message):
            history.check_export(keys, values, history.done())

    def test_takes_what_is_of_one_moment(self):
        history = self._history(operation_pairs.Inserting, 5, 4)
        history.check_export(self.keys, self._values(3), history.done())
        history.check_export(self.keys, self._values(3, 4), history.done())

    def test_refuses_an_export_of_several_moments(self):
        history = self._history(operation_pairs.Inserting, 5, 0)
        self._refuses(history, "at several moments", self._values(2, 4))
        history = self._history(operation_pairs.Importing, 5, 4)
        self._refuses(history, "at several moments", self._values(3, 4))

    def test_refuses_a_part_of_what_happens_at_once(self):
        history = self._history(operation_pairs.Clearing, 3, 2)
        self._refuses(
            history, "a part of", self._values(2)[:50], self.keys[:50]
        )

    def test_refuses_what_was_overwritten(self):
        history = self._history(operation_pairs.Inserting, 5, 4)
        self._refuses(history, "overwritten before", self._values(2, 3))
        self._refuses(
            history, "overwritten before", operation_pairs.filling(self.keys)
        )

    def test_refuses_what_nobody_wrote(self):
        history = self._history(operation_pairs.Inserting, 5, 4)
        values = self._values(3)
        self._refuses(
            history, "is none that was written", np.where(values, -2, 0)
        )
        self._refuses(history, "of another key", values[::-1])
        self._refuses(history, "too much", values + 1)
        self._refuses(history, "a key is there twice", values, self.keys // 2)
        self._refuses(history, "nobody wrote", values, self.keys + 1)
        self._refuses(history, "keys are gone", values[1:], self.keys[1:])

    def test_refuses_a_lost_addition(self):
        history = self._history(operation_pairs.Adding, 5, 4)
        filled = operation_pairs.filling(self.keys)
        history.check_export(self.keys, filled + 4, history.done())
        self._refuses(history, "an addition is lost", filled + 3)
        history.check_end(self.keys, filled + 4)
        with self.assertRaisesRegex(operation_pairs.Wrong, "sums at the end"):
            history.check_end(self.keys, filled + 5)

    def test_refuses_another_end(self):
        history = self._history(operation_pairs.Inserting, 5, 5)
        history.check_end(self.keys, self._values(4))
        with self.assertRaisesRegex(operation_pairs.Wrong, "overwritten"):
            history.check_end(self.keys, self._values(3, 4))


if __name__ == "__main__":
    absltest.main()
