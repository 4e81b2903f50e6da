"""The scan over a handful of ops, over converters that misbehave, and its page."""

import os
import subprocess
import sys
import textwrap

from absl.testing import absltest

from tflite.custom.python import registerers
from tflite.custom.tools import conversions
from tflite.custom.tools import demand
from tflite.custom.tools import scan_converter
from tflite.custom.tools.conversions import Conversion
from third_party.tensorflow import releases

_FOLDER = os.path.dirname(os.path.abspath(__file__))

# Answers as convert_ops does, and stops on two ops.
_FAKE_CONVERTER = """
    import json, os, sys, time
    print(json.dumps({"version": "0", "ops": []}), flush=True)
    for line in sys.stdin:
        op = line.strip()
        if op == "Crash":
            os.abort()
        if op == "Hang":
            time.sleep(60)
        print(json.dumps({"op": op, "builtin_ops": ["ADD"]}), flush=True)
"""


def _read(*parts: str) -> str:
    with open(os.path.join(_FOLDER, *parts), encoding="utf-8") as file:
        return file.read()


class ScanTest(absltest.TestCase):
    """What becomes of ops."""

    def test_one_op_of_each_class(self) -> None:
        command = [os.path.join(_FOLDER, "convert_ops")]
        converter, version, ops = scan_converter.start(command)
        self.addCleanup(converter.close)

        def convert(op: str) -> Conversion:
            self.assertIn(op, ops)
            return converter.convert(op, 60)

        self.assertGreater(len(ops), 800)
        self.assertNotIn("HashTableV2", ops)  # Gives a handle.
        self.assertNotIn("While", ops)  # Takes a function.

        add = convert("AddV2")
        self.assertEqual(add.kind, conversions.BUILTIN)
        self.assertEqual(add.builtin_ops, ("ADD",))
        self.assertEqual(add.call, "x=float32[4,4], y=float32[4,4]")
        self.assertEqual(add.result, "float32[4,4]")
        self.assertEqual(convert("Sum").call, "input=float32[4,4], axis=[1]")
        self.assertIn("CONV_2D", convert("Conv2D").builtin_ops)
        # A chain of built-in ops, and none at all.
        self.assertEqual(convert("Log1p").kind, conversions.BUILTIN)
        self.assertEqual(convert("Identity").builtin_ops, ())

        for op in ["Atan", "Cross", "Svd", "StringUpper"]:
            self.assertEqual(convert(op).custom_ops, (op,))

        removed = convert("TopK")
        self.assertEqual(removed.kind, conversions.NOT_CONVERTIBLE)
        self.assertEqual(removed.error, "Removed from TensorFlow")
        self.assertIn("quantized", convert("QuantizedRelu").error)

        committed = conversions.Scan.from_json(_read("conversions.json"))
        later = releases.later_dense_ops(version)
        self.assertEqual(committed.version == version, not later)
        if not later:
            kernels = registerers.custom_op_names()
            self.assertEqual(
                scan_converter.runtime_ops(),
                {
                    op: runtimes
                    for op, runtimes in committed.runtime_ops.items()
                    if op not in kernels
                },
            )
        self.assertCountEqual(
            (each.op for each in committed.conversions), [*ops, *later]
        )
        self.assertIn(add, committed.conversions)
        self.assertIn(removed, committed.conversions)

        with self.assertRaisesRegex(
            ValueError, "'Frob' is not a registered op"
        ):
            converter.convert("Frob", 60)

    def test_goes_on_after_a_converter_that_crashes_or_hangs(self) -> None:
        ops = ["A", "Crash", "B", "Hang", "C"]
        counts = []
        found = scan_converter.convert_all(
            ops,
            [sys.executable, "-c", textwrap.dedent(_FAKE_CONVERTER)],
            jobs=2,
            seconds=3,
            progress=counts.append,
        )
        self.assertEqual(
            found,
            [
                Conversion("A", "", builtin_ops=("ADD",)),
                Conversion("B", "", builtin_ops=("ADD",)),
                Conversion("C", "", builtin_ops=("ADD",)),
                Conversion("Crash", "", error="The converter crashes"),
                Conversion(
                    "Hang", "", error="The converter takes longer than 3 s"
                ),
            ],
        )
        self.assertLen(counts, 5)

    def test_converter_that_does_not_start_is_an_error(self) -> None:
        with self.assertRaisesRegex(
            scan_converter.ConverterStoppedError, "crashes"
        ):
            scan_converter.convert_all(["A"], ["/bin/false"], jobs=1)


