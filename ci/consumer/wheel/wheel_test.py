"""Tests of a wheel that is made outside of the rules' repository."""

import glob
import os
import subprocess
import sys
import zipfile

import tensorflow as tf

_FOLDER = os.path.dirname(os.path.abspath(__file__))

_USE = """
import sys
import tensorflow as tf
from cube import cube_op
from sum_of_squares import sum_of_squares
from tflite.custom.python import registerers
assert cube_op.__file__.startswith(sys.argv[1]), cube_op.__file__
print(cube_op.cube([1.0, 2.0]).numpy())
op = sum_of_squares.SumOfSquares()
print(op(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])).numpy())
names = registerers.custom_op_names(
    sys.argv[1] + "/lite/libconsumer_tflite_ops.so")
print("Consumer>Cube" in names, "Atan" in names)
"""


class WheelTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        (self._path,) = glob.glob(os.path.join(_FOLDER, "wheel.dist", "*.whl"))
        self._site = self.create_tempdir().full_path
        with zipfile.ZipFile(self._path) as wheel:
            wheel.extractall(self._site)

    def test_name_tells_the_release_of_tensorflow(self):
        minor = ".".join(tf.__version__.split(".")[:2])
        self.assertStartsWith(
            os.path.basename(self._path),
            f"consumer_ops-1.0+tf{minor}-py3-none-manylinux_2_",
        )

    def test_ops_of_this_workspace_and_what_they_need_run_from_it(self):
        of_pypi = [path for path in sys.path if "/pypi/" in path]
        result = subprocess.run(
            [sys.executable, "-c", _USE, self._site],
            capture_output=True,
            cwd=self._site,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([self._site, *of_pypi]),
            },
            text=True,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "[1. 8.]\n[10. 20.]\nTrue True\n")


if __name__ == "__main__":
    tf.test.main()
