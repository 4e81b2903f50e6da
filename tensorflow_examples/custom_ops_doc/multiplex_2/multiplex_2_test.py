"""Tests of multiplex_2."""

import contextlib
import inspect
import io

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import errors
from tensorflow.python.framework import test_util

from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op
from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_scalars_op
from tensorflow_examples.custom_ops_doc.multiplex_2 import (
    variable_and_stateless_op,
)

_NUMERIC_DTYPES = (
    tf.bfloat16,
    tf.float16,
    tf.float32,
    tf.float64,
    tf.int8,
    tf.int16,
    tf.int32,
    tf.int64,
    tf.uint8,
    tf.uint16,
    tf.uint32,
    tf.uint64,
    tf.complex64,
    tf.complex128,
)

_SHAPES = (
    ("scalar", []),
    ("vector", [7]),
    ("matrix", [2, 3]),
    ("rank_6", [2, 1, 3, 2, 1, 2]),
    ("rank_12", [1, 2, 1, 1, 2, 1, 1, 3, 1, 1, 1, 2]),
    ("empty_vector", [0]),
    ("empty_rank_3", [2, 0, 3]),
)


class MultiplexValuesTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters((d.name, d) for d in _NUMERIC_DTYPES)
    def test_agrees_with_tf_where_for_numbers(self, dtype):
        a = tf.cast(tf.constant([1, 2, 3, 4, 5]), dtype)
        b = tf.cast(tf.constant([10, 20, 30, 40, 50]), dtype)
        cond = tf.constant([True, False, True, False, True])
        result = multiplex_2_op.multiplex(cond, a, b)
        self.assertEqual(result.dtype, dtype)
        self.assertAllEqual(result, tf.where(cond, a, b))
        self.assertAllEqual(tf.cast(result, tf.int32), [1, 20, 3, 40, 5])

    def test_agrees_with_tf_where_for_bools(self):
        a = tf.constant([True, True, False, False])
        b = tf.constant([True, False, True, False])
        cond = tf.constant([True, False, False, True])
        result = multiplex_2_op.multiplex(cond, a, b)
        self.assertAllEqual(result, [True, False, True, False])

    def test_agrees_with_tf_where_for_strings(self):
        long = "a string too long to be stored inside its own header " * 3
        a = tf.constant(["", "one", long, "zw\0lf"])
        b = tf.constant([long + "!", "", "zwei", ""])
        cond = tf.constant([False, True, True, True])
        result = multiplex_2_op.multiplex(cond, a, b)
        self.assertAllEqual(result, tf.where(cond, a, b))
        self.assertEqual(result[0].numpy().decode(), long + "!")
        self.assertEqual(result[3].numpy(), b"zw\0lf")

    def test_chooses_between_resource_handles(self):
        one, two = tf.Variable(1.0), tf.Variable(2.0)
        for cond, expected in ((True, 1.0), (False, 2.0)):
            handle = multiplex_2_op.multiplex(cond, one.handle, two.handle)
            value = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
            self.assertAllEqual(value, expected)

    def test_chooses_between_variants(self):
        def tensor_list(values):
            return tf.raw_ops.TensorListFromTensor(
                tensor=tf.constant(values),
                element_shape=tf.constant([], "int32"),
            )

        one, two = tensor_list([1.0]), tensor_list([2.0, 3.0])
        for cond, expected in ((True, [1.0]), (False, [2.0, 3.0])):
            chosen = multiplex_2_op.multiplex(cond, one, two)
            values = tf.raw_ops.TensorListStack(
                input_handle=chosen,
                element_shape=tf.constant([], "int32"),
                element_dtype=tf.float32,
            )
            self.assertAllEqual(values, expected)

    @parameterized.named_parameters(
        ("float32", tf.float32, tf.int32),
        ("float64", tf.float64, tf.int64),
        ("bfloat16", tf.bfloat16, tf.int16),
    )
    def test_keeps_every_bit_of_nan_and_negative_zero(self, dtype, bits):
        a = tf.constant([float("nan"), -0.0, float("inf"), 1.0] * 9, dtype)
        # A signalling NaN with a payload: arithmetic would change its bits.
        signalling = {2: 0x7F8B, 4: 0x7F800ABC, 8: 0x7FF0000000000ABC}
        b = tf.fill([36], tf.constant(signalling[dtype.size], bits))
        cond = tf.constant([True, True, False] * 12)
        result = multiplex_2_op.multiplex(cond, a, tf.bitcast(b, dtype))
        self.assertAllEqual(
            tf.bitcast(result, bits), tf.where(cond, tf.bitcast(a, bits), b)
        )

    @parameterized.named_parameters(*_SHAPES)
    def test_takes_any_shape(self, shape):
        rng = np.random.default_rng(0)
        cond = rng.random(shape) < 0.5
        a, b = rng.random(shape), rng.random(shape)
        result = multiplex_2_op.multiplex(cond, a, b)
        self.assertEqual(result.shape, shape)
        self.assertAllEqual(result, np.where(cond, a, b))

    @parameterized.named_parameters(*_SHAPES)
    def test_takes_strings_of_any_shape(self, shape):
        cond = np.random.default_rng(0).random(shape) < 0.5
        a, b = tf.fill(shape, "a"), tf.fill(shape, "b")
        result = multiplex_2_op.multiplex(cond, a, b)
        self.assertEqual(result.shape, shape)
        self.assertAllEqual(result, np.where(cond, b"a", b"b"))

    @parameterized.named_parameters(
        (d.name, d) for d in (tf.int8, tf.float32, tf.complex128, tf.string)
    )
    def test_large_inputs_are_right_in_every_shard(self, dtype):
        n = 100_003 if dtype == tf.string else 3_000_017
        cond = np.random.default_rng(0).random(n) < 0.5
        numbers = tf.range(n) % 100
        convert = (
            tf.strings.as_string
            if dtype == tf.string
            else lambda x: tf.cast(x, dtype)
        )
        a, b = convert(numbers), convert(-numbers)
        result = multiplex_2_op.multiplex(cond, a, b)
        self.assertTrue(np.array_equal(result, np.where(cond, a, b)))

    def test_takes_python_lists_arrays_and_variables(self):
        result = multiplex_2_op.multiplex(
            [True, False], tf.Variable([1.0, 2.0]), np.float32([3.0, 4.0])
        )
        self.assertAllEqual(result, [1.0, 4.0])

    def test_inputs_that_live_on_are_not_written_to(self):
        @tf.function
        def run(cond, x):
            doubled, tripled = x * 2, x * 3
            chosen = multiplex_2_op.multiplex(cond, doubled, tripled)
            same = multiplex_2_op.multiplex(cond, doubled, doubled)
            return doubled, tripled, chosen, same

        x = tf.range(1000)
        cond = x % 2 == 0
        doubled, tripled, chosen, same = run(cond, x)
        self.assertAllEqual(doubled, x * 2)
        self.assertAllEqual(tripled, x * 3)
        self.assertAllEqual(chosen, tf.where(cond, x * 2, x * 3))
        self.assertAllEqual(same, x * 2)

    @parameterized.named_parameters(
        ("int32", lambda x: x), ("string", tf.strings.as_string)
    )
    def test_temporaries_may_be_written_to(self, convert):
        @tf.function
        def run(cond, x):
            x = multiplex_2_op.multiplex(cond, convert(x * 2), convert(x * 3))
            # Now the second value is a temporary, then both are the same one.
            x = multiplex_2_op.multiplex(cond, convert(tf.range(1000)), x)
            return multiplex_2_op.multiplex(cond, x, x)

        x = tf.range(1000)
        cond = x % 2 == 0
        self.assertAllEqual(
            run(cond, x), tf.where(cond, convert(x), convert(x * 3))
        )


