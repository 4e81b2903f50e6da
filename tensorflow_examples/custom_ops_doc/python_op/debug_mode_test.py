"""Tests of DebugMode: right ops pass, and each breach has its error."""

import threading

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import debug_mode
from tensorflow_examples.custom_ops_doc.python_op import implementation
from tensorflow_examples.custom_ops_doc.python_op import python_op

DebugMode = debug_mode.DebugMode
tensor = python_op.tensor


class Unary(python_op.Op):
    """An op with one input, and one output like it."""

    __props__ = ()

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])


class Double(Unary):
    """Doubles into the storage that it is given, if that fits."""

    def perform(self, node, inputs, output_storage):
        x, z = inputs[0], output_storage[0]
        if z[0] is not None and z[0].shape == x.shape:
            np.multiply(x, 2, out=z[0])
        else:
            # For NumPy 1 a scalar float32 times a Python number is a float64.
            z[0] = np.asarray(x * x.dtype.type(2))

    def infer_shape(self, node, shapes):
        return shapes


class WritesToInput(Unary):
    def perform(self, node, inputs, output_storage):
        inputs[0][...] *= 2
        output_storage[0][0] = inputs[0].copy()


class DoublesInPlace(WritesToInput):
    destroy_map = {0: [0]}

    def perform(self, node, inputs, output_storage):
        inputs[0][...] *= 2
        output_storage[0][0] = inputs[0]


class ReturnsView(Unary):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0][::-1]


class DeclaresView(ReturnsView):
    view_map = {0: [0]}


class ReturnsInput(Unary):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0]


class Twins(Unary):
    """Two outputs in one array."""

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type(), x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2
        output_storage[1][0] = output_storage[0][0][...]


class KeepsItsArray(Unary):
    def __init__(self):
        self.kept = None

    def perform(self, node, inputs, output_storage):
        if self.kept is None:
            self.kept = np.empty_like(inputs[0])
        np.multiply(inputs[0], 2, out=self.kept)
        output_storage[0][0] = self.kept


class Counts(Unary):
    def __init__(self):
        self.count = 0

    def perform(self, node, inputs, output_storage):
        self.count += 1
        output_storage[0][0] = inputs[0] + inputs[0].dtype.type(self.count)


class AddsToStorage(Unary):
    def perform(self, node, inputs, output_storage):
        z = output_storage[0]
        if z[0] is not None and z[0].shape == inputs[0].shape:
            z[0] += inputs[0] * 2
        else:
            z[0] = inputs[0] * 2


class TrustsShapeOfStorage(Unary):
    def perform(self, node, inputs, output_storage):
        z = output_storage[0]
        if z[0] is None:
            z[0] = inputs[0] * 2
        else:
            z[0][...] = inputs[0] * 2


class TrustsStridesOfStorage(Unary):
    def perform(self, node, inputs, output_storage):
        z = output_storage[0]
        if z[0] is None or z[0].shape != inputs[0].shape:
            z[0] = np.empty_like(inputs[0])
        np.frombuffer(z[0], z[0].dtype)[...] = inputs[0].reshape(-1) * 2


class WrongShape(Double):
    def infer_shape(self, node, shapes):
        return [tuple(d + 1 for d in shapes[0])]


class WrongDtype(Unary):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].astype(np.float16)


class WrongRank(Unary):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].sum(keepdims=True)[None]


class LeavesOutputEmpty(Unary):
    def perform(self, node, inputs, output_storage):
        pass


class LengthensCell(Unary):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2
        output_storage[0].append(inputs[0] * 2)


class ThunkOfItsOwn(Unary):
    def make_thunk(
        self, node, storage_map, compute_map, no_recycling, impl=None
    ):
        def thunk():
            x = storage_map[node.inputs[0]][0]
            storage_map[node.outputs[0]][0] = x * 2
            self.finish(compute_map[node.outputs[0]])

        return thunk

    def finish(self, cell):
        cell[0] = True


class ForgetsComputeMap(ThunkOfItsOwn):
    def finish(self, cell):
        pass


def _vector(dtype=np.float64):
    return np.arange(1, 7).astype(dtype)


