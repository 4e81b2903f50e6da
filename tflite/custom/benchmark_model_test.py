"""benchmark_model as a user meets it: its lines, its flags and its errors."""

import os
import re
import shutil
import subprocess

import flatbuffers
from absl.testing import absltest
from absl.testing import parameterized
from ai_edge_litert import schema_py_generated as schema

from tflite.custom.python.single_op_model import single_op_model

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_BENCHMARK_MODEL = os.path.join(_FOLDER, "benchmark_model")
_ATAN_MODEL = os.path.join(_FOLDER, "atan.tflite")

_SHORT = ("--num_runs=3", "--min_secs=0", "--warmup_min_secs=0")

_NUMBER = r"-?[\d.]+(?:e[+-]?\d+)?"


def _run(
    *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [_BENCHMARK_MODEL, *arguments],
        capture_output=True,
        check=False,
        env=environment,
        text=True,
        timeout=60,
    )


class BenchmarkModelTest(parameterized.TestCase):
    """Runs the binary in a process of its own."""

    def _assert_fails(
        self, result: subprocess.CompletedProcess[str], message: str
    ) -> None:
        self.assertEqual(result.returncode, 1, result)
        self.assertRegex(result.stderr, message)
        self.assertRegex(result.stderr, r"\AERROR: [^\n]+\n\Z")

    def _write(self, content: bytes) -> str:
        return self.create_tempfile(content=content, mode="wb").full_path

    def test_without_arguments_runs_the_trained_model(self) -> None:
        result = _run()
        self.assertEqual(result.returncode, 0, result.stderr)
        size = os.path.getsize(_ATAN_MODEL) / 1e6
        for line in [
            r"STARTING!",
            r"Loaded model \S*atan\.tflite",
            rf"The input model file size \(MB\): {size:g}",
            rf"Initialized session in {_NUMBER}ms\.",
            "Running benchmark for at least 1 iterations and at least 0.5"
            " seconds but terminate if exceeding 150 seconds.",
            "Running benchmark for at least 50 iterations and at least 1"
            " seconds but terminate if exceeding 150 seconds.",
            rf"count=\d+ first=\d+ curr=\d+ min=\d+ max=\d+ avg={_NUMBER}"
            rf" std={_NUMBER} p5=\d+ median=\d+ p95=\d+",
            rf"Inference timings in us: Init: \d+, First inference: \d+,"
            rf" Warmup \(avg\): {_NUMBER}, Inference \(avg\): {_NUMBER}",
            rf"Memory footprint delta from the start of the tool \(MB\):"
            rf" init={_NUMBER} overall={_NUMBER}",
        ]:
            self.assertRegex(result.stdout, rf"(?m)^INFO: {line}$")

    def test_runs_as_often_as_it_is_told(self) -> None:
        result = _run(*_SHORT, "--warmup_runs=5", f"--graph={_ATAN_MODEL}")
        self.assertEqual(result.returncode, 0, result.stderr)
        counts = re.findall(r"INFO: count=(\d+) ", result.stdout)
        self.assertEqual(counts, ["5", "3"])
        self.assertIn(f"INFO: Graph: [{_ATAN_MODEL}]\n", result.stdout)
        self.assertIn("INFO: Min num runs: [3]\n", result.stdout)

    def test_no_run_begins_after_max_secs(self) -> None:
        result = _run(
            "--num_runs=2000000000", "--max_secs=0.2", "--warmup_min_secs=0"
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        counts = re.findall(r"INFO: count=(\d+) ", result.stdout)
        self.assertLess(int(counts[1]), 2000000000)

    @parameterized.parameters(
        ["--use_xnnpack=false"],
        ["--use_xnnpack=true"],
        ["--num_threads=0"],
        ["--num_threads=2"],
    )
    def test_flags_that_choose_how_it_runs(self, flag: str) -> None:
        result = _run(*_SHORT, flag)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        applied = "XNNPACK delegate" in result.stdout
        self.assertEqual(applied, flag != "--use_xnnpack=false")

    def test_every_input_type_is_filled_or_refused_by_name(self) -> None:
        # A kernel of another type than Atan's refuses it after the inputs'
        # tensors exist, so only the message tells.
        for dtype in ["int32", "string", "bool"]:
            path = self._write(single_op_model("Atan", [2], dtype=dtype))
            result = _run(*_SHORT, "--use_xnnpack=false", f"--graph={path}")
            self._assert_fails(
                result,
                "Atan: input must be FLOAT32 or FLOAT64, but tensor 'input_0'"
                f" is {dtype.upper()}",
            )

    def test_empty_and_scalar_inputs(self) -> None:
        for shape in [[0], [], [2, 0, 3]]:
            path = self._write(single_op_model("Atan", shape))
            result = _run(*_SHORT, f"--graph={path}")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_relative_graph_is_found_from_where_bazel_run_was_typed(
        self,
    ) -> None:
        folder = self.create_tempdir().full_path
        shutil.copy(_ATAN_MODEL, os.path.join(folder, "m.tflite"))
        result = _run(
            *_SHORT, "--graph=m.tflite", BUILD_WORKING_DIRECTORY=folder
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        result = _run(*_SHORT, "--graph=m.tflite")
        self._assert_fails(
            result, "cannot open m.tflite: No such file or directory"
        )

    def test_help_lists_the_flags_and_ends(self) -> None:
        result = _run("--help")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "")
        self.assertIn("--num_runs=50", result.stdout)
        self.assertNotIn("STARTING", result.stdout)

    @parameterized.parameters(
        ("--num_run=3", "unknown flag --num_run; the nearest is --num_runs"),
        ("--num_runs=x", "--num_runs is 'x'; it must be an integer"),
        ("--num_threads=-2", "--num_threads is '-2'; .* at least -1"),
        ("--max_secs", "--max_secs has no value"),
        ("model.tflite", "unexpected argument 'model.tflite'"),
    )
    def test_bad_flags(self, flag: str, message: str) -> None:
        self._assert_fails(_run(flag), message)

    @parameterized.parameters(
        ("/nonexistent/m.tflite", "cannot open .*: No such file or directory"),
        (os.path.dirname(_ATAN_MODEL), "is not a file"),
        ("/dev/null", "is not a file"),
        (__file__, "is not a TFLite model: it does not have 'TFL3' at byte 4"),
    )
    def test_files_that_are_no_model(self, path: str, message: str) -> None:
        self._assert_fails(_run(f"--graph={path}"), message)

    def test_empty_file(self) -> None:
        self._assert_fails(_run(f"--graph={self._write(b'')}"), "is empty")

    def test_truncated_file(self) -> None:
        with open(_ATAN_MODEL, "rb") as file:
            model = file.read()
        for size in range(8, len(model), 61):
            path = self._write(model[:size])
            self._assert_fails(
                _run(f"--graph={path}"), f"{path} is truncated or damaged: "
            )
        for size in range(1, 8):
            path = self._write(model[:size])
            self._assert_fails(_run(f"--graph={path}"), "is not a TFLite model")

    def test_model_without_a_graph(self) -> None:
        builder = flatbuffers.Builder()
        builder.Finish(schema.ModelT().Pack(builder), b"TFL3")
        model = bytes(builder.Output())
        self._assert_fails(
            _run(f"--graph={self._write(model)}"), "it has no graph"
        )

    def test_unresolved_op_is_named_with_those_registered(self) -> None:
        path = self._write(single_op_model("Frobnicate", [2]))
        self._assert_fails(
            _run(f"--graph={path}"),
            r"needs the custom op 'Frobnicate' \(version 1\), for which no"
            r" kernel is registered; registered are: .*\bAtan\b",
        )
        path = self._write(single_op_model("Atan", [2], version=2))
        self._assert_fails(_run(f"--graph={path}"), r"'Atan' \(version 2\)")

    def test_tensors_larger_than_the_memory(self) -> None:
        path = self._write(single_op_model("Atan", [2**21, 2**21]))
        self._assert_fails(
            _run("--use_xnnpack=false", f"--graph={path}"),
            "not enough memory .* 'input_0', of 17592186044416 bytes",
        )


if __name__ == "__main__":
    absltest.main()
