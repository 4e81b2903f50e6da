"""Tests of opcheck: right ops pass, and a wrong one fails the row of its fault."""

import ctypes
import threading
import time
import traceback

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import opcheck
from tensorflow_examples.custom_ops_doc.python_op import python_op

tensor = python_op.tensor


class Unary(python_op.Op):
    """An op with one input, and one output like it."""

    __props__ = ()

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def infer_shape(self, node, shapes):
        return shapes


class Cube(Unary):
    """Right in every way."""

    def perform(self, node, inputs, output_storage):
        # A scalar's cube by ** would be a float64 under NumPy 1.
        output_storage[0][0] = inputs[0] * inputs[0] * inputs[0]

    def grad(self, inputs, gradients):
        return [3 * inputs[0] ** 2 * gradients[0]]

    def R_op(self, inputs, eval_points):  # noqa: N802
        if eval_points[0] is None:
            return [None]
        return [3 * inputs[0] ** 2 * eval_points[0]]


class ComplexCube(Cube):
    """TensorFlow's gradient by a complex number is conjugate."""

    def grad(self, inputs, gradients):
        return [3 * tensor.conj(inputs[0]) ** 2 * gradients[0]]


class Relu(Unary):
    """Has a kink at 0."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.maximum(inputs[0], 0)

    def grad(self, inputs, gradients):
        return [tensor.switch(inputs[0] > 0, gradients[0], 0.0)]


class Matmul(python_op.Op):
    __props__ = ()

    def make_node(self, a, b):
        a, b = tensor.as_tensor(a, ndim=2), tensor.as_tensor(b, ndim=2)
        return python_op.Apply(self, [a, b], [a.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] @ inputs[1]

    def infer_shape(self, node, shapes):
        return [(shapes[0][0], shapes[1][1])]

    def grad(self, inputs, gradients):
        a, b = inputs
        (g,) = gradients
        return [Matmul()(g, b.T), Matmul()(a.T, g)]


class SumAndProduct(python_op.Op):
    """Two outputs, either of which may be all that is needed."""

    __props__ = ()

    def make_node(self, x, y):
        x, y = tensor.as_tensor(x), tensor.as_tensor(y)
        return python_op.Apply(self, [x, y], [x.type(), x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + inputs[1]
        output_storage[1][0] = inputs[0] * inputs[1]

    def infer_shape(self, node, shapes):
        return [shapes[0], shapes[0]]

    def grad(self, inputs, gradients):
        x, y = inputs
        gx, gy = x.zeros_like(), y.zeros_like()
        if not isinstance(gradients[0].type, python_op.DisconnectedType):
            gx, gy = gx + gradients[0], gy + gradients[0]
        if not isinstance(gradients[1].type, python_op.DisconnectedType):
            gx, gy = gx + gradients[1] * y, gy + gradients[1] * x
        return [gx, gy]


class Take(python_op.Op):
    """Integers choose among floats, and have no gradient."""

    __props__ = ()

    def make_node(self, x, indices):
        x = tensor.as_tensor(x, ndim=1)
        indices = tensor.as_tensor(indices)
        return python_op.Apply(
            self, [x, indices], [x.type.clone(shape=(None,) * indices.ndim)()]
        )

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0][inputs[1]]

    def infer_shape(self, node, shapes):
        return [shapes[1]]

    def grad(self, inputs, gradients):
        x, indices = inputs
        hot = tf.one_hot(indices, tf.size(x), dtype=x.dtype)
        g = tf.expand_dims(tf.convert_to_tensor(gradients[0]), -1)
        rows = tf.reshape(g * hot, [-1, tf.size(x)])
        return [
            tf.reduce_sum(rows, 0),
            python_op.DisconnectedType()(),
        ]


class UndefinedGradient(Cube):
    def grad(self, inputs, gradients):
        return [python_op.grad_undefined(self, 0, inputs[0])]

    R_op = python_op.Op.R_op


class Scaled(Cube):
    __props__ = ("factor",)

    def __init__(self, factor):
        self.factor = factor

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * inputs[0].dtype.type(self.factor)

    def grad(self, inputs, gradients):
        return [gradients[0] * self.factor]

    def R_op(self, inputs, eval_points):  # noqa: N802
        return [None if e is None else e * self.factor for e in eval_points]


class Reverses(Unary):
    """Works on strings."""

    def perform(self, node, inputs, output_storage):
        reverse = np.frompyfunc(lambda s: s[::-1], 1, 1)
        output_storage[0][0] = np.array(reverse(inputs[0]), object)


@python_op.as_op([tensor.dmatrix], [tensor.dmatrix])
def exponential(x):
    return np.exp(x)


# Wrong ops, by what is wrong with them.


class WrongDtype(Cube):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].astype(np.float16)


class TooManyOutputs(Cube):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0]
        output_storage[1][0] = inputs[0]


@python_op.as_op([tensor.dmatrix], [tensor.dmatrix])
def two_for_one(x):
    return x * 2, x * 3


class WritesToInput(Unary):
    def perform(self, node, inputs, output_storage):
        inputs[0][...] *= 2
        output_storage[0][0] = inputs[0].copy()


def writes_to_tensor(x):
    y = x * 2
    if tf.executing_eagerly():
        memory = np.asarray(memoryview(x))
        ctypes.memset(memory.ctypes.data, 0, memory.nbytes)
    return y


class ReturnsInput(Unary):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0]


class ReturnsView(Unary):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0][...]


class Counts(Unary):
    count = 0

    def perform(self, node, inputs, output_storage):
        self.count += 1
        output_storage[0][0] = inputs[0] + self.count


def draws(x):
    return x + np.random.default_rng().random()


class TrustsStridesOfStorage(Unary):
    def perform(self, node, inputs, output_storage):
        z = output_storage[0]
        if z[0] is None or z[0].shape != inputs[0].shape:
            z[0] = np.empty(inputs[0].shape, inputs[0].dtype)
        if z[0].size:
            memoryview(z[0]).cast("B")
        np.multiply(inputs[0], 2, out=z[0])


class HashesItsAddress(Scaled):
    def __hash__(self):
        return id(self)


class EqualsAll(Cube):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class HoldsLock(Cube):
    def __init__(self):
        self.lock = threading.Lock()


class ForgetsFactor(Scaled):
    def __getstate__(self):
        return {"factor": 1.0}


class KnowsGraphs(Cube):
    def perform(self, node, inputs, output_storage):
        power = 3 if hasattr(node.inputs[0].tensor, "numpy") else 2
        output_storage[0][0] = inputs[0] ** power

    grad = python_op.Op.grad
    R_op = python_op.Op.R_op


def casts_what_does_not_fit(x):
    """TensorFlow's kernel and XLA give different integers for these."""
    return tf.cast(x, tf.int32)


