"""Tests of the tools that ops are tested with."""

import contextlib
import io
import random
import sys
import unittest
import warnings
from unittest import mock

import ml_dtypes
import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import gradient_check
from tensorflow_examples.custom_ops_doc.python_op import implementation
from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools as utt

tensor = python_op.tensor


class Scale(python_op.Op):
    """Multiplies by a constant."""

    __props__ = ("factor",)

    def __init__(self, factor=2.0):
        self.factor = factor

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * inputs[0].dtype.type(self.factor)

    def infer_shape(self, node, input_shapes):
        return input_shapes

    def grad(self, inputs, output_gradients):
        return [output_gradients[0] * self.factor]


class Dot(python_op.Op):
    """The product of two matrices."""

    __props__ = ()
    itypes = [tensor.dmatrix, tensor.dmatrix]
    otypes = [tensor.dmatrix]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.dot(*inputs)

    def infer_shape(self, node, input_shapes):
        (n, _), (_, m) = input_shapes
        return [(n, m)]

    def grad(self, inputs, output_gradients):
        a, b = inputs
        (g,) = output_gradients
        return [tensor.dot(g, b.T), tensor.dot(a.T, g)]


class SumAndDifference(python_op.Op):
    """Two outputs: x + y and x - y."""

    __props__ = ()
    itypes = [tensor.dvector, tensor.dvector]
    otypes = [tensor.dvector, tensor.dvector]

    def perform(self, node, inputs, output_storage):
        x, y = inputs
        output_storage[0][0] = x + y
        output_storage[1][0] = x - y

    def grad(self, inputs, output_gradients):
        s, d = output_gradients
        return [s + d, s - d]


@contextlib.contextmanager
def setting(owner, name, value):
    old = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, old)


