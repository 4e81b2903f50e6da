"""GatherV2 against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import INDICES
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import random_values


class GatherTest(KernelTestCase):
    def _check(self, x, indices, axis, **attributes) -> None:
        """With the axis as a constant, and as an input."""
        for constants in ([2], ()):
            self.check(
                "GatherV2", x, indices, axis, constants=constants, **attributes
            )

    @parameterized.parameters(
        "complex64", "complex128", "float64", "int8", "int16", "bool"
    )
    def test_every_type(self, dtype: str) -> None:
        x = random_values((3, 4), "int32") * (1 + 2j)
        x = x.astype(dtype) if "complex" in dtype else x.real.astype(dtype)
        self._check(x, np.int32([[2, 0], [1, 1]]), np.int32(0))

    @parameterized.product(axis=[0, 1, 2, -1, -3], dtype=INDICES)
    def test_axes_and_ranks(self, axis: int, dtype: str) -> None:
        x = random_values((2, 3, 4), "int32").astype("complex64")
        for indices in (1, [], [1, 0, 1], [[[1], [0]]]):
            self._check(x, np.array(indices, dtype), np.array(axis, dtype))

    @parameterized.parameters((0, 1), (1, 1), (1, 2), (2, 2), (-1, 2), (-2, 1))
    def test_batches(self, batch_dims: int, axis: int) -> None:
        x = random_values((2, 3, 4, 2), "int32").astype("complex64")
        indices = np.abs(random_values((2, 3), "int32")) % 3
        self._check(x, indices, np.int32(axis), batch_dims=batch_dims)

    def test_no_elements(self) -> None:
        x = np.zeros((2, 3, 0), "complex64")
        self._check(x, np.int32([1, 0]), np.int32(1))

    def test_converted(self) -> None:
        x = random_values((2, 3), "int32").astype("complex64")
        indices = np.int32([2, 0])
        self.check_converted(lambda x, i: tf.gather(x, i, axis=1), x, indices)

    @parameterized.parameters(3, -1)
    def test_indices_outside_are_refused(self, index: int) -> None:
        x = random_values((3, 2))
        self.assert_refused(
            rf"indices must be in \[0, 3\), but element 1 is {index}",
            "GatherV2",
            [x, np.int32([0, index]), np.int32(0)],
        )

    def test_wrong_calls_are_refused(self) -> None:
        x = random_values((3, 2))
        indices = np.int32([[0], [1]])
        for why, axis, batch_dims in (
            (r"axis must be in \[-2, 2\), not 2", 2, 0),
            (r"at most axis, 0, but is 1", 0, 1),
            (r"agree in the first 1 .* \[3,2\] and \[2,1\]", 1, 1),
        ):
            self.assert_refused(
                why,
                "GatherV2",
                [x, indices, np.int32(axis)],
                batch_dims=batch_dims,
            )


if __name__ == "__main__":
    tf.test.main()
