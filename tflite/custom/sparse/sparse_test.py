"""The kernels of this folder against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import INDICES
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import NUMBERS
from tflite.custom.python.kernel_test_case import SPECIAL
from tflite.custom.python.kernel_test_case import random_values


class SparseTest(KernelTestCase):
    """Kernels of //tflite/custom/sparse."""

    _INDICES_OF_VALUES = np.int64([[0, 1], [2, 0], [2, 2], [3, 1]])

    @parameterized.product(op=["Add", "Div", "Mul"], dtype=NUMBERS)
    def test_element_wise(self, op: str, dtype: str) -> None:
        op = "SparseDenseCwise" + op
        values = random_values(4, dtype)
        for shape in [(), (3,), (1,), (4, 1), (1, 3), (4, 3)]:
            dense = np.asarray(random_values(shape, dtype, 2))
            dense = np.where(dense == 0, np.array(1, dtype), dense)
            inputs = [self._INDICES_OF_VALUES, values, np.int64([4, 3]), dense]
            self.check(op, *inputs)
        inputs[0], inputs[1] = inputs[0][:0], values[:0]
        self.check(op, *inputs)

    @parameterized.parameters("Add", "Div", "Mul")
    def test_element_wise_special_values(self, op: str) -> None:
        op = "SparseDenseCwise" + op
        special = np.float32(SPECIAL)
        dense = special[special != 0]
        grid = np.int64(np.indices((10, dense.size)).reshape(2, -1).T)
        values = np.repeat(special, dense.size)
        # TensorFlow takes a denormal for the zero that it will not divide by.
        if op.endswith("Div"):
            dense = np.where(np.abs(dense) < 1e-38, np.float32(7), dense)
        shape = np.int64([10, dense.size])
        self.check(op, grid, values, shape, dense)
        self.check_converted(op, grid, values, shape, dense)

    def test_quotients_that_overflow_wrap(self) -> None:
        least = np.int32([-(2**31)])
        self.check(  # TensorFlow dies of it.
            "SparseDenseCwiseDiv",
            *(np.int64([[0]]), least, np.int64([1]), np.int32([-1])),
            want=[least],
        )

    @parameterized.product(dtype=NUMBERS, index=INDICES)
    def test_dense_add(self, dtype: str, index: str) -> None:
        op = "SparseTensorDenseAdd"
        indices = self._INDICES_OF_VALUES.astype(index)
        inputs = [random_values(4, dtype), np.array([4, 3], index)]
        dense = random_values((4, 3), dtype, 2)
        self.check(op, indices, *inputs, dense)
        self.check(op, np.zeros_like(indices), *inputs, dense)
        self.check(op, indices[:0], inputs[0][:0], inputs[1], dense)
        self.check_converted(op, indices, *inputs, dense)

    @parameterized.product(
        op=["SparseReduceMax", "SparseReduceSum"],
        dtype=NUMBERS,
        keep_dims=[False, True],
    )
    def test_reduce(self, op: str, dtype: str, keep_dims: bool) -> None:
        values = random_values(
            4, dtype
        ).round()  # In whatever order they are added.
        shape = np.int64([4, 3])
        for axes in ([0], [1], [-1], 0, [0, 1], [], [1, 1]):
            inputs = [self._INDICES_OF_VALUES, values, shape, np.int32(axes)]
            inputs[3] = inputs[3].reshape(np.shape(axes))
            self.check(op, *inputs, keep_dims=keep_dims)
            self.check(op, *inputs, keep_dims=keep_dims, constants=[2, 3])
            inputs[0] = inputs[0][::-1].copy()
            self.check(op, *inputs, keep_dims=keep_dims)
        inputs[0], inputs[1] = inputs[0][:0], values[:0]
        self.check(op, *inputs, keep_dims=keep_dims)

    @parameterized.parameters("SparseReduceMax", "SparseReduceSum")
    def test_reduce_special_values_and_converts(self, op: str) -> None:
        special = np.float32(SPECIAL)
        values = np.stack(np.meshgrid(special, special)).reshape(2, -1)
        if op == "SparseReduceMax":  # A NaN may hide others, or not.
            values = values[:, ~np.isnan(values).any(0)]
        shape = values.shape[::-1]
        indices = np.int64(np.indices(shape).reshape(2, -1).T)
        inputs = [indices, values.T.ravel(), np.int64(shape), np.int32([1])]
        self.check(op, *inputs)
        self.check_converted(op, *inputs, keep_dims=True)

    @parameterized.parameters(
        ("SparseDenseCwiseAdd", [4, 2], (2,), "index 2 .* dimension 1, .* 2"),
        ("SparseDenseCwiseAdd", [4, 3], (4,), r"of rank 2, but is \[4\]"),
        ("SparseDenseCwiseAdd", [4, 3], (1, 4, 3), r"but is \[1,4,3\]"),
        ("SparseDenseCwiseDiv", [4, 3], (0, 3), "must broadcast"),
        ("SparseTensorDenseAdd", [4, 3], (4, 4), r"1 is 3, but is \[4,4\]"),
        ("SparseTensorDenseAdd", [3, 3], (3, 3), "index 3 .* 0, but is 3"),
        ("SparseTensorDenseAdd", [4, 3], (3,), r"of rank 2, but is \[3\]"),
    )
    def test_errors(self, op: str, shape, dense, why: str) -> None:
        values = np.float32([1, 2, 3, 4])
        inputs = [self._INDICES_OF_VALUES, values, np.int64(shape)]
        inputs.append(np.ones(dense, np.float32))
        self.assert_refused(why, op, inputs)

    def test_division_by_zero_is_refused(self) -> None:
        values = np.float32([1, 2, 3, 4])
        inputs = [self._INDICES_OF_VALUES, values, np.int64([4, 3])]
        self.assert_refused(
            "cannot divide by zero: element 1 of dense",
            "SparseDenseCwiseDiv",
            [*inputs, np.float32([1, 0, 2])],
        )

    def test_axes_outside_are_refused(self) -> None:
        values = np.float32([1, 2, 3, 4])
        inputs = [self._INDICES_OF_VALUES, values, np.int64([4, 3])]
        self.assert_refused(
            r"axis must be in \[-2, 2\), but element 0 is 2",
            "SparseReduceSum",
            [*inputs, np.int32([2])],
        )


if __name__ == "__main__":
    tf.test.main()
