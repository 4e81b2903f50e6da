"""The kernels of this folder against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import INDICES
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import NUMBERS
from tflite.custom.python.kernel_test_case import SPECIAL
from tflite.custom.python.kernel_test_case import random_values


class PoolingTest(KernelTestCase):
    """Kernels of //tflite/custom/pooling."""

    @parameterized.product(
        op=["MaxPool3D", "AvgPool3D"],
        padding=["SAME", "VALID"],
        window=[(1, 1, 1), (2, 2, 2), (3, 2, 4)],
        strides=[(1, 1, 1), (2, 2, 2), (1, 3, 2)],
    )
    def test_pool_3d(self, op: str, padding: str, window, strides) -> None:
        options = {
            "ksize": [1, *window, 1],
            "strides": [1, *strides, 1],
            "padding": padding,
        }
        for shape in [(1, 4, 4, 4, 2), (2, 5, 3, 7, 3), (1, 3, 2, 4, 17)]:
            # TensorFlow adds in another order.
            ulps = 0 if op == "MaxPool3D" else 8
            self.check(op, 1 + random_values(shape) / 8, ulps=ulps, **options)

    @parameterized.parameters("MaxPool3D", "AvgPool3D")
    def test_converted_pool_3d(self, op: str) -> None:
        x = 1 + random_values((1, 4, 5, 6, 2)) / 8
        for padding in ("SAME", "VALID"):
            options = {"ksize": [1, 2, 3, 2, 1], "strides": [1, 2, 2, 2, 1]}
            self.check_converted(op, x, padding=padding, rtol=1e-6, **options)

    @parameterized.product(
        dtype=NUMBERS,
        index=INDICES,
        padding=["SAME", "VALID"],
        with_batch=[True, False],
    )
    def test_max_pool_with_argmax(
        self, dtype: str, index: str, padding: str, with_batch: bool
    ) -> None:
        for window, strides in [((2, 2), (2, 2)), ((3, 2), (1, 2))]:
            for shape in [(1, 4, 4, 2), (2, 5, 3, 3)]:
                # Few values: the first of the largest counts.
                x = np.clip(random_values(shape, dtype), 0, 3).astype(dtype)
                self.check(
                    "MaxPoolWithArgmax",
                    x,
                    ksize=[1, *window, 1],
                    strides=[1, *strides, 1],
                    padding=padding,
                    Targmax=tf.as_dtype(index),
                    include_batch_in_index=with_batch,
                )

    def test_converted_max_pool_with_argmax(self) -> None:
        self.check_converted(
            "MaxPoolWithArgmax",
            random_values((2, 5, 6, 3)),
            ksize=[1, 2, 3, 1],
            strides=[1, 2, 2, 1],
            padding="SAME",
            include_batch_in_index=True,
        )

    def test_nothing_gives_nothing(self) -> None:
        # TensorFlow refuses it.
        options = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}
        want = [np.zeros((0, 2, 2, 3), each) for each in ("float32", "int64")]
        x = np.zeros((0, 4, 4, 3), np.float32)
        self.check("MaxPoolWithArgmax", x, want=want, padding="SAME", **options)

    def test_special_values(self) -> None:
        x = np.resize(np.float32(SPECIAL), (1, 5, 7, 3))
        options = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1]}
        self.check("MaxPoolWithArgmax", x, padding="SAME", **options)
        for op in ("MaxPool3D", "AvgPool3D"):
            options = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 1, 1, 1]}
            self.check(op, x[None], padding="VALID", ulps=2, **options)
            self.check(op, x[None], padding="SAME", ulps=2, **options)

    @parameterized.parameters("MaxPool3D", "AvgPool3D", "MaxPoolWithArgmax")
    def test_refuses(self, op: str) -> None:
        rank = 4 if op == "MaxPoolWithArgmax" else 5
        x = random_values((1, *[4] * (rank - 2), 2))
        good = {"ksize": [1] * rank, "strides": [1] * rank, "padding": "SAME"}
        for why, wrong in [
            (r"ksize must be . integers .*, not \[1,2\]", {"ksize": [1, 2]}),
            (
                r"strides must be .* not \[1,0",
                {"strides": [1, 0, *[1] * (rank - 2)]},
            ),
            (r"ksize must be .* not \[2,", {"ksize": [2, *[1] * (rank - 1)]}),
            (
                "a window of 9 .* give an output of -4",
                {"ksize": [1, *[9] * (rank - 2), 1], "padding": "VALID"},
            ),
        ]:
            self.assert_refused(f"{op}: .*{why}", op, [x], **(good | wrong))


if __name__ == "__main__":
    tf.test.main()
