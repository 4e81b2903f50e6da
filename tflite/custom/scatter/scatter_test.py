"""The kernels of this folder against TensorFlow."""

import itertools

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import INDICES
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import NUMBERS
from tflite.custom.python.kernel_test_case import SPECIAL
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_tensorflow
from third_party.tensorflow import releases


class ScatterTest(KernelTestCase):
    """Kernels of //tflite/custom/scatter."""

    @parameterized.parameters(
        *itertools.product(["InplaceAdd", "InplaceSub"], NUMBERS),
        *itertools.product(["InplaceUpdate"], [*NUMBERS, "bool"]),
    )
    def test_inplace(self, op: str, dtype: str) -> None:
        rows = np.array([2, -1, 0, 2, 9], np.int32)
        for shape in [(4,), (4, 3), (4, 3, 2), (4, 0)]:
            x = random_values(shape, "int32").astype(dtype)
            v = random_values((5, *shape[1:]), "int32", 2).astype(dtype)
            self.check(op, x, rows, v)
        self.check(op, x, rows[:0], v[:0])
        self.check(op, x[:0], rows, v)

    @parameterized.parameters("InplaceAdd", "InplaceSub", "InplaceUpdate")
    def test_inplace_converts(self, op: str) -> None:
        x, v = (
            random_values((4, 3), "float32"),
            random_values((2, 3), "float32", 2),
        )
        self.check_converted(op, x, np.array([1, 3], np.int32), v)
        special = np.float32(SPECIAL)
        rows = np.arange(10, dtype=np.int32)
        self.check(op, special, rows, special[::-1].copy())
        self.assert_refused(
            r"x, i and v are \[4,3\], \[1\] and \[2,3\]",
            op,
            [x, np.array([1], np.int32), v],
        )

    @parameterized.product(
        op=[
            "ScatterNdNonAliasingAdd",
            "TensorScatterMax",
            "TensorScatterMin",
            "TensorScatterSub",
        ],
        dtype=NUMBERS,
        index=INDICES,
    )
    def test_tensor_scatter(self, op: str, dtype: str, index: str) -> None:
        tensor = random_values((4, 3, 2), dtype)
        for indices in [
            [[1], [3], [1]],
            [[1, 2], [0, 0], [3, 1]],
            [[[1, 2, 0]], [[3, 2, 1]]],
            np.zeros((0, 1)),
        ]:
            indices = np.array(indices, index)
            depth = indices.shape[-1]
            shape = (*indices.shape[:-1], *tensor.shape[depth:])
            self.check(op, tensor, indices, random_values(shape, dtype, 2))
        if dtype == "float32" and index == "int32":
            special = np.float32(SPECIAL)
            self.check(
                op,
                np.repeat(special, 10),
                np.arange(100, dtype=index).reshape(100, 1),
                np.tile(special, 10),
            )
            row = np.array([[0]], index)
            self.check(
                op,
                np.repeat(special, 10).reshape(1, 100),
                row,
                np.tile(special, 10).reshape(1, 100),
            )
            updates = random_values((1, 3, 2), dtype, 2)
            self.check_converted(op, tensor, row, updates)
            ignore = {"bad_indices_policy": "IGNORE"}
            if releases.has_bad_indices_policy(tf.__version__):
                self.check_converted(op, tensor, row - 1, updates, **ignore)
            else:
                with self.assertRaisesRegex(TypeError, "bad_indices_policy"):
                    run_tensorflow(op, tensor, row, updates, **ignore)

    @parameterized.parameters(
        ([[4]], (1, 3), r"index 0 is \[4\], outside of tensor, \[4,3\]"),
        ([[0, 0], [-1, 2]], (2,), r"index 1 is \[-1,2\], outside"),
        ([[0]], (3,), r"are \[4,3\], \[1,1\] and \[3\]"),
        ([[0, 0, 0]], (1,), r"are \[4,3\], \[1,3\] and \[1\]"),
        ([[]], (1, 4, 3), r"are \[4,3\], \[1,0\] and \[1,4,3\]"),
    )
    def test_tensor_scatter_errors(self, indices, updates, why: str) -> None:
        self.assert_refused(
            why,
            "TensorScatterMax",
            [
                np.zeros((4, 3), np.float32),
                np.array(indices, np.int32),
                np.zeros(updates, np.float32),
            ],
        )


if __name__ == "__main__":
    tf.test.main()
