"""Every model of the corpus in every way, against MODELS.md."""

import os

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.corpus import runs

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_PROGRAM = os.path.join(os.path.dirname(_FOLDER), "benchmark_model")
_MODELS = {
    f"{origin}/{runs.name_of(path)}": path
    for origin, paths in runs.models(_FOLDER).items()
    for path in paths
}


def _page_lines() -> list[str]:
    with open(os.path.join(_FOLDER, "MODELS.md")) as file:
        return file.read().splitlines()


class CorpusTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.parameters(*_MODELS)
    def test_runs_as_the_page_says_with_one_result(self, model: str):
        name = os.path.basename(model)
        row = runs.run(_MODELS[model], name, _PROGRAM)
        self.assertEmpty(row.disagreements)
        page = _page_lines()
        if any(f"with TensorFlow {tf.__version__}." in line for line in page):
            self.assertIn(row.line(), page)
            reasons = [line for line in page if line.startswith(f"- `{name}`,")]
            self.assertEqual(row.reasons(), reasons)
        else:
            # Another release converts otherwise, but no less runs.
            (line,) = [x for x in page if x.startswith(f"| `{name}` |")]
            cells = line.split(" | ")[2:]
            for (way, why), cell in zip(
                row.results.items(), cells, strict=True
            ):
                if cell.startswith("yes"):
                    self.assertEmpty(why, way)

    def test_the_page_has_every_model_and_no_other(self):
        lines = [line for line in _page_lines() if line.startswith("| `")]
        self.assertCountEqual(
            [line.split("`")[1] for line in lines],
            [os.path.basename(model) for model in _MODELS],
        )
        self.assertLen([x for x in _MODELS if x.startswith("mediapipe/")], 14)
        self.assertLen([x for x in _MODELS if x.startswith("pymicro_")], 4)

    def test_disagreements_are_found(self):
        x = np.float32([1000.0, 1.0])
        self.assertEqual(runs.disagreement(x, x + np.float32(0.09)), "")
        self.assertIn("0.2 apart", runs.disagreement(x, x + np.float32(0.2)))
        self.assertIn("NaN", runs.disagreement(x, x * np.float32("nan")))
        self.assertIn("float32[2]", runs.disagreement(x, x[:1]))
        self.assertEqual(runs.disagreement(np.int8([3]), np.int8([4])), "")
        self.assertIn("2 apart", runs.disagreement(np.int8([3]), np.int8([5])))
        words = np.array([b"a"], object)
        self.assertEqual(runs.disagreement(words, words.copy()), "")
        self.assertNotEmpty(runs.disagreement(words, np.array([b"b"], object)))


if __name__ == "__main__":
    tf.test.main()
