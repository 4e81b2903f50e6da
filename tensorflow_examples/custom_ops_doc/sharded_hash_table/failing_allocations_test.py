"""Tests that a table outlasts every failure of an allocation of its library.

By default small batches, whose first allocations fail; with `--all` large ones too,
and the first 500.
"""

import os
import pathlib
import subprocess
import sys

from absl import flags
from absl.testing import absltest

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    failing_allocations,
)

_ALL = flags.DEFINE_bool("all", False, "Large batches too, and 500 each.")


class FailingAllocationsTest(absltest.TestCase):
    def test_operations_fail_or_succeed_as_if_they_had_not_begun(self):
        program = pathlib.Path(failing_allocations.__file__)
        result = subprocess.run(
            [
                sys.executable,
                program,
                "--batch=10",
                *(["--batch=5000"] if _ALL.value else ["--most=40"]),
            ],
            env={
                **os.environ,
                "LD_PRELOAD": str(program.with_name("failing_malloc.so")),
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stdout[-10_000:])
        # That any failed.
        self.assertRegex(result.stdout, r"insert: .*\n  [1-9]\d* allocations")


if __name__ == "__main__":
    absltest.main()
