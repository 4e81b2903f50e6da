"""The kernels of this folder against TensorFlow."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.every_runtime import run_everywhere
from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import INTS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import UINTS
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op
from tflite.custom.python.kernel_test_case import run_tensorflow
from third_party.tensorflow import releases

_SHAPES = [(3, 3), (5, 3), (3, 5), (1, 1), (2, 4, 4), (2, 3, 2, 5), (40, 40)]
_EMPTY = [(0, 0), (2, 0, 0), (0, 3, 3), (0, 3), (3, 0), (2, 0, 3)]


_COMPLEX = ["complex64", "complex128"]
_RTOL = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-10}
_RTOL |= {"complex128": 1e-10}


def _values(shape: Sequence[int], dtype: str, seed: int = 1) -> np.ndarray:
    x = random_values(shape, "float64", seed)
    if dtype.startswith("complex"):
        x = x + 1j * random_values(shape, "float64", seed + 100)
    return x.astype(dtype)


def _well_conditioned(shape: Sequence[int], dtype: str) -> np.ndarray:
    n = shape[-1]
    return (_values(shape, dtype) + 2 * np.sqrt(n) * np.eye(n)).astype(dtype)


class SolveTest(KernelTestCase):
    @parameterized.product(
        dtype=[*FLOATS, *_COMPLEX],
        adjoint=[False, True],
        shape=[(1, 1, 1), (4, 4, 3), (2, 3, 5, 5, 2), (60, 60, 1)],
    )
    def test_equals_tensorflow(self, dtype: str, adjoint: bool, shape) -> None:
        a = _well_conditioned(shape[:-1], dtype)
        b = _values((*shape[:-2], shape[-1]), dtype, 2)
        self.check("MatrixSolve", a, b, rtol=_RTOL[dtype], adjoint=adjoint)
        for lower in (False, True):
            self.check(
                "MatrixTriangularSolve",
                *(a, b),
                rtol=_RTOL[dtype],
                adjoint=adjoint,
                lower=lower,
            )

    @parameterized.parameters(
        ((2, 0, 0), (2, 0, 3)),
        ((0, 2, 2), (0, 2, 1)),
        ((2, 2, 2), (2, 2, 0)),
        ((0, 0), (0, 0)),
    )
    def test_empty(self, a, b) -> None:
        a, b = np.ones(a, np.float32), np.ones(b, np.float32)
        self.check("MatrixSolve", a, b)
        self.check("MatrixTriangularSolve", a, b)

    @parameterized.parameters(
        ((3, 1, 2, 2), (4, 2, 1)),
        ((2, 2), (5, 2, 3)),
        ((2, 3, 2, 2), (2, 3)),
        ((1, 3, 2, 2), (4, 1, 2, 3)),
        ((0, 2, 2), (1, 2, 1)),
    )
    def test_batches_of_triangles_broadcast(self, a, b) -> None:
        a, b = _well_conditioned(a, "float32"), _values(b, "float32")
        self.check("MatrixTriangularSolve", a, b, rtol=1e-5)

    def test_a_zero_on_the_diagonal_is_as_in_tensorflow(self) -> None:
        for a in ([[1, 2], [0, 0]], [[np.nan, 0], [1, 1]], [[0, 0], [0, 0]]):
            self.check(
                "MatrixTriangularSolve",
                *(np.float32(a), np.ones((2, 1), np.float32)),
                lower=False,
            )

    def test_converts(self) -> None:
        a, b = (
            _well_conditioned((3, 4, 4), "float32"),
            _values((3, 4, 2), "float32"),
        )
        self.check_converted(tf.linalg.solve, a, b, rtol=1e-5)
        self.check_converted(
            lambda a, b: tf.linalg.triangular_solve(
                a, b, lower=False, adjoint=True
            ),
            *(a, b),
            rtol=1e-5,
        )
        spd = a @ np.swapaxes(a, -1, -2)
        self.check_converted(
            lambda a, b: tf.linalg.cholesky_solve(
                tf.raw_ops.Cholesky(input=a), b
            ),
            *(spd, b),
            rtol=1e-4,
        )

    def test_errors(self) -> None:
        a, b = np.ones((2, 2), np.float32), np.ones((2, 1), np.float32)
        for singular in (a, a * np.nan, a * 0):
            self.assert_refused(
                "Input is not invertible. .matrix 0 of",
                "MatrixSolve",
                [singular, b],
            )
        for op in ("MatrixSolve", "MatrixTriangularSolve"):
            self.assert_refused(
                "rhs must have as many rows as input, but has 1 for 2",
                *(op, [a, b[:1]]),
            )
            self.assert_refused(
                "must be square matrices", op, [np.float32([[1, 2]]), b[:1]]
            )
            self.assert_refused("rhs must have rank 2", op, [a, b[0]])
        batches = [np.ones((3, 2, 2), "f4"), np.ones((4, 2, 1), "f4")]
        self.assert_refused(
            r"must be the same, but are \[3\] and \[4\]", "MatrixSolve", batches
        )
        self.assert_refused(
            r"must broadcast, but are \[3\] and \[4\]",
            *("MatrixTriangularSolve", batches),
        )


class MatMulTest(KernelTestCase):
    @parameterized.product(
        dtype=[*FLOATS, *_COMPLEX],
        adj_x=[False, True],
        adj_y=[False, True],
    )
    def test_equals_tensorflow(self, dtype: str, adj_x, adj_y) -> None:
        rtol = _RTOL[dtype] / 10
        for batch_a, batch_b in [((), ()), ((3, 1), (4,)), ((0,), (0,))]:
            a = _values((*batch_a, *((5, 2) if adj_x else (2, 5))), dtype)
            b = _values((*batch_b, *((3, 5) if adj_y else (5, 3))), dtype, 2)
            self.check(
                "BatchMatMulV2", a, b, rtol=rtol, adj_x=adj_x, adj_y=adj_y
            )
            if batch_a == batch_b == ():
                self.check(
                    "MatMul",
                    *(a, b),
                    rtol=rtol,
                    transpose_a=adj_x,
                    transpose_b=adj_y,
                )

    def test_empty_and_converted(self) -> None:
        empty = np.zeros((2, 0), np.complex64)
        self.check("MatMul", empty, empty.T.copy())
        self.check("MatMul", empty.T.copy(), empty)
        a = _values((4, 4), "complex64")
        self.check_converted(
            lambda a: tf.matmul(a, a, adjoint_a=True) @ a, a, rtol=1e-5
        )
        self.assert_refused(
            "as many columns as the second has rows, not 4 and 3",
            *("BatchMatMulV2", [a, a[:3]]),
        )


class SelfAdjointEigTest(KernelTestCase):
    @parameterized.product(
        dtype=[*FLOATS, *_COMPLEX],
        shape=[(1, 1), (4, 4), (2, 3, 5, 5), (40, 40), (100, 100)],
    )
    def test_equals_tensorflow(self, dtype: str, shape) -> None:
        x = _values(shape, dtype)
        x = x + np.conj(np.swapaxes(x, -1, -2))
        values, vectors = run_op("SelfAdjointEigV2", [x], [dtype] * 2)
        want, _ = run_tensorflow("SelfAdjointEigV2", x)
        rtol = _RTOL[dtype]
        np.testing.assert_allclose(values, want, rtol=rtol, atol=rtol)
        # Vectors are free up to a factor.
        np.testing.assert_allclose(
            x @ vectors, vectors * values[..., None, :], atol=rtol * shape[-1]
        )
        product = np.conj(np.swapaxes(vectors, -1, -2)) @ vectors
        np.testing.assert_allclose(
            product, np.broadcast_to(np.eye(shape[-1]), x.shape), atol=rtol
        )
        values_alone, none = run_op(
            "SelfAdjointEigV2", [x], [dtype] * 2, {"compute_v": False}
        )
        np.testing.assert_allclose(values_alone, want, rtol=rtol, atol=rtol)
        self.assertEqual(none.shape, (0,))

    @parameterized.parameters((0, 0), (2, 0, 0), (0, 3, 3))
    def test_empty(self, *shape: int) -> None:
        self.check("SelfAdjointEigV2", np.ones(shape, np.float32))

    def test_the_lower_triangle_alone_counts(self) -> None:
        self.check("SelfAdjointEigV2", np.float32([[1, 9], [2, 1]]), rtol=1e-6)

    def test_converts(self) -> None:
        x = _values((2, 4, 4), "float32")
        x = x + np.swapaxes(x, -1, -2)
        self.check_converted(tf.linalg.eigvalsh, x, rtol=1e-5)
        self.check_converted(
            lambda x: tf.abs(tf.linalg.eigh(x)[1]), x, rtol=1e-4
        )

    def test_errors(self) -> None:
        for value in (np.nan, np.inf):
            self.assert_refused(
                "The input might not be valid",
                *("SelfAdjointEigV2", [np.float32([[1, 2], [value, 1]])]),
            )
        self.assert_refused(
            "square matrices", "SelfAdjointEigV2", [np.ones((2, 3), "f4")]
        )


class MatrixSquareRootTest(KernelTestCase):
    @parameterized.product(
        dtype=[*FLOATS, *_COMPLEX],
        shape=[(1, 1), (4, 4), (2, 3, 5, 5), (20, 20)],
    )
    def test_equals_tensorflow(self, dtype: str, shape) -> None:
        x = _well_conditioned(shape, dtype)
        self.check("MatrixSquareRoot", x, rtol=_RTOL[dtype])
        (root,) = run_op("MatrixSquareRoot", [x], [dtype])
        rtol = _RTOL[dtype] * shape[-1]
        np.testing.assert_allclose(root @ root, x, rtol=rtol, atol=rtol)

    @parameterized.parameters(
        ([[-1, 0], [0, 4]],),
        ([[np.nan, 0], [0, 4]],),
        ([[0, -1], [1, 0]],),
        ([[2, 1], [1, 4]],),
    )
    def test_special_matrices_are_as_in_tensorflow(self, x) -> None:
        self.check("MatrixSquareRoot", np.float32(x), rtol=1e-6)

    @parameterized.parameters((0, 0), (2, 0, 0), (0, 3, 3))
    def test_empty(self, *shape: int) -> None:
        self.check("MatrixSquareRoot", np.ones(shape, np.float32))

    def test_converts(self) -> None:
        x = _well_conditioned((4, 4), "float32")
        self.check_converted(tf.linalg.sqrtm, x, rtol=1e-5)

    def test_errors(self) -> None:
        self.assert_refused(
            "square matrices", "MatrixSquareRoot", [np.ones((2, 3), "f4")]
        )


class ComplexInverseTest(KernelTestCase):
    @parameterized.product(dtype=_COMPLEX, adjoint=[False, True])
    def test_equals_tensorflow(self, dtype: str, adjoint: bool) -> None:
        x = _well_conditioned((2, 5, 5), dtype)
        self.check("MatrixInverse", x, rtol=_RTOL[dtype], adjoint=adjoint)


class CrossTest(KernelTestCase):
    @parameterized.parameters(*FLOATS, *INTS, *UINTS)
    def test_equals_tensorflow(self, dtype: str) -> None:
        a, b = (
            random_values((4, 5, 3), dtype, 1),
            random_values((4, 5, 3), dtype, 2),
        )
        # TensorFlow may fuse the multiplications.
        self.check("Cross", a, b, rtol=1e-6)

    @parameterized.parameters((3,), (0, 3), (2, 0, 3))
    def test_converts_and_takes_any_batch(self, *shape: int) -> None:
        self.check_converted(
            lambda a, b: tf.raw_ops.Cross(a=a, b=b),
            random_values(shape, seed=1),
            random_values(shape, seed=2),
            rtol=1e-6,
        )

    def test_nan_and_infinity(self) -> None:
        a = np.float32([[np.nan, 1, 2], [np.inf, 1, 2]])
        b = np.float32([[3, 4, 5], [6, 7, np.inf]])
        self.check_converted(lambda a, b: tf.raw_ops.Cross(a=a, b=b), a, b)


class CholeskyTest(KernelTestCase):
    @parameterized.product(
        dtype=FLOATS, shape=[(1, 1), (3, 3), (2, 4, 4), (2, 3, 5, 5), (60, 60)]
    )
    def test_equals_tensorflow(self, dtype: str, shape) -> None:
        x = random_values(shape, dtype)
        x = x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1], dtype=dtype)
        (got,) = run_op("Cholesky", [x], [dtype])
        rtol = 1e-4 if dtype == "float32" else 1e-11
        want = tf.raw_ops.Cholesky(input=x).numpy()
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)
        np.testing.assert_array_equal(got, np.tril(got))

    @parameterized.parameters(
        ([[1, 2], [2, 1]],),
        ([[0, 0], [0, 0]],),
        ([[np.nan, 2], [2, 1]],),
        ([[1, 2], [np.nan, np.nan]],),
        ([[4, 9], [2, 5]],),
        ([[[1, 0], [0, 1]], [[-1, 0], [0, -1]]],),
    )
    def test_what_is_not_positive_definite_is_as_in_tensorflow(self, x) -> None:
        x = np.float32(x)
        (got,) = run_op("Cholesky", [x], ["float32"])
        # What TensorFlow has above the diagonal is then whatever was there.
        want = np.tril(tf.raw_ops.Cholesky(input=x))
        np.testing.assert_array_equal(got, want)

    @parameterized.parameters((0, 0), (2, 0, 0), (0, 3, 3))
    def test_empty(self, *shape: int) -> None:
        (got,) = run_op("Cholesky", [np.zeros(shape, np.float32)], ["float32"])
        self.assertEqual(got.shape, shape)


class MatrixInverseTest(KernelTestCase):
    @parameterized.product(
        dtype=FLOATS,
        adjoint=[False, True],
        shape=[(1, 1), (3, 3), (2, 4, 4), (2, 3, 5, 5), (60, 60)],
    )
    def test_equals_tensorflow(self, dtype: str, adjoint: bool, shape) -> None:
        x = random_values(shape, dtype) + 3 * np.eye(shape[-1], dtype=dtype)
        (got,) = run_op("MatrixInverse", [x], [dtype], {"adjoint": adjoint})
        want = tf.raw_ops.MatrixInverse(input=x, adjoint=adjoint).numpy()
        error = np.linalg.norm(got - want, axis=(-1, -2))
        bound = np.linalg.cond(x) * np.linalg.norm(want, axis=(-1, -2))
        self.assertTrue((error <= 4 * np.finfo(dtype).eps * bound).all())

    @parameterized.parameters(
        ([[0, 0], [0, 0]],), ([[1, 2], [2, 4]],), ([[np.nan, 1], [2, 3]],)
    )
    def test_singular_is_an_error(self, x) -> None:
        x = np.float32(x)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.raw_ops.MatrixInverse(input=x)
        with self.assertRaisesRegex(RuntimeError, "Input is not invertible."):
            run_op("MatrixInverse", [x], ["float32"])

    def test_one_singular_matrix_of_a_batch_is_named(self) -> None:
        x = np.stack([np.eye(2), np.zeros((2, 2))]).astype(np.float32)
        with self.assertRaisesRegex(RuntimeError, "matrix 1 of 'input_0'"):
            run_op("MatrixInverse", [x], ["float32"])

    @parameterized.parameters((0, 0), (2, 0, 0), (0, 3, 3))
    def test_empty(self, *shape: int) -> None:
        x = np.zeros(shape, np.float32)
        (got,) = run_op("MatrixInverse", [x], ["float32"])
        self.assertEqual(got.shape, shape)


class QrTest(KernelTestCase):
    @parameterized.product(
        dtype=FLOATS, full=[False, True], shape=[*_SHAPES, (70, 50), (50, 70)]
    )
    def test_equals_tensorflow(self, dtype: str, full: bool, shape) -> None:
        x = random_values(shape, dtype)
        q, r = run_op("Qr", [x], [dtype] * 2, {"full_matrices": full})
        want = tf.raw_ops.Qr(input=x, full_matrices=full)
        self.assertEqual(q.shape, want.q.shape)
        self.assertEqual(r.shape, want.r.shape)
        tolerance = 200 * np.finfo(dtype).eps
        self.assertAllClose(q @ r, x, rtol=tolerance, atol=tolerance)
        self.assertAllClose(
            np.swapaxes(q, -1, -2) @ q,
            np.broadcast_to(
                np.eye(q.shape[-1]), [*q.shape[:-2], *[q.shape[-1]] * 2]
            ),
            rtol=tolerance,
            atol=tolerance,
        )
        np.testing.assert_array_equal(r, np.triu(r))
        # The same reflections, so the same signs too.
        condition = np.linalg.cond(x).max()
        self.assertAllClose(q, want.q, rtol=0, atol=tolerance * condition)
        self.assertAllClose(r, want.r, rtol=0, atol=tolerance * condition)

    @parameterized.product(full=[False, True], shape=_EMPTY)
    def test_empty_is_as_in_tensorflow(self, full: bool, shape) -> None:
        x = np.zeros(shape, np.float32)
        got = run_op("Qr", [x], ["float32"] * 2, {"full_matrices": full})
        want = tf.raw_ops.Qr(input=x, full_matrices=full)
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b.numpy())

    def test_nan_is_as_in_tensorflow(self) -> None:
        x = np.float32([[np.nan, 2, 3], [4, 5, 6]])
        self.check_converted(lambda x: tuple(tf.raw_ops.Qr(input=x)), x)


class SvdTest(KernelTestCase):
    @parameterized.product(
        dtype=FLOATS, full=[False, True], shape=[*_SHAPES, (60, 50), (50, 60)]
    )
    def test_reconstructs_its_input(
        self, dtype: str, full: bool, shape
    ) -> None:
        x = random_values(shape, dtype)
        s, u, v = run_op("Svd", [x], [dtype] * 3, {"full_matrices": full})
        want = tf.raw_ops.Svd(input=x, full_matrices=full)
        self.assertEqual(u.shape, want.u.shape)
        self.assertEqual(v.shape, want.v.shape)
        tolerance = 400 * np.finfo(dtype).eps
        self.assertAllClose(s, want.s, rtol=tolerance, atol=tolerance)
        n = min(shape[-2:])
        self.assertAllClose(
            (u[..., :n] * s[..., None, :]) @ np.swapaxes(v[..., :n], -1, -2),
            x,
            rtol=tolerance,
            atol=tolerance,
        )
        for matrix in (u, v):
            self.assertAllClose(
                np.swapaxes(matrix, -1, -2) @ matrix,
                np.broadcast_to(
                    np.eye(matrix.shape[-1]),
                    [*matrix.shape[:-2], *[matrix.shape[-1]] * 2],
                ),
                rtol=tolerance,
                atol=tolerance,
            )

    @parameterized.product(
        full=[False, True], shape=[(3, 3), (5, 3), (3, 5), (2, 15, 15), (40, 9)]
    )
    def test_signs_are_tensorflows_under_16_columns(
        self, full: bool, shape
    ) -> None:
        x = random_values(shape, "float64")
        got = run_op("Svd", [x], ["float64"] * 3, {"full_matrices": full})
        want = tf.raw_ops.Svd(input=x, full_matrices=full)
        for a, b in zip(got, [want.s, want.u, want.v], strict=True):
            np.testing.assert_allclose(a, b.numpy(), rtol=1e-11, atol=1e-11)

    @parameterized.parameters((3, 3), (2, 4, 5), (60, 50), (20, 30))
    def test_without_uv(self, *shape: int) -> None:
        x = random_values(shape)
        got = run_op("Svd", [x], ["float32"] * 3, {"compute_uv": False})
        want = tf.raw_ops.Svd(input=x, compute_uv=False).s
        self.assertAllClose(got[0], want, rtol=1e-4, atol=1e-5)
        self.assertEqual([y.shape for y in got[1:]], [(0,), (0,)])

    @parameterized.product(full=[False, True], shape=_EMPTY)
    def test_empty_is_as_in_tensorflow(self, full: bool, shape) -> None:
        x = np.zeros(shape, np.float32)
        got = run_op("Svd", [x], ["float32"] * 3, {"full_matrices": full})
        want = tf.raw_ops.Svd(input=x, full_matrices=full)
        for a, b in zip(got, [want.s, want.u, want.v], strict=True):
            self.assertEqual(a.shape, b.shape)
            if shape != (2, 0, 3):  # There TensorFlow leaves its batch unset.
                np.testing.assert_array_equal(a, b.numpy())

    def test_an_empty_batch_of_full_matrices_is_identities(self) -> None:
        x = np.zeros((2, 0, 3), np.float32)
        got = run_op("Svd", [x], ["float32"] * 3, {"full_matrices": True})
        np.testing.assert_array_equal(got[2], np.stack([np.eye(3)] * 2))

    @parameterized.product(bad=[np.nan, np.inf], full=[False, True])
    def test_what_is_not_finite_gives_nan(self, bad: float, full: bool) -> None:
        x = np.float32([[bad, 2, 3], [4, 5, 6]])
        got = run_op("Svd", [x], ["float32"] * 3, {"full_matrices": full})
        want = tf.raw_ops.Svd(input=x, full_matrices=full)
        for a, b in zip(got, [want.s, want.u, want.v], strict=True):
            np.testing.assert_array_equal(a, b.numpy())

    def test_rank_one_and_zero(self) -> None:
        for x in (np.ones((4, 4)), np.zeros((3, 5))):
            s, u, v = run_op("Svd", [x], ["float64"] * 3)
            self.assertAllClose((u * s) @ v.T, x, atol=1e-12)


class DeterminantTest(KernelTestCase):
    @parameterized.product(
        dtype=FLOATS,
        shape=[(1, 1), (3, 3), (2, 4, 4), (2, 3, 5, 5), (0, 0), (2, 0, 0)],
    )
    def test_determinants(self, dtype: str, shape: Sequence[int]) -> None:
        x = random_values(shape, dtype)
        # TensorFlow adds up vectors of logarithms.
        self.check("MatrixDeterminant", x, ulps=40)
        sign, log = run_tensorflow("LogMatrixDeterminant", x)
        got = run_op("LogMatrixDeterminant", [x], [dtype] * 2)
        np.testing.assert_array_equal(got[0], sign)
        eps = 20 * np.finfo(dtype).eps
        np.testing.assert_allclose(got[1], log, rtol=eps, atol=eps)

    @parameterized.parameters(
        ([[1, 2], [2, 4]],),
        ([[0, 0], [0, 0]],),
        ([[np.nan, 2], [2, 1]],),
        ([[np.inf, 2], [2, 1]],),
        ([[1e30, 0], [0, 1e30]],),
    )
    def test_special_determinants(self, x) -> None:
        x = np.float32(x)
        wants = [None, None]
        if not (
            np.isfinite(x).all()
            or releases.decomposes_what_is_not_finite(tf.__version__)
        ):
            determinant = np.linalg.det(x)
            log = np.log(np.abs(determinant))
            wants = [[determinant], [np.sign(determinant), log]]
            # What the release itself says is another thing.
            with self.assertRaises(AssertionError):
                self.check("MatrixDeterminant", x, ulps=40)
        self.check("MatrixDeterminant", x, ulps=40, want=wants[0])
        self.check("LogMatrixDeterminant", x, ulps=4, want=wants[1])

    def test_determinants_convert(self) -> None:
        x = np.eye(3, dtype=np.float32)
        self.check_converted("MatrixDeterminant", x)
        self.check_converted("LogMatrixDeterminant", x)
        self.assert_refused("must be square", "MatrixDeterminant", [x[:2]])


class TridiagonalMatMulTest(KernelTestCase):
    @parameterized.product(
        dtype=FLOATS, shape=[(1, 1), (3, 2), (2, 40, 5), (0, 3), (3, 0)]
    )
    def test_equals_tensorflow(self, dtype: str, shape) -> None:
        diagonals = [
            random_values((*shape[:-2], 1, shape[-2]), dtype, i)
            for i in range(3)
        ]
        rhs = random_values(shape, dtype, 3)
        self.check("TridiagonalMatMul", *diagonals, rhs)
        if shape == (3, 2):
            diagonals[0][..., -1] = diagonals[2][..., 0] = np.nan
            self.check("TridiagonalMatMul", *diagonals, rhs)
            self.check_converted("TridiagonalMatMul", *diagonals, rhs)

    def test_errors(self) -> None:
        self.assert_refused(
            r"superdiag must be a row .* \[2,3\] for rhs of \[2,3\]",
            "TridiagonalMatMul",
            [np.eye(3, dtype=np.float32)[:2]] * 4,
        )


class ShapesTest(KernelTestCase):
    """A model whose input's shape is open."""

    @parameterized.parameters("Qr", "Svd", "Cholesky", "MatrixInverse")
    def test_shapes_follow_the_input(self, op: str) -> None:
        function = getattr(tf.raw_ops, op)
        model = self.convert(
            lambda x: function(input=x),
            [tf.TensorSpec([None, None, None], tf.float32)],
        )
        for n in (3, 1, 7):
            x = np.stack([np.eye(n) * (i + 2) for i in range(n)])
            x = x.astype(np.float32)
            got = run_everywhere(model, [x])
            want = run_tensorflow(op, x)
            for a, b in zip(got, want, strict=True):
                self.assertAllClose(a, b, rtol=1e-6)

    def test_options_are_as_the_converter_writes_them(self) -> None:
        x = random_values((4, 4), "float64") + 2 * np.eye(4)
        for function in (
            lambda x: tf.raw_ops.MatrixInverse(input=x, adjoint=True),
            lambda x: tuple(tf.raw_ops.Qr(input=x, full_matrices=True)),
            lambda x: tuple(tf.raw_ops.Svd(input=x, full_matrices=True)),
            lambda x: tf.raw_ops.Svd(input=x, compute_uv=False).s,
        ):
            self.check_converted(function, x, rtol=1e-12)