class WrongInferShape(Cube):
    def infer_shape(self, node, shapes):
        return [tuple(d + 1 for d in shapes[0])]


class WrongDynamicShape(Cube):
    """Right where all is known, wrong where it is computed."""

    def infer_shape(self, node, shapes):
        return [tuple(d if isinstance(d, int) else d * 2 for d in shapes[0])]


class WrongOfConstants(Cube):
    """Knows, while a graph is built, that its input is a constant."""

    def make_node(self, x):
        node = super().make_node(x)
        self.known = (
            not tf.executing_eagerly()
            and node.inputs[0].tensor.op.type == "Const"
        )
        return node

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] ** (2 if self.known else 3)


class RefusesOneUnknownDimension(Cube):
    def infer_shape(self, node, shapes):
        if [isinstance(d, int) for d in shapes[0]] == [False, True]:
            raise ValueError("no such luck")
        return shapes


def sets_wrong_shape(x):
    y = x * 2
    if not tf.executing_eagerly() and x.shape.is_fully_defined():
        y = tf.raw_ops.PlaceholderWithDefault(
            input=y, shape=tf.TensorShape(None)
        )
        y.set_shape([d + 1 for d in x.shape])
    return y


class WrongGradient(Cube):
    def grad(self, inputs, gradients):
        return [2 * inputs[0] ** 2 * gradients[0]]


class WrongGradientOfOneElement(Cube):
    def grad(self, inputs, gradients):
        g = tf.convert_to_tensor(3 * inputs[0] ** 2 * gradients[0])
        if g.shape.rank != 2:
            return [g]
        first = tf.one_hot(0, tf.shape(g)[1], dtype=g.dtype)
        return [g * (1 + 0.01 * first)]


class GradientOfWrongShape(Cube):
    def grad(self, inputs, gradients):
        return [tf.reduce_sum(3 * inputs[0] ** 2 * gradients[0])]


class GradientFails(Cube):
    def grad(self, inputs, gradients):
        raise KeyError("gradient")


