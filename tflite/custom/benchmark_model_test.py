"""benchmark_model as a user meets it: its lines, its flags and its errors."""

import contextlib
import copy
import json
import math
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Callable

import flatbuffers
from absl.testing import absltest
from absl.testing import parameterized
from ai_edge_litert import schema_py_generated as schema

from tflite.custom.python.single_op_model import single_op_model

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_BENCHMARK_MODEL = os.path.join(_FOLDER, "benchmark_model")
_DEFAULT_MODEL = os.path.join(_FOLDER, "atan_65536.tflite")
# The same for five floats.
_ATAN_MODEL = os.path.join(_FOLDER, "atan.tflite")
_README = os.path.join(_FOLDER, "benchmark", "README.md")
_DELEGATE = os.path.join(_FOLDER, "testdata", "external_delegate.so")

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


def _edited(edit: Callable[[schema.ModelT], None]) -> bytes:
    """Returns the trained model after `edit` changed it."""
    with open(_ATAN_MODEL, "rb") as file:
        model = schema.ModelT.InitFromPackedBuf(file.read(), 0)
    edit(model)
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _add_second_graph(model: schema.ModelT) -> None:
    model.subgraphs.append(copy.deepcopy(model.subgraphs[0]))
    signature = copy.deepcopy(model.signatureDefs[0])
    signature.signatureKey = "second"
    signature.subgraphIndex = 1
    model.signatureDefs.append(signature)


def _reverse_signature(model: schema.ModelT) -> None:
    """Adds an input and an output; the signature has them in another order.

    The outputs, in the graph's order, become atan(x + y) and x + y.
    """
    graph = model.subgraphs[0]
    (signature,) = model.signatureDefs
    summand = 1
    graph.tensors[summand].shape = [5]
    graph.tensors[summand].buffer = 0
    graph.inputs = [graph.inputs[0], summand]
    graph.outputs = [graph.outputs[0], graph.operators[0].outputs[0]]
    for maps, tensor in [
        (signature.inputs, graph.inputs[1]),
        (signature.outputs, graph.outputs[1]),
    ]:
        new = schema.TensorMapT()
        new.name = "a"
        new.tensorIndex = tensor
        maps.insert(0, new)


def _take_strings(model: schema.ModelT) -> None:
    """Makes the input one of strings, which is also the output."""
    graph = model.subgraphs[0]
    graph.operators = []
    graph.outputs = graph.inputs
    graph.tensors[0].type = schema.TensorType.STRING
    model.signatureDefs = []


