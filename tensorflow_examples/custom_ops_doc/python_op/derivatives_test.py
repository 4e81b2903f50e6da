"""Tests of derivatives: tapes, accumulators, graphs, grad, Rop and Lop."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import test_ops

tensor = python_op.tensor

_X = tf.constant([1.0, 2.0, 3.0])


def _in_graph(function):
    return tf.function(function, autograph=False)


_WAYS = (("eager", lambda f: f), ("graph", _in_graph))


class NoGradient(python_op.Op):
    """Doubles without telling its gradient."""

    __props__ = ()

    make_node = test_ops.Double.make_node

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


class Partial(python_op.Op):
    """Gives x * y; what its grad gives for y is the test's to choose."""

    def __init__(self, for_y):
        self.for_y = for_y

    def make_node(self, x, y):
        x = tensor.as_tensor_variable(x)
        y = tensor.as_tensor_variable(y)
        return python_op.Apply(self, [x, y], [x.type()])

    def perform(self, node, inputs, output_storage):
        x, y = inputs
        output_storage[0][0] = np.asarray(x * y.astype(x.dtype))

    def grad(self, inputs, output_gradients):
        _, y = inputs
        (g,) = output_gradients
        return [g * tensor.cast(y, g.dtype), self.for_y(self, y)]


class Newer(python_op.Op):
    """Squares, in the spelling of the contract's successor."""

    __props__ = ()

    make_node = test_ops.Double.make_node

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] ** 2

    def infer_shape(self, fgraph, node, shapes):
        assert isinstance(node, python_op.Apply)
        return shapes

    def pullback(self, inputs, outputs, cotangents):
        return [cotangents[0] * 2 * inputs[0]]

    def pushforward(self, inputs, outputs, tangents):
        return [tangents[0] * 2 * inputs[0]]


