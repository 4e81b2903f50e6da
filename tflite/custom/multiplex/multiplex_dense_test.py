"""MultiplexDense against the op of multiplex_2."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op
from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import INTS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import UINTS
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op


class MultiplexDenseTest(KernelTestCase):
    @parameterized.parameters(
        *FLOATS, *INTS, *UINTS, "float16", "bool", "complex64", "complex128"
    )
    def test_equals_tensorflow(self, dtype: str) -> None:
        shape = (3, 5)
        cond = random_values(shape) > 0
        a, b = (
            random_values(shape, "float32", i).astype(dtype) for i in (1, 2)
        )
        (got,) = run_op("Examples>MultiplexDense", [cond, a, b], [dtype])
        want = multiplex_2_op.multiplex(cond, a, b).numpy()
        np.testing.assert_array_equal(got, want)

    def test_converts(self) -> None:
        self.check_converted(
            multiplex_2_op.multiplex,
            np.array([True, False]),
            np.float32([1, 2]),
            np.float32([3, 4]),
        )

    def test_shapes_that_differ_are_an_error(self) -> None:
        inputs = [np.ones(2, bool), np.ones(2, "f4"), np.ones(3, "f4")]
        with self.assertRaisesRegex(
            RuntimeError, r"a and b must have the same shape: \[2\] and \[3\]"
        ):
            run_op("Examples>MultiplexDense", inputs, ["float32"])


if __name__ == "__main__":
    tf.test.main()
