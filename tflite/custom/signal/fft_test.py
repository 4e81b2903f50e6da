"""The kernels of this folder against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op

_COMPLEX = ["complex64", "complex128"]
_FLOATS = ["float32", "float64"]
_RTOL = {"complex64": 2e-6, "complex128": 1e-14}
_RTOL |= {"float32": 2e-6, "float64": 1e-14}
# Small factors, primes that have a pass of their own and primes that have none,
# and long ones: by fours, with a large prime, and neither.
_LENGTHS = [*range(1, 33), 97, 100, 127, 137, 211, 360, 499, 512, 1009, 1536]
_LONG = [4096, 4999, 5003, 5040, 6006, 10007, 16384, 20014, 30030, 131072]


def _complex_values(shape, dtype: str) -> np.ndarray:
    real = random_values(shape, "float64", 1)
    return (real + 1j * random_values(shape, "float64", 2)).astype(dtype)


def _rtol(x: np.ndarray) -> float:
    """How far apart sums of as many elements as there are may be."""
    return _RTOL[x.dtype.name] * max(x.size, 4) ** 0.5


class ComplexTest(KernelTestCase):
    @parameterized.product(op=["FFT", "IFFT"], dtype=_COMPLEX)
    def test_equals_tensorflow_for_every_kind_of_length(
        self, op: str, dtype: str
    ) -> None:
        for length in _LENGTHS:
            x = _complex_values((5, length), dtype)
            self.check(op, x, rtol=_rtol(x))

    @parameterized.product(op=["FFT", "IFFT"], dtype=_COMPLEX, length=_LONG)
    def test_equals_numpy_for_long_lines(
        self, op: str, dtype: str, length: int
    ) -> None:
        x = _complex_values((1, length), dtype)
        exact = {"FFT": np.fft.fft, "IFFT": np.fft.ifft}[op](
            x.astype("complex128")
        )
        (got,) = run_op(op, [x], [dtype])
        error = np.linalg.norm(got - exact) / np.linalg.norm(exact)
        self.assertLess(error, {"complex64": 4e-7, "complex128": 1e-15}[dtype])

    @parameterized.parameters(
        ("FFT", (7,)),
        ("FFT", (2, 3, 8)),
        ("FFT2D", (6, 5)),
        ("FFT2D", (3, 16, 9)),
        ("FFT3D", (3, 4, 5)),
        ("FFT3D", (2, 2, 3, 4, 7)),
        ("FFT3D", (1, 1, 1)),
    )
    def test_any_batch_and_back(self, op: str, shape) -> None:
        for dtype in _COMPLEX:
            x = _complex_values(shape, dtype)
            self.check(op, x, rtol=_rtol(x))
            self.check("I" + op, x, rtol=_rtol(x))
            (y,) = run_op(op, [x], [dtype])
            (back,) = run_op("I" + op, [y], [dtype])
            np.testing.assert_allclose(back, x, rtol=_rtol(x), atol=_rtol(x))

    @parameterized.parameters((0,), (2, 0), (0, 4), (0, 0))
    def test_empty(self, *shape: int) -> None:
        self.check("FFT", np.zeros(shape, "complex64"))
        self.check("IFFT2D", np.zeros((3, *shape), "complex64"))

    def test_nan_and_infinity_stay_in_their_line(self) -> None:
        x = _complex_values((5, 8), "complex64")
        x[1, 2], x[3, 0] = np.nan, np.inf
        (got,) = run_op("FFT", [x], ["complex64"])
        want = np.fft.fft(x[::2])
        np.testing.assert_allclose(got[::2], want, rtol=1e-5, atol=1e-5)
        self.assertFalse(np.isfinite(got[1::2]).any())

    def test_converts(self) -> None:
        x = _complex_values((2, 3, 8), "complex64")
        for name in ("fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d"):
            self.check_converted(getattr(tf.signal, name), x, rtol=_rtol(x))

    def test_errors(self) -> None:
        x = np.ones(4, np.complex64)
        self.assert_refused("rank 2 or more, but is .4.", "FFT2D", [x])
        self.assert_refused("rank 3 or more, but is .4.", "IFFT3D", [x])
        with self.assertRaisesRegex(RuntimeError, "FFT: input must be COMPLEX"):
            run_op("FFT", [np.ones(4, np.float32)], ["complex64"])


class RealTest(KernelTestCase):
    @parameterized.parameters(*_FLOATS)
    def test_equals_tensorflow_for_every_kind_of_length(self, dtype) -> None:
        complex_dtype = "complex64" if dtype == "float32" else "complex128"
        attributes = {"Treal": tf.as_dtype(dtype)}
        for length in _LENGTHS:
            size = np.int32([length])
            x = random_values((5, length), dtype)
            self.check(
                "RFFT",
                *(x, size),
                constants=[1],
                rtol=_rtol(x),
                Tcomplex=tf.as_dtype(complex_dtype),
            )
            z = _complex_values((5, length // 2 + 1), complex_dtype)
            self.check(
                "IRFFT", z, size, constants=[1], rtol=_rtol(z), **attributes
            )

    @parameterized.product(dtype=_FLOATS, length=_LONG)
    def test_equals_numpy_for_long_lines_and_back(
        self, dtype: str, length: int
    ) -> None:
        complex_dtype = "complex64" if dtype == "float32" else "complex128"
        x, size = random_values((1, length), dtype), np.int32([length])
        exact = np.fft.rfft(x.astype("float64"))
        (got,) = run_op("RFFT", [x, size], [complex_dtype], {}, [1])
        error = np.linalg.norm(got - exact) / np.linalg.norm(exact)
        limit = 4e-7 if dtype == "float32" else 1e-15
        self.assertLess(error, limit)
        (back,) = run_op("IRFFT", [got, size], [dtype], {}, [1])
        error = np.linalg.norm(back - x) / np.linalg.norm(x)
        self.assertLess(error, 2 * limit)

    @parameterized.parameters(
        ("RFFT", (3, 9), [9]),
        ("RFFT", (3, 9), [4]),
        ("RFFT2D", (3, 6, 9), [6, 9]),
        ("RFFT2D", (3, 6, 9), [6, 8]),
        ("RFFT2D", (3, 6, 9), [5, 2]),
        ("RFFT3D", (2, 3, 4, 5), [3, 4, 5]),
        ("RFFT3D", (2, 3, 4, 5), [2, 3, 1]),
        ("IRFFT", (3, 9), [16]),
        ("IRFFT", (3, 9), [17]),
        ("IRFFT", (3, 9), [5]),
        ("IRFFT2D", (3, 6, 5), [6, 8]),
        ("IRFFT2D", (3, 6, 5), [4, 3]),
        ("IRFFT3D", (2, 3, 4, 5), [3, 4, 9]),
        ("IRFFT3D", (2, 3, 4, 5), [1, 2, 3]),
    )
    def test_lines_are_cut_to_fft_length(self, op, shape, length) -> None:
        inverse = op.startswith("I")
        length = np.int32(length)
        for dtype, complex_dtype in zip(_FLOATS, _COMPLEX, strict=True):
            if inverse:
                x = _complex_values(shape, complex_dtype)
                types = {"Treal": tf.as_dtype(dtype)}
            else:
                x = random_values(shape, dtype)
                types = {"Tcomplex": tf.as_dtype(complex_dtype)}
            for constants in ([], [1]):
                self.check(
                    op, x, length, constants=constants, rtol=_rtol(x), **types
                )

    def test_of_no_elements_is_zeros(self) -> None:
        x = np.zeros((2, 0), np.float32)
        (got,) = run_op("RFFT", [x, np.int32([4])], ["complex64"])
        np.testing.assert_array_equal(got, np.zeros((2, 3), "complex64"))
        z = x.astype("complex64")
        (got,) = run_op("IRFFT", [z, np.int32([4])], ["float32"], {}, [1])
        np.testing.assert_array_equal(got, np.zeros((2, 4), "float32"))

    def test_a_length_of_zero_gives_no_elements(self) -> None:
        # TensorFlow ends the process.
        x = np.ones((2, 4), np.float32)
        (got,) = run_op("RFFT", [x, np.int32([0])], ["complex64"])
        self.assertEqual(got.shape, (2, 0))
        x = x.astype("complex64")
        (got,) = run_op("IRFFT2D", [x, np.int32([2, 0])], ["float32"])
        self.assertEqual(got.shape, (2, 0))

    def test_converts(self) -> None:
        x = random_values((2, 4, 9), "float64")
        z = _complex_values((2, 4, 9), "complex64")
        for name in ("rfft", "rfft2d", "rfft3d"):
            self.check_converted(getattr(tf.signal, name), x, rtol=1e-14)
        for name in ("irfft", "irfft2d", "irfft3d"):
            self.check_converted(getattr(tf.signal, name), z, rtol=1e-6)
            self.check_converted(
                lambda z, length, name=name: getattr(tf.signal, name)(
                    z, length[-int(name[5:-1] or 1) :]
                ),
                *(z, np.int32([2, 5, 7])),
                rtol=1e-6,
            )

    @parameterized.parameters(
        ("RFFT", [8], r"dimension 1 of input must be 8 or more.*but is 4"),
        ("RFFT", [-1], r"fft_length\[0\] must be 0 or more, not -1"),
        ("RFFT", [4, 4], "fft_length must have 1 elements, .* not 2"),
        ("RFFT2D", [3, 4], "dimension 0 of input must be 3 or more"),
        ("IRFFT", [8], "dimension 1 of input must be 5 or more.*but is 4"),
    )
    def test_errors(self, op: str, length, why: str) -> None:
        dtype = "complex64" if op.startswith("I") else "float32"
        x = np.ones((2, 4), dtype)
        self.assert_refused(why, op, [x, np.int32(length)])

    def test_more_errors(self) -> None:
        x = np.ones((2, 4), np.float32)
        for length, why in [
            (np.int32(4), r"fft_length must be a vector, not \[\]"),
            (np.int64([4]), "fft_length must be INT32"),
        ]:
            with self.assertRaisesRegex(RuntimeError, why):
                run_op("RFFT", [x, length], ["complex64"])
        with self.assertRaisesRegex(RuntimeError, "output must be COMPLEX64"):
            run_op("RFFT", [x, np.int32([4])], ["complex128"])


class AnyDimensionsTest(KernelTestCase):
    """Ops for which TensorFlow has no kernel on the CPU: against NumPy."""

    @parameterized.parameters(
        ([1, 2], [4, 6]),
        ([0], [3]),
        ([2, 0], [6, 3]),
        ([2, 0, 1], [6, 3, 4]),
        ([-1, -3], [5, 2]),
    )
    def test_equals_numpy(self, axes, length) -> None:
        for complex_dtype, dtype in zip(_COMPLEX, _FLOATS, strict=True):
            z, x = (
                _complex_values((3, 4, 6), complex_dtype),
                random_values((3, 4, 6), dtype),
            )
            rtol = 20 * _RTOL[dtype]
            for op, function, value in [
                ("FFTND", np.fft.fftn, z),
                ("IFFTND", np.fft.ifftn, z),
                ("RFFTND", np.fft.rfftn, x),
                ("IRFFTND", np.fft.irfftn, z),
            ]:
                kind = dtype if op == "IRFFTND" else complex_dtype
                want = function(value, s=length, axes=axes).astype(kind)
                inputs = [value, np.int32(length), np.int32(axes)]
                for constants in ([], [1, 2]):
                    got = run_op(op, inputs, [kind], {}, constants)
                    self.assert_outputs(got, [want], rtol=rtol)

    def test_converts(self) -> None:
        x = random_values((3, 4, 6))
        specs = [tf.TensorSpec(x.shape, x.dtype)]
        model = self.convert(lambda x: tf.signal.rfftnd(x, axes=[0, 2]), specs)
        self.assertIn(b"RFFTND", model)

    @parameterized.parameters(
        ([3], [1], "axes must be different dimensions .*element 0 is 3"),
        (
            [1, -1],
            [1, 1],
            "axes must be different dimensions .*element 1 is -1",
        ),
        ([-4], [1], r"in \[-2, 2\), but element 0 is -4"),
        ([0], [1, 1], "fft_length must have 1 elements"),
        ([], [], "axes must name a dimension"),
    )
    def test_errors(self, axes, length, why: str) -> None:
        x = np.ones((2, 4), np.complex64)
        inputs = [x, np.int32(length), np.int32(axes)]
        with self.assertRaisesRegex(RuntimeError, why):
            run_op("FFTND", inputs, ["complex64"])


if __name__ == "__main__":
    tf.test.main()
