"""The element-wise ops against TensorFlow's, in three runtimes."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from absl import flags
from absl.testing import parameterized
from ai_edge_litert import interpreter as litert
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.python import registerers
from tflite.custom.python.c_interpreter import CInterpreter
from tflite.custom.python.single_op_model import Tensor
from tflite.custom.python.single_op_model import single_op_model
from third_party.tensorflow import releases

_STEP = flags.DEFINE_integer(
    "step", 10007, "unary ops are tested on each step-th float"
)

_UNARY = [
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BesselI0",
    "BesselI0e",
    "BesselI1",
    "BesselI1e",
    "BesselJ0",
    "BesselJ1",
    "BesselK0",
    "BesselK0e",
    "BesselK1",
    "BesselK1e",
    "BesselY0",
    "BesselY1",
    "Cosh",
    "Dawsn",
    "Digamma",
    "Erf",
    "Erfc",
    "Erfinv",
    "Expint",
    "FresnelCos",
    "FresnelSin",
    "Ndtri",
    "Sinh",
    "Spence",
    "Tan",
]
# By the names of their arguments in tf.raw_ops.
_BINARY = {
    "Igamma": "ax",
    "IgammaGradA": "ax",
    "Igammac": "ax",
    "Mod": "xy",
    "NextAfter": ("x1", "x2"),
    "Polygamma": "ax",
    "RandomGammaGrad": ("alpha", "sample"),
    "TruncateMod": "xy",
    "Zeta": "xq",
}
_GRADIENTS = {
    "EluGrad": ("gradients", "outputs"),
    "InvGrad": ("y", "dy"),
    "LeakyReluGrad": ("gradients", "features"),
    "ReciprocalGrad": ("y", "dy"),
    "Relu6Grad": ("gradients", "features"),
    "ReluGrad": ("gradients", "features"),
    "SoftplusGrad": ("gradients", "features"),
    "SoftsignGrad": ("gradients", "features"),
}
_BITWISE = {"BitwiseAnd": "xy", "BitwiseOr": "xy", "LeftShift": "xy"}
_INTEGERS = ["int8", "int16", "int32", "int64"]
_INTEGERS += ["uint8", "uint16", "uint32", "uint64"]

# How far from TensorFlow in ULP; all others are equal. tf.atan is up to 3 ULP
# off the correctly rounded value, the kernel up to 1. The rest are the C
# library's single-precision functions in TensorFlow, and the correctly rounded
# values here.
_ULPS = {"Acosh": 2, "Asinh": 2, "Atan": 4, "Cosh": 2, "Sinh": 2, "Tan": 2}
# What these give for a denormal is that number, correctly rounded.
_IDENTITIES_OF_DENORMALS = ("Asinh", "Atan", "Sinh", "Tan")
_SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0]
_SPECIAL += [-2.0, -3.0, 1e-30, -1e30, 1e-40, -1e-40, 3.4e38, 10.0, 1e3, 7.25]


# The types of outputs that are not the inputs'.
_OUTPUTS = {"ApproximateEqual": "bool", "PopulationCount": "uint8"}


def _model(op: str, inputs: Sequence[np.ndarray], **options: float) -> bytes:
    dtype = inputs[0].dtype.name
    return single_op_model(
        op,
        [1],
        dtype=dtype,
        output_dtype=_OUTPUTS.get(op, dtype),
        inputs=len(inputs),
        input_shapes=[x.shape for x in inputs],
        options=options or b"",
    )


def _run_python(
    module, op: str, *inputs: np.ndarray, **options: float
) -> np.ndarray:
    interpreter = module.InterpreterWithCustomOps(
        model_content=_model(op, inputs, **options),
        custom_op_registerers=registerers.custom_op_registerers(),
    )
    interpreter.allocate_tensors()
    for details, x in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(details["index"], x)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


def _run_c(op: str, *inputs: np.ndarray, **options: float) -> np.ndarray:
    interpreter = CInterpreter(_model(op, inputs, **options))
    for i, x in enumerate(inputs):
        interpreter.set_input(i, x)
    interpreter.invoke()
    return interpreter.output(0)


def _tensorflow(
    op: str, names: Sequence[str], *inputs: np.ndarray, **options: float
) -> np.ndarray:
    tensors = {n: tf.constant(x) for n, x in zip(names, inputs, strict=True)}
    return getattr(tf.raw_ops, op)(**tensors, **options).numpy()


def _flushed(x: np.ndarray) -> np.ndarray:
    """Makes zeros of denormals."""
    return np.where(np.abs(x) < np.finfo(x.dtype).smallest_normal, x * 0, x)


def _floats(step: int) -> np.ndarray:
    """Every step-th float, a multiple of any SIMD width of them.

    TensorFlow takes the elements that are left over another way, and comes to
    other values.
    """
    bits = np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32)
    x = np.concatenate([bits.view(np.float32), np.float32(_SPECIAL)])
    return np.resize(x, (x.size + 31) // 32 * 32)


def _points(inputs: int, dtype: str) -> list[np.ndarray]:
    """Points of a plane or space: special values, and where functions live."""
    rng = np.random.default_rng(1)
    special = np.meshgrid(*[_SPECIAL] * inputs)
    size = 1000
    points = []
    for i in range(inputs):
        bits = rng.integers(0, 2**32, size, np.uint64).astype(np.uint32)
        if inputs == 3:
            bits = bits[:0]  # Betainc's series may take 0.1 s there.
        columns = [
            special[i].ravel(),
            bits.view(np.float32),
            rng.uniform(0, 20, size),
            rng.exponential(3, size),
            rng.uniform(0, 1, size),
            # Polygamma's first, and its poles.
            np.round(rng.uniform(-3, 9, size)),
        ]
        x = np.concatenate(columns)
        with np.errstate(over="ignore"):
            points.append(np.resize(x, x.size // 32 * 32).astype(dtype))
    return points


class ElementwiseTest(tf.test.TestCase, parameterized.TestCase):
    """Kernels of //tflite/custom/elementwise."""

    def _assert_within(self, y, want, ulps: int) -> None:
        self.assertEqual(y.dtype, want.dtype)
        self.assertEqual(y.shape, want.shape)
        nan = np.isnan(want)
        np.testing.assert_array_equal(np.isnan(y), nan)
        if ulps == 0:
            np.testing.assert_array_equal(y[~nan], want[~nan])
        else:
            np.testing.assert_array_max_ulp(y[~nan], want[~nan], ulps)

    def _assert_same_in_all_runtimes(self, op, *inputs, **options) -> None:
        y = _run_python(tf_lite, op, *inputs, **options).tobytes()
        other = _run_python(litert, op, *inputs, **options).tobytes()
        self.assertEqual(other, y)
        self.assertEqual(_run_c(op, *inputs, **options).tobytes(), y)

    @parameterized.parameters(*_UNARY)
    def test_unary_is_tensorflows_over_all_exponents(self, op: str) -> None:
        x = _floats(_STEP.value)
        want = _tensorflow(op, "x", x)
        if releases.takes_denormals_for_zero(tf.__version__, op):
            x = _flushed(x)
            np.testing.assert_array_equal(_tensorflow(op, "x", x), want)
        y = _run_python(tf_lite, op, x)
        if op in _IDENTITIES_OF_DENORMALS:
            # TensorFlow's threads take denormals for 0. Whether that shows is
            # another thing in Debian 12's libm than in a newer one.
            tiny = np.abs(x) < np.finfo(x.dtype).smallest_normal
            np.testing.assert_array_equal(y[tiny], x[tiny])
            y, want = y[~tiny], want[~tiny]
        self._assert_within(y, want, _ULPS.get(op, 0))
        self._assert_same_in_all_runtimes(op, x)

    @parameterized.parameters(*_UNARY)
    def test_float64_unary_is_tensorflows(self, op: str) -> None:
        x = _floats(1000003).astype(np.float64)
        y = _run_python(tf_lite, op, x)
        self._assert_within(y, _tensorflow(op, "x", x), 0)

    @parameterized.product(op=list(_BINARY), dtype=["float32", "float64"])
    def test_binary_is_tensorflows(self, op: str, dtype: str) -> None:
        inputs = _points(2, dtype)
        want = _tensorflow(op, _BINARY[op], *inputs)
        if releases.takes_denormals_for_zero(tf.__version__, op):
            inputs = [_flushed(x) for x in inputs]
            np.testing.assert_array_equal(
                _tensorflow(op, _BINARY[op], *inputs), want
            )
        y = _run_python(tf_lite, op, *inputs)
        self._assert_within(y, want, 0)
        self._assert_same_in_all_runtimes(op, *inputs)

    @parameterized.product(op=list(_GRADIENTS), dtype=["float32", "float64"])
    def test_gradient_is_tensorflows(self, op: str, dtype: str) -> None:
        inputs = _points(2, dtype)
        y = _run_python(tf_lite, op, *inputs)
        self._assert_within(y, _tensorflow(op, _GRADIENTS[op], *inputs), 0)
        self._assert_same_in_all_runtimes(op, *inputs)

    @parameterized.parameters("float32", "float64")
    def test_betainc_is_tensorflows(self, dtype: str) -> None:
        inputs = _points(3, dtype)
        y = _run_python(tf_lite, "Betainc", *inputs)
        self._assert_within(y, _tensorflow("Betainc", "abx", *inputs), 0)
        self._assert_same_in_all_runtimes("Betainc", *inputs)

    def test_betainc_takes_scalars_and_no_other_shapes(self) -> None:
        half = np.float32(0.5).reshape(())
        x = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
        for inputs in [(half, half, x), (x + 1, half, x), (half, half, half)]:
            y = _run_python(tf_lite, "Betainc", *inputs)
            self._assert_within(y, _tensorflow("Betainc", "abx", *inputs), 2)
        with self.assertRaisesRegex(
            RuntimeError, r"\[4\], \[\] and \[3,4\]; they must be the same"
        ):
            _run_python(tf_lite, "Betainc", x[0], half, x)

    @parameterized.product(op=list(_BITWISE), dtype=_INTEGERS)
    def test_bitwise_is_tensorflows(self, op: str, dtype: str) -> None:
        limits = np.iinfo(dtype)
        values = [limits.min, limits.min + 1, 0, 1, 2, 3, 7, 8, 9, 31, 63, 64]
        values += [limits.max // 3, limits.max - 1, limits.max]
        a, b = (m.ravel() for m in np.meshgrid(*[np.array(values, dtype)] * 2))
        want = _tensorflow(op, "xy", a, b)
        np.testing.assert_array_equal(_run_python(tf_lite, op, a, b), want)
        self._assert_same_in_all_runtimes(op, a, b)

    @parameterized.product(op=["ReluGrad", "Relu6Grad"], dtype=_INTEGERS)
    def test_integer_gradient_is_tensorflows(self, op: str, dtype: str) -> None:
        limits = np.iinfo(dtype)
        values = [limits.min, limits.min + 1, 0, 1, 5, 6, 7, limits.max]
        a, b = (m.ravel() for m in np.meshgrid(*[np.array(values, dtype)] * 2))
        want = _tensorflow(op, _GRADIENTS[op], a, b)
        np.testing.assert_array_equal(_run_python(tf_lite, op, a, b), want)
        self._assert_same_in_all_runtimes(op, a, b)

    @parameterized.product(
        alpha=[0.0, 0.2, 0.3, -1.5, 7.0], dtype=["float32", "float64"]
    )
    def test_leaky_relu_grad_takes_alpha(self, alpha, dtype) -> None:
        inputs = _points(2, dtype)
        names = _GRADIENTS["LeakyReluGrad"]
        y = _run_python(tf_lite, "LeakyReluGrad", *inputs, alpha=alpha)
        want = _tensorflow("LeakyReluGrad", names, *inputs, alpha=alpha)
        self._assert_within(y, want, 0)
        self._assert_same_in_all_runtimes("LeakyReluGrad", *inputs, alpha=alpha)

    @parameterized.product(
        options=[{}, {"tolerance": 0.5}, {"tolerance": 0.0}, {"tolerance": 3}],
        dtype=["float32", "float64"],
    )
    def test_approximate_equal_is_tensorflows(self, options, dtype) -> None:
        x, y = _points(2, dtype)
        # Also pairs about as far apart as the tolerance.
        near = x + np.resize(np.array([1, -1, 0.9, 1.1], dtype), x.shape) * (
            dtype == "float64" and 1e-5 or np.float32(1e-5)
        )
        for other in (y, x, near, x + x.dtype.type(0.5)):
            got = _run_python(tf_lite, "ApproximateEqual", x, other, **options)
            want = _tensorflow("ApproximateEqual", "xy", x, other, **options)
            self.assertEqual(got.dtype, np.bool_)
            np.testing.assert_array_equal(got, want)
        self._assert_same_in_all_runtimes(
            "ApproximateEqual", x, near, **options
        )

    @parameterized.parameters("float32", "float64")
    def test_clip_by_value_is_tensorflows(self, dtype: str) -> None:
        x, low, high = _points(3, dtype)
        inputs = [(x, low, high)]
        for bound in [0.5, -2, np.inf, np.nan, -0.0]:
            scalar = np.array(bound, dtype)
            inputs += [(x, low, scalar), (x, scalar, high)]
            inputs += [(x, scalar, np.array(1, dtype))]
        for some in inputs:
            y = _run_python(tf_lite, "ClipByValue", *some)
            names = ("t", "clip_value_min", "clip_value_max")
            want = _tensorflow("ClipByValue", names, *some)
            self._assert_within(y, want, 0)
            np.testing.assert_array_equal(np.signbit(y), np.signbit(want))
        self._assert_same_in_all_runtimes("ClipByValue", x, low, high)

    @parameterized.parameters(*_INTEGERS)
    def test_integers_are_clipped(self, dtype: str) -> None:
        limits = np.iinfo(dtype)
        x = np.array([limits.min, 0, 1, 2, 5, 9, limits.max], dtype)
        for low, high in [(1, 5), (5, 1), (limits.min, 2), (2, limits.max)]:
            bounds = [np.array(low, dtype), np.array(high, dtype)]
            y = _run_python(tf_lite, "ClipByValue", x, *bounds)
            # TensorFlow has no kernel for uint32 and uint64.
            want = np.maximum(np.minimum(x, bounds[1]), bounds[0])
            np.testing.assert_array_equal(y, want)
            self._assert_same_in_all_runtimes("ClipByValue", x, *bounds)

    def test_bounds_are_scalars_or_have_the_inputs_shape(self) -> None:
        x, row = np.zeros([2, 3], np.float32), np.zeros([3], np.float32)
        scalar = np.float32(0).reshape(())
        for inputs in [(x, row, scalar), (x, scalar, row), (scalar, x, x)]:
            with self.assertRaises(tf.errors.InvalidArgumentError):
                names = ("t", "clip_value_min", "clip_value_max")
                _tensorflow("ClipByValue", names, *inputs)
            with self.assertRaisesRegex(
                RuntimeError, "they must be the first's, or scalars"
            ):
                _run_python(tf_lite, "ClipByValue", *inputs)
        for inputs in [(x[:0], x[:0], scalar), (scalar, scalar, scalar)]:
            y = _run_python(tf_lite, "ClipByValue", *inputs)
            self.assertEqual(y.shape, inputs[0].shape)

    @parameterized.parameters(
        ("ApproximateEqual", "tolerance"), ("LeakyReluGrad", "alpha")
    )
    def test_options_of_another_type_are_refused(self, op, option) -> None:
        x = np.zeros([2], np.float32)
        with self.assertRaisesRegex(
            RuntimeError, f"{op}: option '{option}' is of another type"
        ):
            _run_python(tf_lite, op, x, x, **{option: "much"})

    @parameterized.product(op=["Invert", "PopulationCount"], dtype=_INTEGERS)
    def test_bits_are_tensorflows(self, op: str, dtype: str) -> None:
        limits = np.iinfo(dtype)
        x = np.array([limits.min, limits.max, limits.max // 3, 0, 1, 6], dtype)
        want = _tensorflow(op, "x", x)
        np.testing.assert_array_equal(_run_python(tf_lite, op, x), want)
        self._assert_same_in_all_runtimes(op, x)

    @parameterized.product(op=["Mod", "TruncateMod"], dtype=["int32", "int64"])
    def test_integer_remainders_are_tensorflows(self, op, dtype) -> None:
        limits = np.iinfo(dtype)
        values = [limits.min, limits.min + 1, -7, -2, -1, 1, 2, 3, limits.max]
        a, b = np.meshgrid(*[np.array(values + [0], dtype)] * 2)
        a, b = a[b != 0], b[b != 0]
        y = _run_python(tf_lite, op, a, b)
        np.testing.assert_array_equal(y, _tensorflow(op, "xy", a, b))
        self._assert_same_in_all_runtimes(op, a, b)
        with self.assertRaisesRegex(RuntimeError, "division by zero"):
            _run_python(tf_lite, op, a, np.array(0, dtype))

    @parameterized.parameters(
        ([3, 4], [3, 4]),
        ([3, 4], []),
        ([], [3, 4]),
        ([], []),
        ([1], [1, 1, 1]),
        ([3, 1], [4]),
        ([2, 1, 5, 1], [3, 1, 4]),
        ([2, 3, 4, 5], [3, 1, 5]),
        ([1, 3, 1, 5, 1, 2], [7, 1, 4, 1, 6, 1]),
        ([0], [1]),
        ([2, 0, 3], [1, 1, 3]),
        ([0, 4], [4]),
    )
    def test_shapes_broadcast_as_numpys(self, a_shape, b_shape) -> None:
        rng = np.random.default_rng(2)
        for op, numpy_function, dtype in [
            ("NextAfter", np.nextafter, "float32"),
            ("BitwiseAnd", np.bitwise_and, "int16"),
        ]:
            a = rng.integers(1, 1000, a_shape).astype(dtype)
            b = rng.integers(1, 1000, b_shape).astype(dtype)
            want = numpy_function(a, b)
            y = _run_python(tf_lite, op, a, b)
            self.assertEqual(y.shape, want.shape)
            np.testing.assert_array_equal(y, want)

    def test_shapes_that_do_not_broadcast_are_refused(self) -> None:
        x, y = np.zeros([2, 3], np.float32), np.zeros([4], np.float32)
        with self.assertRaisesRegex(
            RuntimeError, r"Zeta: the inputs' shapes are \[2,3\] and \[4\]"
        ):
            _run_python(tf_lite, "Zeta", x, y)
        with self.assertRaisesRegex(RuntimeError, "they must be the same"):
            _run_python(tf_lite, "EluGrad", x, x[:1])

    def test_types_that_an_op_has_not_are_refused(self) -> None:
        x = np.zeros([2], np.int32)
        with self.assertRaisesRegex(
            RuntimeError,
            "Tan: input 0 must be FLOAT32 or FLOAT64, or quantized INT8 or"
            " UINT8, but tensor 'input_0' is INT32",
        ):
            _run_python(tf_lite, "Tan", x)
        model = single_op_model("Tan", [1], output_dtype="float64")
        with self.assertRaisesRegex(ValueError, "could not make|prepare"):
            CInterpreter(model)

    def test_inputs_can_be_resized_between_runs(self) -> None:
        interpreter = CInterpreter(single_op_model("Zeta", [1], inputs=2))
        for shape in [(5,), (2, 3), (), (0, 2), (1000,), (4,)]:
            interpreter.resize(0, shape)
            interpreter.set_input(0, np.full(shape, 2.0, np.float32))
            interpreter.set_input(1, np.float32([1.0]))
            interpreter.invoke()
            y = interpreter.output(0)
            # A scalar with one element of rank 1 is that.
            self.assertEqual(y.shape, shape or (1,))
            np.testing.assert_allclose(y, np.pi**2 / 6, rtol=1e-6)

    @parameterized.product(op=_UNARY, dtype=["int8", "uint8"])
    def test_quantized(self, op: str, dtype: str) -> None:
        stored = np.arange(256).astype(np.uint8).view(dtype)
        for scale, offset, to_scale, to_offset in [
            (0.02, 3, 0.01, -7),
            (1 / 128, 128, 1 / 256, 0),
            (0.5, -100, 3.0, 40),
        ]:
            tensors = [
                Tensor([256], dtype, quantization=each)
                for each in [(scale, offset), (to_scale, to_offset)]
            ]
            interpreter = CInterpreter(
                single_op_model(op, inputs=tensors[:1], outputs=tensors[1:])
            )
            interpreter.set_input(0, stored)
            interpreter.invoke()
            x = np.float32(scale) * (stored.astype(np.float32) - offset)
            y = _run_c(op, x).astype(float) / np.float64(np.float32(to_scale))
            # To the nearest, halves away from zero; what is no number is zero.
            steps = np.nan_to_num(
                np.copysign(np.floor(np.abs(y) + 0.5), y),
                nan=0,
                posinf=1e9,
                neginf=-1e9,
            )
            limits = np.iinfo(dtype)
            want = np.clip(steps + to_offset, limits.min, limits.max)
            np.testing.assert_array_equal(interpreter.output(0), want)

    def test_bytes_without_a_scale_are_refused(self) -> None:
        for op in ("Atan", "Erf"):
            good = Tensor([4], "int8", quantization=(0.5, 0))
            for x, y, role in [
                (Tensor([4], "int8"), good, "input"),
                (good, Tensor([4], "int8", quantization=(0.0, 0)), "output"),
            ]:
                model = single_op_model(op, inputs=[x], outputs=[y])
                with self.assertRaisesRegex(
                    ValueError, f"{op}: {role} of type INT8 must have one scale"
                ):
                    CInterpreter(model)
            model = single_op_model(
                op, inputs=[good], outputs=[Tensor([4], "float32")]
            )
            with self.assertRaisesRegex(ValueError, "output must be INT8"):
                CInterpreter(model)

    def test_converted_model_runs(self) -> None:
        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def special_functions(x):
            a, b = tf.math.erf(x), tf.math.igamma(x + 1.0, x)
            return tf.math.bessel_i0e(x) + tf.math.digamma(tf.exp(a * b))

        converter = tf.lite.TFLiteConverter.from_concrete_functions(
            [special_functions.get_concrete_function()], special_functions
        )
        converter.allow_custom_ops = True
        interpreter = CInterpreter(converter.convert())
        x = np.linspace(0, 4, 12, dtype=np.float32).reshape(4, 3)
        interpreter.resize(0, x.shape)
        interpreter.set_input(0, x)
        interpreter.invoke()
        self.assertAllClose(
            interpreter.output(0), special_functions(x), rtol=1e-5
        )


if __name__ == "__main__":
    tf.test.main()
