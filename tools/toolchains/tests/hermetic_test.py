"""What a compile reads and sees, and what Python runs: nothing of the machine's own."""

import json
import os
import subprocess
import sys
import unittest

_HERE = os.path.dirname(os.path.abspath(__file__))


def prerequisites(path: str) -> list[str]:
    """Returns the files that a compiler's dependency file lists."""
    with open(path) as file:
        text = file.read().replace("\\\n", " ")
    return text.partition(":")[2].split()


class CompileTest(unittest.TestCase):
    def test_every_file_that_a_compile_reads_is_an_input(self):
        files = prerequisites(os.path.join(_HERE, "probe.d"))
        self.assertGreater(len(files), 500)
        roots = {
            "external/debian_cc/root/usr/include/": "sysroot",
            "external/debian_cc/root/usr/lib/gcc/": "libstdc++",
            "external/debian_cc/root/usr/lib/llvm-19/": "clang",
            "external/pypi/dist/tensorflow/tensorflow/include/": "tensorflow",
            "tools/toolchains/tests/probe.cc": "source",
        }
        found = set()
        for path in files:
            owners = [
                roots[root]
                for root in roots
                if os.path.normpath(path).startswith(root)
            ]
            self.assertTrue(owners, f"not an input of the compile: {path}")
            found.update(owners)
        self.assertLessEqual(
            {"sysroot", "clang", "tensorflow", "source"}, found
        )

    def test_a_compile_sees_no_path(self):
        with open(os.path.join(_HERE, "probe.env.json")) as file:
            environment = json.load(file)
        self.assertEqual(environment["PATH"], "/nonexistent")


class PythonTest(unittest.TestCase):
    def test_the_interpreter_and_its_modules_are_the_pinned_ones(self):
        self.assertEqual(sys.version_info[:3], (3, 11, 2))
        for path in [sys.prefix, sys.executable, json.__file__]:
            self.assertIn("/debian_python/", path)

    def test_nothing_but_runfiles_is_on_the_path(self):
        runfiles = os.environ["TEST_SRCDIR"]
        for path in sys.path:
            self.assertTrue(path.startswith(runfiles), path)

    def test_a_child_does_not_inherit_the_interpreters_libraries(self):
        self.assertNotIn("LD_LIBRARY_PATH", os.environ)
        self.assertNotIn("PYTHONSAFEPATH", os.environ)

    def test_a_child_interpreter_is_the_same(self):
        code = "import ssl, sys; print(sys.prefix)"
        prefix = subprocess.check_output(
            [sys.executable, "-c", code], text=True
        )
        self.assertEqual(prefix.strip(), sys.prefix)


if __name__ == "__main__":
    unittest.main()