class MultiplexScalarsTest(tf.test.TestCase, parameterized.TestCase):
    def _multiplex(self, *inputs):
        return multiplex_scalars_op.multiplex_scalars(*inputs)

    _INPUTS = (
        ("a", [True, False, True], 1, [10, 20, 30]),
        ("b", [True, False, True], [1, 2, 3], 10),
        ("a_and_b", [True, False, True], 1, 10),
        ("true_cond", True, [1, 2, 3], [10, 20, 30]),
        ("false_cond", False, [1, 2, 3], [10, 20, 30]),
        ("true_cond_and_a", True, 1, [10, 20, 30]),
        ("false_cond_and_a", False, 1, [10, 20, 30]),
        ("true_cond_and_b", True, [1, 2, 3], 10),
        ("false_cond_and_b", False, [1, 2, 3], 10),
        ("all", True, 1, 10),
        ("none", [True, False, True], [1, 2, 3], [10, 20, 30]),
        ("one_element", [True], [1], 10),
        ("matrix", [[True, False], [False, True]], 1, [[10, 20], [30, 40]]),
        ("empty", np.zeros([2, 0, 3], bool), 1, np.zeros([2, 0, 3], int)),
    )

    @parameterized.named_parameters(*_INPUTS)
    def test_agrees_with_tf_where_for_numbers(self, cond, a, b):
        for dtype in _NUMERIC_DTYPES:
            x, y = (tf.cast(tf.constant(v, tf.int64), dtype) for v in (a, b))
            result = self._multiplex(cond, x, y)
            self.assertEqual(result.dtype, dtype)
            self.assertAllEqual(result, tf.where(cond, x, y))

    @parameterized.named_parameters(*_INPUTS)
    def test_agrees_with_tf_where_for_strings_in_a_function(self, cond, a, b):
        @tf.function
        def run(cond, a, b):
            # Temporaries, whose memory the output may take.
            return self._multiplex(
                cond, tf.strings.as_string(a), tf.strings.as_string(b)
            )

        a, b = tf.constant(a, tf.int64), tf.constant(b, tf.int64)
        cond = tf.constant(cond)
        expected = tf.strings.as_string(tf.where(cond, a, b))
        self.assertAllEqual(run(cond, a, b), expected)

    def test_large_inputs_are_right_in_every_shard(self):
        n = 5_000_017
        cond = np.random.default_rng(0).random(n) < 0.5
        values = np.arange(n, dtype=np.float32)
        for inputs in (
            (cond, 0.5, values),
            (cond, values, 0.5),
            (cond, np.float32(0.5), 1.5),
            (True, 0.5, values),
        ):
            self.assertTrue(
                np.array_equal(self._multiplex(*inputs), np.where(*inputs))
            )

    @parameterized.named_parameters(
        ("scalars", [], [], [], []),
        ("scalar_a", [2, 3], [], [2, 3], [2, 3]),
        ("scalar_cond", [], [2, None], [None, 3], [2, 3]),
        ("unknown_may_be_a_scalar", [None, 3], None, [], [None, 3]),
        ("unknown_may_be_anything", [], None, [], None),
        ("nothing_known", None, None, None, None),
    )
    def test_output_shape_is_all_that_the_inputs_know(
        self, cond, a, b, expected
    ):
        with tf.Graph().as_default():
            result = self._multiplex(
                tf.compat.v1.placeholder(tf.bool, cond),
                tf.compat.v1.placeholder(tf.float32, a),
                tf.compat.v1.placeholder(tf.float32, b),
            )
        self.assertEqual(
            result.shape.as_list() if result.shape.rank is not None else None,
            expected,
        )

    def test_shapes_that_differ_are_named(self):
        inputs = [True, False, True], [1.0, 2.0], 3.0
        message = (
            r"a and cond must have the same shape or be scalars\. "
            r"a shape: \[2\] cond shape: \[3\]"
        )
        with self.assertRaisesRegex(errors.InvalidArgumentError, message):
            self._multiplex(*inputs)
        with self.assertRaisesRegex(ValueError, message):
            with tf.Graph().as_default():
                self._multiplex(*inputs)
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"b and cond must have the same shape or be scalars",
        ):
            self._multiplex([True, False, True], 3.0, [1.0, 2.0])
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"a and b must have the same shape or be scalars",
        ):
            self._multiplex(True, [1.0], [[1.0]])

    def test_vectors_of_one_element_are_not_broadcast(self):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, r"a shape: \[2\] b shape: \[1\]"
        ):
            self._multiplex([True, False], [1, 2], [3])

    @parameterized.named_parameters(
        ("eager", lambda f: f, None),
        ("function", tf.function, None),
        (
            "function_of_unknown_shapes",
            tf.function,
            [tf.TensorSpec(None, tf.bool), *[tf.TensorSpec(None)] * 2],
        ),
    )
    def test_gradient_is_that_of_tf_where(self, wrap, signature):
        def gradients(choose, cond, a, b):
            with tf.GradientTape() as tape:
                tape.watch([a, b])
                y = choose(cond, a**2, b**3)
                loss = tf.reduce_sum(y**2)
            return tape.gradient(loss, [a, b])

        vector = tf.constant([1.0, 2.0, 3.0])
        for cond in (tf.constant([True, False, True]), tf.constant(True)):
            for a, b in ((vector, 2.0), (2.0, vector), (2.0, 3.0)):
                a, b = tf.constant(a), tf.constant(b)

                def ours(cond, a, b):
                    return gradients(self._multiplex, cond, a, b)

                run = wrap(ours)
                if signature:
                    run = tf.function(ours, input_signature=signature)
                self.assertAllClose(
                    run(cond, a, b), gradients(tf.where, cond, a, b)
                )

    def test_second_derivative_exists(self):
        cond, a, b = [True, False], tf.constant([1.0, 2.0]), tf.constant(3.0)
        with tf.GradientTape() as outer:
            outer.watch(b)
            with tf.GradientTape() as inner:
                inner.watch(b)
                y = self._multiplex(cond, a, b**3)
            first = inner.gradient(y, b)
        self.assertAllClose(first, 27.0)
        self.assertAllClose(outer.gradient(first, b), 18.0)


