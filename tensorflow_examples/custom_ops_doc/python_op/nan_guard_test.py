"""Tests of NanGuardMode."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import nan_guard
from tensorflow_examples.custom_ops_doc.python_op import python_op

NanGuardMode = nan_guard.NanGuardMode
NanGuardError = nan_guard.NanGuardError
tensor = python_op.tensor


class Log(python_op.Op):
    """The logarithm; its output may be left out."""

    __props__ = ("checked",)

    def __init__(self, checked=True):
        self.checked = checked

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        y = x.type()
        if not self.checked:
            y.tag.nan_guard_mode_check = False
        return python_op.Apply(self, [x], [y])

    def perform(self, node, inputs, output_storage):
        with np.errstate(all="ignore"):
            output_storage[0][0] = np.log(inputs[0]).astype(inputs[0].dtype)


class SumAndDifference(python_op.Op):
    __props__ = ()
    itypes = [tensor.dvector, tensor.dvector]
    otypes = [tensor.dvector, tensor.dvector]

    def perform(self, node, inputs, output_storage):
        with np.errstate(all="ignore"):
            output_storage[0][0] = inputs[0] + inputs[1]
            output_storage[1][0] = inputs[0] - inputs[1]


class NanGuardModeTest(parameterized.TestCase, tf.test.TestCase):
    @parameterized.named_parameters(
        ("nan", -1.0, "NaN"),
        ("infinity", 0.0, "an infinity"),
    )
    def test_output_is_found_with_op_and_position(self, bad, what):
        x = np.ones((2, 3))
        x[1, 2] = bad
        for op in (Log(), tf.function(Log())):
            with (
                self.assertRaisesRegex(NanGuardError, "Log.*output 0") as e,
                NanGuardMode(),
            ):
                op(tf.constant(x))
            self.assertIn(what, str(e.exception))
            self.assertEqual(e.exception.position, (1, 2))
            self.assertEqual(e.exception.role, "output")
            self.assertEqual(e.exception.index, 0)

    def test_second_output_is_named(self):
        with (
            self.assertRaisesRegex(
                NanGuardError, "output 1.*NaN.*inf, nan|NaN"
            ) as e,
            NanGuardMode(inf_is_error=False),
        ):
            SumAndDifference()([1.0, np.inf], [1.0, np.inf])
        self.assertEqual(e.exception.index, 1)
        self.assertEqual(e.exception.position, (1,))

    def test_input_is_found_before_the_op_runs(self):
        with (
            self.assertRaisesRegex(NanGuardError, "input 1") as e,
            NanGuardMode(),
        ):
            SumAndDifference()([1.0], [np.nan])
        self.assertEqual(e.exception.role, "input")

    @parameterized.named_parameters(
        ("positive", 2e10),
        ("negative", -2e10),
    )
    def test_huge_value_is_found(self, value):
        with (
            self.assertRaisesRegex(NanGuardError, r"beyond 1e\+10"),
            NanGuardMode(),
        ):
            Log()(tf.constant([1.0, value]))

    @parameterized.parameters(1e10, -1e10, 0.5, np.finfo(np.float64).tiny)
    def test_value_up_to_the_bound_is_right(self, value):
        with NanGuardMode(nan_is_error=False):
            SumAndDifference()([value], [0.0])

    def test_bound_can_be_set(self):
        with self.assertRaises(NanGuardError), NanGuardMode(big_value=10):
            SumAndDifference()([6.0], [6.0])
        with NanGuardMode(big_value=12):
            SumAndDifference()([6.0], [6.0])

    @parameterized.named_parameters(
        ("nan", -1.0, {"nan_is_error": False}),
        ("inf", 0.0, {"inf_is_error": False}),
        ("all_but_big", 0.5e-300, {"big_is_error": False}),
    )
    def test_what_is_no_error_passes(self, value, options):
        with NanGuardMode(**options):
            Log()(tf.constant([value, 1.0], tf.float64))

    def test_first_bad_value_is_told(self):
        with self.assertRaises(NanGuardError) as e, NanGuardMode():
            Log()(tf.constant([1.0, 0.0, -1.0]))
        self.assertEqual(e.exception.position, (1,))
        self.assertEqual(e.exception.value, -np.inf)

    @parameterized.parameters(
        tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64
    )
    def test_every_dtype_with_fractions_is_looked_at(self, dtype):
        with self.assertRaises(NanGuardError), NanGuardMode():
            Log()(tf.cast(tf.constant([1.0, np.nan]), dtype))
        with NanGuardMode():
            Log()(tf.cast(tf.constant([1.0, 2.0]), dtype))

    def test_integers_strings_and_empty_tensors_are_right(self):
        class Same(Log):
            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = inputs[0].copy()

        with NanGuardMode():
            for x in (
                np.array([2**40]),
                np.array([True]),
                np.array([b"nan"], object),
                np.zeros([0, 2]),
            ):
                Same()(tf.constant(x))

    def test_nothing_to_look_for_is_refused(self):
        with self.assertRaisesRegex(ValueError, "all are False"):
            NanGuardMode(False, False, False)
        with self.assertRaisesRegex(ValueError, "-1"):
            NanGuardMode(big_value=-1)


class TagTest(tf.test.TestCase):
    def test_output_that_make_node_tags_is_left_out(self):
        x = tf.constant([-1.0])
        with NanGuardMode():
            Log(checked=False)(x)
            tf.function(Log(checked=False))(x)

    def test_tag_follows_a_tensor_through_a_graph(self):
        f = tf.function(lambda x: Log(checked=False)(Log(checked=False)(x)))
        with NanGuardMode():
            self.assertAllEqual(f(tf.constant([-1.0])), [np.nan])
        g = tf.function(lambda x: Log()(Log(checked=False)(x)))
        with (
            self.assertRaisesRegex(NanGuardError, "output 0"),
            NanGuardMode(),
        ):
            g(tf.constant([-1.0]))

    def test_tag_of_a_symbolic_output_is_honoured(self):
        x = tensor.dvector()
        y = Log()(x)
        y.tag.nan_guard_mode_check = False
        f = python_op.function([x], y, mode=NanGuardMode())
        self.assertAllEqual(f([-1.0]), [np.nan])

    def test_tag_of_a_symbolic_input_is_honoured(self):
        x = tensor.dvector()
        x.tag.nan_guard_mode_check = False
        f = python_op.function([x], Log(checked=False)(x), mode=NanGuardMode())
        self.assertAllEqual(f([np.nan]), [np.nan])

    def test_tag_of_one_input_leaves_the_others_checked(self):
        x, z = tensor.dvector(), tensor.dvector()
        x.tag.nan_guard_mode_check = False
        f = python_op.function(
            [x, z], SumAndDifference()(x, z), mode=NanGuardMode()
        )
        with self.assertRaisesRegex(NanGuardError, "input 1"):
            f([1.0], [np.nan])
        with self.assertRaisesRegex(NanGuardError, "output 0"):
            f([np.nan], [1.0])

    def test_tag_of_an_eager_variable_is_honoured(self):
        x = tensor.as_tensor_variable(tf.constant([np.nan]))
        x.tag.nan_guard_mode_check = False
        with NanGuardMode():
            Log(checked=False)(x)


class FunctionTest(tf.test.TestCase):
    def test_function_raises_its_own_error_and_works_afterwards(self):
        x = tensor.dvector()
        f = python_op.function([x], Log()(x), mode=NanGuardMode())
        for _ in range(2):
            with self.assertRaisesRegex(NanGuardError, "Log"):
                f([-1.0])
            self.assertAllEqual(f([1.0]), [0.0])

    def test_mode_ends_with_its_context(self):
        with NanGuardMode():
            pass
        self.assertAllEqual(Log()(tf.constant([-1.0])), [np.nan])


if __name__ == "__main__":
    tf.test.main()