class UsesOutput(test_ops.Double):
    """Exponentiates; its gradient is made of its output."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.exp(inputs[0])

    def L_op(self, inputs, outputs, output_gradients):  # noqa: N802
        return [output_gradients[0] * outputs[0]]

    def R_op(self, inputs, eval_points):  # noqa: N802
        return [eval_points[0] * self(inputs[0])]


class ReverseTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(*_WAYS)
    def test_grad_feeds_a_tape(self, way):
        def gradient(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(test_ops.Double()(x) ** 2)
            return tape.gradient(y, x)

        self.assertAllClose(way(gradient)(_X), 8 * _X)

    @parameterized.named_parameters(*_WAYS)
    def test_a_tape_outside_of_a_function_sees_inside(self, way):
        double = way(lambda x: test_ops.Double()(x))
        with tf.GradientTape() as tape:
            tape.watch(_X)
            y = double(_X) ** 2
        self.assertAllClose(tape.gradient(y, _X), 8 * _X)

    @parameterized.named_parameters(*_WAYS)
    def test_derivatives_of_every_order_exist(self, way):
        cube = test_ops.Power(3)

        def derivatives(x):
            with tf.GradientTape() as third:
                third.watch(x)
                with tf.GradientTape() as second:
                    second.watch(x)
                    with tf.GradientTape() as first:
                        first.watch(x)
                        y = cube(x)
                    dy = first.gradient(y, x)
                d2y = second.gradient(dy, x)
            return dy, d2y, third.gradient(d2y, x)

        expected = 3 * _X**2, 6 * _X, [6.0] * 3
        self.assertAllClose(way(derivatives)(_X), expected)

    def test_hessians_of_a_graph_exist(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.constant([1.0, 2.0, 3.0])
            y = tf.reduce_sum(test_ops.Power(3)(x))
            (gradient,) = tf.compat.v1.gradients(y, x)
            (hessian,) = tf.compat.v1.hessians(y, x)
            gradient, hessian = session.run([gradient, hessian])
        self.assertAllClose(gradient, [3.0, 12.0, 27.0])
        self.assertAllClose(hessian, np.diag([6.0, 12.0, 18.0]))

    @parameterized.named_parameters(*_WAYS)
    def test_jacobians_exist(self, way):
        def jacobian(x):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = test_ops.Power(2)(x)
            return tape.jacobian(y, x, experimental_use_pfor=False)

        self.assertAllClose(way(jacobian)(_X), np.diag(2 * _X.numpy()))

    @parameterized.named_parameters(*_WAYS)
    def test_a_gradient_goes_through_loops_and_branches(self, way):
        del way  # AutoGraph makes the graph.
        op = test_ops.Power(2)

        @tf.function
        def run(x):
            for _ in tf.range(2):
                x = op(x)
            if tf.reduce_sum(x) > 0:
                x = op(x) * 1.0
            return x

        with tf.GradientTape() as tape:
            tape.watch(_X)
            y = run(_X)
        self.assertAllClose(tape.gradient(y, _X), 8 * _X**7)

    def test_a_tf_variable_is_trained(self):
        variable = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = test_ops.Power(2)(variable)
        self.assertAllClose(tape.gradient(y, variable), [2.0, 4.0])

    @parameterized.named_parameters(*_WAYS)
    def test_several_outputs_have_gradients(self, way):
        def gradients(x, y):
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                a, b = test_ops.SumAndDifference()(x, y)
                z = a * b  # x^2 - y^2
            return tape.gradient(z, [x, y])

        self.assertAllClose(way(gradients)(_X, _X + 1), [2 * _X, -2 * (_X + 1)])

    @parameterized.named_parameters(*_WAYS)
    def test_an_output_that_is_not_used_counts_nothing(self, way):
        def gradients(x, y):
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                _, b = test_ops.SumAndDifference()(x, y)
            return tape.gradient(b, [x, y])

        self.assertAllClose(way(gradients)(_X, _X + 1), [[1.0] * 3, [-1.0] * 3])

    @parameterized.named_parameters(*_WAYS)
    def test_newer_spelling_serves(self, way):
        def derivatives(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = Newer()(x)
            with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
                z = Newer()(x)
            return tape.gradient(y, x), forward.jvp(z)

        self.assertAllClose(way(derivatives)(_X), [2 * _X, 2 * _X])

    @parameterized.named_parameters(*_WAYS)
    def test_a_gradient_may_use_the_outputs(self, way):
        def gradient(x):
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = UsesOutput()(x)
                dy = inner.gradient(y, x)
            return dy, outer.gradient(dy, x)

        self.assertAllClose(way(gradient)(_X), [tf.exp(_X)] * 2)

    def test_merged_nodes_have_gradients(self):
        @tf.function
        def gradient(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                op = test_ops.Power(2)
                y = op(x) + test_ops.Power(2)(x)
            return tape.gradient(y, x)

        self.assertAllClose(gradient(_X), 4 * _X)


class NoGradientTest(tf.test.TestCase, parameterized.TestCase):
    def test_a_missing_grad_is_an_error_that_names_the_op_once_it_is_needed(
        self,
    ):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(_X)
            y = NoGradient()(_X) + _X
            z = _X * 3
        self.assertAllClose(tape.gradient(z, _X), [3.0] * 3)
        with self.assertRaisesRegex(
            NotImplementedError,
            "NoGradient has no gradient: it defines no grad",
        ):
            tape.gradient(y, _X)

    def test_a_missing_grad_of_a_graph_is_an_error_that_names_the_op(self):
        run = _in_graph(lambda x: NoGradient()(x))
        with self.assertRaisesRegex(NotImplementedError, "NoGradient has no"):
            with tf.GradientTape() as tape:
                tape.watch(_X)
                y = run(_X)
            tape.gradient(y, _X)

    def test_a_missing_grad_off_the_path_is_none_of_its_business(self):
        with tf.GradientTape() as tape:
            tape.watch(_X)
            y = _X * tf.stop_gradient(NoGradient()(_X))
        self.assertAllClose(tape.gradient(y, _X), 2 * _X)

    @parameterized.named_parameters(*_WAYS)
    def test_a_disconnected_input_has_no_gradient(self, way):
        op = Partial(lambda op, y: python_op.DisconnectedType()())

        def gradients(x, y):
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                z = op(x, y)
            dx, dy = tape.gradient(z, [x, y])
            assert dy is None
            return dx

        self.assertAllClose(way(gradients)(_X, _X + 1), _X + 1)

    @parameterized.named_parameters(*_WAYS)
    def test_an_integer_input_has_no_gradient(self, way):
        op = Partial(lambda op, y: tensor.zeros_like(y))

        def gradient(x, y):
            with tf.GradientTape() as tape:
                tape.watch(x)
                z = op(x, y)
            return tape.gradient(z, x)

        y = tf.constant([2, 3, 4])
        self.assertAllClose(way(gradient)(_X, y), [2.0, 3.0, 4.0])

    def test_a_null_gradient_is_an_error_once_it_is_needed(self):
        op = Partial(lambda op, y: python_op.grad_undefined(op, 1, y, "a whim"))
        with tf.GradientTape() as tape:
            tape.watch(_X)
            z = op(_X, _X + 0)
        with self.assertRaisesRegex(
            python_op.NullTypeGradError,
            r"the gradient of Partial with respect to input 1 is needed, but it "
            r"is null: the gradient of Partial for input 1 .* is undefined: a whim",
        ):
            tape.gradient(z, _X)
        with tf.GradientTape() as tape:
            tape.watch(_X)
            z = op(_X, tf.stop_gradient(_X))
        self.assertAllClose(tape.gradient(z, _X), _X)

    def test_a_null_gradient_of_a_graph_is_an_error_once_it_is_needed(self):
        op = Partial(lambda op, y: python_op.grad_not_implemented(op, 1, y))

        @_in_graph
        def gradients(x, y):
            with tf.Graph().as_default():
                pass
            return tf.gradients(op(x, y), [x, y])

        self.assertAllClose(
            _in_graph(lambda x, y: tf.gradients(op(x, y), x))(_X, _X), [_X]
        )
        with self.assertRaisesRegex(
            tf.errors.InvalidArgumentError, "is null: .* is not implemented"
        ):
            gradients(_X, _X)

    @parameterized.named_parameters(
        ("number", lambda g: [g, g], "a list of 1 gradients, .* returned 2"),
        ("shape", lambda g: [g[:2]], r"a gradient of shape \(2,\), .*\(3,\)"),
        (
            "dtype",
            lambda g: [tensor.cast(g, "float64")],
            "of dtype float64, but",
        ),
        ("kind", lambda g: [object()], "must return a tensor, or a variable"),
    )
    def test_a_gradient_that_cannot_be_one_is_refused(self, gradient, text):
        class Wrong(test_ops.Double):
            def grad(self, inputs, output_gradients):
                return gradient(output_gradients[0])

        with tf.GradientTape() as tape:
            tape.watch(_X)
            y = Wrong()(_X)
        with self.assertRaisesRegex(
            (TypeError, ValueError), f"Wrong.grad .*{text}"
        ):
            tape.gradient(y, _X)


class CountingRop(test_ops.Double):
    """Counts the uses of R_op."""

    def __init__(self):
        super().__init__()
        self.pushes = 0

    def R_op(self, inputs, eval_points):  # noqa: N802
        self.pushes += 1
        return super().R_op(inputs, eval_points)


class ForwardTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(*_WAYS)
    def test_r_op_feeds_an_accumulator(self, way):
        op = CountingRop()

        def jvp(x, v):
            with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
                y = op(x) ** 2
            return accumulator.jvp(y)

        self.assertAllClose(way(jvp)(_X, _X + 1), 8 * _X * (_X + 1))
        self.assertEqual(op.pushes, 1)

    @parameterized.named_parameters(*_WAYS)
    def test_without_r_op_two_reverse_passes_stand_in(self, way):
        def jvp(x, v):
            with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
                y = test_ops.Power(3)(x)
            return accumulator.jvp(y)

        self.assertAllClose(way(jvp)(_X, _X + 1), 3 * _X**2 * (_X + 1))

    def test_an_accumulator_outside_of_a_function_sees_inside(self):
        double = _in_graph(lambda x: test_ops.Double()(x))
        with tf.autodiff.ForwardAccumulator(_X, _X + 1) as accumulator:
            y = double(_X) ** 2
        self.assertAllClose(accumulator.jvp(y), 8 * _X * (_X + 1))

    def test_an_r_op_that_gives_up_on_none_is_given_zeros(self):
        # SumAndDifference returns None where any input has no tangent.
        with tf.autodiff.ForwardAccumulator(_X, _X + 1) as accumulator:
            a, b = test_ops.SumAndDifference()(_X, tf.ones(3))
        self.assertAllClose(accumulator.jvp(a), _X + 1)
        self.assertAllClose(accumulator.jvp(b), _X + 1)

    def test_forward_over_reverse_and_reverse_over_forward_agree(self):
        v = tf.constant([1.0, -1.0, 2.0])
        op = test_ops.Power(3)
        with tf.autodiff.ForwardAccumulator(_X, v) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(_X)
                y = tf.reduce_sum(op(_X))
            gradient = tape.gradient(y, _X)
        self.assertAllClose(accumulator.jvp(gradient), 6 * _X * v)
        with tf.GradientTape() as tape:
            tape.watch(_X)
            with tf.autodiff.ForwardAccumulator(_X, v) as accumulator:
                y = tf.reduce_sum(op(_X))
            jvp = accumulator.jvp(y)
        self.assertAllClose(tape.gradient(jvp, _X), 6 * _X * v)

    def test_a_tangent_of_another_shape_or_dtype_is_refused(self):
        class Wrong(test_ops.Double):
            def R_op(self, inputs, eval_points):  # noqa: N802
                return [eval_points[0][:1]]

        with self.assertRaisesRegex(
            ValueError, r"Wrong.R_op gave output 0 .*\(1,"
        ):
            with tf.autodiff.ForwardAccumulator(_X, _X):
                Wrong()(_X)


class RopTest(tf.test.TestCase, parameterized.TestCase):
    def test_of_a_function_of_tensors(self):
        op = CountingRop()
        result = python_op.Rop(lambda x: op(x) ** 2, _X, _X + 1)
        self.assertAllClose(result, 8 * _X * (_X + 1))
        self.assertEqual(op.pushes, 1)
        results = python_op.Rop(
            lambda x, y: test_ops.SumAndDifference()(x, y),
            [_X, _X],
            [_X, tf.ones(3)],
        )
        self.assertAllClose(results, [_X + 1, _X - 1])

    def test_of_symbolic_variables(self):
        x, v = tensor.vector("x"), tensor.vector("v")
        for op, expected in (
            (test_ops.Double(), lambda x, v: 8 * x * v),
            (test_ops.Power(2), lambda x, v: 4 * x**3 * v),
        ):
            f = python_op.function([x, v], python_op.Rop(op(x) ** 2, x, v))
            a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
            self.assertAllClose(f(a, b), expected(a, b))

    def test_of_a_list_is_a_list(self):
        x, y = tensor.vector(), tensor.vector()
        u, v = tensor.vector(), tensor.vector()
        outputs = test_ops.SumAndDifference()(x, y)
        rop = python_op.Rop(outputs, [x, y], [u, v])
        f = python_op.function([x, y, u, v], rop)
        one, two = np.ones(2), np.full(2, 2.0)
        self.assertAllClose(f(one, one, one, two), [[3.0] * 2, [-1.0] * 2])

    def test_what_it_does_not_depend_on_is_an_error_or_has_zero_tangent(self):
        def constant(x):
            return tf.ones(2)

        with self.assertRaisesRegex(
            python_op.DisconnectedInputError, "does not depend on what it is"
        ):
            python_op.Rop(constant, _X, _X)
        result = python_op.Rop(constant, _X, _X, disconnected_outputs="ignore")
        self.assertAllClose(result, [0.0, 0.0])

    def test_lengths_and_types_are_checked(self):
        x, v = tensor.vector("x"), tensor.matrix("v")
        with self.assertRaisesRegex(ValueError, "the same length: 2 and 1"):
            python_op.Rop(x, [x, x], [x])
        with self.assertRaisesRegex(
            ValueError, "eval_point of x must be of its"
        ):
            python_op.Rop(x, x, v)

    def test_an_op_without_any_derivative_is_named(self):
        with self.assertRaisesRegex(NotImplementedError, "NoGradient has no"):
            python_op.Rop(lambda x: NoGradient()(x), _X, _X)

    def test_lop_is_the_transpose(self):
        u = tf.constant([1.0, -1.0, 2.0])
        result = python_op.Lop(lambda x: test_ops.Power(2)(x), _X, u)
        self.assertAllClose(result, 2 * _X * u)
        x, w = tensor.vector(), tensor.vector()
        f = python_op.function(
            [x, w], python_op.Lop(test_ops.Power(2)(x), x, w)
        )
        self.assertAllClose(f(_X, u), 2 * _X * u)


class GradTest(tf.test.TestCase):
    def test_of_a_symbolic_scalar(self):
        x, y = tensor.vector("x"), tensor.vector("y")
        cost = tensor.sum(test_ops.Power(2)(x) * y)
        f = python_op.function([x, y], python_op.grad(cost, [x, y]))
        a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        self.assertAllClose(f(a, b), [2 * a * b, a**2])

    def test_with_respect_to_what_is_between(self):
        x = tensor.vector()
        y = test_ops.Double()(x)
        cost = tensor.sum(y**2)
        f = python_op.function([x], python_op.grad(cost, y))
        self.assertAllClose(f([1.0, 2.0]), [4.0, 8.0])

    def test_of_a_gradient_is_the_second_derivative(self):
        x = tensor.scalar()
        y = test_ops.Power(3)(x)
        second = python_op.grad(python_op.grad(y, x), x)
        self.assertAllClose(python_op.function([x], second)(2.0), 12.0)

    def test_a_cost_must_be_a_scalar(self):
        x = tensor.vector("x")
        with self.assertRaisesRegex(
            TypeError, "a scalar, but x has 1 dimensions"
        ):
            python_op.grad(x, x)

    def test_what_it_does_not_depend_on_is_named(self):
        x, y = tensor.scalar("x"), tensor.scalar("y")
        with self.assertRaisesRegex(
            python_op.DisconnectedInputError, "with respect to y is asked for"
        ):
            python_op.function([x, y], python_op.grad(x * 2, y))
        zero = python_op.grad(x * 2, y, disconnected_inputs="ignore")
        self.assertAllClose(python_op.function([x, y], zero)(1.0, 2.0), 0.0)

    def test_constants_and_known_gradients_are_considered(self):
        x, y = tensor.scalar(), tensor.scalar()
        z = x * y
        held = python_op.grad(z * x, x, consider_constant=[z])
        self.assertAllClose(python_op.function([x, y], held)(2.0, 3.0), 6.0)
        known = python_op.grad(None, x, known_grads={z: tensor.constant(5.0)})
        self.assertAllClose(python_op.function([x, y], known)(2.0, 3.0), 15.0)

    def test_gradient_of_taken_rows_is_a_tensor(self):
        x, i = tensor.dmatrix(), tensor.lvector()
        f = python_op.function([x, i], python_op.grad(x[i].sum(), x))
        value = np.ones([3, 2])
        expected = [[1, 1], [0, 0], [2, 2]]
        self.assertAllEqual(f(value, [2, 0, 2]), expected)
        gradient = python_op.Lop(
            lambda x: tensor.take(x, [2, 0, 2]),
            value,
            tf.ones([3, 2], "float64"),
        )
        self.assertIsInstance(gradient, tf.Tensor)
        self.assertAllEqual(gradient, expected)

    def test_disconnected_input_may_be_warned_of(self):
        x, y = tensor.dvector("x"), tensor.dvector("y")
        with self.assertWarnsRegex(UserWarning, "with respect to y"):
            gradient = python_op.grad(x.sum(), y, disconnected_inputs="warn")
        f = python_op.function([x, y], gradient)
        self.assertAllEqual(f([1.0], [2.0, 3.0]), [0.0, 0.0])

    def test_integers_among_the_inputs_are_no_cause_for_a_warning(self):
        x, n = tensor.dvector(), tensor.lscalar()
        with self.assertNoLogs(tf.get_logger()):
            gradient = python_op.grad((x * n).sum(), x)
            f = python_op.function([x, n], gradient)
        self.assertAllEqual(f([1.0, 2.0], 3), [3.0, 3.0])


if __name__ == "__main__":
    tf.test.main()
