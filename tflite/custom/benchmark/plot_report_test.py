"""plot_report on reports as benchmark_model writes them."""

import copy
import json
import os
import subprocess
from xml.etree import ElementTree

from absl.testing import absltest
from absl.testing import parameterized

from tflite.custom.benchmark import plot_report

_PROGRAM = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "plot_report"
)


def _op(kind: str, name: str, micros: float, calls: int = 10, **more) -> dict:
    return {
        "type": kind,
        "name": name,
        "avg_us": micros,
        "calls": calls,
        "nested": False,
        "delegate_internal": False,
        **more,
    }


def _model(path: str, scale: float = 1, **more) -> dict:
    times = {
        "count": 10,
        "avg": 20.0,
        "min": 10.0,
        "p50": 19.0,
        "p75": 20.0,
        "p90": 21.0,
        "p95": 25.0,
        "p99": 30.0,
        "p99.9": 40.0,
        "max": 4000.0,
    }
    scaled = {
        name: time if name == "count" else time * scale
        for name, time in times.items()
    }
    scaled["histogram"] = [
        [low * scale, (low + 0.4) * scale, count]
        for low, count in [(10.0, 1), (19.0, 6), (20.5, 2), (3999.9, 1)]
    ]
    return {
        "path": path,
        "runtime": "tflite",
        "runtime_version": "TFLite 2.17.1",
        "delegation": "",
        "inputs": [{"name": "x", "type": "FLOAT32", "shape": [1, 4]}],
        "inference_us": scaled,
        **more,
    }


def _report(**models) -> dict:
    return {
        "benchmark_name": "",
        "date": "2026-12-01T12:34:56Z",
        "num_threads": 2,
        "interrupted": False,
        "host": {
            "processor": "Some CPU",
            "cores": 2,
            "system": "Linux 6",
        },
        **models,
    }


def _words(report: dict) -> list[str]:
    """Returns the texts of the report's picture."""
    picture = ElementTree.fromstring(plot_report.draw(report, "svg"))
    return [
        text.strip()
        for element in picture.iter("{http://www.w3.org/2000/svg}text")
        for text in element.itertext()
        if text.strip()
    ]


class PlotReportTest(parameterized.TestCase):
    """What is in the picture."""

    @parameterized.parameters(
        (0, "0"),
        (0.1234, "123 ns"),
        (0.9996, "1.00 us"),
        (1, "1.00 us"),
        (12.34, "12.3 us"),
        (999.6, "1.00 ms"),
        (1e6, "1.00 s"),
        (1.5e8, "150 s"),
    )
    def test_times_have_three_digits_and_a_unit(
        self, micros: float, text: str
    ) -> None:
        self.assertEqual(plot_report.time_text(micros), text)

    def test_ops_sum_to_the_whole_run(self) -> None:
        ops = [_op("ADD", f"[a{i}]:{i}", 0.5) for i in range(20)]
        ops.append(_op("WHILE", "[w]:20", 4, calls=5))
        ops.append(_op("MUL", "[in the loop]:0", 2, nested=True))
        shares = plot_report.op_shares(_model("m.tflite", ops=ops))
        self.assertEqual(shares[0], ("WHILE  w", 2))
        self.assertEqual(shares[-2][0], "5 other ops")
        self.assertAlmostEqual(shares[-2][1], 2.5)
        self.assertEqual(shares[-1][0], "outside ops")
        self.assertAlmostEqual(shares[-1][1], 20 - 10 - 2)
        self.assertAlmostEqual(sum(time for _, time in shares), 20)

    def test_long_names_are_cut_in_the_middle(self) -> None:
        long = "model/" + "block/" * 30 + "conv2d_17/Relu6"
        ((label, _), _) = plot_report.op_shares(
            _model("m", ops=[_op("CONV_2D", f"[fused;{long}]:3", 1)])
        )
        self.assertLessEqual(len(label), 46)
        self.assertStartsWith(label, "CONV_2D  model")
        self.assertEndsWith(label, "conv2d_17/Relu6")

    def test_picture_has_percentiles_ops_and_footer(self) -> None:
        ops = [
            _op("CONV_2D", "[$x$_y]:0", 12),
            _op("Add (ND, F32)", "Delegate/Add (ND, F32):1", 3),
        ]
        words = "\n".join(
            _words(_report(model=_model("/a/net.tflite", ops=ops)))
        )
        for text in [
            "net.tflite in TFLite 2.17.1",
            "p99.9",
            "40.0 us",
            "4.00 ms",
            "12.0 us  60.0%",
            "CONV_2D  $x$_y",
            "Add (ND, F32)  #1",
            "outside ops",
            "5.00 us  25.0%",
            "Some CPU, 2 cores, Linux 6",
            "TFLite 2.17.1, threads: 2, 2026-12-01 12:34:56 UTC",
            "inputs: x FLOAT32 [1, 4]",
        ]:
            self.assertIn(text, words)

    def test_comparison_shows_both_models_alike(self) -> None:
        ops = [_op("ADD", "[a]:0", 2)]
        report = _report(
            model=_model("/a/m.tflite", ops=ops),
            compare=_model("/b/m.tflite", scale=30, ops=ops),
            ratio={"verdict": "b takes 30x as long as a"},
        )
        words = _words(report)
        for text in [
            "/a/m.tflite: 10 runs",
            "/b/m.tflite: 10 runs",
            "p50 19.0 us",
            "p50 570 us",
            "b takes 30x as long as a",
        ]:
            self.assertIn(text, words)
        self.assertLen([w for w in words if w.startswith("outside ops")], 2)

    def test_shares_of_the_runs_add_up(self) -> None:
        histogram = [[0.0, 0.999, 1], [1.5, 2.499, 2], [9.0, 9.0, 1]]
        for share in plot_report.bins(histogram, [0, 1, 2, 3]):
            self.assertAlmostEqual(share, 25)
        (share,) = plot_report.bins(histogram, [0, 10])
        self.assertAlmostEqual(share, 100)

    def test_reports_at_the_edges(self) -> None:
        same = _model("m.tflite")
        for name in same["inference_us"]:
            same["inference_us"][name] = 0.05
        same["inference_us"] |= {"count": 1, "histogram": [[0.05, 0.05, 1]]}
        self.assertIn("p50 50.0 ns", _words(_report(model=same)))
        none = copy.deepcopy(same)
        none["inference_us"] = {"count": 0}
        none["ops"] = []
        self.assertIn("no runs", _words(_report(model=none)))

    def test_program_draws_files_and_names_what_it_cannot(self) -> None:
        folder = self.create_tempdir().full_path
        path = os.path.join(folder, "r.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(_report(model=_model("m.tflite")), file)

        def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run(
                [_PROGRAM, *arguments],
                capture_output=True,
                check=False,
                env=os.environ | {"BUILD_WORKING_DIRECTORY": folder},
            )

        self.assertEqual(run("r.json", "r.png").returncode, 0)
        with open(os.path.join(folder, "r.png"), "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")
        result = run("r.json", "r.jpg")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"the picture is 'r.jpg'; it must end in", result.stderr)


if __name__ == "__main__":
    absltest.main()