def _ragged(*row_lengths):
    """Returns a condition and two ragged tensors of rows of these lengths."""
    n = sum(row_lengths)
    return tuple(
        tf.RaggedTensor.from_row_lengths(flat, row_lengths)
        for flat in (tf.range(n) % 2 == 0, tf.range(n), -10 * tf.range(n))
    )


class MultiplexRaggedTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(
        ("eager", lambda f: f), ("function", tf.function)
    )
    def test_agrees_with_tf_where(self, wrap):
        inputs = _ragged(2, 0, 3)
        result = wrap(multiplex_2_op.multiplex)(*inputs)
        self.assertAllEqual(result, tf.where(*inputs))
        self.assertAllEqual(
            result, tf.ragged.constant([[0, -10], [], [2, -30, 4]], tf.int32)
        )

    def test_takes_ragged_ranks_and_inner_dimensions(self):
        def nested(values):
            rows = tf.RaggedTensor.from_row_lengths(values, [2, 1])
            return tf.RaggedTensor.from_row_lengths(rows, [1, 0, 1])

        cond = tf.constant([[True, False], [False, True], [True, True]])
        a, b = tf.ones([3, 2]), tf.zeros([3, 2])
        result = multiplex_2_op.multiplex(*map(nested, (cond, a, b)))
        self.assertEqual(result.ragged_rank, 2)
        self.assertAllEqual(result, nested(tf.where(cond, a, b)))

    def test_a_dataset_maps_it(self):
        dataset = tf.data.Dataset.from_tensors(_ragged(2, 0, 3))
        (result,) = dataset.map(multiplex_2_op.multiplex)
        self.assertAllEqual(result, tf.where(*_ragged(2, 0, 3)))

    def test_gradient_is_that_of_tf_where(self):
        cond, a, b = _ragged(2, 0, 3)
        flat = (
            tf.cast(a.flat_values, tf.float32),
            tf.cast(b.flat_values, tf.float32),
        )

        def gradients(choose):
            with tf.GradientTape() as tape:
                tape.watch(flat)
                y = choose(cond, *(a.with_flat_values(x**2) for x in flat))
                loss = tf.reduce_sum(y.flat_values)
            return tape.gradient(loss, flat)

        self.assertAllEqual(
            gradients(multiplex_2_op.multiplex), gradients(tf.where)
        )

    @parameterized.named_parameters(
        ("eager", lambda f: f), ("function", tf.function)
    )
    def test_other_rows_are_refused(self, wrap):
        cond, a, _ = _ragged(2, 0, 3)
        _, _, b = _ragged(3, 0, 2)
        run = wrap(multiplex_2_op.multiplex)
        with self.assertRaisesRegex(
            (errors.InvalidArgumentError, ValueError), "row_splits"
        ):
            run(cond, a, b)

    def test_what_is_not_ragged_among_ragged_is_named(self):
        cond, a, b = _ragged(2, 0, 3)
        with self.assertRaisesRegex(
            TypeError, "must all be ragged, or none: b is 0"
        ):
            multiplex_2_op.multiplex(cond, a, 0)
        with self.assertRaisesRegex(TypeError, r"cond is <tf.Tensor: .*bool"):
            multiplex_2_op.multiplex(cond.flat_values, a, b)

    def test_sparse_tensors_are_refused_by_name(self):
        x = tf.sparse.from_dense([1, 0, 2])
        for run in (
            multiplex_2_op.multiplex,
            tf.function(multiplex_2_op.multiplex),
        ):
            with self.assertRaisesRegex(
                (TypeError, ValueError), "SparseTensor"
            ):
                run([True, False, True], x, x)