class AssertAllcloseTest(parameterized.TestCase):
    @parameterized.parameters(
        ("float64", 0, 1e-8, 1e-5),
        ("float64", 1, 1e-3, 1e-4),
        ("float64", 2, 1e-3, 1e-4),
        ("complex128", 0, 1e-8, 1e-5),
        ("float32", 0, 1e-5, 1e-5),
        ("float32", 1, 1e-4, 1e-3),
        ("float32", 2, 5e-4, 1e-3),
        ("complex64", 0, 1e-5, 1e-5),
        ("float16", 0, 1e-3, 1e-3),
        ("float16", 1, 5e-3, 1e-2),
        ("float16", 2, 1e-2, 5e-2),
        ("bfloat16", 0, 1e-2, 1e-2),
        ("bfloat16", 1, 5e-2, 1e-1),
        ("bfloat16", 2, 1e-1, 5e-1),
    )
    def test_tolerance_is_that_of_the_dtype_and_of_cmp_sloppy(
        self, dtype, sloppy, atol, rtol
    ):
        dtype = getattr(ml_dtypes, dtype, None) or np.dtype(dtype)
        # The value is exact, so that the expected one's dtype sets the bounds.
        expected = np.array([0.0, 4.0], dtype)
        with setting(config.tensor, "cmp_sloppy", sloppy):
            for index, bound in ((0, atol), (1, atol + 4 * rtol)):
                for sign in (1, -1):
                    value = expected.astype(
                        np.complex128
                        if expected.dtype.kind == "c"
                        else np.float64
                    )
                    value[index] += sign * bound * 0.999
                    utt.assert_allclose(expected, value)
                    value[index] += sign * bound * 0.002
                    with self.assertRaises(utt.WrongValue):
                        utt.assert_allclose(expected, value)

    @parameterized.parameters(
        ("float16", "float32"),
        ("float32", "float64"),
        ("complex64", "float64"),
        ("bfloat16", "float16"),
        ("float32", "int64"),
    )
    def test_the_less_precise_dtype_sets_the_tolerance(self, less, more):
        less = np.array([1.0], getattr(ml_dtypes, less, less))
        more = np.array([1.0], more)
        for expected, value in ((less, more), (more, less)):
            with self.assertRaises(utt.WrongValue) as caught:
                utt.assert_allclose(expected, value + value.dtype.type(1))
            with self.assertRaises(utt.WrongValue) as alone:
                utt.assert_allclose(less, less + less.dtype.type(1))
            self.assertEqual(caught.exception.rtol, alone.exception.rtol)
            self.assertEqual(caught.exception.atol, alone.exception.atol)

    @parameterized.parameters(3, -1, "1", None, True, 0.5)
    def test_another_cmp_sloppy_is_an_error(self, sloppy):
        with setting(config.tensor, "cmp_sloppy", sloppy):
            with self.assertRaisesRegex(
                ValueError, "must be 0, 1 or 2, but is " + repr(sloppy)
            ):
                utt.assert_allclose([1.0], [1.0])

    def test_tolerances_that_are_given_go_first(self):
        utt.assert_allclose([1.0, 0.0], [1.09, 0.0], rtol=0.1)
        utt.assert_allclose([1.0, 0.0], [1.0, 0.09], atol=0.1)
        with self.assertRaises(utt.WrongValue):
            utt.assert_allclose(
                np.float32([1]), np.float32([1.000001]), rtol=0, atol=0
            )

    def test_error_says_where_and_by_how_much(self):
        expected = np.arange(20.0, dtype=np.float32).reshape(5, 4)
        value = expected.copy()
        value[3, 1] += 1
        value[4, 3] += 0.5
        value[0, 1] = 1.25
        with self.assertRaises(utt.WrongValue) as caught:
            utt.assert_allclose(expected, value)
        message = str(caught.exception)
        for text in (
            "differs from what is expected in 3 of 20 elements",
            "worst       : [0, 1]: expected 1.0, value 1.25, abs diff 0.25, "
            "rel diff 0.25",
            "max abs diff: [3, 1]: expected 13.0, value 14.0, abs diff 1,",
            "max rel diff: [0, 1]: expected 1.0, value 1.25",
            "expected    : shape (5, 4), dtype float32, min 0.0, max 19.0",
            "value       : shape (5, 4), dtype float32, min 0.0, max 19.5",
            "<= 1e-05 + 1e-05 * |expected|",
        ):
            self.assertIn(text, message)
        self.assertIs(caught.exception.val2, value)

    @parameterized.parameters(
        ([np.nan], [np.nan]),
        ([1.0], [np.nan]),
        ([np.nan], [1.0]),
        ([np.inf], [-np.inf]),
        ([np.inf], [1e300]),
        ([1.0], [np.inf]),
        ([1000000], [1000001]),
        ([True], [False]),
        (["a"], ["b"]),
        ([[1.0]], [1.0]),
        ([1.0], 1.0),
        ([1.0, 1.0], [1.0]),
    )
    def test_what_differs_fails(self, expected, value):
        with setting(config.tensor, "cmp_sloppy", 2):
            with self.assertRaises(utt.WrongValue):
                utt.assert_allclose(expected, value)

    def test_a_wrong_shape_is_told(self):
        with self.assertRaisesRegex(
            utt.WrongValue, r"has shape \(1, 2\), but \(2,\) is expected"
        ):
            utt.assert_allclose([1.0, 2.0], [[1.0, 2.0]])

    def test_what_is_close_passes(self):
        utt.assert_allclose([np.inf, -np.inf], [np.inf, -np.inf])
        utt.assert_allclose([], [])
        utt.assert_allclose(tf.constant([1.0]), tf.constant([1.000001]))
        utt.assert_allclose(2.0, Scale()(tf.constant(1.0)))
        utt.assert_allclose(["a"], np.array(["a"], object))
        utt.assert_allclose(np.uint64([2**64 - 1]), np.uint64([2**64 - 1]))


