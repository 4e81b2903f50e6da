"""The kernels that are not element-wise, against TensorFlow, everywhere."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op
from tflite.custom.python.every_runtime import run_everywhere
from tflite.custom.python.single_op_model import Tensor
from tflite.custom.python.single_op_model import single_op_model

_INTS = ["int8", "int16", "int32", "int64"]
_UINTS = ["uint8", "uint16", "uint32", "uint64"]
_FLOATS = ["float32", "float64"]
_SHAPES = [(3, 3), (5, 3), (3, 5), (1, 1), (2, 4, 4), (2, 3, 2, 5), (40, 40)]
_EMPTY = [(0, 0), (2, 0, 0), (0, 3, 3), (0, 3), (3, 0), (2, 0, 3)]


def _random(shape, dtype: str = "float32", seed: int = 1) -> np.ndarray:
    generator = np.random.default_rng(seed)
    if dtype.startswith("float"):
        return generator.standard_normal(shape).astype(dtype)
    return generator.integers(-100, 100, shape).astype(dtype)


def _convert(function: Callable, *inputs: np.ndarray) -> bytes:
    """Returns the model of a function of tensors as these arrays are."""
    specs = [tf.TensorSpec(x.shape, x.dtype) for x in inputs]
    concrete = tf.function(function, specs).get_concrete_function()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
    converter.allow_custom_ops = True
    return converter.convert()


def _outputs(function: Callable, *inputs: np.ndarray) -> list[np.ndarray]:
    result = function(*[tf.constant(x) for x in inputs])
    if not isinstance(result, (tuple, list)):
        result = [result]
    return [x.numpy() for x in result]


def _run(op: str, inputs, outputs, options=b"") -> list[np.ndarray]:
    """Runs an op, whose outputs are given by type, on arrays."""
    model = single_op_model(
        op,
        inputs=[Tensor(x.shape, x.dtype.name) for x in inputs],
        outputs=[Tensor([1], dtype) for dtype in outputs],
        options=options,
    )
    return run_everywhere(model, inputs)


class _Test(tf.test.TestCase, parameterized.TestCase):
    """Runs what the converter writes, in every runtime."""

    def _assert_equal_to_tensorflow(
        self, function: Callable, *inputs: np.ndarray, rtol: float = 0.0
    ) -> None:
        got = run_everywhere(_convert(function, *inputs), inputs)
        want = _outputs(function, *inputs)
        self.assertLen(got, len(want))
        for a, b in zip(got, want, strict=True):
            self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


class CrossTest(_Test):
    @parameterized.parameters(*_FLOATS, *_INTS, *_UINTS)
    def test_equals_tensorflow(self, dtype: str) -> None:
        a, b = _random((4, 5, 3), dtype, 1), _random((4, 5, 3), dtype, 2)
        (got,) = _run("Cross", [a, b], [dtype])
        want = tf.raw_ops.Cross(a=a, b=b).numpy()
        if dtype in _FLOATS:  # TensorFlow may fuse the multiplications.
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(got, want)

    @parameterized.parameters((3,), (0, 3), (2, 0, 3))
    def test_converts_and_takes_any_batch(self, *shape: int) -> None:
        self._assert_equal_to_tensorflow(
            lambda a, b: tf.raw_ops.Cross(a=a, b=b),
            _random(shape, seed=1),
            _random(shape, seed=2),
            rtol=1e-6,
        )

    def test_nan_and_infinity(self) -> None:
        a = np.float32([[np.nan, 1, 2], [np.inf, 1, 2]])
        b = np.float32([[3, 4, 5], [6, 7, np.inf]])
        self._assert_equal_to_tensorflow(
            lambda a, b: tf.raw_ops.Cross(a=a, b=b), a, b
        )


class CholeskyTest(_Test):
    @parameterized.product(
        dtype=_FLOATS, shape=[(1, 1), (3, 3), (2, 4, 4), (2, 3, 5, 5), (60, 60)]
    )
    def test_equals_tensorflow(self, dtype: str, shape) -> None:
        x = _random(shape, dtype)
        x = x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1], dtype=dtype)
        (got,) = _run("Cholesky", [x], [dtype])
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
        (got,) = _run("Cholesky", [x], ["float32"])
        # What TensorFlow has above the diagonal is then whatever was there.
        want = np.tril(tf.raw_ops.Cholesky(input=x))
        np.testing.assert_array_equal(got, want)

    @parameterized.parameters((0, 0), (2, 0, 0), (0, 3, 3))
    def test_empty(self, *shape: int) -> None:
        (got,) = _run("Cholesky", [np.zeros(shape, np.float32)], ["float32"])
        self.assertEqual(got.shape, shape)


class MatrixInverseTest(_Test):
    @parameterized.product(
        dtype=_FLOATS,
        adjoint=[False, True],
        shape=[(1, 1), (3, 3), (2, 4, 4), (2, 3, 5, 5), (60, 60)],
    )
    def test_equals_tensorflow(self, dtype: str, adjoint: bool, shape) -> None:
        x = _random(shape, dtype) + 3 * np.eye(shape[-1], dtype=dtype)
        (got,) = _run("MatrixInverse", [x], [dtype], {"adjoint": adjoint})
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
            _run("MatrixInverse", [x], ["float32"])

    def test_one_singular_matrix_of_a_batch_is_named(self) -> None:
        x = np.stack([np.eye(2), np.zeros((2, 2))]).astype(np.float32)
        with self.assertRaisesRegex(RuntimeError, "matrix 1 of 'input_0'"):
            _run("MatrixInverse", [x], ["float32"])

    @parameterized.parameters((0, 0), (2, 0, 0), (0, 3, 3))
    def test_empty(self, *shape: int) -> None:
        x = np.zeros(shape, np.float32)
        (got,) = _run("MatrixInverse", [x], ["float32"])
        self.assertEqual(got.shape, shape)


class QrTest(_Test):
    @parameterized.product(
        dtype=_FLOATS, full=[False, True], shape=[*_SHAPES, (70, 50), (50, 70)]
    )
    def test_equals_tensorflow(self, dtype: str, full: bool, shape) -> None:
        x = _random(shape, dtype)
        q, r = _run("Qr", [x], [dtype] * 2, {"full_matrices": full})
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
        got = _run("Qr", [x], ["float32"] * 2, {"full_matrices": full})
        want = tf.raw_ops.Qr(input=x, full_matrices=full)
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b.numpy())

    def test_nan_is_as_in_tensorflow(self) -> None:
        x = np.float32([[np.nan, 2, 3], [4, 5, 6]])
        self._assert_equal_to_tensorflow(
            lambda x: tuple(tf.raw_ops.Qr(input=x)), x
        )


class SvdTest(_Test):
    @parameterized.product(
        dtype=_FLOATS, full=[False, True], shape=[*_SHAPES, (60, 50), (50, 60)]
    )
    def test_reconstructs_its_input(
        self, dtype: str, full: bool, shape
    ) -> None:
        x = _random(shape, dtype)
        s, u, v = _run("Svd", [x], [dtype] * 3, {"full_matrices": full})
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
        x = _random(shape, "float64")
        got = _run("Svd", [x], ["float64"] * 3, {"full_matrices": full})
        want = tf.raw_ops.Svd(input=x, full_matrices=full)
        for a, b in zip(got, [want.s, want.u, want.v], strict=True):
            np.testing.assert_allclose(a, b.numpy(), rtol=1e-11, atol=1e-11)

    @parameterized.parameters((3, 3), (2, 4, 5), (60, 50), (20, 30))
    def test_without_uv(self, *shape: int) -> None:
        x = _random(shape)
        got = _run("Svd", [x], ["float32"] * 3, {"compute_uv": False})
        want = tf.raw_ops.Svd(input=x, compute_uv=False).s
        self.assertAllClose(got[0], want, rtol=1e-4, atol=1e-5)
        self.assertEqual([y.shape for y in got[1:]], [(0,), (0,)])

    @parameterized.product(full=[False, True], shape=_EMPTY)
    def test_empty_is_as_in_tensorflow(self, full: bool, shape) -> None:
        x = np.zeros(shape, np.float32)
        got = _run("Svd", [x], ["float32"] * 3, {"full_matrices": full})
        want = tf.raw_ops.Svd(input=x, full_matrices=full)
        for a, b in zip(got, [want.s, want.u, want.v], strict=True):
            self.assertEqual(a.shape, b.shape)
            if shape != (2, 0, 3):  # There TensorFlow leaves its batch unset.
                np.testing.assert_array_equal(a, b.numpy())

    def test_an_empty_batch_of_full_matrices_is_identities(self) -> None:
        x = np.zeros((2, 0, 3), np.float32)
        got = _run("Svd", [x], ["float32"] * 3, {"full_matrices": True})
        np.testing.assert_array_equal(got[2], np.stack([np.eye(3)] * 2))

    @parameterized.product(bad=[np.nan, np.inf], full=[False, True])
    def test_what_is_not_finite_gives_nan(self, bad: float, full: bool) -> None:
        x = np.float32([[bad, 2, 3], [4, 5, 6]])
        got = _run("Svd", [x], ["float32"] * 3, {"full_matrices": full})
        want = tf.raw_ops.Svd(input=x, full_matrices=full)
        for a, b in zip(got, [want.s, want.u, want.v], strict=True):
            np.testing.assert_array_equal(a, b.numpy())

    def test_rank_one_and_zero(self) -> None:
        for x in (np.ones((4, 4)), np.zeros((3, 5))):
            s, u, v = _run("Svd", [x], ["float64"] * 3)
            self.assertAllClose((u * s) @ v.T, x, atol=1e-12)


class ShapesTest(_Test):
    """A model whose input's shape is open."""

    @parameterized.parameters("Qr", "Svd", "Cholesky", "MatrixInverse")
    def test_shapes_follow_the_input(self, op: str) -> None:
        function = getattr(tf.raw_ops, op)
        concrete = tf.function(
            lambda x: function(input=x),
            [tf.TensorSpec([None, None, None], tf.float32)],
        ).get_concrete_function()
        converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
        converter.allow_custom_ops = True
        model = converter.convert()
        for n in (3, 1, 7):
            x = np.stack([np.eye(n) * (i + 2) for i in range(n)])
            x = x.astype(np.float32)
            got = run_everywhere(model, [x])
            want = _outputs(lambda x: function(input=x), x)
            for a, b in zip(got, want, strict=True):
                self.assertAllClose(a, b, rtol=1e-6)

    def test_options_are_as_the_converter_writes_them(self) -> None:
        x = _random((4, 4), "float64") + 2 * np.eye(4)
        for function in (
            lambda x: tf.raw_ops.MatrixInverse(input=x, adjoint=True),
            lambda x: tuple(tf.raw_ops.Qr(input=x, full_matrices=True)),
            lambda x: tuple(tf.raw_ops.Svd(input=x, full_matrices=True)),
            lambda x: tf.raw_ops.Svd(input=x, compute_uv=False).s,
        ):
            self._assert_equal_to_tensorflow(function, x, rtol=1e-12)