class MultiplexDispatchTest(tf.test.TestCase):
    """The document's op can be given other arguments than tensors."""

    def test_the_signature_is_the_documents(self):
        self.assertEqual(
            list(
                inspect.signature(
                    multiplex_2_op.examples_multiplex_dense
                ).parameters
            ),
            ["cond", "a", "b", "name"],
        )

    def test_multiplex_takes_what_the_op_was_given(self):
        # Only for a and b of one vector's places, which is enough to tell.
        @tf.experimental.dispatch_for_api(
            multiplex_2_op.examples_multiplex_dense
        )
        def multiplex_sparse(
            cond: tf.SparseTensor,
            a: tf.SparseTensor,
            b: tf.SparseTensor,
            name=None,
        ):
            values = tf.where(cond.values, a.values, b.values, name=name)
            return tf.SparseTensor(a.indices, values, a.dense_shape)

        try:
            cond = tf.SparseTensor([[1], [3]], [True, False], [5])
            a = tf.SparseTensor([[1], [3]], ["a0", "a1"], [5])
            b = tf.SparseTensor([[1], [3]], ["b0", "b1"], [5])
            for run in (
                multiplex_2_op.multiplex,
                tf.function(multiplex_2_op.multiplex),
            ):
                result = run(cond, a, b)
                self.assertAllEqual(
                    tf.sparse.to_dense(result), [b"", b"a0", b"", b"b1", b""]
                )
            # Dense tensors are chosen from as before.
            self.assertAllEqual(
                multiplex_2_op.multiplex([True, False], [1, 2], [3, 4]), [1, 4]
            )
        finally:
            tf.experimental.unregister_dispatch_for(multiplex_sparse)


