"""The comparison with so few floats that its times mean nothing."""

import dataclasses
import os
import re
import subprocess

import numpy as np
from absl.testing import absltest

from tflite.custom import atan_comparison

_PROGRAM = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "atan_comparison"
)
_NAMES = [
    "scalar std::atan (float)",
    "scalar atan (double)",
    "Atan",
    "tf.atan",
    "np.arctan",
    "memcpy",
]


class AtanComparisonTest(absltest.TestCase):
    def test_every_contender_makes_the_arc_tangent_and_memcpy_a_copy(self):
        x = np.float32([-np.inf, -2, -0.5, -0.0, 1e-30, 0.1, 3, 1e30])
        everyone = atan_comparison.contenders(x)
        self.assertEqual([each.name for each in everyone], _NAMES)
        for contender in everyone[:-1]:
            contender.run()
            np.testing.assert_allclose(
                contender.result(), np.arctan(x), rtol=3e-7
            )
        everyone[-1].run()
        np.testing.assert_array_equal(everyone[-1].result(), x)

    def test_wrong_result_is_named(self):
        x = np.float32([0, 1])
        good = atan_comparison.contenders(x)[2]
        bad = dataclasses.replace(good, name="bad", result=lambda: x)
        with self.assertRaisesRegex(
            ValueError, r"bad gives .*1\.0.* not .*0\.78"
        ):
            atan_comparison.check(bad, x)

    def test_rows_are_there_with_quartiles_around_the_median(self):
        rows = atan_comparison.compare(100, 0)
        self.assertEqual([row.name for row in rows], _NAMES)
        for row in rows:
            self.assertGreater(row.low, 0)
            self.assertLessEqual(row.low, row.median)
            self.assertLessEqual(row.median, row.high)
            self.assertGreater(row.ratio, 0)
        self.assertEqual(rows[2].ratio, 1)

    def _run(self, *flags: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [_PROGRAM, *flags], capture_output=True, text=True, check=False
        )

    def test_program_prints_a_table_for_each_size(self):
        result = self._run("--sizes=10,1000", "--seconds=0")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertLen(lines, 2 * (1 + len(_NAMES)))
        self.assertStartsWith(lines[0], "10 floats, 3 rounds")
        self.assertStartsWith(lines[len(_NAMES) + 1], "1000 floats, 3 rounds")
        for name, line in zip(_NAMES, lines[1:], strict=False):
            self.assertRegex(
                line,
                rf"^  {re.escape(name)} +[\d.]+ +[\d.]+ \.\. [\d.]+ +[\d.]+$",
            )

    def test_program_refuses_what_is_no_size(self):
        result = self._run("--sizes=10,-1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("ERROR: --sizes must be positive", result.stderr)
        self.assertIn("'-1'", result.stderr)


if __name__ == "__main__":
    absltest.main()