class SeedTest(parameterized.TestCase):
    def _draw_without_keras(self):
        return [
            random.random(),
            np.random.rand(),
            float(tf.random.uniform([])),
            float(tf.random.get_global_generator().uniform([])),
        ]

    def _draw(self):
        return [*self._draw_without_keras(), float(tf.keras.random.uniform([]))]

    def test_every_source_draws_the_same_after_seed_rng(self):
        self._draw()  # Keras is in use from here on.
        self.assertEqual(utt.seed_rng(), 666)
        first = self._draw()
        second = self._draw()
        for a, b in zip(first, second, strict=True):
            self.assertNotEqual(a, b)
        utt.seed_rng()
        self.assertEqual(self._draw(), first)
        utt.seed_rng(667)
        for a, b in zip(first, self._draw(), strict=True):
            self.assertNotEqual(a, b)

    def test_the_others_are_seeded_where_keras_is_not_in_use(self):
        with mock.patch.dict(sys.modules):
            sys.modules.pop("keras", None)
            utt.seed_rng()
            first = self._draw_without_keras()
            utt.seed_rng()
            self.assertEqual(self._draw_without_keras(), first)

    def test_a_seed_that_is_given_goes_before_the_setting(self):
        self.assertEqual(utt.fetch_seed(5), 5)
        self.assertEqual(utt.fetch_seed(0), 0)
        with setting(config.unittests, "rseed", "7"):
            self.assertEqual(utt.fetch_seed(), 7)

    def test_random_draws_one_seed_for_the_process_and_prints_it(self):
        with setting(config.unittests, "rseed", "random"):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                seed = utt.seed_rng()
                self.assertEqual(utt.fetch_seed(), seed)
        self.assertEqual(printed.getvalue().count(f"this time it is {seed}"), 2)

    @parameterized.parameters("often", "-1", "4294967296", 1.5j)
    def test_another_seed_is_an_error(self, seed):
        with setting(config.unittests, "rseed", seed):
            with self.assertRaisesRegex(ValueError, "rseed.*must be"):
                utt.seed_rng()

    def test_a_test_class_seeds_in_set_up(self):
        class Sample(utt.InferShapeTester):
            def test_draw(self):
                pass

        for seed in (7, 8):
            with setting(config.unittests, "rseed", str(seed)):
                Sample("test_draw").setUp()
                self.assertEqual(
                    np.random.rand(), np.random.RandomState(seed).rand()
                )


