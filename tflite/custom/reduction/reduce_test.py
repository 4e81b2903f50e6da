"""EuclideanNorm against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import INTS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import UINTS
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op


class EuclideanNormTest(KernelTestCase):
    @parameterized.product(
        dtype=FLOATS,
        axis=[0, -1, [], [1], [0, 2], [-1, 0], [2, 1, 0]],
        keep_dims=[False, True],
    )
    def test_equals_tensorflow(self, dtype, axis, keep_dims) -> None:
        for shape in [(2, 3, 4), (1, 30, 1), (0, 3, 2), (2, 3, 0)]:
            x = random_values(shape, dtype)
            axes = np.array(axis, "int64" if keep_dims else "int32")
            options = {"keep_dims": keep_dims}
            self.check("EuclideanNorm", x, axes, **options, ulps=8)

    def test_converts(self) -> None:
        x = random_values((3, 4, 5))
        for axis in (None, 1, [0, 2]):
            self.check_converted(
                lambda x, axis=axis: tf.math.reduce_euclidean_norm(x, axis),
                x,
                rtol=1e-6,
            )
        self.check_converted(
            lambda x, axis: 2.0 * tf.math.reduce_euclidean_norm(x, axis),
            x,
            np.int32([1]),
            rtol=1e-6,
        )

    def test_special_values_are_as_in_tensorflow(self) -> None:
        x = np.float32(
            [[np.nan, 1], [np.inf, 2], [-np.inf, 0], [1e30, 1], [-0.0, 0]]
        )
        self.check_converted(lambda x: tf.math.reduce_euclidean_norm(x, 1), x)

    @parameterized.parameters(
        ([2], r"an axis must be in \[-2, 2\), but element 0 is 2"),
        ([0, -3], r"an axis must be in \[-2, 2\), but element 1 is -3"),
        ([1, -1], "axes must differ, but element 1 is -1 again"),
        ([[0]], r"axis must be a scalar or a vector, not \[1,1\]"),
    )
    def test_errors(self, axis, why: str) -> None:
        x = np.ones((2, 3), np.float32)
        with self.assertRaisesRegex(RuntimeError, why):
            run_op("EuclideanNorm", [x, np.int32(axis)], ["float32"])

    @parameterized.parameters(*INTS, *UINTS)
    def test_squares_wrap(self, dtype: str) -> None:
        limits = np.iinfo(dtype)
        rows = [[3, 4], [100, 100], [11, 5], [9, 9], [0, 0], [1, limits.max]]
        rows += [
            [limits.max // 2, 7],
            [limits.max, limits.max],
            [limits.min, 1],
        ]
        x = np.array(rows, dtype)
        for axes in ([1], [0], [0, 1], []):
            self.check("EuclideanNorm", x, np.array(axes, np.int32))
        self.check_converted("EuclideanNorm", x, np.int32([1]))


class SumsTest(KernelTestCase):
    @parameterized.product(
        op=["Sum", "Mean", "Prod"],
        dtype=["complex64", "complex128", "float64", "int32", "uint64"],
        keep_dims=[False, True],
    )
    def test_equals_tensorflow(self, op, dtype: str, keep_dims: bool) -> None:
        x = random_values((3, 4, 5), "int32").astype(dtype)
        if dtype.startswith("complex"):
            x = x + x.dtype.type(1j) * random_values((3, 4, 5), "int32", 2)
            x = x.astype(dtype)
        rtol = 1e-5 if dtype == "complex64" else 1e-13
        x = x / 100 if dtype.startswith("complex") else x
        for axis in (0, [0, 2], [-1], [], [2, 1, 0]):
            for constants in ([], [1]):
                self.check(
                    op,
                    *(x, np.int32(axis)),
                    constants=constants,
                    rtol=rtol,
                    keep_dims=keep_dims,
                )

    def test_converts(self) -> None:
        x = random_values((3, 4)).astype("complex64") * np.complex64(1 - 2j)
        for function in (tf.reduce_sum, tf.reduce_mean, tf.reduce_prod):
            self.check_converted(lambda x, f=function: f(x, 0), x, rtol=1e-5)

    def test_of_none(self) -> None:
        x = np.zeros((2, 0), np.complex64)
        for op in ("Sum", "Prod"):
            self.check(op, x, np.int32([1]))
        (got,) = run_op("Mean", [x, np.int32([1])], ["complex64"])
        self.assertTrue(np.isnan(got).all())


if __name__ == "__main__":
    tf.test.main()