class ErrorsTest(KernelTestCase):
    """What Prepare refuses, in the words of the kernel."""

    @parameterized.parameters("Cholesky", "MatrixInverse")
    def test_matrices_must_be_square(self, op: str) -> None:
        with self.assertRaisesRegex(RuntimeError, r"square.* is \[2,3\]"):
            run_op(op, [np.ones((2, 3), np.float32)], ["float32"])

    @parameterized.parameters(
        ("Cholesky", 1), ("MatrixInverse", 1), ("Qr", 2), ("Svd", 3)
    )
    def test_rank_and_type(self, op: str, outputs: int) -> None:
        with self.assertRaisesRegex(RuntimeError, r"rank 2 or more.* is \[3\]"):
            run_op(op, [np.ones(3, np.float32)], ["float32"] * outputs)
        with self.assertRaisesRegex(
            RuntimeError, "input must be FLOAT32 or FLOAT64.* is INT32"
        ):
            run_op(op, [np.ones((3, 3), np.int32)], ["int32"] * outputs)
        with self.assertRaisesRegex(RuntimeError, "must be FLOAT32.*FLOAT64"):
            run_op(op, [np.ones((3, 3), "float32")], ["float64"] * outputs)
        with self.assertRaisesRegex(
            RuntimeError, "gives . outputs, not 1 and 4"
        ):
            run_op(op, [np.ones((3, 3), "float32")], ["float32"] * 4)

    @parameterized.parameters(
        ("MatrixInverse", 1, "adjoint"),
        ("Qr", 2, "full_matrices"),
        ("Svd", 3, "compute_uv"),
    )
    def test_options_of_another_type_or_damaged(
        self, op: str, outputs: int, option: str
    ) -> None:
        x = [np.ones((3, 3), np.float32)]
        types = ["float32"] * outputs
        with self.assertRaisesRegex(
            RuntimeError, f"option '{option}' is of another type"
        ):
            run_op(op, x, types, {option: "yes"})
        with self.assertRaisesRegex(
            RuntimeError, "must be a FlexBuffer map, but they are damaged: 4"
        ):
            run_op(op, x, types, b"\xff\xff\xff\xff")

    def test_large_full_matrices_are_refused(self) -> None:
        with self.assertRaisesRegex(
            RuntimeError, "at most 268435456 elements.* dimension of 20000"
        ):
            run_op(
                "Svd",
                [np.ones((20000, 1), np.float32)],
                ["float32"] * 3,
                {"full_matrices": True},
            )

    @parameterized.parameters(("Qr", 2), ("Svd", 3), ("MatrixInverse", 1))
    def test_empty_batches_of_large_matrices_take_no_memory(
        self, op: str, outputs: int
    ) -> None:
        x = np.zeros((0, 10**6, 10**6), np.float32)
        for y in run_op(op, [x], ["float32"] * outputs):
            self.assertEqual(y.size, 0)

    def test_cross(self) -> None:
        a = np.ones((2, 3), np.float32)
        for b, why in [
            (np.ones(3, np.float32), "ranks 2 and 1"),
            (np.ones((3, 3), np.float32), "dimension 0 is 2 and 3"),
            (np.ones((2, 3)), "must be FLOAT32 like 'input_0', but is FLOAT64"),
        ]:
            with self.assertRaisesRegex(RuntimeError, why):
                run_op("Cross", [a, b], ["float32"])
        two = np.ones((3, 2), np.float32)
        with self.assertRaisesRegex(
            RuntimeError, "rank 2 and last dimension 2"
        ):
            run_op("Cross", [two, two], ["float32"])
        flags = np.ones((2, 3), bool)
        with self.assertRaisesRegex(RuntimeError, "is BOOL"):
            run_op("Cross", [flags, flags], ["bool"])


if __name__ == "__main__":
    tf.test.main()
