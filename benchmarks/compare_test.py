"""Tests of compare: what it writes, says and returns."""

import contextlib
import io
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
from unittest import mock

from absl import flags
from absl.testing import absltest

from benchmarks import compare
from benchmarks import measure
from benchmarks import row
from benchmarks import rows as all_rows

_ALL_ROWS = flags.DEFINE_bool(
    "all_rows", False, "run every row that needs no workspace, not a sample"
)

# One row of each example, and one of each way to measure.
_SAMPLE = [
    "multiplex_2/float32",
    "simple_hash_table/eager_find_of_tensor",
    "variable_sparse_update/beside_scatter_nd_update",
    "sharded_hash_table/lookup_int64",
    "sharded_hash_table/memory_int64",
    "distributed_hash_table/lookup",
]


def sleeping(ours: float, peer: float):
    """Two sides that take so many seconds."""
    return measure.interleaved(
        lambda run: {
            "ours": lambda: time.sleep(ours),
            "peer": lambda: time.sleep(peer),
        }
    )


def fake_row(name: str, floor: float | None = None, **changes) -> row.Row:
    return row.Row(
        **{
            "name": name,
            "about": "Two naps.",
            "item": "nap",
            "items": 2,
            "quick_items": 1,
            "ours": "ours",
            "peers": (row.Peer("peer", floor=floor),),
            "measure": sleeping(0.005, 0.01),
            **changes,
        }
    )


