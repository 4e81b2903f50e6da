"""Bincount and its kin against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import INDICES
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op
from tflite.custom.python.kernel_test_case import run_tensorflow
from third_party.tensorflow import releases


class BincountTest(KernelTestCase):
    @parameterized.product(
        dtype=["int32", "int64", "float32", "float64"], weighted=[False, True]
    )
    def test_equals_tensorflow(self, dtype: str, weighted: bool) -> None:
        for shape in [(20,), (3, 10), (2, 3, 4), ()]:
            numbers = np.random.default_rng(1).integers(0, 9, shape)
            inputs = [
                np.asarray(numbers, np.int32),
                np.array(7, np.int32),
                np.asarray(random_values(shape if weighted else (0,)), dtype),
            ]
            # The partial sums of TensorFlow's threads.
            self.check("Bincount", *inputs, rtol=1e-6 if weighted else 0)

    def test_converts(self) -> None:
        def count(x, size, weights):
            return tf.raw_ops.Bincount(arr=x, size=size, weights=weights)

        numbers = np.int32([[0, 4, 4, 9], [1, 1, 1, 0]])
        self.check_converted(
            lambda x: count(x, 5, tf.constant([], tf.float32)), numbers
        )
        for size in (3, 0, 6):
            self.check_converted(
                lambda x, size, w: 2 * count(x, size, w),
                numbers,
                np.int32(size),
                np.arange(8, dtype=np.int64).reshape(2, 4),
            )

    @parameterized.parameters(
        ([0, -1], 3, 0, "Bincount: arr must be non-negative.* element 1 is -1"),
        ([0, 1], -1, 0, r"size must be in \[0, 2147483647\], not -1"),
        ([0, 1], 3, 3, r"weights and arr must have the same shape: \[3\]"),
    )
    def test_errors(self, numbers, size: int, weights: int, why: str) -> None:
        inputs = [np.int32(numbers), np.int32(size), np.ones(weights, "f4")]
        inputs[1] = inputs[1].reshape(())
        self.assert_refused(why, "Bincount", inputs)


class DenseBincountTest(KernelTestCase):
    @parameterized.product(
        index=["int32", "int64"],
        dtype=["int32", "int64", "float32", "float64"],
        binary=[False, True],
        weighted=[False, True],
    )
    def test_equals_tensorflow(self, index, dtype, binary, weighted) -> None:
        for shape in [(20,), (3, 10)]:
            numbers = np.random.default_rng(1).integers(0, 9, shape)
            inputs = [
                numbers.astype(index),
                np.array(7, index),
                np.abs(random_values(shape if weighted else (0,), dtype)),
            ]
            self.check(
                "DenseBincount",
                *inputs,
                binary_output=binary,
                ulps=8 if weighted else 0,
            )

    def test_converts_with_a_constant_size(self) -> None:
        self.check_converted(
            lambda x: tf.raw_ops.DenseBincount(
                input=x, size=5, weights=tf.constant([], tf.float32)
            ),
            np.int32([[0, 4, 4, 9], [1, 1, 1, 0]]),
        )

    def test_converts_with_an_open_size(self) -> None:
        def count(x, size):
            weights = tf.constant([], tf.int64)
            return 2 * tf.raw_ops.DenseBincount(
                input=x, size=size, weights=weights
            )

        for size in (3, 0, 6):
            self.check_converted(count, np.int32([0, 5, 2, 2]), np.int32(size))

    def test_empty_and_scalar(self) -> None:
        none = np.zeros(0, np.float32)
        for numbers in (np.zeros(0, np.int32), np.array(2, np.int32)):
            inputs = [numbers, np.array(3, np.int32), none]
            want = run_tensorflow("DenseBincount", *inputs)
            if numbers.ndim == 0 and not releases.counts_a_scalar(
                tf.__version__
            ):
                self.assertEmpty(want[0])
                want = [np.float32([0, 0, 1])]
            self.check("DenseBincount", *inputs, want=want)

    @parameterized.parameters(
        ([0, -1], 3, 0, "element 1 is -1"),
        ([0, 1], -1, 0, r"size must be in \[0, 2147483647\], not -1"),
        ([0, 1], 3, 3, r"weights and input must have the same shape: \[3\]"),
        ([[[0]]], 3, 0, r"at most rank 2, but is \[1,1,1\]"),
    )
    def test_errors(self, numbers, size: int, weights: int, why: str) -> None:
        inputs = [np.int32(numbers), np.int32(size), np.ones(weights, "f4")]
        inputs[1] = inputs[1].reshape(())
        self.assert_refused(why, "DenseBincount", inputs)


class RowsOfBincountsTest(KernelTestCase):
    """RaggedBincount and SparseBincount."""

    @parameterized.product(
        index=INDICES,
        dtype=["int32", "int64", "float32", "float64"],
        weighted=[False, True],
        binary_output=[False, True],
    )
    def test_equals_tensorflow(self, index, dtype, weighted, binary_output):
        numbers = np.random.default_rng(1).integers(0, 9, 12).astype(index)
        size = np.array(7, index)
        weights = random_values(12 if weighted else 0, dtype)
        options = {"binary_output": binary_output}
        for splits in ([0, 3, 3, 12], [0, 12], [0, 0, 12, 12]):
            inputs = [np.int64(splits), numbers, size, weights]
            self.check("RaggedBincount", *inputs, **options)
            self.check("RaggedBincount", *inputs, **options, constants=[2])
        self.check_converted("RaggedBincount", *inputs, **options)
        rows = np.random.default_rng(2).integers(0, 4, (12, 3))
        # TensorFlow adds up parts of a vector's weights in its threads.
        for shape, ulps in [((4,), 100), ((4, 5), 0), ((4, 5, 6), 0)]:
            inputs = [rows[:, : len(shape)].copy(), numbers, np.int64(shape)]
            inputs += [size, weights]
            self.check("SparseBincount", *inputs, **options, ulps=ulps)
            self.check(
                "SparseBincount",
                *inputs,
                **options,
                constants=[2, 3],
                ulps=ulps,
            )
        self.check_converted("SparseBincount", *inputs, **options)

    @parameterized.parameters(
        ("RaggedBincount", [1, 2], [0, 1], "from 0 to .* 2.* 0 is 1"),
        ("RaggedBincount", [0, 1], [0, 1], "from 0 to .* 2.* 1 is 1"),
        ("RaggedBincount", [0, 2], [0, -1], "non-negative.* 1 is -1"),
        ("SparseBincount", [[0, 0], [3, 0]], [0, 1], "row 1 with 3"),
        ("SparseBincount", [[0, 0], [-1, 0]], [0, 1], "row 1 with -1"),
    )
    def test_errors(self, op: str, rows, numbers, why: str) -> None:
        inputs = [np.int64(rows), np.int32(numbers)]
        if op == "SparseBincount":
            inputs.append(np.int64([3, 4]))
        inputs += [np.array(5, np.int32), np.zeros(0, np.float32)]
        with self.assertRaisesRegex(RuntimeError, why):
            run_op(op, inputs, ["float32"])


if __name__ == "__main__":
    tf.test.main()
