"""Tests of a kernel that joins those of the rules' repository."""

import os
import subprocess

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.python import registerers
from tflite.custom.python.interpreter import Interpreter

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_BENCHMARK = os.path.join(_FOLDER, "benchmark_model")
_MODEL = os.path.join(_FOLDER, "cube.tflite")
_REGISTERER = "//lite:libconsumer_tflite_ops.so"


class CubeTest(tf.test.TestCase, parameterized.TestCase):
    def test_one_registerer_has_the_ops_of_both_repositories(self):
        names = registerers.custom_op_names(_REGISTERER)
        self.assertIn("Consumer>Cube", names)
        self.assertContainsSubset(registerers.custom_op_names(), names)

    @parameterized.parameters("tflite", "ai_edge_litert", "litert", tf_lite)
    def test_a_model_with_ops_of_both_repositories_runs(self, runtime):
        interpreter = Interpreter(_MODEL, runtime=runtime, ops=[_REGISTERER])
        x = np.array([[-2, -1, -0.5], [0, 0.5, 1]], np.float32)
        (result,) = interpreter.run(x)
        self.assertAllClose(result, np.arctan(x**3), rtol=1e-6)

    @parameterized.parameters("tflite", "ai_edge_litert", "litert", tf_lite)
    def test_without_the_library_the_op_is_not_known(self, runtime):
        with self.assertRaisesRegex(ValueError, "Consumer>Cube"):
            Interpreter(_MODEL, runtime=runtime)

    def test_benchmark_model_times_ops_of_both_repositories(self):
        output = subprocess.check_output(
            [_BENCHMARK, "--num_runs=5", "--enable_op_profiling"], text=True
        )
        self.assertIn("Consumer>Cube", output)
        self.assertIn("Atan", output)

    def test_benchmark_model_without_a_default_graph_asks_for_one(self):
        result = subprocess.run(
            [os.path.join(_FOLDER, "benchmark_any_model")],
            capture_output=True,
            text=True,
        )
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("--graph is missing", result.stderr)


if __name__ == "__main__":
    tf.test.main()
