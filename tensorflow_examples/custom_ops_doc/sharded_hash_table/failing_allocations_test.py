"""Tests that a table outlasts every failure of an allocation of its library.

By default small batches, whose first allocations fail; with `--all` large ones too,
and the first 500.
"""

import pathlib

from absl import flags
from absl.testing import absltest

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    failing_allocations,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import run_python

_ALL = flags.DEFINE_bool("all", False, "Large batches too, and 500 each.")


class FailingAllocationsTest(absltest.TestCase):
    def test_operations_fail_or_succeed_as_if_they_had_not_begun(self):
        library = pathlib.Path(failing_allocations.__file__).with_name(
            "failing_malloc.so"
        )
        result = run_python.run_python(
            failing_allocations.__file__,
            "--batch=10",
            *(["--batch=5000"] if _ALL.value else ["--most=40"]),
            LD_PRELOAD=str(library),
        )
        said = result.stdout[-10_000:] + result.stderr[-10_000:]
        self.assertEqual(result.returncode, 0, said)
        # That any failed.
        self.assertRegex(result.stdout, r"insert: .*\n  [1-9]\d* allocations")


if __name__ == "__main__":
    absltest.main()