class MultiplexErrorsTest(tf.test.TestCase):
    def test_eager_names_shapes_of_a_and_b_that_differ(self):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"a and b must have the same shape\. a shape: \[5\] b shape: \[2\]",
        ):
            multiplex_2_op.multiplex([True] * 5, [1, 2, 3, 4, 5], [10, 20])

    def test_eager_names_shapes_of_a_and_cond_that_differ(self):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"a and cond must have the same shape\. "
            r"a shape: \[2,1\] cond shape: \[2\]",
        ):
            multiplex_2_op.multiplex([True, False], [[1], [2]], [[3], [4]])

    def test_scalars_are_not_broadcast(self):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, r"a shape: \[2\] b shape: \[\]"
        ):
            multiplex_2_op.multiplex([True, False], [1, 2], 3)

    def test_graph_names_shapes_that_differ_when_it_is_built(self):
        with tf.Graph().as_default():
            with self.assertRaisesRegex(
                ValueError,
                r"a and b must have the same shape\. "
                r"a shape: \[2,3\] b shape: \[3,2\]\. "
                r"Dimension 0 in both shapes must be equal, but are 2 and 3\. "
                r"Shapes are \[2,3\] and \[3,2\]\.",
            ):
                multiplex_2_op.multiplex(
                    tf.ones([2, 3], bool), tf.ones([2, 3]), tf.ones([3, 2])
                )
            with self.assertRaisesRegex(
                ValueError,
                r"a and cond must have the same shape\. "
                r"a shape: \[2\] cond shape: \[2,1\]",
            ):
                multiplex_2_op.multiplex([[True], [False]], [1, 2], [3, 4])

    def test_shapes_unknown_to_a_graph_are_compared_when_it_runs(self):
        spec = tf.TensorSpec(None)
        run = tf.function(multiplex_2_op.multiplex).get_concrete_function(
            tf.TensorSpec(None, tf.bool), spec, spec
        )
        self.assertAllEqual(
            run(tf.constant(True), tf.constant(1.0), tf.constant(2.0)), 1.0
        )
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"a and b must have the same shape\. a shape: \[2\] b shape: \[3\]",
        ):
            run(tf.constant([True, False]), tf.ones([2]), tf.ones([3]))
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"a and cond must have the same shape\. "
            r"a shape: \[2\] cond shape: \[3\]",
        ):
            run(tf.constant([True] * 3), tf.ones([2]), tf.ones([2]))

    @test_util.run_in_graph_and_eager_modes
    def test_types_of_a_and_b_must_agree(self):
        a = tf.constant([1.0, 2.0])
        b = tf.constant([10, 20], dtype=tf.int64)
        with self.assertRaisesRegex(
            (errors.InvalidArgumentError, TypeError),
            r"input #2\(zero-based\) was expected to be a float tensor but is "
            r"a int64 tensor|"
            r"Input 'b' of 'Examples>MultiplexDense' Op has type int64 that "
            r"does not match type float32 of argument 'a'",
        ):
            self.evaluate(multiplex_2_op.multiplex([True, False], a, b))

    def test_types_that_tf_where_does_not_take_have_no_kernel(self):
        x = tf.bitcast(tf.constant([1], tf.int8), tf.qint8)
        with self.assertRaises(errors.NotFoundError):
            tf.where([True], x, x)
        with self.assertRaises(errors.NotFoundError):
            multiplex_2_op.multiplex([True], x, x)