class PageTest(absltest.TestCase):
    """What is written of a scan."""

    def setUp(self) -> None:
        super().setUp()
        self.scan = conversions.Scan(
            "9.9",
            (
                Conversion("Two", "x=a|b", custom_ops=("Two", "Other")),
                Conversion("Mfcc", "y", custom_ops=("Mfcc",)),
                Conversion("TPUDummyInput", "", custom_ops=("TPUDummyInput",)),
                Conversion("Gone", "", error="Removed"),
                Conversion("Atan", "x", "y", custom_ops=("Atan",)),
                Conversion("Add", "x", builtin_ops=("ADD", "CAST")),
                Conversion("Same", "x"),
            ),
            {"Mfcc": ["tflite", "litert"], "NumericVerify": ["litert"]},
        )

    def test_json_gives_the_scan_again(self) -> None:
        again = conversions.Scan.from_json(self.scan.to_json())
        self.assertEqual(again.version, "9.9")
        self.assertCountEqual(again.conversions, self.scan.conversions)
        self.assertEqual(again.runtime_ops, self.scan.runtime_ops)

    def test_some_ops_can_be_scanned_again(self) -> None:
        gone = Conversion("Gone", "x", builtin_ops=("ADD",))
        updated = self.scan.updated(conversions.Scan("9.9", (gone,)))
        self.assertLen(updated.conversions, len(self.scan.conversions))
        self.assertIn(gone, updated.conversions)
        with self.assertRaisesRegex(
            ValueError, "TensorFlow 9.9, this one of 8"
        ):
            self.scan.updated(conversions.Scan("8", (gone,)))

    def test_page_counts_and_says_what_is_here_and_missing(self) -> None:
        page = conversions.page(self.scan, ["Atan", "Other"])
        for line in [
            "| built-in | 2 |",
            "| custom, and here | 1 |",
            "| custom, and missing | 1 |",
            "| not convertible | 1 |",
            "| custom, and in the runtimes | 1 |",
            "| custom, and no gap | 1 |",
            "| all | 7 |",
            "2 of the 3 that somebody would want. Those of here run once they"
            " are registered, the others in the runtimes that register",
            "| `Atan` | here | `x` | `y` |",
            "| `Mfcc` | tflite, litert | `y` |  |",
            "| `NumericVerify` | litert |",
            "### Arrays (1)",
            "| `Two` | `x=a\\|b` |  |",
            "| TPUs | They run on those accelerators, or tell a compiler about"
            " them. | `TPUDummyInput` |",
            "| `Add` | ADD, CAST | `x` |",
            "| `Same` | nothing | `x` |",
            "### Removed (1)",
            "`Gone`",
        ]:
            self.assertIn(line, page.splitlines())

    def test_runtimes_are_asked_what_they_register_by_themselves(self) -> None:
        found = scan_converter.runtime_ops()
        every = ["tf.lite", "ai_edge_litert", "tflite", "litert"]
        for op in ["AudioSpectrogram", "Mfcc", "TFLite_Detection_PostProcess"]:
            self.assertEqual(found[op], every)
        for op in ["FFT", "HashTableV2", "Atan"]:
            self.assertNotIn(op, found)

    def test_demand_is_by_the_first_rule_that_matches(self) -> None:
        for op, name in [
            ("XlaSparseDenseMatmulGradWithSgdAndCsrInput", "TPUs"),
            ("CollectiveReduce", "Collectives and devices"),
            ("AudioSummaryV2", "Summaries and debuggers"),
            ("OrderedMapPeek", "Queues, stages and batching servers"),
            ("RestoreV2", "Readers and checkpoints"),
            ("PyFunc", "Sessions, Python and placeholders"),
            ("MaxPool3DGrad", "Training on the device"),
            ("MaxPool3D", "Convolutions and pooling"),
            ("MatrixSolve", "Linear algebra"),
            ("MatrixDiagPartV3", "Arrays"),
            ("FFT2D", "Signals and speech"),
            ("StringJoin", "Text"),
            ("UnravelIndex", "Arrays"),
        ]:
            self.assertEqual(demand.demand(op).name, name, op)

    def test_committed_page_is_up_to_date(self) -> None:
        scan = conversions.Scan.from_json(_read("conversions.json"))
        self.assertEqual(scan.to_json(), _read("conversions.json"))
        self.assertEqual(
            conversions.page(scan, registerers.custom_op_names()),
            _read("..", "OPS.md"),
            "run scan_converter -- --update_kernels_only",
        )

    def test_console_counts_what_the_page_counts(self) -> None:
        workspace = self.create_tempdir()
        for name in ["OPS.md", "tools/conversions.json"]:
            workspace.create_file(
                f"tflite/custom/{name}", content=_read("..", name)
            )
        result = subprocess.run(
            [
                os.path.join(_FOLDER, "scan_converter"),
                "--update_kernels_only",
                "--check",
            ],
            env=os.environ | {"BUILD_WORKSPACE_DIRECTORY": workspace.full_path},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        *counts, seconds = result.stdout.strip().split("; ")
        self.assertRegex(seconds, r"^\d+ s$")
        page = _read("..", "OPS.md").splitlines()
        first = page.index("|---|---|") + 1
        self.assertEqual(
            [f"| {count.replace(': ', ' | ')} |" for count in counts],
            page[first : page.index("", first)],
        )

    def test_ops_that_become_the_same_custom_op_count_each(self) -> None:
        scan = conversions.Scan(
            "9.9",
            (
                Conversion("Old", "x", custom_ops=("New",)),
                Conversion("New", "x", custom_ops=("New",)),
            ),
        )
        self.assertEqual(scan.counts([])["custom, and missing"], 2)
        self.assertEqual(scan.counts(["New"])["custom, and here"], 2)


if __name__ == "__main__":
    absltest.main()
