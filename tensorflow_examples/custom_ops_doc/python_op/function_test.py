"""Tests of `function` and of the functions in `tensor`."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import test_ops

tensor = python_op.tensor

_RNG = np.random.default_rng(0)
_A = _RNG.uniform(0.1, 0.9, [3, 4])
_B = _RNG.uniform(0.1, 0.9, [3, 4])

# Each as a function of the `tensor` module and of NumPy's arrays.
_UNARY = (
    ("neg", np.negative),
    ("abs", np.abs),
    ("sgn", np.sign),
    ("floor", np.floor),
    ("ceil", np.ceil),
    ("sqr", np.square),
    ("exp", np.exp),
    ("expm1", np.expm1),
    ("log", np.log),
    ("log1p", np.log1p),
    ("log2", np.log2),
    ("log10", np.log10),
    ("sqrt", np.sqrt),
    ("reciprocal", np.reciprocal),
    ("sin", np.sin),
    ("cos", np.cos),
    ("tan", np.tan),
    ("arcsin", np.arcsin),
    ("arccos", np.arccos),
    ("arctan", np.arctan),
    ("sinh", np.sinh),
    ("cosh", np.cosh),
    ("tanh", np.tanh),
    ("arcsinh", np.arcsinh),
    ("arctanh", np.arctanh),
    ("sum", np.sum),
    ("prod", np.prod),
    ("mean", np.mean),
    ("var", np.var),
    ("std", np.std),
    ("max", np.max),
    ("min", np.min),
    ("cumsum", lambda a: np.cumsum(a, 0)),
    ("cumprod", lambda a: np.cumprod(a, 0)),
    ("argmax", lambda a: np.argmax(a, -1)),
    ("transpose", np.transpose),
    ("flatten", np.ravel),
    ("zeros_like", np.zeros_like),
    ("ones_like", np.ones_like),
    ("tril", np.tril),
    ("triu", np.triu),
    ("shape", np.shape),
)
_BINARY = (
    ("add", np.add),
    ("sub", np.subtract),
    ("mul", np.multiply),
    ("true_div", np.true_divide),
    ("int_div", np.floor_divide),
    ("mod", np.mod),
    ("pow", np.power),
    ("maximum", np.maximum),
    ("minimum", np.minimum),
    ("arctan2", np.arctan2),
    ("lt", np.less),
    ("le", np.less_equal),
    ("gt", np.greater),
    ("ge", np.greater_equal),
    ("eq", np.equal),
    ("neq", np.not_equal),
)
_SYMBOLIC = (
    ("slices", lambda x, y: x[1:, ::-1], lambda a, b: a[1:, ::-1]),
    ("number", lambda x, y: x[0, -1], lambda a, b: a[0, -1]),
    ("new_axis", lambda x, y: x[:, None], lambda a, b: a[:, None]),
    ("gather", lambda x, y: x[[2, 0]], lambda a, b: a[[2, 0]]),
    ("mask", lambda x, y: x[x > y], lambda a, b: a[a > b]),
    ("reflected", lambda x, y: 1 - 2 / x**2, lambda a, b: 1 - 2 / a**2),
    ("matmul", lambda x, y: x @ y.T, lambda a, b: a @ b.T),
    ("dot", lambda x, y: x.dot(y.T), lambda a, b: a.dot(b.T)),
    (
        "outer",
        lambda x, y: tensor.outer(x[0], y[0]),
        lambda a, b: np.outer(a[0], b[0]),
    ),
    ("axis", lambda x, y: x.sum(axis=1), lambda a, b: a.sum(axis=1)),
    (
        "keepdims",
        lambda x, y: x.max(axis=0, keepdims=True),
        lambda a, b: a.max(axis=0, keepdims=True),
    ),
    (
        "dimshuffle",
        lambda x, y: x.dimshuffle(1, "x", 0),
        lambda a, b: a.T[:, None],
    ),
    (
        "reshape",
        lambda x, y: x.reshape((x.shape[1], -1)),
        lambda a, b: a.reshape(4, -1),
    ),
    (
        "switch",
        lambda x, y: tensor.switch(x > y, x, 0),
        lambda a, b: np.where(a > b, a, 0),
    ),
    (
        "clip",
        lambda x, y: tensor.clip(x, 0.3, y),
        lambda a, b: np.clip(a, 0.3, b),
    ),
    (
        "concatenate",
        lambda x, y: tensor.concatenate([x, y], axis=1),
        lambda a, b: np.concatenate([a, b], axis=1),
    ),
    ("stack", lambda x, y: tensor.stack([x, y]), lambda a, b: np.stack([a, b])),
    (
        "alloc",
        lambda x, y: tensor.alloc(1.5, x.shape[0], 2),
        lambda a, b: np.full([3, 2], 1.5),
    ),
    ("zeros", lambda x, y: tensor.zeros((2, 3)), lambda a, b: np.zeros((2, 3))),
    (
        "tensordot",
        lambda x, y: tensor.tensordot(x, y, [[0], [0]]),
        lambda a, b: np.tensordot(a, b, [[0], [0]]),
    ),
    (
        "and",
        lambda x, y: (x > 0.5) & (y > 0.5),
        lambda a, b: (a > 0.5) & (b > 0.5),
    ),
    ("not", lambda x, y: ~(x > 0.5), lambda a, b: ~(a > 0.5)),
    ("array", lambda x, y: _B * x, lambda a, b: b * a),
    (
        "iteration",
        lambda x, y: sum(x[i] for i in range(3)),
        lambda a, b: a.sum(0),
    ),
)


class FunctionsTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(*_UNARY)
    def test_of_one_argument(self, expected):
        name = self._testMethodName.removeprefix("test_of_one_argument_")
        self._check(getattr(tensor, name), expected, _A)

    @parameterized.named_parameters(*_BINARY)
    def test_of_two_arguments(self, expected):
        name = self._testMethodName.removeprefix("test_of_two_arguments_")
        self._check(getattr(tensor, name), expected, _A, _B)
        self._check(getattr(tensor, name), expected, _A, _B[:1])
        self._check(
            lambda x: getattr(tensor, name)(x, 2), lambda a: expected(a, 2), _A
        )

    def _check(self, function, expected, *arrays):
        wanted = np.asarray(expected(*arrays))
        # Of tensors, of variables that stand for tensors, and symbolically.
        tensors = [tf.constant(a) for a in arrays]
        result = function(*tensors)
        self.assertIsInstance(result, tf.Tensor)
        self.assertAllClose(result, wanted)
        result = function(*map(tensor.as_tensor_variable, tensors))
        self.assertIsInstance(result, python_op.Variable)
        self.assertAllClose(result.tensor, wanted)
        symbols = [tensor.matrix() for _ in arrays]
        f = python_op.function(symbols, function(*symbols))
        self.assertAllClose(f(*arrays), wanted)
        self.assertEqual(f(*arrays).shape, wanted.shape)

    @parameterized.named_parameters(*_SYMBOLIC)
    def test_variables_are_written_like_arrays(self, symbolic, expected):
        x, y = tensor.matrix(), tensor.matrix()
        result = symbolic(x, y)
        wanted = np.asarray(expected(_A, _B))
        f = python_op.function([x, y], [result, result.shape])
        value, shape = f(_A, _B)
        self.assertAllClose(value, wanted)
        self.assertAllEqual(shape, wanted.shape)

    def test_dtypes_are_promoted_as_numpy_does(self):
        f, d = tf.ones(2), tf.ones(2, tf.float64)
        i, long, b = (
            tf.ones(2, tf.int32),
            tf.ones(2, tf.int64),
            tf.ones(2, tf.bool),
        )
        for x, y, dtype in (
            (f, d, tf.float64),
            (i, long, tf.int64),
            (long, f, tf.float64),
            (b, i, tf.int32),
            (f, 2, tf.float32),
            (f, 2.5, tf.float32),
            (i, 2, tf.int32),
            (i, 2.5, tf.float64),
            (b, 2, tf.int64),
        ):
            self.assertEqual(tensor.add(x, y).dtype, dtype)
        self.assertEqual(tensor.true_div(i, 2).dtype, tf.float64)
        self.assertEqual(tensor.exp(i).dtype, tf.float64)
        self.assertEqual(tensor.add(1, 2.5).dtype, tf.float64)

    def test_tensorflows_functions_take_variables(self):
        x = tensor.as_tensor_variable(tf.constant([1.0, 2.0]))
        self.assertAllEqual(tf.exp(x), tf.exp([1.0, 2.0]))
        self.assertAllEqual(tf.constant([1.0, 1.0]) + x, [2.0, 3.0])
        self.assertEqual((len(x), float(x[1]), x.ndim), (2, 2.0, 1))
        self.assertAllEqual(np.asarray(x), [1.0, 2.0])

    def test_rank_is_known_after_a_reshape_to_the_shape_of_another(self):
        x, y, shape = tensor.dmatrix(), tensor.dtensor3(), tensor.lvector()
        self.assertEqual(tensor.reshape(x, tensor.shape(y)).ndim, 3)
        reshaped = tensor.reshape(x, shape, ndim=3)
        self.assertEqual(reshaped.ndim, 3)
        f = python_op.function([x, shape], reshaped)
        self.assertAllEqual(f([[1.0, 2.0]], [1, 2, 1]), [[[1.0], [2.0]]])

    def test_functions_of_real_numbers_take_integers(self):
        n = tf.constant([[-2, 0], [3, 1]])
        for name in ("floor", "ceil", "abs"):
            result = getattr(tensor, name)(n)
            self.assertAllEqual(result, getattr(np, name)(n))
        self.assertAllClose(tensor.arctan2(n, 2), np.arctan2(n, 2))
        self.assertAllClose(
            tensor.softmax(n), tf.nn.softmax(tf.cast(n, tf.float64))
        )

    def test_any_and_all_take_numbers(self):
        x = tf.constant([[0.0, 0.5], [0.0, 0.0]])
        self.assertAllEqual(tensor.any(x, axis=1), [True, False])
        self.assertAllEqual(tensor.all(x + 1), True)

    def test_zeros_and_ones_like_integers_may_be_of_another_dtype(self):
        n = tensor.ivector()
        f = python_op.function(
            [n],
            [
                tensor.zeros_like(n, dtype="float64"),
                n.zeros_like(dtype="float32"),
                n.ones_like(),
            ],
        )
        zeros, narrow_zeros, ones = f([1, 2])
        self.assertEqual(zeros.dtype, np.float64)
        self.assertEqual(narrow_zeros.dtype, np.float32)
        self.assertEqual(ones.dtype, np.int32)
        self.assertAllEqual(zeros, [0, 0])
        self.assertAllEqual(ones, [1, 1])

    def test_integers_are_summed_as_64_bits_as_numpy_does(self):
        for dtype in ("int8", "int32", "uint8", "bool"):
            x = np.full([3], 100).astype(dtype)
            for function, expected in (
                (tensor.sum, np.sum(x)),
                (tensor.prod, np.prod(x)),
            ):
                result = function(tf.constant(x))
                self.assertEqual(result.dtype, expected.dtype)
                self.assertAllEqual(result, expected)


class FunctionTest(tf.test.TestCase):
    def test_takes_and_gives_arrays(self):
        x = tensor.matrix("x")
        f = python_op.function([x], test_ops.Double()(x))
        result = f(_A)
        self.assertIsInstance(result, np.ndarray)
        self.assertAllEqual(result, _A * 2)
        self.assertAllEqual(f(_A.astype("f")), _A.astype("f") * 2.0)
        self.assertAllEqual(f([[1, 2]]), [[2.0, 4.0]])

    def test_a_list_of_outputs_gives_a_list(self):
        x, y = tensor.vector(), tensor.vector()
        f = python_op.function([x, y], test_ops.SumAndDifference()(x, y))
        self.assertAllEqual(f([3.0], [1.0]), [[4.0], [2.0]])

    def test_equal_ops_run_once(self):
        op = test_ops.Double()
        x = tensor.vector()
        f = python_op.function([x], op(x) + test_ops.Double()(x) * op(x))
        self.assertAllEqual(f([1.0]), [6.0])
        self.assertEqual(op.runs, 1)

    def test_an_argument_of_another_type_is_named(self):
        x = tensor.fmatrix("x")
        f = python_op.function([x], x * 2)
        with self.assertRaisesRegex(TypeError, r"argument 0 \(x\): .*float64"):
            f(_A)
        with self.assertRaisesRegex(TypeError, r"argument 0 \(x\): .*\(3,\)"):
            f([1.0, 2.0, 3.0])
        with self.assertRaisesRegex(
            TypeError, "takes 1 arguments, but was given"
        ):
            f()
        narrow = python_op.function([x], x * 2, allow_input_downcast=True)
        self.assertAllClose(narrow(_A), _A * 2)

    def test_an_input_that_is_missing_or_twice_is_named(self):
        x, y = tensor.vector("x"), tensor.vector("y")
        with self.assertRaisesRegex(
            ValueError, "y, a variable of type .* needed"
        ):
            python_op.function([x], x + y)
        with self.assertRaisesRegex(ValueError, "twice among"):
            python_op.function([x, x], x)
        with self.assertRaisesRegex(TypeError, "input 0 .* symbolic variable"):
            python_op.function([tf.ones(2)], x)

    def test_float_x_is_the_dtype_of_new_variables(self):
        self.addCleanup(setattr, config, "floatX", config.floatX)
        config.floatX = "float32"
        self.assertEqual(tensor.matrix().dtype, "float32")
        self.assertEqual(tensor.matrix(dtype="int64").dtype, "int64")

    def test_a_constant_is_as_it_was_when_it_was_used(self):
        x = tensor.vector()
        a = np.array([1.0, 2.0])
        y = test_ops.SumAndDifference()(x, a)[0]
        a[:] = 100
        self.assertAllEqual(python_op.function([x], y)([0.0, 0.0]), [1.0, 2.0])


class AsOpTest(tf.test.TestCase):
    def test_a_function_becomes_an_op(self):
        @python_op.as_op(
            itypes=[tensor.fmatrix, tensor.fmatrix],
            otypes=[tensor.fmatrix],
            infer_shape=lambda node, shapes: [shapes[0][:-1] + shapes[1][-1:]],
        )
        def numpy_dot(a, b):
            """Multiplies."""
            return np.dot(a, b)

        a, b = np.float32(_A), np.float32(_B.T)
        self.assertAllClose(numpy_dot(a, b), a @ b)
        x, y = tensor.fmatrix(), tensor.fmatrix()
        z = numpy_dot(x, y)
        f = python_op.function([x, y], [z, z.shape])
        value, shape = f(a, b)
        self.assertAllClose(value, a @ b)
        self.assertAllEqual(shape, [3, 3])
        self.assertEqual(str(numpy_dot), "FromFunctionOp{numpy_dot}")
        self.assertEqual(numpy_dot.__doc__, "Multiplies.")

    def test_several_outputs_are_spread(self):
        @python_op.as_op([tensor.dvector] * 2, [tensor.dvector] * 2)
        def both(x, y):
            return x + y, x - y

        self.assertAllEqual(both([3.0], [1.0]), [[4.0], [2.0]])

        @python_op.as_op(tensor.dvector, [tensor.dvector] * 2)
        def one(x):
            return x * 2

        with self.assertRaisesRegex(
            TypeError, "must return 2 outputs, but .* 1"
        ):
            one([1.0])

    def test_it_has_no_gradient(self):
        @python_op.as_op(tensor.dvector, tensor.dvector)
        def double(x):
            return x * 2

        x = tf.constant([1.0], tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = double(x)
        with self.assertRaisesRegex(NotImplementedError, "double} has no grad"):
            tape.gradient(y, x)

    def test_what_is_no_type_is_refused(self):
        with self.assertRaisesRegex(TypeError, r"itypes\[0\] must be a type"):
            python_op.as_op(["float64"], [tensor.dvector])
        with self.assertRaisesRegex(
            TypeError, "infer_shape must be a function"
        ):
            python_op.as_op(tensor.dvector, tensor.dvector, 3)


if __name__ == "__main__":
    tf.test.main()