class MultiplexGraphTest(tf.test.TestCase, parameterized.TestCase):
    @test_util.run_in_graph_and_eager_modes
    def test_gives_the_same_in_graph_and_eager_modes(self):
        result = multiplex_2_op.multiplex([True, False], [1, 2], [3, 4])
        self.assertAllEqual(self.evaluate(result), [1, 4])

    @parameterized.named_parameters(
        ("all_known", [2, 3], [2, 3], [2, 3], [2, 3]),
        ("only_cond_known", [2, 3], None, None, [2, 3]),
        ("only_b_known", None, None, [2, 3], [2, 3]),
        ("each_knows_a_part", [2, None], [None, 3], None, [2, 3]),
        ("a_dimension_unknown", [None, 3], [None, 3], None, [None, 3]),
        ("only_rank_known", None, [None, None], None, [None, None]),
        ("nothing_known", None, None, None, None),
    )
    def test_output_shape_is_all_that_the_inputs_know(
        self, cond, a, b, expected
    ):
        with tf.Graph().as_default():
            result = multiplex_2_op.multiplex(
                tf.compat.v1.placeholder(tf.bool, cond),
                tf.compat.v1.placeholder(tf.float32, a),
                tf.compat.v1.placeholder(tf.float32, b),
            )
        self.assertEqual(
            result.shape.as_list() if result.shape.rank is not None else None,
            expected,
        )

    def test_name_is_that_of_the_operation(self):
        with tf.Graph().as_default(), tf.name_scope("scope"):
            result = multiplex_2_op.multiplex([True], [1], [2], name="choose")
        self.assertEqual(result.op.name, "scope/choose")
        self.assertEqual(result.op.type, "Examples>MultiplexDense")

    def test_runs_in_a_dataset(self):
        dataset = tf.data.Dataset.range(4).map(
            lambda i: multiplex_2_op.multiplex(i % 2 == 0, i, -i)
        )
        self.assertAllEqual(list(dataset), [0, -1, 2, -3])


