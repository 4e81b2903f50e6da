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

    @parameterized.parameters("complex64", "complex128")
    def test_arithmetic_and_functions(self, dtype: str) -> None:
        rtol = 2e-5 if dtype == "complex64" else 1e-13
        a, b = (
            (
                random_values((3, 7), "float64", i)
                + 1j * random_values((3, 7), "float64", i + 2)
            ).astype(dtype)
            for i in (1, 2)
        )
        b[1, 2], b[0, 0] = a[1, 2], 0
        for op in ("AddV2", "Sub", "Mul", "RealDiv", "DivNoNan", "Pow"):
            for y in (b[1:], b[1], b[2, 3]):
                self.check(op, a[1:], y, rtol=rtol)
        self.check("DivNoNan", a, b, rtol=rtol)
        self.check("SquaredDifference", a, b, rtol=rtol)
        for op in ("Equal", "NotEqual"):
            self.check(op, a, b)
            self.check(op, a, b[1])
        for op in (
            *("Cos", "Exp", "Log", "Neg", "Reciprocal", "Rsqrt", "Sigmoid"),
            *("Sin", "Sqrt", "Tanh"),
        ):
            self.check(op, a, rtol=rtol)
            self.check(op, a[:0])

    @parameterized.parameters("float64", "int16", "uint16", "uint64")
    def test_arithmetic_takes_real_numbers_too(self, dtype: str) -> None:
        a, b = (random_values((3, 7), dtype, i) for i in (1, 2))
        for op in ("AddV2", "Sub", "Mul", "Equal", "NotEqual"):
            self.check(op, a, b)
        if dtype in ("float64", "int16"):
            self.check("Neg", a)

    def test_converts(self) -> None:
        a = random_values(6) + 1j * random_values(6, seed=2)
        a = a.astype("complex64")
        self.check_converted(
            lambda x: tf.exp(-x) / (x + 2.0) - tf.sqrt(x), a, rtol=1e-5
        )
        self.check_converted(lambda x, y: x == y, a, a)


if __name__ == "__main__":
    tf.test.main()
