"""Tests that no SIGKILL in a save spoils the latest checkpoint of a table."""

import numpy as np
from absl import flags
from absl.testing import absltest

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    checkpoint_kills,
)
from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    operation_pairs,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import run_python

_KILLS = flags.DEFINE_integer("kills", 20, "How many processes are killed.")


class CheckpointKillsTest(absltest.TestCase):
    def test_latest_checkpoint_is_exact_after_every_kill(self):
        result = run_python.run_python(
            checkpoint_kills.__file__,
            f"--kills={_KILLS.value}",
            f"--folder={self.create_tempdir().full_path}",
        )
        print(result.stdout)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class CheckRestoredTest(absltest.TestCase):
    """That a checkpoint which is not exact is found."""

    def setUp(self):
        super().setUp()
        self.notes = checkpoint_kills.Notes()
        self.notes.save_done = 7
        self.notes.done_before_last_save = 10
        self.notes.started_by_last_save = 13
        self.notes.save_begun = 8
        self.notes.done_before_save = 20
        self.notes.events_started = 22
        self.batch = operation_pairs.Batch(100)
        self.table = operation_pairs.new_table()

    def _fill(self, *events):
        writer = operation_pairs.Inserting(0)
        parts = np.array_split(self.batch.keys, len(events))
        for keys, event in zip(parts, events, strict=True):
            self.table.insert(keys, writer.values(keys, event))

    def _check(self, save):
        checkpoint_kills.check_restored(
            self.notes, self.batch, save, self.table
        )

    def _refuses(self, message, save):
        with self.assertRaisesRegex(operation_pairs.Wrong, message):
            self._check(save)

    def test_takes_what_was_written_about_the_save(self):
        self._fill(9)
        self._check(7)
        self._fill(11, 12)
        self._check(7)
        self._fill(19)
        self._check(8)

    def test_refuses_another_save(self):
        self._fill(9)
        self._refuses("is that of save 6, not of 7 or 8", 6)

    def test_refuses_an_earlier_state(self):
        self._fill(8)
        self._refuses("overwritten before", 7)
        self._fill(12)
        self._refuses("overwritten before", 8)

    def test_refuses_a_later_state(self):
        self._fill(13)
        self._refuses("overwritten before", 7)

    def test_refuses_a_part(self):
        self._fill(11)
        self.table.remove(self.batch.keys[:1])
        self._refuses("keys are gone", 7)

    def test_refuses_several_moments(self):
        self._fill(10, 12)
        self._refuses("at several moments", 7)


if __name__ == "__main__":
    absltest.main()