class CompareTest(absltest.TestCase):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.create_tempdir().full_path)
        # Where the folders of runs without --out go.
        self.enter_context(
            mock.patch.object(
                tempfile, "tempdir", self.create_tempdir("new").full_path
            )
        )
        # Matplotlib takes a second; the programs that tests start draw.
        self.enter_context(mock.patch.object(compare, "_draw"))

    def compare(self, *arguments: str, rows=()):
        """Returns the exit status, stdout and stderr."""
        stdout, stderr = io.StringIO(), io.StringIO()
        with (
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
        ):
            try:
                status = compare.main(arguments, rows)
            except SystemExit as error:
                status = error.code
        return status, stdout.getvalue(), stderr.getvalue()

    def run_program(self, *arguments: str) -> str:
        """Runs compare as a user does; returns its stdout."""
        # TensorFlow's threads are set once for a process.
        process = subprocess.run(
            [pathlib.Path(compare.__file__).with_suffix(""), *arguments],
            env={**os.environ, "BUILD_WORKING_DIRECTORY": str(self.folder)},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(process.returncode, 0, process.stdout)
        return process.stdout

    def test_rows_work_and_results_are_written_in_three_forms(self):
        names = [of.name for of in all_rows.ROWS]
        if _ALL_ROWS.value:
            names = [name for name in names if not name.startswith("build/")]
        else:
            names = [name for name in names if name in _SAMPLE]
            self.assertLen(names, len(_SAMPLE))
        stdout = self.run_program(
            "--quick",
            "--rounds=2",
            "--threads=2",
            f"--filter=^({'|'.join(names)})$",
            "--out=out",
        )
        out = self.folder / "out"
        self.assertCountEqual(
            os.listdir(out), ["compare.json", "compare.md", "compare.png"]
        )
        result = json.loads((out / "compare.json").read_text())
        self.assertTrue(result["complete"])
        self.assertTrue(result["quick"])
        self.assertEqual(result["threads"], 2)
        self.assertEqual([of["name"] for of in result["rows"]], names)
        markdown = (out / "compare.md").read_text()
        for of in result["rows"]:
            self.assertIn(f"{of['name']} ", stdout)
            self.assertIn(f"| {of['name']} |", markdown)
            self.assertGreater(of["ours"]["cost"]["median"], 0)
            for peer in of["peers"]:
                self.assertLen(peer["ratios"], 2)
                spread = peer["ratio"]
                self.assertLessEqual(spread["low"], spread["median"])
                self.assertLessEqual(spread["median"], spread["high"])
        png = (out / "compare.png").read_bytes()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", png[16:24])
        self.assertGreater(width, 500)
        self.assertGreater(height, 100)

    def test_ratio_is_the_peers_cost_to_ours(self):
        status, stdout, _ = self.compare(
            "--quick", f"--out={self.folder}", rows=[fake_row("naps")]
        )
        self.assertEqual(status, 0)
        result = json.loads((self.folder / "compare.json").read_text())
        (peer,) = result["rows"][0]["peers"]
        self.assertBetween(peer["ratio"]["median"], 1.2, 2.5)
        self.assertRegex(stdout, r"naps +\S+ ms +peer +\S+ ms +\S+x")

    def test_check_fails_below_a_floor_and_names_row_ratio_and_floor(self):
        rows = [fake_row("kept", floor=1.1), fake_row("lost", floor=1000)]
        arguments = "--quick", f"--out={self.folder}"
        self.assertEqual(self.compare(*arguments, rows=rows)[0], 0)
        status, stdout, stderr = self.compare("--check", *arguments, rows=rows)
        self.assertEqual(status, 1)
        self.assertRegex(
            stderr,
            r"lost: \S+ times peer, quartiles \S+ to \S+, is below the floor "
            r"of 1000",
        )
        self.assertNotIn("kept:", stderr)
        self.assertIn("1000x MISSED", stdout)
        self.assertEqual(
            self.compare("--check", *arguments, rows=rows[:1])[0], 0
        )

    def test_a_row_that_fails_is_named_and_the_others_are_measured(self):
        def fail(run):
            raise RuntimeError("no such op")

        status, stdout, _ = self.compare(
            "--quick",
            f"--out={self.folder}",
            rows=[fake_row("bad", measure=fail), fake_row("good")],
        )
        self.assertEqual(status, 1)
        self.assertIn("bad  FAILED: RuntimeError: no such op", stdout)
        result = json.loads((self.folder / "compare.json").read_text())
        self.assertEqual([of["name"] for of in result["rows"]], ["good"])
        self.assertFalse(result["complete"])

    def test_what_is_registered_for_cleanup_is_closed(self):
        closed = []

        def setup(run):
            run.cleanup.callback(closed.append, 1)
            return {"ours": lambda: closed[:], "peer": lambda: closed[:]}

        self.compare(
            "--quick",
            f"--out={self.folder}",
            rows=[fake_row("naps", measure=measure.interleaved(setup))],
        )
        self.assertEqual(closed, [1])

    def test_interrupt_keeps_what_is_finished(self):
        def interrupt(run):
            raise KeyboardInterrupt

        status, stdout, stderr = self.compare(
            "--quick",
            f"--out={self.folder}",
            rows=[fake_row("done"), fake_row("not", measure=interrupt)],
        )
        self.assertEqual(status, 130)
        self.assertIn("Interrupted: 1 of 2 rows are done", stderr)
        self.assertIn("done", stdout)
        result = json.loads((self.folder / "compare.json").read_text())
        self.assertFalse(result["complete"])

    def test_ctrl_c_ends_the_program_without_a_traceback(self):
        # Where this test runs in a shell's background it is made to ignore the
        # signal, and what it starts would inherit that.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)
        process = subprocess.Popen(
            [
                pathlib.Path(compare.__file__).with_suffix(""),
                "--filter=^multiplex_2/",
                f"--out={self.folder}",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        process.stdout.readline()  # The head of the table.
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate()
        self.assertEqual(process.returncode, 130, stderr)
        self.assertIn("Interrupted: 0 of", stderr)
        self.assertNotIn("Traceback", stderr)

    def test_two_runs_do_not_share_a_folder(self):
        def other_run(run):
            status, _, _ = self.compare(
                "--quick", f"--out={self.folder}", rows=[fake_row("second")]
            )
            self.assertStartsWith(str(status), "compare: --out=")
            self.assertIn("is being written to by another run", status)
            return {"ours": [1.0], "peer": [1.0]}

        status, _, _ = self.compare(
            f"--out={self.folder}", rows=[fake_row("first", measure=other_run)]
        )
        self.assertEqual(status, 0)
        result = json.loads((self.folder / "compare.json").read_text())
        self.assertEqual([of["name"] for of in result["rows"]], ["first"])

    def test_without_a_folder_each_run_has_a_new_one(self):
        outputs = {
            self.compare("--quick", rows=[fake_row("naps")])[1].split(
                "Written: "
            )[1]
            for _ in range(2)
        }
        self.assertLen(outputs, 2)

    def test_list_names_rows_peers_and_floors(self):
        status, stdout, _ = self.compare(
            "--list",
            "--filter=b",
            rows=[fake_row("a/x"), fake_row("b/y", floor=2)],
        )
        self.assertEqual(status, 0)
        self.assertEqual(stdout, "b/y: ours beside peer >= 2x. Two naps.\n")

    def test_wrong_arguments_are_named(self):
        for argument, message in (
            ("--filter=zzz", "no row's name has 'zzz' in it; there are: naps"),
            ("--filter=(", "'(' is no regular expression: missing )"),
            ("--threads=0", "--threads: must be a whole number above 0: '0'"),
            ("--rounds=many", "must be a whole number above 0: 'many'"),
            ("--fast", "unrecognized arguments: --fast"),
        ):
            with self.subTest(argument=argument):
                status, _, stderr = self.compare(
                    argument, rows=[fake_row("naps")]
                )
                self.assertEqual(status, 2)
                self.assertIn(message, stderr)
        file = self.folder / "file"
        file.touch()
        status, _, _ = self.compare(f"--out={file}", rows=[fake_row("naps")])
        self.assertIn("cannot be a folder", status)

    def test_costs_of_other_sides_than_the_rows_are_refused(self):
        _, stdout, _ = self.compare(
            "--quick",
            rows=[fake_row("naps", measure=lambda run: {"ours": [1.0]})],
        )
        self.assertIn("but costs are of ['ours']", stdout)


if __name__ == "__main__":
    # The naps are short: the time of a switch between threads would matter.
    sys.setswitchinterval(0.001)
    absltest.main()