class MultiplexXlaTest(tf.test.TestCase, parameterized.TestCase):
    """Functions that XLA compiles."""

    def test_values_are_those_of_the_op(self):
        run = tf.function(multiplex_2_op.multiplex, jit_compile=True)
        for dtype in (tf.float32, tf.int64, tf.bool, tf.complex64):
            a, b = (
                tf.cast([[1, 0], [3, 4]], dtype),
                tf.cast([[0, 2], [5, 6]], dtype),
            )
            cond = tf.constant([[True, False], [False, True]])
            self.assertAllEqual(run(cond, a, b), tf.where(cond, a, b))
        concrete = run.get_concrete_function(cond, a, b)
        self.assertNotIn(
            "Examples>MultiplexDense",
            {op.type for op in concrete.graph.get_operations()},
        )

    @parameterized.named_parameters(*MultiplexScalarsTest._INPUTS)
    def test_scalars_are_taken(self, cond, a, b):
        run = tf.function(
            multiplex_scalars_op.multiplex_scalars, jit_compile=True
        )
        cond, a, b = (
            tf.constant(cond),
            tf.constant(a, tf.int64),
            tf.constant(b, tf.int64),
        )
        self.assertAllEqual(run(cond, a, b), tf.where(cond, a, b))

    def test_gradient_is_that_of_tf_where(self):
        cond = tf.constant([True, False, True])
        x = tf.constant([1.0, 2.0, 3.0])

        def gradients(choose):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = choose(cond, x**2, x**3)
            return tape.gradient(y, x)

        run = tf.function(gradients, jit_compile=True)
        self.assertAllClose(run(multiplex_2_op.multiplex), gradients(tf.where))
        run = tf.function(multiplex_2_op.multiplex, jit_compile=True)
        self.assertAllClose(gradients(run), gradients(tf.where))

    def test_a_loop_and_a_function_within_are_compiled_too(self):
        inner = tf.function(multiplex_2_op.multiplex)
        x = tf.constant([1.0, -2.0])

        @tf.function(jit_compile=True)
        def run(x):
            for _ in tf.range(3):
                x = inner(x > 0, x - 2.0, x + 2.0)
            return x

        self.assertAllEqual(run(x), [-1.0, 0.0])

    def test_shapes_that_differ_are_refused(self):
        ones, twos = tf.ones([2]), tf.ones([2, 2])
        true = tf.constant([True, True])
        for run in (
            tf.function(multiplex_2_op.multiplex, jit_compile=True),
            tf.function(
                multiplex_2_op.multiplex,
                jit_compile=True,
                input_signature=[
                    tf.TensorSpec(None, tf.bool),
                    tf.TensorSpec(None),
                    tf.TensorSpec(None),
                ],
            ),
        ):
            self.assertAllEqual(run(true, ones, ones), ones)
            for inputs in (
                (true, twos, twos),
                (true, ones, twos),
                (true[:1], ones, ones),
            ):
                with self.assertRaisesRegex(
                    (errors.InvalidArgumentError, ValueError),
                    "same shape|compatible shapes",
                ):
                    run(*inputs)

    def test_the_op_of_a_function_that_ran_before_is_named(self):
        # TensorFlow does not trace it again for XLA.
        inner = tf.function(multiplex_2_op.multiplex)
        x = tf.constant([1.0, -2.0])
        self.assertAllEqual(inner(x > 0, x, -x), [1.0, 2.0])
        run = tf.function(lambda x: inner(x > 0, x, -x), jit_compile=True)
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "Examples>MultiplexDense"
        ):
            run(x)


class MultiplexGradientTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self._cond = tf.constant([True, False, True])
        self._a = tf.constant([1.0, 2.0, 3.0])
        self._b = tf.constant([10.0, 20.0, 30.0])

    def _gradients(self, choose):
        with tf.GradientTape() as tape:
            tape.watch([self._a, self._b])
            y = choose(self._cond, self._a**2, self._b**3)
            loss = tf.reduce_sum(y * [1.0, 10.0, 100.0])
        return tape.gradient(loss, [self._a, self._b])

    def test_gradient_is_that_of_tf_where(self):
        actual = self._gradients(multiplex_2_op.multiplex)
        self.assertAllClose(actual, self._gradients(tf.where))
        self.assertAllClose(actual[0], [2.0, 0.0, 600.0])
        self.assertAllClose(actual[1], [0.0, 12000.0, 0.0])

    def test_gradient_is_the_same_in_a_function_and_in_a_graph(self):
        expected = self._gradients(tf.where)
        self.assertAllClose(
            tf.function(self._gradients)(multiplex_2_op.multiplex), expected
        )
        with tf.Graph().as_default(), self.session():
            a, b = tf.constant([1.0, 2.0, 3.0]), tf.constant([10.0, 20.0, 30.0])
            y = multiplex_2_op.multiplex([True, False, True], a**2, b**3)
            loss = tf.reduce_sum(y * [1.0, 10.0, 100.0])
            grads = self.evaluate(tf.compat.v1.gradients(loss, [a, b]))
        self.assertAllClose(grads, expected)

    def test_numeric_gradient_agrees(self):
        analytic, numeric = tf.test.compute_gradient(
            lambda a, b: multiplex_2_op.multiplex(self._cond, a * b, b),
            [self._a, self._b],
        )
        self.assertAllClose(analytic, numeric, atol=1e-2)

    def test_gradient_of_variants_passes_them_on(self):
        cond = tf.constant(True)
        with tf.GradientTape() as tape:
            tape.watch(self._a)
            one, two = (
                tf.raw_ops.TensorListFromTensor(
                    tensor=x, element_shape=tf.constant([], tf.int32)
                )
                for x in (self._a, self._b)
            )
            values = tf.raw_ops.TensorListStack(
                input_handle=multiplex_2_op.multiplex(cond, one, two),
                element_shape=tf.constant([], tf.int32),
                element_dtype=tf.float32,
            )
            loss = tf.reduce_sum(values**2)
        self.assertAllClose(tape.gradient(loss, self._a), 2 * self._a)

    def test_second_derivative_exists(self):
        with tf.GradientTape() as outer:
            outer.watch(self._a)
            with tf.GradientTape() as inner:
                inner.watch(self._a)
                y = multiplex_2_op.multiplex(self._cond, self._a**3, self._b)
            first = inner.gradient(y, self._a)
        self.assertAllClose(first, [3.0, 0.0, 27.0])
        self.assertAllClose(outer.gradient(first, self._a), [6.0, 0.0, 18.0])

    def test_forward_mode_derivative_exists(self):
        tangent = tf.constant([1.0, 10.0, 100.0])
        with tf.autodiff.ForwardAccumulator(self._a, tangent) as accumulator:
            y = multiplex_2_op.multiplex(self._cond, self._a * 2, self._b)
        self.assertAllClose(accumulator.jvp(y), [2.0, 0.0, 200.0])

    def test_sparse_cotangent_is_taken(self):
        with tf.GradientTape() as tape:
            tape.watch(self._a)
            y = multiplex_2_op.multiplex(self._cond, self._a, self._b)
            loss = tf.reduce_sum(tf.gather(y, [0, 1, 2, 2]))
        self.assertAllClose(tape.gradient(loss, self._a), [1.0, 0.0, 2.0])

    def test_cond_has_no_gradient(self):
        with tf.Graph().as_default():
            cond = tf.constant([True, False])
            y = multiplex_2_op.multiplex(cond, [1.0, 2.0], [3.0, 4.0])
            self.assertEqual(tf.compat.v1.gradients(y, cond), [None])


class VariableAndStatelessOpTest(tf.test.TestCase):
    def test_prints_what_the_document_prints(self):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            variable_and_stateless_op.variable_and_stateless_op()
        self.assertEqual(
            output.getvalue(),
            "[1 1 1 1 1 1 1 1 1 1]\n"
            "[1 1 1 1 1 2 1 1 1 1]\n"
            "[1 2 1 1 1 2 1 1 1 1]\n"
            "[1 2 1 1 1 2 1 2 1 1]\n"
            "[1 2 1 1 1 4 1 2 1 1]\n",
        )


if __name__ == "__main__":
    tf.test.main()
