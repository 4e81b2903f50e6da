"""HistogramFixedWidth against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op


class HistogramFixedWidthTest(KernelTestCase):
    @parameterized.product(
        dtype=["int32", "int64", "float32", "float64"], out=["int32", "int64"]
    )
    def test_equals_tensorflow(self, dtype: str, out: str) -> None:
        values = (random_values((50, 100), "float64") * 40).astype(dtype)
        for bins in (1, 7, 100):
            for low, high in [(-50, 50), (0, 3), (-7, 20)]:
                inputs = [
                    values,
                    np.array([low, high], dtype),
                    np.array(bins, np.int32),
                ]
                self.check(
                    "HistogramFixedWidth", *inputs, dtype=tf.as_dtype(out)
                )

    def test_values_on_the_edges_of_bins(self) -> None:
        for dtype in FLOATS:
            values = np.linspace(-0.5, 1.5, 2001, dtype=dtype)
            for bins in (3, 10, 49):
                bounds = np.array([0.1, 0.9], dtype)
                self.check(
                    "HistogramFixedWidth", values, bounds, np.int32(bins)
                )

    def test_extremes(self) -> None:
        low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
        self.check(
            "HistogramFixedWidth",
            np.int32([5, high, low]),
            np.int32([low, high]),
            np.int32(3),
        )
        infinity = np.float32([0.5, np.inf, -np.inf, 2, -2])
        self.check(
            "HistogramFixedWidth", infinity, np.float32([0, 1]), np.int32(5)
        )
        self.check(
            "HistogramFixedWidth",
            np.float32([]),
            np.float32([0, 1]),
            np.int32(5),
        )

    def test_converts(self) -> None:
        for dtype in (tf.int32, tf.int64):
            self.check_converted(
                lambda x, dtype=dtype: tf.histogram_fixed_width(
                    x, [-1.0, 1.0], 5, dtype
                ),
                random_values((4, 4)),
            )

    @parameterized.parameters(
        ([np.nan, 0], [0, 1], 5, "element 0 is"),
        ([0], [1, 1], 5, r"but is \[1, 1\]"),
        ([0], [0, np.nan], 5, r"but is \[0, nan\]"),
        ([0], [0, 1], 0, "nbins must be positive, not 0"),
        ([0], [0, 1, 2], 5, r"must have the shape \[2\], not \[3\]"),
    )
    def test_errors(self, values, bounds, bins: int, why: str) -> None:
        inputs = [np.float32(values), np.float32(bounds), np.array(bins, "i4")]
        self.assert_refused(why, "HistogramFixedWidth", inputs)

    def test_option_that_contradicts_the_output_is_an_error(self) -> None:
        inputs = [np.float32([0]), np.float32([0, 1]), np.array(5, np.int32)]
        with self.assertRaisesRegex(RuntimeError, "output must be INT64"):
            run_op("HistogramFixedWidth", inputs, ["int32"], {"dtype": 4})


if __name__ == "__main__":
    tf.test.main()