def _start(awaited: str, *flags: str) -> subprocess.Popen[str]:
    """Starts the binary, and returns once it has written a line with `awaited`."""
    program = subprocess.Popen(
        [_BENCHMARK_MODEL, *flags],
        # In the background of a script Ctrl-C is ignored, and so by its tests.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in program.stdout:
        if awaited in line:
            break
    return program


class _TestCase(parameterized.TestCase):
    """Runs the binary in a process of its own."""

    def _assert_fails(
        self, result: subprocess.CompletedProcess[str], message: str
    ) -> None:
        self.assertEqual(result.returncode, 1, result)
        self.assertRegex(result.stderr, message)
        self.assertRegex(result.stderr, r"\AERROR: [^\n]+\n\Z")

    def _assert_runs(self, *arguments: str) -> str:
        result = _run(*_SHORT, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def _write(self, content: bytes) -> str:
        return self.create_tempfile(content=content, mode="wb").full_path

    def _path(self, name: str) -> str:
        return os.path.join(self.create_tempdir().full_path, name)


class BenchmarkModelTest(_TestCase):
    """What the public tool does too."""

    def test_without_arguments_runs_the_trained_model(self) -> None:
        result = _run()
        self.assertEqual(result.returncode, 0, result.stderr)
        size = os.path.getsize(_DEFAULT_MODEL) / 1e6
        for line in [
            r"STARTING!",
            r"Graph: \[\S*/atan_65536\.tflite\]",
            r"Loaded model \S*/atan_65536\.tflite",
            "Using signature: serving_default",
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
        # What was run, where, and what it took, in the last lines.
        *_, host, model, inputs, times = result.stdout.splitlines()
        self.assertRegex(host, r"\S, \d+ cores, default number of threads")
        self.assertRegex(
            model,
            r"atan_65536\.tflite in TFLite [\d.]+, XNNPACK runs 1 of 2 ops in 1"
            " partition",
        )
        self.assertEqual(
            inputs, "  inputs: serving_default_x:0 FLOAT32 [65536]"
        )
        self.assertRegex(
            times,
            rf"  \d+ runs: mean {_NUMBER} \w+, p50 {_NUMBER} \w+, p90 .*, p99"
            rf" .*, max {_NUMBER} \w+",
        )

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
            # XNNPACK writes a line of its own to standard error.
            for flag in ["--use_xnnpack=false", "--use_xnnpack=true"]:
                self._assert_fails(
                    _run(*_SHORT, flag, f"--graph={path}"),
                    "Atan: input must be FLOAT32 or FLOAT64 or INT8 or UINT8,"
                    f" but tensor 'input_0' is {dtype.upper()}",
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
        self.assertNotIn("--nnapi_use_burst_mode", result.stdout)
        self.assertNotIn("STARTING", result.stdout)
        self.assertEqual(_run("-h").stdout, result.stdout)
        full = _run("--helpfull").stdout
        self.assertIn("--nnapi_use_burst_mode=false", full)
        self.assertIn("--num_runs=50", full)

    def test_the_model_and_values_need_no_equals_sign(self) -> None:
        stdout = self._assert_runs(
            "--num_threads", "-1", _ATAN_MODEL, "--use_xnnpack", "false"
        )
        self.assertIn(f"INFO: Graph: [{_ATAN_MODEL}]\n", stdout)
        self.assertIn("INFO: #threads used for CPU inference: [-1]\n", stdout)
        self.assertIn("INFO: Use xnnpack: [0]\n", stdout)
        self._assert_fails(
            _run(_ATAN_MODEL, "b.tflite"),
            "unexpected argument 'b.tflite'; the model is .*, and a second one"
            " goes to --compare=FILE",
        )

    def test_a_part_of_an_open_file(self) -> None:
        with open(_ATAN_MODEL, "rb") as file:
            model = file.read()
        path = self._write(b"1234567" + model + b"890")
        with open(path, "rb") as file:
            for suffix, message in [
                (f"7:{len(model)}", ""),
                (f"7:{len(model) + 4}", "ends after the file, which has"),
                (f"8:{len(model)}", "is not a TFLite model"),
                ("7:0", "is empty"),
                ("7", "is no part of an open file; that is written"),
            ]:
                for runtime in ["tflite", "litert"]:
                    result = subprocess.run(
                        [
                            _BENCHMARK_MODEL,
                            *_SHORT,
                            f"--graph=fd:{file.fileno()}:{suffix}",
                            f"--runtime={runtime}",
                        ],
                        capture_output=True,
                        check=False,
                        env={},
                        pass_fds=[file.fileno()],
                        text=True,
                        timeout=60,
                    )
                    if message:
                        self._assert_fails(result, message)
                    else:
                        self.assertEqual(result.returncode, 0, result.stderr)
        self._assert_fails(_run("--graph=fd:99:0:8"), "cannot open fd:99:0:8")

    def test_delegates_are_told_of_as_the_public_tool_does(self) -> None:
        stdout = self._assert_runs(_ATAN_MODEL, "--use_xnnpack=true")
        self.assertIn(
            "INFO: Explicitly applied XNNPACK delegate, and the model graph will"
            " be partially executed by the delegate w/ 1 delegate kernels.\n",
            stdout,
        )
        atan = self._write(single_op_model("Atan", [2]))
        self.assertIn(
            "INFO: Though XNNPACK delegate is explicitly applied, the model graph"
            " will not be executed by the delegate.\n",
            self._assert_runs(atan, "--use_xnnpack=true"),
        )
        tanh = self._write(single_op_model("TANH", [2]))
        self.assertIn(
            "INFO: Explicitly applied XNNPACK delegate, and the model graph will"
            " be completely executed by the delegate.\n",
            self._assert_runs(tanh, "--use_xnnpack=true"),
        )
        self.assertNotIn("xplicitly", self._assert_runs(tanh))

    def test_interval_that_is_no_time_is_the_default(self) -> None:
        self.assertIn(
            "WARN: --memory_footprint_check_interval_ms is -1; it is taken for"
            " 50, the default\n",
            self._assert_runs(
                "--report_peak_memory_footprint",
                "--memory_footprint_check_interval_ms=-1",
            ),
        )

    @parameterized.parameters(
        ("--num_run=3", "unknown flag --num_run; the nearest is --num_runs"),
        ("--num_runs=x", "--num_runs is 'x'; it must be an integer"),
        ("--num_threads=-2", "--num_threads is '-2'; .* from -1 to 1024"),
        ("--num_threads=1025", "is '1025'; it must be .* from -1 to 1024"),
        ("--plot=a.jpg", "--plot is 'a.jpg'; .* of a .png or .svg file"),
        ("--max_secs", "--max_secs has no value"),
        ("-num_runs=3", "unexpected argument '-num_runs=3'; flags are written"),
        ("--num-threads=3", "--num-threads; the nearest is --num_threads"),
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

    def test_unresolved_op_is_named_with_a_way_to_get_it(self) -> None:
        path = self._write(single_op_model("Frobnicate", [2]))
        self._assert_fails(
            _run(f"--graph={path}"),
            r"needs the custom op 'Frobnicate' \(version 1\), for which no"
            r" kernel is registered: `./bazelw run //tools/new_op -- frobnicate"
            " --kind=tflite` begins one",
        )
        path = self._write(single_op_model("Atan", [2], version=2))
        self._assert_fails(
            _run(f"--graph={path}"),
            r"'Atan' \(version 2\).*: it is registered in version 1",
        )

    def test_tensors_larger_than_the_memory(self) -> None:
        if "ASAN_OPTIONS" in os.environ:
            self.skipTest("the sanitizer ends who asks for that much")
        path = self._write(single_op_model("Atan", [2**21, 2**21]))
        self._assert_fails(
            _run("--use_xnnpack=false", f"--graph={path}"),
            "not enough memory: no room for the tensor 'input_0', of 1759",
        )

    def test_verbose_logs_every_flag(self) -> None:
        stdout = self._assert_runs("--verbose")
        self.assertIn("INFO: Inter-run delay (seconds): [-1]\n", stdout)
        self.assertIn("INFO: Use xnnpack: [1]\n", stdout)

    def test_dry_run_runs_nothing(self) -> None:
        stdout = self._assert_runs("--dry_run")
        self.assertEqual(stdout.count("INFO: count=0\n"), 2)

    def test_delay_and_frequency_hold_the_runs_back(self) -> None:
        for flag, most in [("--run_delay=0.1", 5), ("--run_frequency=20", 11)]:
            result = _run("--num_runs=1", "--min_secs=0.5", flag)
            counts = re.findall(r"INFO: count=(\d+) ", result.stdout)
            self.assertBetween(int(counts[1]), 2, most, flag)

    def test_memory_is_reported(self) -> None:
        stdout = self._assert_runs("--report_peak_memory_footprint")
        self.assertRegex(
            stdout,
            "INFO: Overall peak memory footprint \\(MB\\) via periodic"
            f" monitoring: {_NUMBER}\n",
        )
        self.assertRegex(stdout, r"INFO: - VmRSS +: \d+ MB\n")

    def test_state_shows_tensors_and_who_runs_the_nodes(self) -> None:
        stdout = self._assert_runs(
            _ATAN_MODEL, "--print_preinvoke_state", "--print_postinvoke_state"
        )
        for when in ["pre-invoke", "post-invoke"]:
            self.assertIn(f"interpreter {when} state begins====", stdout)
        for line in [
            r"Subgraph-0 has 4 tensors and 3 nodes",
            r"Tensor   2 add +kTfLiteFloat32 +kTfLiteArenaRw +20 ",
            r"Node   0 Operator Builtin Code   0 Add \(delegated by node 2\)",
            r"Node   1 Operator Custom Name Atan \(not delegated\)",
            r"Execution plan as the list of 2 nodes invoked in-order: \[2,1\]",
        ]:
            self.assertRegex(stdout, line)
        stdout = self._assert_runs(
            "--print_preinvoke_state", "--tensor_name_display_length=6"
        )
        self.assertRegex(stdout, r"Tensor   0 ser\.\.\. kTfLiteFloat32 ")

    def test_ops_are_measured(self) -> None:
        flags = ("--enable_op_profiling", "--use_xnnpack=false")
        stdout = self._assert_runs(*flags)
        self.assertIn("2 nodes observed\n", stdout)
        for op in ["ADD", "Atan"]:
            self.assertRegex(stdout, rf"\t +{op}\t +0\.000\t|\t +{op}\t")

        path = self._path("ops.csv")
        self._assert_runs(
            *flags,
            "--op_profiling_output_mode=csv",
            f"--op_profiling_output_file={path}",
        )
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertIn(
            "node type, first, avg_ms, %, cdf%, mem KB, times called, name",
            lines,
        )
        self.assertIn("Profiling Info for Benchmark Initialization:", lines)
        self.assertTrue(
            any(line.startswith("AllocateTensors, ") for line in lines)
        )
        self.assertTrue(any(line.startswith("Atan, ") for line in lines))

        path = self._path("ops.json")
        self._assert_runs(
            *flags,
            "--op_profiling_output_mode=json",
            f"--op_profiling_output_file={path}",
        )
        with open(path, encoding="utf-8") as file:
            ops = json.load(file)
        self.assertEqual([op["type"] for op in ops], ["ADD", "Atan"])
        self.assertEqual([op["calls"] for op in ops], [3, 3])
        self.assertEqual(ops[0]["name"], "[add]:0")
        self.assertGreater(ops[1]["avg_us"], 0)

    def test_commas_in_a_csv_file_only_separate(self) -> None:
        stdout = self._assert_runs(
            "--enable_op_profiling", "--op_profiling_output_mode=csv"
        )
        rows = re.findall("(?m)^Add .*$", stdout)
        self.assertNotEmpty(rows)
        self.assertIn("Add (ND\t F32)", rows[0])
        self.assertContainsSubset([7, 6], [row.count(",") for row in rows])

    def test_initialization_is_measured(self) -> None:
        table, _, _ = self._assert_runs("--enable_op_profiling").partition(
            "Operator-wise Profiling Info for Regular Benchmark Runs:\n"
        )
        _, _, table = table.partition(
            "Profiling Info for Benchmark Initialization:\n"
        )
        for step in ["ModifyGraphWithDelegate", "AllocateTensors"]:
            self.assertRegex(table, rf"\t +{step}\t.*\t{step}/0\n")

    def test_a_delegates_own_ops_are_measured(self) -> None:
        stdout = self._assert_runs("--enable_op_profiling")
        self.assertIn("\tDelegate/Add", stdout)

    def test_full_delegation_can_be_required(self) -> None:
        self._assert_fails(
            _run("--require_full_delegation"),
            "--require_full_delegation is true, but .* 2 nodes are left",
        )

    def test_external_delegate(self) -> None:
        stdout = self._assert_runs(
            f"--external_delegate_path={_DELEGATE}",
            "--external_delegate_options=a:1;b:2:3",
        )
        for line in ["a is 1", "b is 2:3", "prepared"]:
            self.assertIn(f"external delegate: {line}\n", stdout)
        for path, options, message in [
            (_DELEGATE, "fail:no device", "makes no delegate: no device"),
            (_DELEGATE, "x", "has the item 'x'; it must be NAME:VALUE"),
            ("/nonexistent.so", "a:b", "cannot load the external delegate"),
            (_README, "a:b", "cannot load the external delegate"),
        ]:
            self._assert_fails(
                _run(
                    f"--external_delegate_path={path}",
                    f"--external_delegate_options={options}",
                ),
                message,
            )

    def test_half_precision_is_computed_or_refused(self) -> None:
        result = _run(*_SHORT, "--xnnpack_force_fp16")
        if result.returncode != 0:
            self._assert_fails(result, "cannot (prepare|apply)")

    def test_flags_of_other_builds_are_refused(self) -> None:
        for flag in ["use_gpu", "use_nnapi", "use_hexagon", "use_coreml"]:
            self._assert_fails(
                _run(f"--{flag}=true"), f"--{flag} is not available: "
            )
            self._assert_runs(f"--{flag}=false")


class InputsTest(_TestCase):
    """--input_layer and its kin, and --output_filepath."""

    def _outputs(self, *arguments: str) -> list[float]:
        path = self._path("out")
        self._assert_runs(_ATAN_MODEL, f"--output_filepath={path}", *arguments)
        with open(path, "rb") as file:
            content = file.read()
        return list(struct.unpack(f"<{len(content) // 4}f", content))

    def _assert_atan(self, outputs: list[float], inputs: list[float]) -> None:
        # The model learnt that the offset is nearly 1.
        expected = [math.atan(x + 1) for x in inputs]
        self.assertLen(outputs, len(expected))
        for output, value in zip(outputs, expected, strict=True):
            self.assertAlmostEqual(output, value, delta=1e-3)

    @parameterized.parameters("tflite", "litert")
    def test_values_from_a_file(self, runtime: str) -> None:
        inputs = [-3.0, -1.0, 0.0, 0.25, 1e3]
        path = self._write(struct.pack("<5f", *inputs))
        name = "serving_default_x::0"
        self._assert_atan(
            self._outputs(
                f"--runtime={runtime}",
                f"--input_layer_value_files={name}:{path}",
            ),
            inputs,
        )

    @parameterized.parameters("tflite", "litert")
    def test_values_from_a_range(self, runtime: str) -> None:
        self._assert_atan(
            self._outputs(
                f"--runtime={runtime}",
                "--input_layer=serving_default_x_0",
                "--input_layer_shape=5",
                "--input_layer_value_range=serving_default_x_0,7,7",
            ),
            [7] * 5,
        )

    @parameterized.parameters("tflite", "litert")
    def test_shape_and_a_name_of_ones_own(self, runtime: str) -> None:
        path = self._path("out")
        stdout = self._assert_runs(
            f"--runtime={runtime}",
            "--input_layer=mine",
            "--input_layer_shape=11",
            f"--output_filepath={path}",
        )
        self.assertIn(
            "WARN: Tensor # 0 is named serving_default_x:0 but flags call it"
            " mine\n",
            stdout,
        )
        self.assertEqual(os.path.getsize(path), 44)

    def test_strings_from_a_file(self) -> None:
        model = f"--graph={self._write(_edited(_take_strings))}"
        name = "serving_default_x::0"
        path = self._write(b"a\0bc\0\0d\0e")
        self._assert_runs(model, f"--input_layer_value_files={name}:{path}")
        self._assert_runs(model)
        path = self._write(b"a\0bc\0")
        self._assert_fails(
            _run(model, f"--input_layer_value_files={name}:{path}"),
            r"has 2 strings, but input 'serving_default_x:0', STRING \[5\],"
            " takes 5",
        )

    @parameterized.parameters("tflite", "litert")
    def test_errors_name_the_input_and_both_sizes(self, runtime: str) -> None:
        short = self._write(b"1234")
        pipe = self._path("pipe")
        os.mkfifo(pipe)
        own = ("--input_layer=x", "--input_layer_shape=5")
        for flags, message in [
            (("--input_layer=x",), "without --input_layer_shape"),
            (
                ("--input_layer=x,y", "--input_layer_shape=5:5"),
                "names 2 inputs, but .* has 1: 'serving_default_x:0'",
            ),
            (
                ("--input_layer=x", "--input_layer_shape=5,1"),
                r"has 2 dimensions for input 'serving_default_x:0', FLOAT32"
                r" \[5\], which has 1",
            ),
            (
                ("--input_layer_value_range=y,1,2",),
                "has no input 'y'; its inputs are 'serving_default_x:0'",
            ),
            (
                (*own, f"--input_layer_value_files=x:{short}"),
                r"has 4 bytes, but input 'serving_default_x:0', FLOAT32 \[5\],"
                " takes 20",
            ),
            (
                (*own, "--input_layer_value_files=x:/dev/zero"),
                "has more bytes, but input 'serving_default_x:0', .* takes 20",
            ),
            (
                (*own, f"--input_layer_value_files=x:{pipe}"),
                "has 0 bytes, but input 'serving_default_x:0', .* takes 20",
            ),
            (
                (*own, "--input_layer_value_range=x,nan,nan"),
                "has the range nan to nan for 'x'; it must be two integers",
            ),
            (
                ("--input_layer=x", "--input_layer_shape=-1"),
                "has '-1' in the shape -1 of 'x'; a size must be an integer",
            ),
            (
                (*own, "--input_layer_value_files=x:/nonexistent"),
                "cannot read /nonexistent: No such file or directory",
            ),
            (
                (*own, f"--input_layer_value_files=x:{_FOLDER}"),
                "cannot read .*: Is a directory",
            ),
        ]:
            with self.subTest(flags):
                self._assert_fails(
                    _run(_ATAN_MODEL, f"--runtime={runtime}", *flags), message
                )


class SignaturesTest(_TestCase):
    """--signature_to_run_for and --list_signatures."""

    def test_list(self) -> None:
        stdout = self._assert_runs("--list_signatures")
        self.assertIn("-> Signature Key: serving_default\n", stdout)
        self.assertNotIn("count=", stdout)

    def test_one_of_several(self) -> None:
        model = f"--graph={self._write(_edited(_add_second_graph))}"
        self._assert_fails(
            _run(model),
            "several signatures; say which to run with --signature_to_run_for:"
            " serving_default, second",
        )
        for key in ["serving_default", "second"]:
            path = self._path("out")
            self._assert_runs(
                model,
                f"--signature_to_run_for={key}",
                f"--output_filepath={path}",
            )
            self.assertEqual(os.path.getsize(path), 20)
        self._assert_fails(
            _run(model, "--signature_to_run_for=third"),
            "which .* does not have; it has: serving_default, second",
        )


class OursTest(_TestCase):
    """What the public tool does not do."""

    def test_json_report(self) -> None:
        path = self._path("report.json")
        self._assert_runs(
            f"--json={path}",
            "--benchmark_name=b",
            "--enable_op_profiling",
            "--num_runs=200",
        )
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["benchmark_name"], "b")
        self.assertEqual(report["model"]["inputs"][0]["shape"], [65536])
        self.assertNotEmpty(report["host"]["processor"])
        self.assertRegex(report["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        times = report["model"]["inference_us"]
        self.assertEqual(times["count"], 200)
        percentiles = [
            times[p] for p in ["p50", "p75", "p90", "p95", "p99", "p99.9"]
        ]
        self.assertEqual(percentiles, sorted(percentiles))
        self.assertGreater(percentiles[0], 0)
        self.assertIn("Atan", [op["type"] for op in report["model"]["ops"]])

    # 0.2 us, and 50 ms where nothing else runs.
    @parameterized.parameters(
        ("Atan", [2], "--num_runs=20000"), ("Svd", [220, 220], "--num_runs=12")
    )
    def test_every_average_is_that_of_the_samples(
        self, op: str, shape: list[int], runs: str
    ) -> None:
        model = single_op_model(op, shape, outputs=3 if op == "Svd" else 1)
        samples, report = self._path("samples"), self._path("report.json")
        stdout = self._assert_runs(
            self._write(model), runs, f"--samples={samples}", f"--json={report}"
        )
        with open(samples, encoding="utf-8") as file:
            nanos = [int(line) for line in file]
        with open(report, encoding="utf-8") as file:
            times = json.load(file)["model"]["inference_us"]
        mean = sum(nanos) / len(nanos) / 1e3
        self.assertLen(nanos, times["count"])
        histogram = times["histogram"]
        self.assertEqual(sum(count for _, _, count in histogram), len(nanos))
        averages = re.findall(r" avg=(\S+)", stdout)[-1:]
        averages += re.findall(r"Inference \(avg\): (\S+)", stdout)
        averages += [
            times["avg"],
            sum((low + high) / 2 * count for low, high, count in histogram)
            / len(nanos),
        ]
        self.assertLen(averages, 4)
        for average in averages:
            self.assertAlmostEqual(float(average), mean, delta=mean / 1000)
        self.assertAlmostEqual(times["min"], min(nanos) / 1e3)
        self.assertAlmostEqual(times["max"], max(nanos) / 1e3)

    def test_percentiles_are_printed(self) -> None:
        self.assertRegex(
            self._assert_runs(),
            f"INFO: Inference percentiles in us: p50={_NUMBER} .*"
            f"p99.9={_NUMBER}\n",
        )

    def test_compare_finds_a_model_as_fast_as_itself(self) -> None:
        path = self._path("report.json")
        stdout = self._assert_runs(
            _ATAN_MODEL,
            f"--compare={_ATAN_MODEL}",
            f"--json={path}",
            "--num_runs=3000",
        )
        self.assertIn("of 3000 pairs\n", stdout)
        self.assertRegex(
            stdout,
            rf"\natan\.tflite takes {_NUMBER}x as long as atan\.tflite \(95% CI"
            rf" {_NUMBER} to {_NUMBER}\)\n",
        )
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        ratio = report["ratio"]
        self.assertBetween(ratio["median"], 0.5, 2)
        self.assertLessEqual(ratio["median_low"], ratio["median"])
        self.assertLessEqual(ratio["median"], ratio["median_high"])
        self.assertLessEqual(ratio["p5"], ratio["p95"])
        self.assertEqual(report["compare"]["inference_us"]["count"], 3000)
        self._assert_fails(_run("--compare=/x"), "cannot open /x: No such file")

    def test_compare_finds_the_slower_model(self) -> None:
        large = self._write(single_op_model("Atan", [100000]))
        path = self._path("report.json")
        self._assert_runs(_ATAN_MODEL, f"--compare={large}", f"--json={path}")
        with open(path, encoding="utf-8") as file:
            self.assertGreater(json.load(file)["ratio"]["median"], 5)

    def test_plot_is_a_picture(self) -> None:
        for ending, begin in [("png", b"\x89PNG"), ("svg", b"<?xml")]:
            path = self._path(f"plot.{ending}")
            self._assert_runs(f"--plot={path}", "--enable_op_profiling")
            with open(path, "rb") as file:
                self.assertTrue(file.read().startswith(begin))

    def test_plot_that_nobody_can_draw_is_found_before_the_runs(self) -> None:
        # Away from its runfiles, with the libraries where it looks for them.
        folder = self.create_tempdir().full_path
        alone = os.path.join(folder, "tflite", "custom", "benchmark_model")
        os.makedirs(os.path.dirname(alone))
        shutil.copy(_BENCHMARK_MODEL, alone)
        os.symlink(
            os.path.join(_FOLDER, "..", "..", "_solib_k8"),
            os.path.join(folder, "_solib_k8"),
        )
        result = subprocess.run(
            [alone, _ATAN_MODEL, "--plot=/tmp/never.png"],
            capture_output=True,
            check=False,
            env={},
            text=True,
        )
        self._assert_fails(result, "cannot draw --plot: .* --json=FILE")
        self.assertNotIn("count=", result.stdout)

    def test_outputs_that_cannot_be_written_are_found_before_the_runs(
        self,
    ) -> None:
        folder = os.path.join(self.create_tempdir().full_path, "a.png")
        os.mkdir(folder)
        for flag in ["json", "samples", "plot", "output_filepath"]:
            for path, why in [
                ("/nonexistent/f.png", "No such file or directory"),
                (folder, "Is a directory"),
            ]:
                result = _run(f"--{flag}={path}")
                self._assert_fails(result, f"cannot write {path}: {why}")
                self.assertNotIn("count=", result.stdout)

    def test_second_interrupt_ends_at_once(self) -> None:
        # A run takes minutes.
        model = self._write(single_op_model("Svd", [2000, 2000], outputs=3))
        program = _start("Running benchmark", f"--graph={model}")
        for _ in range(2):
            time.sleep(0.2)
            program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(30), -signal.SIGINT)

    def test_no_run_is_waited_for_past_the_end(self) -> None:
        for flag in ["--run_delay=1000", "--run_frequency=1e-30"]:
            stdout = self._assert_runs(flag, "--num_runs=2", "--max_secs=0.1")
            self.assertEqual(stdout.count("INFO: count=1 "), 2)

    def test_room_for_any_number_of_events(self) -> None:
        stdout = self._assert_runs(
            "--enable_op_profiling", "--max_profiling_buffer_entries=2147483647"
        )
        self.assertIn("Atan", stdout)

    def test_pipe_that_nobody_reads_is_not_waited_for(self) -> None:
        path = self._path("pipe.png")
        os.mkfifo(path)
        for flag in [
            "external_delegate_path",
            "xnnpack_weight_cache_file_path",
        ]:
            self._assert_fails(
                _run(f"--{flag}={path}"), f"{path} is not a file"
            )
        for flag in ["json", "samples", "plot", "output_filepath"]:
            self._assert_fails(
                _run(*_SHORT, f"--{flag}={path}"),
                f"cannot write {path}: it is a pipe that nobody reads",
            )

    def test_programs_that_write_one_report_leave_a_whole_one(self) -> None:
        path = self._path("report.json")
        programs = [
            subprocess.Popen(
                [_BENCHMARK_MODEL, *_SHORT, f"--json={path}", *flags],
                stdout=subprocess.DEVNULL,
            )
            for flags in [[], ["--enable_op_profiling"], ["--verbose"]] * 3
        ]
        for program in programs:
            self.assertEqual(program.wait(60), 0)
        with open(path, encoding="utf-8") as file:
            self.assertIn("model", json.load(file))
        self.assertEqual(os.listdir(os.path.dirname(path)), ["report.json"])

    @parameterized.parameters(
        [[]],
        [["--run_delay=1000"]],
        [[f"--compare={_ATAN_MODEL}"]],
        [["--runtime=litert"]],
    )
    def test_interrupt_ends_the_runs_and_reports_them(
        self, flags: list[str]
    ) -> None:
        path = self._path("report.json")
        program = _start(
            "at least 2147483647 iterations",
            "--num_runs=2147483647",
            "--max_secs=1000",
            "--warmup_runs=0",
            "--warmup_min_secs=0",
            f"--json={path}",
            *flags,
        )
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        stdout, stderr = program.communicate(timeout=30)
        self.assertEqual(program.returncode, 128 + signal.SIGINT, stderr)
        self.assertEqual(stderr, "")
        self.assertIn("WARN: Interrupted: the results are those", stdout)
        self.assertRegex(stdout, "INFO: Inference percentiles in us: p50=")
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertTrue(report["interrupted"])
        self.assertGreater(report["model"]["inference_us"]["count"], 0)
        self.assertEqual("ratio" in report, "--compare" in " ".join(flags))

    def test_interrupt_before_the_runs_reports_that_there_were_none(
        self,
    ) -> None:
        path = self._path("report.json")
        program = _start(
            "at least 2147483647 iterations",
            "--warmup_runs=2147483647",
            "--run_delay=1000",
            f"--json={path}",
        )
        program.send_signal(signal.SIGINT)
        stdout, _ = program.communicate(timeout=30)
        self.assertEqual(program.returncode, 128 + signal.SIGINT)
        self.assertNotIn("percentiles", stdout)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertTrue(report["interrupted"])
        self.assertEqual(report["model"]["inference_us"], {"count": 0})

    def test_progress_is_for_terminals_and_for_long_runs(self) -> None:
        def stderr_of(seconds: float) -> str:
            reader, writer = pty.openpty()
            subprocess.run(
                [_BENCHMARK_MODEL, f"--min_secs={seconds}"],
                check=True,
                env={},
                stderr=writer,
                stdout=subprocess.DEVNULL,
                timeout=60,
            )
            os.close(writer)
            text = b""
            with contextlib.suppress(OSError):  # The other end is closed.
                while part := os.read(reader, 4096):
                    text += part
            os.close(reader)
            return text.decode()

        self.assertRegex(
            stderr_of(2.3), r"\rMeasuring: +\d+%, \d+ runs, 2 s.*\r\x1b\[K$"
        )
        self.assertEqual(stderr_of(0.1), "")

    def test_readme_has_the_flags_that_help_has(self) -> None:
        with open(_README, encoding="utf-8") as file:
            readme = file.read().splitlines()
        rows = []
        served, refused = _run("--helpfull").stdout.split(
            "Flags of other build"
        )
        for heading, text in re.findall(r"\n(\S.*):\n((?:  .*\n)+)", served):
            rows.append(f"### {heading}")
            rows += self._rows(text)
        rows += self._rows(refused.partition("\n")[2])
        self.assertGreater(len(rows), 90)
        self.assertEqual(
            [line for line in readme if line.startswith(("| `--", "### "))],
            rows,
        )

    def _rows(self, text: str) -> list[str]:
        """Returns flags and their wrapped texts as rows of a table."""
        rows = []
        for entry in re.findall(r"(?m)^  (--.*(?:\n   .*)*)", text):
            flag, _, meaning = entry.replace("\n", "  ").partition("  ")
            name, _, default = flag.partition("=")
            if default in ("FILE", "TEXT"):
                default = ""
            rows.append(
                f"| `{name}` | {default and f'`{default}`'} |"
                f" {' '.join(meaning.split())} |"
            )
        return rows


class LitertTest(_TestCase):
    """--runtime=litert, beside what the tests of inputs say of it."""

    def test_reports_are_those_of_the_other_runtime(self) -> None:
        reports = {}
        for runtime in ["tflite", "litert"]:
            path = self._path("report.json")
            stdout = self._assert_runs(
                f"--runtime={runtime}",
                "--num_runs=200",
                "--num_threads=2",
                "--report_peak_memory_footprint",
                f"--json={path}",
            )
            self.assertIn("INFO: count=200 ", stdout)
            self.assertIn("INFO: Overall peak memory footprint", stdout)
            self.assertNotIn(".cc:", stdout)
            with open(path, encoding="utf-8") as file:
                reports[runtime] = json.load(file)
        for field in ["inputs", "outputs"]:
            self.assertEqual(
                *(report["model"][field] for report in reports.values())
            )
        for runtime, report in reports.items():
            self.assertEqual(report["runtime"], runtime)
            self.assertEqual(report["model"]["inference_us"]["count"], 200)
            self.assertGreater(report["model"]["inference_us"]["p50"], 0)

    def test_what_it_logs_is_for_the_curious(self) -> None:
        for flags, logs in [([], False), (["--verbose"], True)]:
            stdout = self._assert_runs("--runtime=litert", *flags)
            self.assertEqual("Creating LiteRT environment" in stdout, logs)

    def test_order_is_the_graphs_not_the_signatures(self) -> None:
        model = self._write(_edited(_reverse_signature))
        values = self._write(struct.pack("<5f", 1, 2, 3, 4, 5))
        outputs = []
        for runtime in ["tflite", "litert"]:
            path = self._path("out")
            self._assert_runs(
                f"--runtime={runtime}",
                f"--graph={model}",
                f"--output_filepath={path}",
                "--input_layer=x,y",
                "--input_layer_shape=5:5",
                f"--input_layer_value_files=x:{values}",
                "--input_layer_value_range=y,7,7",
            )
            with open(path, "rb") as file:
                outputs.append(file.read())
            self.assertEqual(
                struct.unpack("<5f", outputs[-1][20:]), (8, 9, 10, 11, 12)
            )
        self.assertEqual(*outputs)

    def test_compare(self) -> None:
        small = self._write(single_op_model("Atan", [16]))
        large = self._write(single_op_model("Atan", [1000000]))
        path = self._path("report.json")
        self._assert_runs(
            "--runtime=litert",
            f"--graph={small}",
            f"--compare={large}",
            f"--json={path}",
            "--num_runs=50",
        )
        with open(path, encoding="utf-8") as file:
            self.assertGreater(json.load(file)["ratio"]["median"], 5)

    @parameterized.parameters(("tflite", "litert"), ("litert", "tflite"))
    def test_compare_crosses_runtimes(self, runtime: str, other: str) -> None:
        small = self._write(single_op_model("Atan", [16]))
        large = self._write(single_op_model("Atan", [1000000]))
        path = self._path("report.json")
        flags = [
            f"--runtime={runtime}",
            f"--compare_runtime={other}",
            f"--graph={small}",
            f"--json={path}",
            "--num_runs=50",
        ]
        for compared in [small, large]:
            stdout = self._assert_runs(
                *flags, *([f"--compare={large}"] if compared == large else [])
            )
            self.assertIn(f"INFO: Compared with {compared} in {other}:", stdout)
            second, first = other, runtime
            if compared == large:
                second = f"{os.path.basename(large)} in {other}"
                first = f"{os.path.basename(small)} in {runtime}"
            self.assertRegex(
                stdout,
                rf"\n{second} takes {_NUMBER}x as long as {first} \(95% CI"
                rf" {_NUMBER} to {_NUMBER}\)\n",
            )
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual(report["runtime"], runtime)
            for key, model, where in [
                ("model", small, runtime),
                ("compare", compared, other),
            ]:
                self.assertEqual(report[key]["path"], model)
                self.assertEqual(report[key]["runtime"], where)
                self.assertGreaterEqual(
                    report[key]["inference_us"]["count"], 50
                )
            self.assertEqual(
                report["model"]["inference_us"]["count"],
                report["compare"]["inference_us"]["count"],
            )
            if compared == large:
                self.assertGreater(report["ratio"]["median"], 5)

    @parameterized.parameters(
        "--enable_op_profiling",
        "--op_profiling_output_file=/x",
        "--profiling_output_csv_file=/x",
        "--print_preinvoke_state",
        "--print_postinvoke_state",
        "--require_full_delegation",
        "--use_xnnpack=false",
        "--xnnpack_force_fp16",
        "--xnnpack_weight_cache_file_path=/x",
        "--external_delegate_path=/x",
    )
    def test_what_it_cannot_do_is_refused_by_name(self, flag: str) -> None:
        name = flag.partition("=")[0]
        result = _run("--runtime=litert", flag)
        self._assert_fails(
            result, f"{name} is '.*not available with --runtime=litert: "
        )
        self.assertNotIn("STARTING", result.stdout)

    def test_what_is_so_anyway_may_be_said(self) -> None:
        self._assert_runs(
            "--runtime=litert",
            "--use_xnnpack=true",
            "--enable_op_profiling=false",
            "--signature_to_run_for=serving_default",
        )

    def test_only_the_first_signature_runs(self) -> None:
        model = f"--graph={self._write(_edited(_add_second_graph))}"
        self._assert_runs(
            "--runtime=litert", model, "--signature_to_run_for=serving_default"
        )
        for flags, message in [
            (
                ["--signature_to_run_for=second"],
                "--signature_to_run_for is 'second', but --runtime=litert runs"
                " only the first signature of .*, 'serving_default'",
            ),
            (["--signature_to_run_for=third"], "which .* does not have"),
            ([], "has several signatures"),
        ]:
            self._assert_fails(_run("--runtime=litert", model, *flags), message)

    def test_dry_run_runs_nothing(self) -> None:
        stdout = self._assert_runs("--runtime=litert", "--dry_run")
        self.assertEqual(stdout.count("INFO: count=0\n"), 2)

    def test_models_that_it_cannot_run(self) -> None:
        for model, message in [
            (single_op_model("Atan", [2], dtype="int32"), "Atan: input must"),
            (single_op_model("Frobnicate", [2]), "cannot prepare .* in LiteRT"),
            (_edited(_take_strings), "is of type STRING"),
            (single_op_model("Atan", [0]), "has no elements"),
            (b"TFL3TFL3", "is truncated or damaged"),
        ]:
            with self.subTest(message):
                path = self._write(model)
                self._assert_fails(
                    _run("--runtime=litert", f"--graph={path}"), message
                )

    def test_other_runtimes_are_errors(self) -> None:
        self._assert_fails(
            _run("--runtime=x"), "--runtime is 'x'; it must be tflite or litert"
        )


class DamagedModelsTest(_TestCase):
    """Models whose parts do not fit together."""

    @parameterized.named_parameters(
        ("short constant", lambda m: setattr(m.buffers[2], "data", [0, 0])),
        (
            "long constant",
            lambda m: setattr(m.subgraphs[0].tensors[1], "shape", [1000]),
        ),
        (
            "negative size",
            lambda m: setattr(m.subgraphs[0].tensors[1], "shape", [-1]),
        ),
        (
            "sizes whose product overflows",
            lambda m: setattr(
                m.subgraphs[0].tensors[1], "shape", [2**31 - 1] * 4
            ),
        ),
        (
            "input of another graph",
            lambda m: setattr(m.subgraphs[0], "inputs", [77]),
        ),
        (
            "operand out of range",
            lambda m: setattr(m.subgraphs[0].operators[1], "inputs", [99]),
        ),
    )
    def test_sizes_and_operands_that_lie_are_refused(
        self, edit: Callable[[schema.ModelT], None]
    ) -> None:
        path = self._write(_edited(edit))
        self._assert_fails(_run(f"--graph={path}"), f"{path}(: | is damaged: )")

    def test_buffer_that_does_not_exist(self) -> None:
        def edit(model: schema.ModelT) -> None:
            model.subgraphs[0].tensors[1].buffer = 1000

        self._assert_fails(
            _run(f"--graph={self._write(_edited(edit))}"),
            "is damaged: its tensor 'add/ReadVariableOp' has buffer 1000, but",
        )

    def test_sparse_operand_of_a_custom_op(self) -> None:
        def edit(model: schema.ModelT) -> None:
            graph = model.subgraphs[0]
            tensor = graph.tensors[1]
            tensor.shape = [1000]
            tensor.sparsity = schema.SparsityParametersT()
            graph.operators = graph.operators[1:]
            graph.operators[0].inputs = [1]

        self._assert_fails(
            _run(f"--graph={self._write(_edited(edit))}"),
            "custom op 'Atan' has the sparse tensor 'add/ReadVariableOp'",
        )

    @parameterized.parameters(
        ([0], False),
        ([5], False),
        ([2, 16, 17, 18], True),
        ([2, 16], False),
        ([2, 16, 15, 18], False),
        ([2, 16, 17, 19], False),
        ([2, -16, 17, 18], False),
        ([2**31 - 1, 0], False),
    )
    def test_strings(self, header: list[int], runs: bool) -> None:
        content = struct.pack(f"<{len(header)}i", *header)
        content = content[:3] if header == [0] else content + b"ab"

        def edit(model: schema.ModelT) -> None:
            tensor = model.subgraphs[0].tensors[1]
            tensor.type = schema.TensorType.STRING
            tensor.shape = [2]
            model.buffers[tensor.buffer].data = list(content)
            model.subgraphs[0].operators = model.subgraphs[0].operators[1:]
            model.subgraphs[0].operators[0].inputs = [0]

        path = self._write(_edited(edit))
        if runs:
            self._assert_runs(f"--graph={path}")
        else:
            self._assert_fails(
                _run(f"--graph={path}"),
                "its tensor 'add/ReadVariableOp' of shape "
                r"\[2\] has data that are not 2 strings",
            )

    def test_signatures(self) -> None:
        def no_name(model: schema.ModelT) -> None:
            model.signatureDefs[0].inputs[0].name = None

        def no_graph(model: schema.ModelT) -> None:
            model.signatureDefs[0].subgraphIndex = 3

        def no_tensor(model: schema.ModelT) -> None:
            model.signatureDefs[0].outputs[0].tensorIndex = 44

        for edit, message in [
            (no_name, "has the tensor '' with index 0 of 4"),
            (no_graph, "is of graph 3 of 1"),
            (no_tensor, "with index 44 of 4"),
        ]:
            self._assert_fails(
                _run(f"--graph={self._write(_edited(edit))}"), message
            )

    def test_metadata(self) -> None:
        def conversion(model: schema.ModelT) -> None:
            for metadata in model.metadata:
                if metadata.name == b"CONVERSION_METADATA":
                    model.buffers[metadata.buffer].data = [255] * 64

        # The runtime's telemetry would follow its offsets.
        path = self._write(_edited(conversion))
        self._assert_runs(f"--graph={path}", "--enable_op_profiling")

        def no_buffer(model: schema.ModelT) -> None:
            model.metadata[0].buffer = 1000

        self._assert_fails(
            _run(f"--graph={self._write(_edited(no_buffer))}"),
            "is damaged: its metadata '.*' is in buffer 1000 of ",
        )


if __name__ == "__main__":
    absltest.main()
