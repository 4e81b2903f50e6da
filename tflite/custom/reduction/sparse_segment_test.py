"""SparseSegmentSum and its kin against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import INDICES
from tflite.custom.python.kernel_test_case import INTS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import UINTS
from tflite.custom.python.kernel_test_case import random_values


class SparseSegmentTest(KernelTestCase):
    """The kernels of reduction/sparse_segment.cc."""

    # Segments of none, one, and so many rows that sums are taken in groups.
    _SEGMENTS = np.repeat([0, 2, 3, 5, 6], [1, 8, 9, 26, 2])

    @parameterized.product(
        op=["SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum"],
        dtype=FLOATS,
        index=INDICES,
        segment=INDICES,
    )
    def test_segments(self, op, dtype, index, segment) -> None:
        segments = self._SEGMENTS.astype(segment)
        rows = np.random.default_rng(1).integers(0, 7, segments.shape)
        rows = rows.astype(index)
        for shape in [(7,), (7, 3), (7, 2, 3), (7, 0)]:
            data = random_values(shape, dtype)
            self.check(op, data, rows, segments)
            self.check(op, data, rows, segments, constants=[2])
            count = np.array(9, index)
            self.check(op + "WithNumSegments", data, rows, segments, count)
            gradients = random_values((7, *shape[1:]), dtype, 2)
            size = np.array(8, np.int32)
            self.check(op + "Grad", gradients, rows, segments, size)
        self.check(op, data, rows[:0], segments[:0])
        count = np.array(2, segment)
        self.check(op + "WithNumSegments", data, rows[:0], segments[:0], count)

    @parameterized.parameters(*INTS, *UINTS)
    def test_sums_of_integers(self, dtype: str) -> None:
        segments = self._SEGMENTS.astype("int32")
        rows = np.random.default_rng(1).integers(0, 7, segments.shape)
        data = random_values((7, 3), dtype)
        self.check("SparseSegmentSum", data, rows, segments)
        count = np.array(9, np.int32)
        self.check(
            "SparseSegmentSumWithNumSegments", data, rows, segments, count
        )

    @parameterized.parameters("Mean", "SqrtN", "Sum")
    def test_converts(self, op: str) -> None:
        op = "SparseSegment" + op
        data = random_values((7, 3), "float32")
        rows, segments = np.int32([3, 0, 0]), np.int32([0, 0, 2])
        self.check_converted(op, data, rows, segments)
        four = np.array(4, np.int32)
        self.check_converted(op + "WithNumSegments", data, rows, segments, four)
        self.check_converted(op + "Grad", data, rows, segments, four)

    @parameterized.parameters(
        ("", [0, 3, 1], [0, 2, 1], "sorted and not negative.* 2 is 1"),
        ("", [0, 3, 1], [-1, 0, 1], "sorted and not negative.* 0 is -1"),
        ("", [0, 4, 1], [0, 0, 1], r"indices must be in \[0, 4\).* 1 is 4"),
        ("", [0, -1, 1], [0, 0, 1], r"indices must be in \[0, 4\).* 1 is -1"),
        ("WithNumSegments", [0, 1], [0, 3], r"segment_ids.* \[0, 3\).* is 3"),
        ("Grad", [0, 3], [0, 1], r"indices must be in \[0, 3\).* 1 is 3"),
        ("Grad", [0, 1], [0, 4], r"segment_ids must be in \[0, 4\).* 1 is 4"),
    )
    def test_errors(self, kind: str, rows, segments, why: str) -> None:
        inputs = [np.ones((4, 2), "f4"), np.int32(rows), np.int32(segments)]
        if kind:
            inputs.append(np.array(3, np.int32))
        self.assert_refused(why, "SparseSegmentMean" + kind, inputs)


if __name__ == "__main__":
    tf.test.main()