RIGHT = [
    Double(),
    DoublesInPlace(),
    DeclaresView(),
    ThunkOfItsOwn(),
]
WRONG = [
    (WritesToInput(), debug_mode.BadDestroyMap, "perform changed input 0"),
    (ReturnsView(), debug_mode.BadViewMap, "shares memory with input 0"),
    (ReturnsInput(), debug_mode.BadViewMap, "shares memory with input 0"),
    (Twins(), debug_mode.BadViewMap, "shares memory with output 0"),
    (KeepsItsArray(), debug_mode.BadViewMap, "of the call before"),
    (Counts(), debug_mode.BadThunkOutput, "between two calls"),
    (AddsToStorage(), debug_mode.BadThunkOutput, "nan"),
    (TrustsShapeOfStorage(), debug_mode.BadThunkOutput, "any shape"),
    (TrustsStridesOfStorage(), debug_mode.BadThunkOutput, "strided"),
    (WrongShape(), debug_mode.BadInferShape, r"\(7,\)"),
    (WrongDtype(), debug_mode.InvalidValueError, "float16"),
    (WrongRank(), debug_mode.InvalidValueError, "rank 2"),
    (LeavesOutputEmpty(), debug_mode.InvalidValueError, "empty"),
    (LengthensCell(), debug_mode.InvalidValueError, "one item, but it has 2"),
    (ForgetsComputeMap(), debug_mode.BadThunkOutput, "compute_map"),
]


def _named(cases):
    return [(type(c[0]).__name__, *c) for c in cases]


class DebugModeTest(parameterized.TestCase, tf.test.TestCase):
    @parameterized.named_parameters(*_named([(op,) for op in RIGHT]))
    def test_right_op_gives_what_it_gives_without_the_mode(self, op):
        x = tf.constant(_vector())
        expected = op(x)
        with DebugMode():
            self.assertAllEqual(op(x), expected)
            self.assertAllEqual(tf.function(op)(x), expected)

    @parameterized.named_parameters(*_named(WRONG))
    def test_wrong_op_raises_the_error_of_its_fault(self, op, error, message):
        with self.assertRaisesRegex(error, message) as raised, DebugMode():
            op(tf.constant(_vector()))
        self.assertIn(str(op), str(raised.exception))
        self.assertIs(raised.exception.node.op, op)

    @parameterized.named_parameters(*_named(WRONG))
    def test_leaving_the_mode_restores_a_graphs_error(self, op, error, message):
        with self.assertRaisesRegex(error, message), DebugMode():
            tf.function(op)(tf.constant(_vector()))

    @parameterized.named_parameters(*_named(WRONG))
    def test_function_raises_the_error_of_its_fault(self, op, error, message):
        x = tensor.dvector()
        f = python_op.function([x], op(x), mode=DebugMode())
        with self.assertRaisesRegex(error, message):
            f(_vector())

    @parameterized.parameters(
        np.int32, np.bool_, np.float32, np.complex64, np.uint8
    )
    def test_storage_of_every_dtype_shows_an_op_that_uses_it(self, dtype):
        class Ors(Unary):
            def perform(self, node, inputs, output_storage):
                z = output_storage[0]
                if z[0] is not None and z[0].shape == inputs[0].shape:
                    np.add(inputs[0], z[0], out=z[0])
                else:
                    z[0] = inputs[0].copy()

        with self.assertRaises(debug_mode.BadThunkOutput), DebugMode():
            Ors()(tf.constant(np.array([0, 1, 0]).astype(dtype)))

    def test_strings_are_checked(self):
        class Reverses(Unary):
            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = np.array(
                    [s[::-1] for s in inputs[0]], object
                )

        with DebugMode():
            self.assertAllEqual(
                Reverses()(tf.constant([b"ab", b"c"])), [b"ba", b"c"]
            )

    def test_nans_are_equal(self):
        with DebugMode():
            result = Double()(tf.constant([np.nan, 1.0]))
        self.assertAllEqual(result, [np.nan, 2.0])

    def test_scalars_and_empty_tensors_are_checked(self):
        with DebugMode():
            self.assertAllEqual(Double()(tf.constant(2.0)), 4.0)
            self.assertAllEqual(Double()(tf.zeros([0, 3])), np.zeros([0, 3]))
        with self.assertRaises(debug_mode.BadInferShape), DebugMode():
            WrongShape()(tf.zeros([0, 3]))

    def test_negative_zero_is_not_zero(self):
        class FlipsZero(Unary):
            sign = 1.0

            def perform(self, node, inputs, output_storage):
                self.sign = -self.sign
                output_storage[0][0] = inputs[0] * self.sign

        with (
            self.assertRaisesRegex(debug_mode.BadThunkOutput, "-0.0"),
            DebugMode(),
        ):
            FlipsZero()(tf.zeros([2]))

    def test_infer_shape_may_ask_for_values(self):
        class Repeats(python_op.Op):
            __props__ = ()

            def make_node(self, x, n):
                x = tensor.as_tensor_variable(x)
                n = tensor.as_tensor_variable(n)
                return python_op.Apply(self, [x, n], [x.type()])

            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = np.repeat(inputs[0], inputs[1])

            def infer_shape(self, node, shapes):
                return [(shapes[0][0] * tensor.cast(node.inputs[1], "int64"),)]

        x, n = tensor.ivector(), tensor.iscalar()
        f = python_op.function([x, n], Repeats()(x, n), mode=DebugMode())
        self.assertAllEqual(f([1, 2], 2), [1, 1, 2, 2])

    def test_errors_of_the_op_pass(self):
        class Fails(Unary):
            def perform(self, node, inputs, output_storage):
                raise KeyError("the op's own")

        with self.assertRaisesRegex(KeyError, "the op's own"), DebugMode():
            Fails()(tf.constant([1.0]))

    def test_infinity_is_an_error_if_asked_for(self):
        x = tf.constant([np.inf, 1.0])
        with DebugMode():
            Double()(x)
        with (
            self.assertRaisesRegex(debug_mode.InvalidValueError, "not finite"),
            DebugMode(check_isfinite=True),
        ):
            Double()(x)


