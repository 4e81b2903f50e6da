"""SegmentMax and its kin against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import INTS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import UINTS
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op


class SegmentTest(KernelTestCase):
    @parameterized.product(
        op=["SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd"],
        dtype=[*FLOATS, *INTS, *UINTS],
        index=["int32", "int64"],
    )
    def test_equals_tensorflow(self, op: str, dtype: str, index: str) -> None:
        segments = np.array([0, 0, 2, 2, 2, 2, 5], index)
        shapes = [(7,), (7, 3), (7, 2, 2), (7, 0)]
        for shape in shapes if index == "int32" else shapes[1:2]:
            data = random_values(shape, dtype)
            self.check(op, data, segments, rtol=1e-6)

    @parameterized.parameters("max", "mean", "min", "prod")
    def test_converts(self, name: str) -> None:
        op = getattr(tf.math, f"segment_{name}")
        for ids in ([0, 0, 1, 3], [2, 2, 2, 2]):
            self.check_converted(
                lambda x, i: 2.0 * op(x, i),
                random_values((4, 3)),
                np.int32(ids),
                rtol=1e-6,
            )
        self.check_converted(
            lambda x: op(x, [0, 1, 1]), random_values((3, 2)), rtol=1e-6
        )

    @parameterized.parameters(
        "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd"
    )
    def test_empty(self, op: str) -> None:
        inputs = [np.zeros((0, 2), np.float32), np.zeros(0, np.int32)]
        (got,) = run_op(op, inputs, ["float32"])
        self.assertEqual(got.shape, (0, 2))

    @parameterized.parameters(
        "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd"
    )
    def test_special_values_are_as_in_tensorflow(self, op: str) -> None:
        nan, inf = np.nan, np.inf
        data = [[nan, 1, inf], [2, nan, 3], [-inf, inf, 0], [nan, -inf, 1]]
        data += [[1, 2, -inf], [3, nan, nan], [-0.0, 1e30, 1e30]]
        inputs = [np.float32(data), np.int32([0, 0, 1, 3, 3, 3, 4])]
        self.check(op, *inputs)

    def test_more_rows_than_the_type_counts_is_an_error(self) -> None:
        # TensorFlow dies of a division by zero there.
        inputs = [np.ones((256, 1), np.uint8), np.zeros(256, np.int32)]
        with self.assertRaisesRegex(RuntimeError, "more rows than UINT8"):
            run_op("SegmentMean", inputs, ["uint8"])

    @parameterized.parameters(
        ([0, 3, 2], "element 2 is 2"),
        ([-1, 0, 2], "element 0 is -1"),
        ([0, 1], r"\[2\] for data of \[3,1\]"),
    )
    def test_errors(self, segments, why: str) -> None:
        inputs = [np.float32([[1], [2], [4]]), np.int32(segments)]
        self.assert_refused(why, "SegmentMean", inputs)


if __name__ == "__main__":
    tf.test.main()