class DeniesInfluence(Cube):
    def grad(self, inputs, gradients):
        return [python_op.DisconnectedType()()]


def has_wrong_gradient(x):
    return tf.custom_gradient(lambda x: (x * x, lambda g: 3 * x * g))(x)


def has_gradient_of_wrong_shape(x):
    return tf.custom_gradient(
        lambda x: (x * x, lambda g: tf.reduce_sum(2 * x * g))
    )(x)


class WrongRop(Cube):
    def R_op(self, inputs, eval_points):  # noqa: N802
        return [2 * inputs[0] ** 2 * eval_points[0]]


class GradientKnowsGraphs(Cube):
    def grad(self, inputs, gradients):
        factor = 3 if tf.executing_eagerly() else 2
        return [factor * inputs[0] ** 2 * gradients[0]]


class StopsSecondGradient(Cube):
    def grad(self, inputs, gradients):
        return [tf.stop_gradient(3 * inputs[0] ** 2) * gradients[0]]


class FailsInGraphs(Cube):
    def perform(self, node, inputs, output_storage):
        if threading.current_thread() is not threading.main_thread():
            raise KeyError("not the main thread")
        super().perform(node, inputs, output_storage)


class FailsOnEmpty(Cube):
    def perform(self, node, inputs, output_storage):
        if not inputs[0].size:
            inputs[0].max()
        super().perform(node, inputs, output_storage)


class FailsOnScalars(Cube):
    def perform(self, node, inputs, output_storage):
        len(inputs[0])
        super().perform(node, inputs, output_storage)


class ReadsMemoryInOrder(Cube):
    def perform(self, node, inputs, output_storage):
        x = np.frombuffer(inputs[0].tobytes("A"), inputs[0].dtype)
        output_storage[0][0] = x.reshape(inputs[0].shape) ** 3


class SharesScratch(Cube):
    def perform(self, node, inputs, output_storage):
        self.scratch = inputs[0]
        time.sleep(0.002)
        output_storage[0][0] = self.scratch**3


def _is_within(name):
    graph = tf.compat.v1.get_default_graph()
    return name in getattr(graph, "name", "")


def fails_in_data(x):
    return x * 3 if _is_within("Dataset") else x * 2


def fails_in_loops(x):
    return x * 3 if _is_within("while_body") else x * 2


def fails_when_saved(x):
    saved = any(
        "saved_model/save.py" in f.filename for f in traceback.extract_stack()
    )
    return x * 3 if saved else x * 2


class FailsInKeras(Cube):
    def make_node(self, x):
        if not tf.executing_eagerly() and _is_within("scratch_graph"):
            raise TypeError("not in Keras")
        return super().make_node(x)


def counts_in_python(x):
    return Counts()(x)


X = np.array([[0.5, -1.5, 2.0, 3.0], [1.0, 0.25, -0.75, 1.25]] * 2)[:3]
STRINGS = np.array([[b"ab", b"cd"], [b"", b"e"], [b"fg", b"h"]], object)

RIGHT = [
    ("cube", Cube(), (X,)),
    ("cube_float32", Cube(), (X.astype(np.float32),)),
    ("cube_complex", ComplexCube(), (X + 1j * X[::-1],)),
    ("cube_int", Cube(), (X.astype(np.int32),)),
    ("cube_half", Cube(), (X.astype(np.float16),)),
    ("cube_scalar", Cube(), (np.float64(2),)),
    ("relu_at_its_kink", Relu(), (np.where(X > 1, 0, X),)),
    ("matmul", Matmul(), (X, np.linspace(-1, 1, 8).reshape(4, 2))),
    ("sum_and_product", SumAndProduct(), (X, X[::-1] + 1)),
    ("take", Take(), (X[0], np.array([[0, 3], [1, 1], [2, 0]]))),
    ("undefined_gradient", UndefinedGradient(), (X,)),
    ("scaled", Scaled(2.5), (X,)),
    ("strings", Reverses(), (STRINGS,)),
    ("as_op", exponential, (X,)),
    ("tf_matmul", tf.matmul, (X, X.T[:, :2])),
    ("tf_softmax", tf.nn.softmax, (X.astype(np.float32),)),
    ("tf_split", lambda x: tf.split(x, 2, axis=1), (X,)),
    ("tf_strings", tf.strings.upper, (STRINGS,)),
    ("tf_identity", tf.identity, (X,)),
    ("tf_complex", lambda x: tf.math.conj(x) * x * x, (X + 2j,)),
    ("no_inputs", lambda: tf.range(3), ()),
]