class VerifyGradTest(parameterized.TestCase):
    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(1)

    def test_takes_an_op(self):
        utt.verify_grad(Scale(), [self.rng.random((5, 7, 2))])
        utt.verify_grad(
            Dot(), [self.rng.random((3, 4)), self.rng.random((4, 2))]
        )
        utt.verify_grad(SumAndDifference(), [self.rng.random(3)] * 2)

    @parameterized.named_parameters(
        ("variables", lambda x: Scale()(x).sum(axis=0) * x.T[:, 0]),
        ("tensorflow", tf.tanh),
        ("tensors", lambda x: tf.reshape(x, [x.shape[0] * x.shape[1]])[1:]),
        ("tf_function", tf.function(lambda x: tf.exp(x) * x)),
        ("op_and_tensorflow", lambda x: tf.sin(Scale(3.0)(tf.cos(x)))),
        ("several_outputs", lambda x: [tf.sin(x), tf.argmax(x), tf.exp(x)]),
        ("unused_input", lambda x: tf.constant([1.0])),
        ("scalar_output", tf.reduce_sum),
    )
    def test_takes_any_function_of_tensors(self, fun):
        utt.verify_grad(fun, [self.rng.random((3, 4))])

    def test_takes_a_keras_layer(self):
        utt.verify_grad(
            tf.keras.layers.Dense(3), [self.rng.random((5, 4), np.float32)]
        )

    @parameterized.parameters("float64", "float32", "float16", "bfloat16")
    def test_takes_every_floating_dtype(self, dtype):
        dtype = getattr(ml_dtypes, dtype, dtype)
        x = self.rng.random((3, 4)).astype(dtype)
        utt.verify_grad(tf.tanh, [x])
        utt.verify_grad(lambda x: Scale(3.0)(x) * x, [100 * x])
        with self.assertRaises(utt.GradientError):
            utt.verify_grad(_wrong_gradient(tf.tanh), [x])

    def test_takes_inputs_of_several_dtypes(self):
        utt.verify_grad(
            lambda x, y: tf.cast(x, tf.float32) * y,
            [self.rng.random(5), self.rng.random(5, np.float32)],
        )

    def test_step_is_that_of_outputs_less_precise_than_the_inputs(self):
        utt.verify_grad(
            lambda x: tf.square(tf.cast(x, tf.float32)), [self.rng.random(5)]
        )

    def test_steps_back_from_the_end_of_a_domain(self):
        utt.verify_grad(lambda x: tf.pow(x, 2.5), [np.array([0.0, 1.0])])
        utt.verify_grad(lambda x: tf.pow(1 - x, 2.5), [np.array([0.0, 1.0])])

    def test_error_names_op_input_element_values_tolerances_and_seed(self):
        class WrongDot(Dot):
            def grad(self, inputs, output_gradients):
                ga, gb = super().grad(inputs, output_gradients)
                mask = np.zeros((4, 2))
                mask[2, 1] = 0.5
                return [ga, gb + mask]

        inputs = [self.rng.random((3, 4)), self.rng.random((4, 2))]
        with self.assertRaises(utt.verify_grad.E_grad) as caught:
            utt.verify_grad(WrongDot(), inputs, rel_tol=1e-5)
        error = caught.exception
        self.assertEqual(error.arg, 1)
        self.assertEqual(error.err_pos, (2, 1))
        self.assertEqual(error.shape, (4, 2))
        self.assertAlmostEqual(error.val1 - error.val2, 0.5, 6)
        self.assertAlmostEqual(error.abs_err, 0.5, 6)
        self.assertAlmostEqual(
            error.rel_err, 0.5 / (error.val1 + error.val2), 6
        )
        self.assertEqual((error.abs_tol, error.rel_tol), (1e-4, 1e-5))
        for text in (
            "verify_grad of WrongDot (eagerly, projection 1 of 2)",
            "with respect to input 1 is wrong in 1 of 8 elements, worst at [2, 1]",
            f"gradient          : {error.val1:.9g}",
            f"finite differences: {error.val2:.9g}",
            "tolerance 0.0001",
            "tolerance 1e-05",
            "PYTHON_OP_RSEED=666",
        ):
            self.assertIn(text, str(error))

    def test_error_is_of_the_input_that_is_worst(self):
        for first, second, arg in ((1.1, 3.0, 1), (3.0, 1.1, 0)):
            x = _wrong_gradient(tf.identity, first)
            y = _wrong_gradient(tf.identity, second)
            with self.assertRaises(utt.GradientError) as caught:
                utt.verify_grad(
                    lambda a, b, x=x, y=y: x(a) + y(b), [np.ones(3)] * 2
                )
            self.assertEqual(caught.exception.arg, arg)

    def test_is_seeded_unless_an_rng_is_given(self):
        def value(**kwargs):
            with self.assertRaises(utt.GradientError) as caught:
                utt.verify_grad(
                    _wrong_gradient(tf.identity), [np.ones(3)], **kwargs
                )
            return caught.exception.val2

        np.random.seed(1)
        before = np.random.get_state()[1].tolist()
        first = value()
        self.assertEqual(value(), first)
        self.assertEqual(np.random.get_state()[1].tolist(), before)
        with setting(config.unittests, "rseed", "667"):
            self.assertNotEqual(value(), first)
        for rng in (self.rng, np.random.RandomState(1), np.random):
            self.assertNotEqual(value(rng=rng), first)

    def test_every_output_counts(self):
        class First(SumAndDifference):
            def grad(self, inputs, output_gradients):
                return [output_gradients[0], output_gradients[0]]

        utt.verify_grad(lambda *xs: First()(*xs)[0], [np.ones(3)] * 2)
        with self.assertRaises(utt.GradientError):
            utt.verify_grad(First(), [np.ones(3)] * 2)

    def test_finds_a_gradient_that_works_eagerly_alone(self):
        class Eager(Scale):
            def grad(self, inputs, output_gradients):
                return [output_gradients[0].numpy() * self.factor]

        with self.assertRaisesRegex(
            utt.GradientError, "cannot be computed in a tf.function: .*numpy"
        ):
            utt.verify_grad(Eager(), [np.ones(3)])

    def test_finds_a_gradient_that_takes_shapes_of_the_first_call(self):
        class Static(Scale):
            def grad(self, inputs, output_gradients):
                n = tf.convert_to_tensor(inputs[0]).shape[0]
                factors = np.full(1 if n is None else n, self.factor)
                return [output_gradients[0] * factors[: 1 if n else 0]]

        with self.assertRaisesRegex(utt.GradientError, "in a tf.function"):
            utt.verify_grad(Static(), [np.ones(3)])

    def test_tolerances_and_step_can_be_given(self):
        fun = _wrong_gradient(tf.identity, 1.01)
        with self.assertRaises(utt.GradientError):
            utt.verify_grad(fun, [np.ones(3)])
        utt.verify_grad(fun, [np.ones(3)], rel_tol=0.01)
        utt.verify_grad(fun, [np.ones(3)], abs_tol=0.02)
        with self.assertRaises(utt.GradientError):
            utt.verify_grad(tf.exp, [np.ones(3)], eps=0.5)

    def test_disconnected_counts_as_zeros(self):
        class Constant(Scale):
            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = np.ones_like(inputs[0])

            def grad(self, inputs, output_gradients):
                return [python_op.DisconnectedType()()]

        class Disconnected(Scale):
            def grad(self, inputs, output_gradients):
                return [python_op.DisconnectedType()()]

        utt.verify_grad(Constant(), [np.ones(3)])
        with self.assertRaisesRegex(utt.GradientError, "disconnected"):
            utt.verify_grad(Disconnected(), [np.ones(3)])

    def test_gradient_that_is_not_finite_fails(self):
        for value in (np.nan, np.inf):
            with self.assertRaises(utt.GradientError):
                utt.verify_grad(
                    _wrong_gradient(tf.identity, value), [np.ones(3)]
                )

    def test_gradient_of_another_shape_or_dtype_fails(self):
        @tf.custom_gradient
        def shape(x):
            return x + 1, lambda g: tf.reshape(g, [-1])

        @tf.custom_gradient
        def dtype(x):
            return x + 1, lambda g: tf.cast(g, tf.float32)

        class OpShape(Scale):
            def grad(self, inputs, output_gradients):
                return [(output_gradients[0] * self.factor).reshape((-1,))]

        class OpDtype(Scale):
            def grad(self, inputs, output_gradients):
                return [tensor.cast(output_gradients[0] * 2, "float32")]

        for fun in (shape, dtype, OpShape(), OpDtype()):
            with self.assertRaisesRegex(
                utt.GradientError, r"(shape|dtype).*but the input"
            ):
                utt.verify_grad(fun, [np.ones((3, 2))])

    def test_gradients_that_do_not_exist_are_told_apart(self):
        class Without(Scale):
            grad = python_op.Op.grad

        class Undefined(Scale):
            def grad(self, inputs, output_gradients):
                return [python_op.grad_undefined(self, 0, inputs[0], "a step")]

        with self.assertRaisesRegex(NotImplementedError, "defines no grad"):
            utt.verify_grad(Without(), [np.ones(3)])
        with self.assertRaisesRegex(python_op.NullTypeGradError, "a step"):
            utt.verify_grad(Undefined(), [np.ones(3)])

    @parameterized.parameters(
        (np.ones(3), "takes a list of arrays"),
        ([np.ones(3, int)], "input 0 is of dtype int64. Let the function hold"),
        ([np.ones(3, bool)], "input 0 is of dtype bool"),
        ([np.ones(3), np.ones(3, complex)], "input 1 is of dtype complex128"),
    )
    def test_inputs_that_cannot_be_differentiated_are_refused(self, pt, why):
        with self.assertRaisesRegex(TypeError, why):
            utt.verify_grad(lambda *xs: xs, pt)

    def test_outputs_that_cannot_be_differentiated_are_refused(self):
        x = [np.ones(3)]
        with self.assertRaisesRegex(TypeError, "nothing to differentiate"):
            utt.verify_grad(tf.argmax, x)
        with self.assertRaisesRegex(TypeError, "output 0 is of dtype complex"):
            utt.verify_grad(lambda x: tf.complex(x, x), x)
        with self.assertRaisesRegex(TypeError, "complex.*out_type"):
            utt.verify_grad(tf.identity, x, out_type="complex64")
        with self.assertRaisesRegex(TypeError, "out_type is float32"):
            utt.verify_grad(tf.identity, x, out_type="float32")
        utt.verify_grad(tf.identity, x, out_type="float64")
        with self.assertRaisesRegex(ValueError, "n_tests must be .* but is 0"):
            utt.verify_grad(tf.identity, x, n_tests=0)
        with self.assertRaisesRegex(ValueError, "nothing to differentiate by"):
            utt.verify_grad(tf.identity, [np.ones((0, 3))])

    def test_an_error_of_the_function_is_that_of_the_function(self):
        def fails(x):
            raise RuntimeError("a fault of the function")

        def fails_of_variables(x):
            raise RuntimeError(f"a fault of {type(x).__name__}")

        with self.assertRaisesRegex(RuntimeError, "a fault of the function"):
            utt.verify_grad(fails, [np.ones(3)])
        with self.assertRaisesRegex(RuntimeError, "a fault of TensorVariable"):
            utt.verify_grad(fails_of_variables, [np.ones(3)])

    def test_an_error_of_the_mode_is_that_of_the_mode(self):
        class Fault(Exception):
            pass

        class Failing:
            def run(self, node, inputs, run):
                raise Fault

            def __enter__(self):
                implementation.push_mode(self)

            def __exit__(self, *error):
                implementation.pop_mode(self)

        with self.assertRaises(Fault):
            utt.verify_grad(Scale(), [np.ones(3)], mode=Failing())

    def test_mode_looks_on_while_gradients_are_computed(self):
        class Counting:
            def __init__(self):
                self.count = 0

            def run(self, node, inputs, run):
                self.count += 1
                return run(inputs, None)

            def __enter__(self):
                implementation.push_mode(self)

            def __exit__(self, *error):
                implementation.pop_mode(self)

        mode, everything = Counting(), Counting()
        utt.verify_grad(Scale(), [np.ones(30)], mode=mode)
        utt.verify_grad(
            Scale(), [np.ones(30)], mode=everything, no_debug_ref=False
        )
        self.assertGreater(mode.count, 0)
        self.assertEqual(everything.count, mode.count + 61)

    def test_projection_can_be_summed_in_the_output_dtype(self):
        x = [np.linspace(1, 2, 1000, dtype=np.float32)]
        utt.verify_grad(tf.identity, x)
        with self.assertRaises(utt.GradientError):
            # A sum of about 1500 has no room for differences of 3e-4.
            utt.verify_grad(tf.identity, x, cast_to_output_type=True)