class OptionsTest(parameterized.TestCase, tf.test.TestCase):
    @parameterized.named_parameters(
        ("views", ReturnsView(), {"check_views": False}),
        ("kept", KeepsItsArray(), {"check_views": False}),
        ("storage", AddsToStorage(), {"check_preallocated_output": ""}),
        (
            "other_storage",
            TrustsStridesOfStorage(),
            {"check_preallocated_output": "previous:c_contiguous:wrong_size"},
        ),
        ("shapes", WrongShape(), {"check_shapes": False}),
        (
            "determinism",
            Counts(),
            {"check_determinism": False, "check_preallocated_output": ""},
        ),
    )
    def test_check_that_is_off_is_not_made(self, op, options):
        with DebugMode(**options):
            op(tf.constant(_vector()))

    def test_unknown_storage_is_named(self):
        with self.assertRaisesRegex(ValueError, "'contiguous'"):
            DebugMode(check_preallocated_output="contiguous")

    def test_no_implementation_is_refused(self):
        with self.assertRaisesRegex(ValueError, "check_py and check_c"):
            DebugMode(check_py=False, check_c=False)


class ContextTest(tf.test.TestCase):
    def test_mode_ends_with_its_context(self):
        with self.assertRaises(debug_mode.BadViewMap), DebugMode():
            ReturnsView()(tf.constant(_vector()))
        ReturnsView()(tf.constant(_vector()))
        self.assertEmpty(implementation._modes)

    def test_mode_may_be_entered_again_and_checks_once(self):
        op, mode = Counts(), DebugMode(check_determinism=False)
        mode._storage_kinds = ()
        with mode, mode:
            op(tf.constant(_vector()))
        # Its own two runs, for views, and the one that counts.
        self.assertEqual(op.count, 3)
        with mode:
            with mode:
                pass
            with self.assertRaises(debug_mode.BadViewMap):
                ReturnsView()(tf.constant(_vector()))
        self.assertEmpty(implementation._modes)

    def test_modes_nest(self):
        with DebugMode(), DebugMode(check_views=False):
            self.assertAllEqual(Double()(tf.constant([1.0])), [2.0])
            with self.assertRaises(debug_mode.BadViewMap):
                ReturnsView()(tf.constant(_vector()))

    def test_mode_holds_for_other_threads(self):
        errors = []

        def run():
            try:
                ReturnsView()(tf.constant(_vector()))
            except debug_mode.BadViewMap as e:
                errors.append(e)

        with DebugMode():
            threads = [threading.Thread(target=run) for _ in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        self.assertLen(errors, 4)

    def test_mode_holds_for_the_threads_of_tf_data(self):
        dataset = tf.data.Dataset.from_tensor_slices(
            _vector().reshape(3, 2)
        ).map(ReturnsView(), num_parallel_calls=2)
        with self.assertRaises(debug_mode.BadViewMap), DebugMode():
            list(dataset)

    def test_mode_holds_in_an_op_that_calls_ops(self):
        class Calls(Unary):
            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = (
                    ReturnsView()(tf.constant(inputs[0])).numpy().copy()
                )

        with self.assertRaises(debug_mode.BadViewMap), DebugMode():
            tf.function(Calls())(tf.constant(_vector()))

    def test_mode_decorates(self):
        @DebugMode()
        def run():
            return ReturnsView()(tf.constant(_vector()))

        with self.assertRaises(debug_mode.BadViewMap):
            run()

    def test_gradients_are_checked_too(self):
        class HasBadGradient(Double):
            def grad(self, inputs, gradients):
                return [ReturnsInput()(gradients[0] * 2)]

        x = tf.constant(_vector())
        with self.assertRaises(debug_mode.BadViewMap), DebugMode():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = HasBadGradient()(x)
            tape.gradient(y, x)


if __name__ == "__main__":
    tf.test.main()
