"""What is compiled once, by whom, and what an interrupted or killed process leaves; and how fast the result is."""

import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op import c_compiler
from tensorflow_examples.custom_ops_doc.python_op import c_op
from tensorflow_examples.custom_ops_doc.python_op.c_op_test_ops import DOUBLES
from tensorflow_examples.custom_ops_doc.python_op.c_op_test_ops import DoubleOp

_CXX = c_compiler.find_compiler()

# Prints the output of a DoubleOp: its arguments are the cache, the compiler, and C code that sets this one apart.
_CHILD = """
import sys
import numpy as np
from tensorflow_examples.custom_ops_doc.python_op import c_op
from tensorflow_examples.custom_ops_doc.python_op import c_op_test_ops
folder, compiler, extra = sys.argv[1:]
fn = c_op.c_implementation(c_op_test_ops.DoubleOp(extra=extra), c_op_test_ops.DOUBLES,
                           on_failure="raise", cache_dir=folder, compiler=compiler)
cell = [None]
fn([np.arange(4.0)], [cell])
print(cell[0].tolist())
"""
_DOUBLED = "[0.0, 2.0, 4.0, 6.0]\n"


class ProcessTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.cache = self.folder / "cache"
        self.log = self.folder / "compiled"

    def compiler(self, first: str = "") -> str:
        """Returns a compiler that counts its runs; `first` is what its script does first."""
        script = self.folder / "c++"
        script.write_text(
            f"#!/bin/sh\necho >> {self.log}\n{first}\n"
            f'exec {shlex.join(_CXX.command)} "$@"\n'
        )
        script.chmod(0o755)
        os.utime(script, (0, 0))
        return str(script)

    def runs(self) -> int:
        return len(self.log.read_text()) if self.log.exists() else 0

    def child(self, compiler: str, extra: str = "") -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-c", _CHILD, self.cache, compiler, extra],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def assert_doubles(self, child: subprocess.Popen) -> None:
        output, errors = child.communicate()
        self.assertEqual((child.returncode, output), (0, _DOUBLED), errors)

    def wait_until_compiling(self) -> None:
        deadline = time.monotonic() + 60
        while not self.runs():
            self.assertLess(time.monotonic(), deadline, "no compiler was run")
            time.sleep(0.01)

    def entries(self) -> list[str]:
        return [path.name for path in self.cache.rglob("*") if path.is_file()]

    def test_a_second_process_takes_what_the_first_compiled(self):
        compiler = self.compiler()
        self.assert_doubles(self.child(compiler))
        self.assert_doubles(self.child(compiler))
        self.assertEqual(self.runs(), 1)

    def test_two_processes_at_once_both_have_right_values(self):
        # Both compilers start before either goes on.
        compiler = self.compiler(
            f'while [ "$(wc -l < {self.log})" -lt 2 ]; do :; done'
        )
        children = [self.child(compiler) for _ in range(2)]
        for child in children:
            self.assert_doubles(child)
        self.assertEqual(self.runs(), 2)
        self.assertEqual(len(self.entries()), 1)

    def test_threads_at_once_compile_once(self):
        compiler = self.compiler()
        outputs = []

        def run() -> None:
            cell = [None]
            fn = c_op.c_implementation(
                DoubleOp(),
                DOUBLES,
                on_failure="raise",
                cache_dir=str(self.cache),
                compiler=compiler,
            )
            fn([np.arange(4.0)], [cell])
            outputs.append(cell[0].tolist())

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(outputs, [[0.0, 2.0, 4.0, 6.0]] * 4)
        self.assertEqual(self.runs(), 1)

    def test_ops_of_the_same_code_share_it_and_a_version_parts_them(self):
        compiler = self.compiler()

        def compile_op(name: str, version: tuple = (), args: tuple = ()):
            op = DoubleOp(name, extra="// Shared.\n")
            op.c_code_cache_version = lambda: version
            op.c_compile_args = lambda: args
            return c_op.c_implementation(
                op,
                DOUBLES,
                on_failure="raise",
                cache_dir=str(self.cache),
                compiler=compiler,
            )

        first, second = compile_op("First"), compile_op("Second")
        self.assertEqual(self.runs(), 1)
        for name, fn in (("First", first), ("Second", second)):
            with self.assertRaisesRegex(TypeError, f"^{name}: input 0"):
                fn([None], [[None]])
        compile_op("First", version=(1,))
        self.assertEqual(self.runs(), 2)
        compile_op("First", version=(1,), args=("-DX",))
        self.assertEqual(self.runs(), 3)

    def test_a_cut_library_is_compiled_anew(self):
        compiler = self.compiler()
        self.assert_doubles(self.child(compiler))
        (library,) = self.cache.rglob("*.so")
        whole = library.read_bytes()
        library.write_bytes(whole[: len(whole) // 2])
        self.assert_doubles(self.child(compiler))
        self.assertEqual(self.runs(), 2)
        (library,) = self.cache.rglob("*.so")
        self.assertEqual(library.read_bytes(), whole)

    def test_a_folder_that_cannot_be_written_costs_a_warning_and_no_more(self):
        self.cache.write_bytes(b"a file, where the folder should be")
        child = self.child(self.compiler())
        output, errors = child.communicate()
        self.assertEqual((child.returncode, output), (0, _DOUBLED), errors)
        self.assertIn("CompileCacheWarning", errors)
        self.assertIn(str(self.cache), errors)

    def test_interrupt_during_a_compile_ends_the_compiler_and_leaves_nothing(
        self,
    ):
        pid = self.folder / "pid"
        compiler = self.compiler(f"echo $$ > {pid}; while :; do :; done")
        child = self.child(compiler)
        self.wait_until_compiling()
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=30)
        self.assertNotEqual(child.returncode, 0)
        self.assertIn("KeyboardInterrupt", errors)
        self.assertEqual(output, "")
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)
        self.assertEqual(list(self.cache.iterdir()), [])
        self.assert_doubles(self.child(self.compiler()))

    def test_a_process_that_was_killed_leaves_no_lock(self):
        pid = self.folder / "pid"
        compiler = self.compiler(f"echo $$ > {pid}; while :; do :; done")
        child = self.child(compiler)
        self.wait_until_compiling()
        child.kill()
        child.communicate()
        os.kill(int(pid.read_text()), signal.SIGKILL)
        self.assert_doubles(self.child(self.compiler()))
        self.assertEqual(
            len([e for e in self.entries() if e.endswith("so")]), 1
        )


class SpeedTest(unittest.TestCase):
    def test_a_loop_over_a_million_doubles_is_fifty_times_as_fast_as_perform(
        self,
    ):
        op = DoubleOp()
        x = np.arange(1e6)
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            fn = c_op.c_implementation(
                op, DOUBLES, on_failure="raise", cache_dir=folder
            )
            compile_seconds = time.perf_counter() - start

            def seconds(run, repetitions: int) -> float:
                cell = [None]
                best = float("inf")
                for _ in range(repetitions):
                    start = time.perf_counter()
                    run([x], [cell])
                    best = min(best, time.perf_counter() - start)
                np.testing.assert_array_equal(cell[0], 2 * x)
                return best

            in_c = seconds(fn, 10)
            in_python = seconds(
                lambda inputs, storage: op.perform(DOUBLES, inputs, storage), 2
            )
        print(
            f"1M doubles: C {in_c * 1e3:.2f} ms, Python {in_python * 1e3:.0f} ms, "
            f"ratio {in_python / in_c:.0f}; compiled in {compile_seconds:.2f} s"
        )
        self.assertGreater(in_python / in_c, 50)


if __name__ == "__main__":
    unittest.main()