def _wrong_gradient(fun, factor=2.0):
    @tf.custom_gradient
    def wrong(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = fun(x)

        def grad(g):
            return factor * tape.gradient(y, x, g)

        return y, grad

    def of(x):
        return wrong(tf.convert_to_tensor(x))

    return of


class NumericGradTest(unittest.TestCase):
    def test_is_the_gradient_of_a_number_or_a_vector(self):
        x, y = np.array([1.0, 2.0]), np.array(3.0)
        found = utt.numeric_grad(lambda x, y: np.sum(x**2) * y, [x, y]).gf
        utt.assert_allclose([6.0, 12.0], found[0], rtol=1e-6)
        utt.assert_allclose(5.0, found[1], rtol=1e-6)
        jacobian = utt.numeric_grad(lambda x: x**2, x).gf
        utt.assert_allclose([[2.0, 0], [0, 4.0]], jacobian, 1e-6, 1e-6)

    def test_step_of_a_large_element_is_not_lost(self):
        x = np.float32([1e6])
        found = utt.numeric_grad(lambda x: x[0] * 3.0, x).gf
        utt.assert_allclose([3.0], found, rtol=1e-3)

    def test_tolerance_is_that_of_the_least_precise_dtype(self):
        self.assertEqual(gradient_check.tolerance("float64"), 1e-4)
        self.assertEqual(gradient_check.tolerance("float64", np.float32), 1e-2)


class InferShapeTesterTest(utt.InferShapeTester):
    def test_right_shapes_pass(self):
        x, y = tensor.dmatrix(), tensor.dmatrix()
        self._compile_and_check(
            [x, y],
            [Dot()(x, y), Scale()(Dot()(x, y)).T],
            [np.ones((2, 3)), np.ones((3, 4))],
            (Dot, Scale),
        )
        z = tensor.tensor3(dtype="float32")
        self._compile_and_check(
            [z],
            [Scale()(z).sum(axis=1)],
            [np.ones((2, 3, 4), np.float32)],
            Scale,
        )

    def test_values_may_be_lists_and_numbers(self):
        x, y = tensor.vector(), tensor.scalar()
        self._compile_and_check([x], [Scale()(x)], [[1, 2, 3]], Scale)
        self._compile_and_check([y], [Scale()(y)], [1.5], Scale)

    def test_an_op_that_is_run_for_a_shape_fails(self):
        class Without(Scale):
            infer_shape = None

        class Unknown(Scale):
            def infer_shape(self, node, input_shapes):
                return [None]

        for op in (Without(), Unknown()):
            x = tensor.matrix()
            with self.assertRaisesRegex(
                AssertionError, "shapes alone need .* to be run: infer_shape"
            ):
                self._compile_and_check(
                    [x], [op(x)], [np.ones((2, 3))], type(op)
                )
            self._compile_and_check(
                [x],
                [op(x)],
                [np.ones((2, 3))],
                type(op),
                check_topo=False,
                excluding=["fusion"],
            )

    def test_a_wrong_shape_fails_and_is_told(self):
        class Transposed(Scale):
            def infer_shape(self, node, input_shapes):
                return [input_shapes[0][::-1]]

        x = tensor.matrix()
        with self.assertRaisesRegex(
            AssertionError,
            r"shape of output 0 \(Transposed.*\) is \(2, 3\), but infer_shape "
            r"gave \(3, 2\)",
        ):
            self._compile_and_check(
                [x], [Transposed()(x)], [np.ones((2, 3))], Transposed
            )

    def test_a_shape_that_is_wrong_for_known_dimensions_fails(self):
        class Wrong(Scale):
            def infer_shape(self, node, input_shapes):
                n, m = input_shapes[0]
                if isinstance(m, int) and not isinstance(n, int):
                    return [(n, m + 1)]
                return [(n, m)]

        x = tensor.matrix()
        with self.assertRaisesRegex(
            AssertionError, r"inputs of shapes \[\(None, 3\)\]"
        ):
            self._compile_and_check([x], [Wrong()(x)], [np.ones((2, 3))], Wrong)

    def test_a_shape_that_is_wrong_for_unknown_dimensions_fails(self):
        class Wrong(Scale):
            def infer_shape(self, node, input_shapes):
                n, m = input_shapes[0]
                if isinstance(m, int) or isinstance(n, int):
                    return [(n, m)]
                return [(n, m + 1)]

        x = tensor.matrix()
        with self.assertRaisesRegex(
            AssertionError, r"gave \(2, 4\) \(no dimension known\)"
        ):
            self._compile_and_check([x], [Wrong()(x)], [np.ones((2, 3))], Wrong)

    def test_an_op_that_is_not_in_the_graph_fails(self):
        x = tensor.matrix()
        with self.assertRaisesRegex(
            AssertionError, "no op of Dot is in the graph"
        ):
            self._compile_and_check([x], [Scale()(x)], [np.ones((2, 3))], Dot)

    def test_equal_dimensions_give_a_warning(self):
        x = tensor.matrix()
        with self.assertWarnsRegex(
            UserWarning, r"Scale is tested with input 0 of shape \(3, 3\)"
        ) as caught:
            self._compile_and_check([x], [Scale()(x)], [np.ones((3, 3))], Scale)
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self._compile_and_check(
                [x], [Scale()(x)], [np.ones((3, 3))], Scale, warn=False
            )
            # Dimensions that are known cannot be others.
            r = python_op.TensorType("float64", (1, 1, None))()
            self._compile_and_check(
                [r], [Scale()(r)], [np.ones((1, 1, 1))], Scale
            )


class AppliesInTest(utt.SeededTestCase, utt.OptimizationTestMixin):
    def test_finds_ops_of_inner_graphs(self):
        @tf.function
        def inner(x):
            return Scale(3.0)(x)

        @tf.function
        def outer(x):
            return tf.cond(x[0] > 0, lambda: Scale(2.0)(x), lambda: inner(x))

        f = outer.get_concrete_function(tf.TensorSpec([2]))
        found = {n.op for n in utt.applies_in(f, Scale)}
        self.assertEqual(found, {Scale(2.0), Scale(3.0)})
        self.assertEqual(utt.applies_in(f, Dot), [])

    def test_assertions_count_ops(self):
        x = tensor.vector()
        f = python_op.function([x], Scale(2.0)(Scale(3.0)(Scale(2.0)(x))))
        self.assertFunctionContains(f, Scale(2.0))
        self.assertFunctionContainsN(f, Scale(2.0), 2)
        self.assertFunctionContains1(f, Scale(3.0))
        self.assertFunctionContains0(f, Scale(4.0))
        self.assertFunctionContainsClass(f, Scale, 3, 3)
        self.assertFunctionContainsClassN(f, Dot, 0)
        for fails in (
            lambda: self.assertFunctionContains0(f, Scale(3.0)),
            lambda: self.assertFunctionContains1(f, Scale(2.0)),
            lambda: self.assertFunctionContains(f, Scale(4.0)),
            lambda: self.assertFunctionContainsClassN(f, Scale, 2),
        ):
            with self.assertRaisesRegex(AssertionError, "the function runs"):
                fails()


class ScaleContractTest(utt.OpContractTestMixin, unittest.TestCase):
    ops = [Scale(2.0), Scale(3.0)]

    def clone(self, op):
        return Scale(op.factor)


class OpContractTest(unittest.TestCase):
    def test_ops_that_are_equal_but_should_not_be_fail(self):
        class Forgetful(Scale):
            __props__ = ()

        test = ScaleContractTest("test_eq")
        test.ops = [Forgetful(2.0), Forgetful(3.0)]
        test.clone = lambda op: Forgetful(op.factor)
        with self.assertRaisesRegex(AssertionError, "is equal to"):
            test.test_eq()
        test.ops = []
        with self.assertRaisesRegex(AssertionError, "ops is empty"):
            test.test_eq()

    def test_ops_whose_copies_differ_in_hash_fail(self):
        test = ScaleContractTest("test_hash")
        test.ops = [Scale(2.0)]
        test.test_hash()
        test.clone = lambda op: Scale(op.factor + 1)
        with self.assertRaisesRegex(AssertionError, "differ in hash"):
            test.test_hash()


if __name__ == "__main__":
    tf.test.main()