WRONG = [
    ("outputs", WrongDtype(), "float16"),
    ("outputs", TooManyOutputs(), "IndexError"),
    ("outputs", two_for_one, "must return 1 outputs, but returned 2"),
    ("inputs unchanged", WritesToInput(), "changed input 0"),
    ("inputs unchanged", writes_to_tensor, "input 0 is changed"),
    ("outputs in new memory", ReturnsInput(), "input 0"),
    ("outputs in new memory", ReturnsView(), "view_map"),
    ("deterministic", Counts(), "two calls"),
    ("deterministic", draws, "same inputs"),
    ("output storage", TrustsStridesOfStorage(), "contiguous"),
    ("equality and hash", HashesItsAddress(2.0), "hash"),
    ("equality and hash", EqualsAll(), "any object"),
    ("pickle", HoldsLock(), "lock"),
    ("pickle", ForgetsFactor(3.0), "not equal"),
    ("eager equals graph", KnowsGraphs(), "tf.function"),
    ("eager equals graph", WrongOfConstants(), "of constants"),
    ("static shape", WrongInferShape(), r"\(4, 5\)"),
    ("static shape", WrongDynamicShape(), "infer_shape gives"),
    ("static shape", RefusesOneUnknownDimension(), "no such luck"),
    ("static shape", sets_wrong_shape, r"\(4, 5\)"),
    ("gradient", WrongGradient(), "finite differences give"),
    ("gradient", WrongGradientOfOneElement(), "finite differences give"),
    ("gradient", GradientOfWrongShape(), "shape"),
    ("gradient", GradientFails(), "KeyError"),
    ("gradient", DeniesInfluence(), "None"),
    ("gradient", has_wrong_gradient, "finite differences give"),
    ("gradient", has_gradient_of_wrong_shape, r"float64 \(\)"),
    ("forward mode", WrongRop(), "tangent of output 0"),
    ("gradient in a graph", GradientKnowsGraphs(), "differs between"),
    ("second derivative", StopsSecondGradient(), "finite differences of"),
    ("empty inputs", FailsOnEmpty(), "zero-size"),
    ("zero-rank inputs", FailsOnScalars(), "unsized"),
    ("non-contiguous inputs", ReadsMemoryInOrder(), "column-major"),
    ("threads", SharesScratch(), "8 threads"),
    ("tf.data", fails_in_data, "in tf.data"),
    ("tf.while_loop", fails_in_loops, "in tf.while_loop"),
    ("SavedModel", fails_when_saved, "in a SavedModel"),
    ("Keras layer", FailsInKeras(), "not in Keras"),
]


def _named(cases):
    names = []
    for check, op, _ in cases:
        name = op.__name__ if hasattr(op, "__name__") else type(op).__name__
        names.append(f"{check}_{name}".replace(" ", "_"))
    return [(n, *c) for n, c in zip(names, cases, strict=True)]


