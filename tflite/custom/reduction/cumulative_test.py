"""Cumprod and CumulativeLogsumexp against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import INTS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import UINTS
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op


class CumprodTest(KernelTestCase):
    @parameterized.product(
        dtype=[*FLOATS, *INTS, *UINTS],
        exclusive=[False, True],
        reverse=[False, True],
    )
    def test_equals_tensorflow(self, dtype, exclusive, reverse) -> None:
        x = random_values((4, 5, 6), dtype)
        options = {"exclusive": exclusive, "reverse": reverse}
        for axis, index in [(0, "int32"), (1, "int64"), (2, "int32")]:
            inputs = [x, np.array(axis, index)]
            self.check("Cumprod", *inputs, **options, ulps=8)

    @parameterized.parameters(
        ([1, 2, 3, np.nan, 1],),
        ([0, np.inf, 2],),
        ([2, -np.inf, -1, 1e30],),
        ([1e30, 1e30, -0.0],),
        ([],),
    )
    def test_special_values_are_as_in_tensorflow(self, x) -> None:
        self.check_converted(
            lambda x: tf.math.cumprod(x), np.float32(x), rtol=1e-6
        )

    def test_converts_with_options_and_an_open_axis(self) -> None:
        self.check_converted(
            lambda x, axis: tf.math.cumprod(
                x, axis, exclusive=True, reverse=True
            ),
            random_values((3, 4)),
            np.int32(-2),
            rtol=1e-6,
        )

    def test_errors(self) -> None:
        inputs = [np.ones(1, np.float32), np.array(1, np.int32)]
        with self.assertRaisesRegex(
            RuntimeError, r"Cumprod: axis must be in \[-1, 1\), not 1"
        ):
            run_op("Cumprod", inputs, ["float32"])
        with self.assertRaisesRegex(RuntimeError, "Cumprod: x must be.*BOOL"):
            run_op("Cumprod", [np.ones(1, bool), inputs[1]], ["bool"])


class CumulativeLogsumexpTest(KernelTestCase):
    @parameterized.product(
        dtype=FLOATS, exclusive=[False, True], reverse=[False, True]
    )
    def test_equals_tensorflow(self, dtype, exclusive, reverse) -> None:
        x = random_values((4, 5, 6), dtype) * 10
        options = {"exclusive": exclusive, "reverse": reverse}
        for axis in (0, 1, 2, -1):
            for index in ("int32", "int64"):
                inputs = [x, np.array(axis, index)]
                rtol = 4e-6 if dtype == "float32" else 1e-14
                self.check("CumulativeLogsumexp", *inputs, **options, rtol=rtol)

    @parameterized.parameters(
        ([1, 2, 3, np.nan, 1],),
        ([np.nan, 1, 2],),
        ([1, -np.inf, np.inf, np.inf, 2],),
        ([-np.inf, -np.inf, 2],),
        ([1e30, -1e30, 1e-40],),
        ([],),
    )
    def test_special_values_are_as_in_tensorflow(self, x) -> None:
        self.check_converted(
            lambda x: tf.math.cumulative_logsumexp(x), np.float32(x), rtol=1e-6
        )

    @parameterized.parameters(
        ((1,), 1, r"axis must be in \[-1, 1\), not 1"),
        ((), 0, r"axis must be in \[0, 0\), not 0"),
        ((2, 2), [0], r"axis must be a scalar, not \[1\]"),
    )
    def test_errors(self, shape, axis, why: str) -> None:
        inputs = [np.ones(shape, np.float32), np.array(axis, np.int32)]
        self.assert_refused(why, "CumulativeLogsumexp", inputs)


if __name__ == "__main__":
    tf.test.main()