class DenseBincountTest(_Test):
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
                np.abs(_random(shape if weighted else (0,), dtype)),
            ]
            (got,) = _run(
                "DenseBincount", inputs, [dtype], {"binary_output": binary}
            )
            want = tf.raw_ops.DenseBincount(
                input=inputs[0],
                size=inputs[1],
                weights=inputs[2],
                binary_output=binary,
            ).numpy()
            np.testing.assert_allclose(got, want, rtol=1e-6)
            if dtype.startswith("int") or not weighted:
                np.testing.assert_array_equal(got, want)

    def test_converts_with_a_constant_size(self) -> None:
        self._assert_equal_to_tensorflow(
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
            self._assert_equal_to_tensorflow(
                count, np.int32([0, 5, 2, 2]), np.int32(size)
            )

    def test_empty_and_scalar(self) -> None:
        none = np.zeros(0, np.float32)
        for numbers in (np.zeros(0, np.int32), np.array(2, np.int32)):
            inputs = [numbers, np.array(3, np.int32), none]
            (got,) = _run("DenseBincount", inputs, ["float32"])
            want = tf.raw_ops.DenseBincount(
                input=numbers, size=3, weights=none
            ).numpy()
            np.testing.assert_array_equal(got, want)

    @parameterized.parameters(
        ([0, -1], 3, 0, "element 1 is -1"),
        ([0, 1], -1, 0, r"size must be in \[0, 2147483647\], not -1"),
        ([0, 1], 3, 3, r"weights and input must have the same shape: \[3\]"),
        ([[[0]]], 3, 0, r"at most rank 2, but is \[1,1,1\]"),
    )
    def test_errors(self, numbers, size: int, weights: int, why: str) -> None:
        inputs = [np.int32(numbers), np.int32(size), np.ones(weights, "f4")]
        inputs[1] = inputs[1].reshape(())
        with self.assertRaises((tf.errors.InvalidArgumentError, ValueError)):
            tf.raw_ops.DenseBincount(
                input=inputs[0], size=inputs[1], weights=inputs[2]
            )
        with self.assertRaisesRegex(RuntimeError, why):
            _run("DenseBincount", inputs, ["float32"])


class BincountTest(_Test):
    @parameterized.product(
        dtype=["int32", "int64", "float32", "float64"], weighted=[False, True]
    )
    def test_equals_tensorflow(self, dtype: str, weighted: bool) -> None:
        for shape in [(20,), (3, 10), (2, 3, 4), ()]:
            numbers = np.random.default_rng(1).integers(0, 9, shape)
            inputs = [
                np.asarray(numbers, np.int32),
                np.array(7, np.int32),
                np.asarray(_random(shape if weighted else (0,)), dtype),
            ]
            (got,) = _run("Bincount", inputs, [dtype])
            want = tf.raw_ops.Bincount(
                arr=inputs[0], size=inputs[1], weights=inputs[2]
            ).numpy()
            # The partial sums of TensorFlow's threads.
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
            if dtype.startswith("int") or not weighted:
                np.testing.assert_array_equal(got, want)

    def test_converts(self) -> None:
        def count(x, size, weights):
            return tf.raw_ops.Bincount(arr=x, size=size, weights=weights)

        numbers = np.int32([[0, 4, 4, 9], [1, 1, 1, 0]])
        self._assert_equal_to_tensorflow(
            lambda x: count(x, 5, tf.constant([], tf.float32)), numbers
        )
        for size in (3, 0, 6):
            self._assert_equal_to_tensorflow(
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
        with self.assertRaises((tf.errors.InvalidArgumentError, ValueError)):
            tf.raw_ops.Bincount(
                arr=inputs[0], size=inputs[1], weights=inputs[2]
            )
        with self.assertRaisesRegex(RuntimeError, why):
            _run("Bincount", inputs, ["float32"])


class EuclideanNormTest(_Test):
    @parameterized.product(
        dtype=_FLOATS,
        axis=[0, -1, [], [1], [0, 2], [-1, 0], [2, 1, 0]],
        keep_dims=[False, True],
    )
    def test_equals_tensorflow(self, dtype, axis, keep_dims) -> None:
        rtol = 1e-6 if dtype == "float32" else 1e-14
        for shape in [(2, 3, 4), (1, 30, 1), (0, 3, 2), (2, 3, 0)]:
            x = _random(shape, dtype)
            axes = np.array(axis, "int64" if keep_dims else "int32")
            options = {"keep_dims": keep_dims}
            (got,) = _run("EuclideanNorm", [x, axes], [dtype], options)
            want = tf.raw_ops.EuclideanNorm(
                input=x, axis=axes, **options
            ).numpy()
            self.assertEqual(got.shape, want.shape)
            np.testing.assert_allclose(got, want, rtol=rtol)

    def test_converts(self) -> None:
        x = _random((3, 4, 5))
        for axis in (None, 1, [0, 2]):
            self._assert_equal_to_tensorflow(
                lambda x, axis=axis: tf.math.reduce_euclidean_norm(x, axis),
                x,
                rtol=1e-6,
            )
        self._assert_equal_to_tensorflow(
            lambda x, axis: 2.0 * tf.math.reduce_euclidean_norm(x, axis),
            x,
            np.int32([1]),
            rtol=1e-6,
        )

    def test_special_values_are_as_in_tensorflow(self) -> None:
        x = np.float32(
            [[np.nan, 1], [np.inf, 2], [-np.inf, 0], [1e30, 1], [-0.0, 0]]
        )
        self._assert_equal_to_tensorflow(
            lambda x: tf.math.reduce_euclidean_norm(x, 1), x
        )

    @parameterized.parameters(
        ([2], r"an axis must be in \[-2, 2\), but element 0 is 2"),
        ([0, -3], r"an axis must be in \[-2, 2\), but element 1 is -3"),
        ([1, -1], "axes must differ, but element 1 is -1 again"),
        ([[0]], r"axis must be a scalar or a vector, not \[1,1\]"),
    )
    def test_errors(self, axis, why: str) -> None:
        x = np.ones((2, 3), np.float32)
        with self.assertRaisesRegex(RuntimeError, why):
            _run("EuclideanNorm", [x, np.int32(axis)], ["float32"])


class HistogramFixedWidthTest(_Test):
    @parameterized.product(
        dtype=["int32", "int64", "float32", "float64"], out=["int32", "int64"]
    )
    def test_equals_tensorflow(self, dtype: str, out: str) -> None:
        values = (_random((50, 100), "float64") * 40).astype(dtype)
        for bins in (1, 7, 100):
            for low, high in [(-50, 50), (0, 3), (-7, 20)]:
                inputs = [
                    values,
                    np.array([low, high], dtype),
                    np.array(bins, np.int32),
                ]
                self._assert_histogram(inputs, out)

    def _assert_histogram(self, inputs, out: str) -> None:
        # 2 and 4 are the schema's INT32 and INT64.
        options = {"dtype": 4 if out == "int64" else 2}
        (got,) = _run("HistogramFixedWidth", inputs, [out], options)
        want = tf.raw_ops.HistogramFixedWidth(
            values=inputs[0],
            value_range=inputs[1],
            nbins=inputs[2],
            dtype=tf.as_dtype(out),
        ).numpy()
        self.assertEqual(got.dtype, want.dtype)
        np.testing.assert_array_equal(got, want)

    def test_values_on_the_edges_of_bins(self) -> None:
        for dtype in _FLOATS:
            values = np.linspace(-0.5, 1.5, 2001, dtype=dtype)
            for bins in (3, 10, 49):
                bounds = np.array([0.1, 0.9], dtype)
                self._assert_histogram(
                    [values, bounds, np.int32(bins)], "int32"
                )

    def test_extremes(self) -> None:
        low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
        self._assert_histogram(
            [np.int32([5, high, low]), np.int32([low, high]), np.int32(3)],
            "int32",
        )
        infinity = np.float32([0.5, np.inf, -np.inf, 2, -2])
        self._assert_histogram(
            [infinity, np.float32([0, 1]), np.int32(5)], "int32"
        )
        self._assert_histogram(
            [np.float32([]), np.float32([0, 1]), np.int32(5)], "int32"
        )

    def test_converts(self) -> None:
        for dtype in (tf.int32, tf.int64):
            self._assert_equal_to_tensorflow(
                lambda x, dtype=dtype: tf.histogram_fixed_width(
                    x, [-1.0, 1.0], 5, dtype
                ),
                _random((4, 4)),
            )

    @parameterized.parameters(
        ([np.nan, 0], [0, 1], 5, "element 0 is"),
        ([0], [1, 1], 5, r"but is \[1, 1\]"),
        ([0], [0, np.nan], 5, r"but is \[0, nan\]"),
        ([0], [0, 1], 0, "nbins must be positive, not 0"),
        ([0], [0, 1, 2], 5, r"must have the shape \[2\], not \[3\]"),
    )
    def test_errors(self, values, bounds, bins: int, why: str) -> None:
        inputs = [np.float32(values), np.float32(bounds), np.array(bins, "i4")]
        with self.assertRaises((tf.errors.InvalidArgumentError, ValueError)):
            tf.raw_ops.HistogramFixedWidth(
                values=inputs[0], value_range=inputs[1], nbins=inputs[2]
            )
        with self.assertRaisesRegex(RuntimeError, why):
            _run("HistogramFixedWidth", inputs, ["int32"])

    def test_option_that_contradicts_the_output_is_an_error(self) -> None:
        inputs = [np.float32([0]), np.float32([0, 1]), np.array(5, np.int32)]
        with self.assertRaisesRegex(RuntimeError, "output must be INT64"):
            _run("HistogramFixedWidth", inputs, ["int32"], {"dtype": 4})


class SegmentsTest(_Test):
    @parameterized.product(
        op=["SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd"],
        dtype=[*_FLOATS, *_INTS, *_UINTS],
        index=["int32", "int64"],
    )
    def test_equals_tensorflow(self, op: str, dtype: str, index: str) -> None:
        segments = np.array([0, 0, 2, 2, 2, 2, 5], index)
        shapes = [(7,), (7, 3), (7, 2, 2), (7, 0)]
        for shape in shapes if index == "int32" else shapes[1:2]:
            data = _random(shape, dtype)
            (got,) = _run(op, [data, segments], [dtype])
            raw = getattr(tf.raw_ops, op)
            want = raw(data=data, segment_ids=segments).numpy()
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
            if dtype not in _FLOATS:
                np.testing.assert_array_equal(got, want)

    @parameterized.parameters("max", "mean", "min", "prod")
    def test_converts(self, name: str) -> None:
        op = getattr(tf.math, f"segment_{name}")
        for ids in ([0, 0, 1, 3], [2, 2, 2, 2]):
            self._assert_equal_to_tensorflow(
                lambda x, i: 2.0 * op(x, i),
                _random((4, 3)),
                np.int32(ids),
                rtol=1e-6,
            )
        self._assert_equal_to_tensorflow(
            lambda x: op(x, [0, 1, 1]), _random((3, 2)), rtol=1e-6
        )

    @parameterized.parameters(
        "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd"
    )
    def test_empty(self, op: str) -> None:
        inputs = [np.zeros((0, 2), np.float32), np.zeros(0, np.int32)]
        (got,) = _run(op, inputs, ["float32"])
        self.assertEqual(got.shape, (0, 2))

    @parameterized.parameters(
        "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd"
    )
    def test_special_values_are_as_in_tensorflow(self, op: str) -> None:
        nan, inf = np.nan, np.inf
        data = [[nan, 1, inf], [2, nan, 3], [-inf, inf, 0], [nan, -inf, 1]]
        data += [[1, 2, -inf], [3, nan, nan], [-0.0, 1e30, 1e30]]
        inputs = [np.float32(data), np.int32([0, 0, 1, 3, 3, 3, 4])]
        (got,) = _run(op, inputs, ["float32"])
        raw = getattr(tf.raw_ops, op)
        want = raw(data=inputs[0], segment_ids=inputs[1]).numpy()
        np.testing.assert_array_equal(got, want)

    def test_more_rows_than_the_type_counts_is_an_error(self) -> None:
        # TensorFlow dies of a division by zero there.
        inputs = [np.ones((256, 1), np.uint8), np.zeros(256, np.int32)]
        with self.assertRaisesRegex(RuntimeError, "more rows than UINT8"):
            _run("SegmentMean", inputs, ["uint8"])

    @parameterized.parameters(
        ([0, 3, 2], "element 2 is 2"),
        ([-1, 0, 2], "element 0 is -1"),
        ([0, 1], r"\[2\] for data of \[3,1\]"),
    )
    def test_errors(self, segments, why: str) -> None:
        inputs = [np.float32([[1], [2], [4]]), np.int32(segments)]
        with self.assertRaises((tf.errors.InvalidArgumentError, ValueError)):
            tf.raw_ops.SegmentMean(data=inputs[0], segment_ids=inputs[1])
        with self.assertRaisesRegex(RuntimeError, why):
            _run("SegmentMean", inputs, ["float32"])


class CumprodTest(_Test):
    @parameterized.product(
        dtype=[*_FLOATS, *_INTS, *_UINTS],
        exclusive=[False, True],
        reverse=[False, True],
    )
    def test_equals_tensorflow(self, dtype, exclusive, reverse) -> None:
        x = _random((4, 5, 6), dtype)
        options = {"exclusive": exclusive, "reverse": reverse}
        for axis, index in [(0, "int32"), (1, "int64"), (2, "int32")]:
            inputs = [x, np.array(axis, index)]
            (got,) = _run("Cumprod", inputs, [dtype], options)
            want = tf.raw_ops.Cumprod(x=x, axis=axis, **options).numpy()
            if dtype in _FLOATS:
                np.testing.assert_allclose(got, want, rtol=1e-6)
            else:
                np.testing.assert_array_equal(got, want)

    @parameterized.parameters(
        ([1, 2, 3, np.nan, 1],),
        ([0, np.inf, 2],),
        ([2, -np.inf, -1, 1e30],),
        ([1e30, 1e30, -0.0],),
        ([],),
    )
    def test_special_values_are_as_in_tensorflow(self, x) -> None:
        self._assert_equal_to_tensorflow(
            lambda x: tf.math.cumprod(x), np.float32(x), rtol=1e-6
        )

    def test_converts_with_options_and_an_open_axis(self) -> None:
        self._assert_equal_to_tensorflow(
            lambda x, axis: tf.math.cumprod(
                x, axis, exclusive=True, reverse=True
            ),
            _random((3, 4)),
            np.int32(-2),
            rtol=1e-6,
        )

    def test_errors(self) -> None:
        inputs = [np.ones(1, np.float32), np.array(1, np.int32)]
        with self.assertRaisesRegex(
            RuntimeError, r"Cumprod: axis must be in \[-1, 1\), not 1"
        ):
            _run("Cumprod", inputs, ["float32"])
        with self.assertRaisesRegex(RuntimeError, "Cumprod: x must be.*BOOL"):
            _run("Cumprod", [np.ones(1, bool), inputs[1]], ["bool"])


class CumulativeLogsumexpTest(_Test):
    @parameterized.product(
        dtype=_FLOATS, exclusive=[False, True], reverse=[False, True]
    )
    def test_equals_tensorflow(self, dtype, exclusive, reverse) -> None:
        x = _random((4, 5, 6), dtype) * 10
        options = {"exclusive": exclusive, "reverse": reverse}
        for axis in (0, 1, 2, -1):
            for index in ("int32", "int64"):
                inputs = [x, np.array(axis, index)]
                (got,) = _run("CumulativeLogsumexp", inputs, [dtype], options)
                want = tf.raw_ops.CumulativeLogsumexp(
                    x=x, axis=axis, **options
                ).numpy()
                rtol = 4e-6 if dtype == "float32" else 1e-14
                np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)

    @parameterized.parameters(
        ([1, 2, 3, np.nan, 1],),
        ([np.nan, 1, 2],),
        ([1, -np.inf, np.inf, np.inf, 2],),
        ([-np.inf, -np.inf, 2],),
        ([1e30, -1e30, 1e-40],),
        ([],),
    )
    def test_special_values_are_as_in_tensorflow(self, x) -> None:
        self._assert_equal_to_tensorflow(
            lambda x: tf.math.cumulative_logsumexp(x), np.float32(x), rtol=1e-6
        )

    @parameterized.parameters(
        ((1,), 1, r"axis must be in \[-1, 1\), not 1"),
        ((), 0, r"axis must be in \[0, 0\), not 0"),
        ((2, 2), [0], r"axis must be a scalar, not \[1\]"),
    )
    def test_errors(self, shape, axis, why: str) -> None:
        inputs = [np.ones(shape, np.float32), np.array(axis, np.int32)]
        with self.assertRaises((tf.errors.InvalidArgumentError, ValueError)):
            tf.raw_ops.CumulativeLogsumexp(x=inputs[0], axis=inputs[1])
        with self.assertRaisesRegex(RuntimeError, why):
            _run("CumulativeLogsumexp", inputs, ["float32"])


class MultiplexDenseTest(_Test):
    @parameterized.parameters(
        *_FLOATS, *_INTS, *_UINTS, "float16", "bool", "complex64", "complex128"
    )
    def test_equals_tensorflow(self, dtype: str) -> None:
        shape = (3, 5)
        cond = _random(shape) > 0
        a, b = (_random(shape, "float32", i).astype(dtype) for i in (1, 2))
        (got,) = _run("Examples>MultiplexDense", [cond, a, b], [dtype])
        want = multiplex_2_op.multiplex(cond, a, b).numpy()
        np.testing.assert_array_equal(got, want)

    def test_converts(self) -> None:
        self._assert_equal_to_tensorflow(
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
            _run("Examples>MultiplexDense", inputs, ["float32"])


class ErrorsTest(_Test):
    """What Prepare refuses, in the words of the kernel."""

    @parameterized.parameters("Cholesky", "MatrixInverse")
    def test_matrices_must_be_square(self, op: str) -> None:
        with self.assertRaisesRegex(RuntimeError, r"square.* is \[2,3\]"):
            _run(op, [np.ones((2, 3), np.float32)], ["float32"])

    @parameterized.parameters(
        ("Cholesky", 1), ("MatrixInverse", 1), ("Qr", 2), ("Svd", 3)
    )
    def test_rank_and_type(self, op: str, outputs: int) -> None:
        with self.assertRaisesRegex(RuntimeError, r"rank 2 or more.* is \[3\]"):
            _run(op, [np.ones(3, np.float32)], ["float32"] * outputs)
        with self.assertRaisesRegex(
            RuntimeError, "input must be FLOAT32 or FLOAT64.* is INT32"
        ):
            _run(op, [np.ones((3, 3), np.int32)], ["int32"] * outputs)
        with self.assertRaisesRegex(RuntimeError, "must be FLOAT32.*FLOAT64"):
            _run(op, [np.ones((3, 3), "float32")], ["float64"] * outputs)
        with self.assertRaisesRegex(
            RuntimeError, "gives . outputs, not 1 and 4"
        ):
            _run(op, [np.ones((3, 3), "float32")], ["float32"] * 4)

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
            _run(op, x, types, {option: "yes"})
        with self.assertRaisesRegex(
            RuntimeError, "must be a FlexBuffer map, but they are damaged: 4"
        ):
            _run(op, x, types, b"\xff\xff\xff\xff")

    def test_large_full_matrices_are_refused(self) -> None:
        with self.assertRaisesRegex(
            RuntimeError, "at most 268435456 elements.* dimension of 20000"
        ):
            _run(
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
        for y in _run(op, [x], ["float32"] * outputs):
            self.assertEqual(y.size, 0)

    def test_cross(self) -> None:
        a = np.ones((2, 3), np.float32)
        for b, why in [
            (np.ones(3, np.float32), "ranks 2 and 1"),
            (np.ones((3, 3), np.float32), "dimension 0 is 2 and 3"),
            (np.ones((2, 3)), "must be FLOAT32 like 'input_0', but is FLOAT64"),
        ]:
            with self.assertRaisesRegex(RuntimeError, why):
                _run("Cross", [a, b], ["float32"])
        two = np.ones((3, 2), np.float32)
        with self.assertRaisesRegex(
            RuntimeError, "rank 2 and last dimension 2"
        ):
            _run("Cross", [two, two], ["float32"])
        flags = np.ones((2, 3), bool)
        with self.assertRaisesRegex(RuntimeError, "is BOOL"):
            _run("Cross", [flags, flags], ["bool"])


if __name__ == "__main__":
    tf.test.main()
