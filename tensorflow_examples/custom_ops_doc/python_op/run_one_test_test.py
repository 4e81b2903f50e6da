"""Tests that a test written with the tools can be run alone, by its name."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

from tensorflow_examples.custom_ops_doc.python_op import rop_lop_checker
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools

# As the document has a test file, with a test that fails.
_TESTS = """
import unittest

import numpy
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import python_op as theano
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools as utt
from tensorflow_examples.custom_ops_doc.python_op.rop_lop_checker import (
    RopLop_checker,
)
from tensorflow_examples.custom_ops_doc.python_op.unittest_tools import (
    InferShapeTester,
)


class test_Double(InferShapeTester):
    def test_basic(self):
        utt.assert_allclose([2.0], [2.0001])

    def test_drawn(self):
        print("drawn", numpy.random.rand())


class test_DoubleRop(RopLop_checker):
    def test_double_rop(self):
        self.check_rop_lop(self.x * 2, self.in_shape)


if __name__ == "__main__":
    """


class RunOneTestTest(unittest.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def _run(self, ending, *arguments, **environment):
        """Runs a test file; returns its exit code and what it printed."""
        (self.folder / "double_test.py").write_text(_TESTS + ending)
        # What Bazel tells this test of itself is not for that one.
        inherited = {
            k: v for k, v in os.environ.items() if not k.startswith("TEST")
        }
        done = subprocess.run(
            [sys.executable, *(arguments or ["double_test.py"])],
            cwd=self.folder,
            env={
                **inherited,
                "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def _check_ran(self, result, count, code=0):
        returncode, output = result
        self.assertEqual(returncode, code, output)
        self.assertRegex(output, rf"Ran {count} tests? in")
        self.assertNotIn("skipped", output)

    def test_argument_names_a_test_with_unittest_main(self):
        self._check_ran(
            self._run(
                "unittest.main()",
                "double_test.py",
                "test_DoubleRop.test_double_rop",
            ),
            1,
        )

    def test_argument_names_a_test_with_tf_test_main(self):
        self._check_ran(
            self._run(
                "tf.test.main()",
                "double_test.py",
                "test_DoubleRop.test_double_rop",
            ),
            1,
        )

    def test_bazels_filter_names_a_test_with_tf_test_main(self):
        self._check_ran(
            self._run(
                "tf.test.main()",
                # It is what --test_filter sets.
                TESTBRIDGE_TEST_ONLY="test_DoubleRop.test_double_rop",
            ),
            1,
        )

    def test_unittest_names_a_test(self):
        self._check_ran(
            self._run(
                "unittest.main()",
                "-m",
                "unittest",
                "double_test.test_DoubleRop.test_double_rop",
            ),
            1,
        )

    def test_a_test_runs_by_hand(self):
        returncode, output = self._run(
            't = test_DoubleRop("test_double_rop"); t.setUp(); '
            't.test_double_rop(); print("it ran")'
        )
        self.assertEqual(returncode, 0, output)
        self.assertIn("it ran", output)

    def test_all_run_without_a_name_and_a_failure_fails(self):
        result = self._run("unittest.main()")
        self._check_ran(result, 3, code=1)
        self.assertIn("WrongValue", result[1])

    def test_settings_come_from_the_environment(self):
        result = self._run(
            "unittest.main()",
            PYTHON_OP_CMP_SLOPPY="1",
            PYTHON_OP_RSEED="random",
        )
        self._check_ran(result, 3)
        seed = re.search(r"rseed is random; this time it is (\d+)", result[1])
        drawn = re.search(r"drawn .*", result[1])
        again = self._run(
            "unittest.main()",
            "double_test.py",
            "test_Double.test_drawn",
            PYTHON_OP_RSEED=seed[1],
        )
        self._check_ran(again, 1)
        self.assertIn(drawn[0], again[1])

    def test_loaders_find_no_test_in_the_classes_to_inherit(self):
        # pytest and unittest look for tests by this loader's rules in every
        # class that a module has, imported ones too.
        module = types.ModuleType("imports")
        for cls in (
            unittest_tools.SeededTestCase,
            unittest_tools.InferShapeTester,
            rop_lop_checker.RopLop_checker,
        ):
            setattr(module, cls.__name__, cls)
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        self.assertEqual(suite.countTestCases(), 0)


if __name__ == "__main__":
    unittest.main()