class OpcheckTest(parameterized.TestCase, tf.test.TestCase):
    @parameterized.named_parameters(*RIGHT)
    def test_right_op_passes(self, op, inputs):
        report = opcheck.opcheck(op, inputs)
        self.assertTrue(report.ok, report)
        self.assertEqual([row.check for row in report.rows], [*opcheck.CHECKS])

    @parameterized.named_parameters(*_named(WRONG))
    def test_wrong_op_fails_the_row_of_its_fault_alone(
        self, check, op, message
    ):
        report = opcheck.opcheck(op, (X,))
        self.assertEqual([r.check for r in report.failures], [check], report)
        self.assertRegex(report.row(check).detail, message)

    def test_wrong_integer_of_xla_fails_the_row_of_xla(self):
        report = opcheck.opcheck(
            casts_what_does_not_fit, (np.array([3e9, 1.0], np.float32),)
        )
        self.assertEqual(
            [r.check for r in report.failures], ["eager equals XLA"], report
        )

    def test_state_that_is_not_registered_fails(self):
        report = opcheck.opcheck(counts_in_python, (X,), stateful=True)
        self.assertEqual(
            [r.check for r in report.failures], ["registered as stateful"]
        )
        self.assertRegex(
            report.failures[0].detail, "Examples>PythonCall|PyFunc"
        )

    def test_every_check_but_that_of_c_code_has_a_wrong_op(self):
        failing = {check for check, _, _ in WRONG}
        failing |= {"eager equals XLA", "registered as stateful"}
        self.assertEqual({*opcheck.CHECKS} - failing, {"perform equals c_code"})

    @parameterized.parameters(np.float32, np.float64)
    def test_every_row_that_a_python_op_can_pass_is_passed(self, dtype):
        report = opcheck.opcheck(Cube(), (X.astype(dtype),))
        rest = {r.check: r.result for r in report.rows if r.result != "pass"}
        self.assertEqual(
            rest,
            {
                "perform equals c_code": "skipped",
                "eager equals XLA": "not supported",
                "registered as stateful": "skipped",
                "SavedModel": "not supported",
            },
            report,
        )

    def test_every_row_that_a_kernel_can_pass_is_passed(self):
        report = opcheck.opcheck(tf.linalg.matmul, (X, X.T))
        rest = {r.check: r.detail for r in report.rows if r.result != "pass"}
        of_python = "of Python ops alone"
        self.assertEqual(
            rest,
            {
                "output storage": of_python,
                "perform equals c_code": of_python,
                "equality and hash": of_python,
                "pickle": of_python,
                "zero-rank inputs": "refused",
                "non-contiguous inputs": "a tensor is always contiguous",
                "registered as stateful": "of stateful ops alone",
                "Keras layer": "the function does not take Keras tensors",
            },
            report,
        )

    def test_xla_without_a_kernel_is_no_failure(self):
        report = opcheck.opcheck(
            lambda x: tf.numpy_function(np.sin, [x], x.dtype, stateful=False),
            (X,),
        )
        self.assertTrue(report.ok, report)
        row = report.row("eager equals XLA")
        self.assertEqual(row.result, "not supported")
        self.assertIn("XLA_CPU_JIT", row.detail)
        self.assertEqual(report.row("SavedModel").result, "not supported")

    def test_shape_that_depends_on_values_has_no_finite_differences(self):
        report = opcheck.opcheck(lambda x: tf.unique(x).y, ([1.0, 2.0, 1.0],))
        self.assertTrue(report.ok, report)
        self.assertIn("do not converge", report.row("gradient").detail)

    def test_xla_is_not_tried_with_strings(self):
        # It would end the process.
        report = opcheck.opcheck(
            lambda x: tf.strings.split(x).to_tensor(), (STRINGS[:, 0],)
        )
        self.assertTrue(report.ok, report)
        self.assertEqual(
            report.row("eager equals XLA").detail, "XLA has no strings"
        )

    def test_numbers_too_small_to_be_normal_may_be_zero(self):
        report = opcheck.opcheck(lambda x: x * 0.5, (np.full(3, 1e-310),))
        self.assertTrue(report.ok, report)

    def test_variable_makes_an_op_stateful(self):
        variable = tf.Variable(1.0)
        report = opcheck.opcheck(
            lambda x: variable.assign_add(x),
            (np.float32(2.0),),
            reset=lambda: variable.assign(1.0),
            state=lambda: variable.value(),
        )
        self.assertTrue(report.ok, report)
        self.assertEqual(report.row("outputs").detail[-8:], "stateful")
        self.assertIn(
            "AssignAddVariableOp", report.row("registered as stateful").detail
        )

    def test_several_samples_are_all_checked(self):
        class WrongForLargeValues(Cube):
            def perform(self, node, inputs, output_storage):
                if inputs[0].max() > 100:
                    raise ValueError("too large")
                super().perform(node, inputs, output_storage)

        samples = [(X,), (X * 1000,)]
        report = opcheck.opcheck(WrongForLargeValues(), samples)
        self.assertIn("too large", report.row("outputs").detail)
        self.assertTrue(opcheck.opcheck(Cube(), samples).ok)

    def test_error_of_a_graph_is_told(self):
        report = opcheck.opcheck(FailsInGraphs(), (X,))
        for check in ("eager equals graph", "threads", "tf.data"):
            self.assertIn("KeyError: 'not the main", report.row(check).detail)

    def test_null_gradient_is_told_and_no_failure(self):
        row = opcheck.opcheck(UndefinedGradient(), (X,)).row("gradient")
        self.assertEqual(row.result, "not supported")
        self.assertIn("null", row.detail)

    def test_kinks_are_left_out_and_told(self):
        x = np.array([-1.0, 0.0, 2.0])
        row = opcheck.opcheck(Relu(), (x,)).row("gradient")
        self.assertEqual(row.result, "pass")
        self.assertIn("2 of 6 finite differences did not converge", row.detail)

    def test_it_is_deterministic(self):
        first, second = (
            str(opcheck.opcheck(WrongGradient(), (X,), seed=3))
            for _ in range(2)
        )
        self.assertEqual(first, second)

    def test_it_is_fast(self):
        opcheck.opcheck(Cube(), (X,))
        start = time.monotonic()
        opcheck.opcheck(Cube(), (X,))
        self.assertLess(time.monotonic() - start, 10)


