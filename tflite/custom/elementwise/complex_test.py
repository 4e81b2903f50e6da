"""Complex numbers of two, their parts and their angles."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import SPECIAL
from tflite.custom.python.kernel_test_case import random_values


class ComplexTest(KernelTestCase):
    @parameterized.parameters(*FLOATS)
    def test_complex_numbers(self, dtype: str) -> None:
        kind = {"float32": np.complex64, "float64": np.complex128}[dtype]
        types = {"Tout": tf.as_dtype(kind)}
        real, imag = (
            x.ravel() for x in np.meshgrid(*[np.array(SPECIAL, dtype)] * 2)
        )
        self.check("Complex", real, imag, **types)
        column = np.array(SPECIAL, dtype).reshape(-1, 1)
        self.check("Complex", column, column.T.copy(), **types)
        self.check("Complex", column[0], column[:0], **types)
        numbers = np.empty(real.shape, kind)
        numbers.real, numbers.imag = real, imag
        numbers = np.concatenate(
            [numbers, random_values(100, dtype) * kind(3 - 4j)]
        )
        for x in (numbers, numbers[:40].reshape(2, 20), numbers[:0]):
            self.check("Conj", x)
            self.check("Angle", x, Tout=tf.as_dtype(dtype))
        self.check_converted("Angle", x, Tout=tf.as_dtype(dtype))
        self.check_converted("Conj", numbers)
        self.check_converted("Complex", real, imag, **types)


if __name__ == "__main__":
    tf.test.main()