class ReportTest(tf.test.TestCase):
    def test_table_names_checks_results_and_details(self):
        text = str(opcheck.opcheck(WrongGradient(), (X,)))
        self.assertRegex(text, r"(?m)^WrongGradient:$")
        self.assertRegex(text, r"(?m)^gradient +\| FAIL +\| sample 0: the grad")
        self.assertRegex(text, r"(?m)^tf\.data +\| pass")
        self.assertRegex(text, r"(?m)^SavedModel +\| not supported \| a Python")

    def test_failure_says_how_to_reproduce_it(self):
        report = opcheck.opcheck(WrongGradient(), (X,), seed=7)
        lines = report.row("gradient").reproduce
        self.assertIn("tape.watch(inputs[0])", lines)
        self.assertIn("seed=7, only=['gradient']", lines)
        # It is Python, once the op is put in.
        source = lines.replace("op = ...", "op = wrong")
        scope = {"wrong": WrongGradient()}
        exec(compile(source, "reproduce", "exec"), scope)
        self.assertAllEqual(scope["samples"][0][0], X)

    def test_every_reproduction_is_python(self):
        for check, op, _ in WRONG:
            lines = opcheck.opcheck(op, (X,), only=[check]).row(check).reproduce
            compile(lines, check, "exec")

    def test_raise_on_failure_raises_the_table(self):
        report = opcheck.opcheck(WrongGradient(), (X,))
        with self.assertRaisesRegex(opcheck.OpCheckError, "gradient +. FAIL"):
            report.raise_on_failure()
        with self.assertRaisesRegex(AssertionError, "To reproduce gradient"):
            opcheck.opcheck(WrongGradient(), (X,), raise_exception=True)
        right = opcheck.opcheck(Cube(), (X,))
        self.assertIs(right.raise_on_failure(), right)

    def test_unknown_row_is_named(self):
        report = opcheck.opcheck(Cube(), (X,), only=["gradient"])
        with self.assertRaisesRegex(KeyError, "'speed'"):
            report.row("speed")


class ArgumentsTest(tf.test.TestCase):
    def test_only_and_skip_choose_checks(self):
        report = opcheck.opcheck(Cube(), (X,), only=["gradient"])
        self.assertEqual(
            [row.check for row in report.rows], ["outputs", "gradient"]
        )
        report = opcheck.opcheck(FailsOnEmpty(), (X,), skip=["empty inputs"])
        self.assertTrue(report.ok)
        self.assertEqual(report.row("empty inputs").detail, "not wanted")

    def test_wrong_arguments_are_refused(self):
        with self.assertRaisesRegex(ValueError, "'speed'"):
            opcheck.opcheck(Cube(), (X,), only=["speed"])
        with self.assertRaisesRegex(ValueError, "empty"):
            opcheck.opcheck(Cube(), [])
        with self.assertRaisesRegex(TypeError, "sample_inputs"):
            opcheck.opcheck(Cube(), X)
        with self.assertRaisesRegex(TypeError, "input 0 of sample 0"):
            opcheck.opcheck(Cube(), (object(),))
        with self.assertRaisesRegex(TypeError, "op must be"):
            opcheck.opcheck(3, (X,))

    def test_inputs_may_be_tensors_lists_and_numbers(self):
        for inputs in (
            (tf.constant(X),),
            [tf.constant(X)],
            (X.tolist(),),
            ([1.0, 2.0],),
            (2.0,),
            (tf.Variable(X),),
            (tensor.as_tensor_variable(X),),
        ):
            report = opcheck.opcheck(Cube(), inputs, only=["gradient"])
            self.assertTrue(report.ok, report)
            self.assertEqual(report.row("gradient").result, "pass")


if __name__ == "__main__":
    tf.test.main()
