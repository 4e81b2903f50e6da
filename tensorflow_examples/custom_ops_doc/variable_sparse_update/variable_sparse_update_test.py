"""Tests of variable_sparse_update."""

import contextlib
import io
import threading

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import errors

from tensorflow_examples.custom_ops_doc.variable_sparse_update import (
    gen_variable_sparse_update_op,
)
from tensorflow_examples.custom_ops_doc.variable_sparse_update import (
    variable_and_sparse_update,
)
from tensorflow_examples.custom_ops_doc.variable_sparse_update.variable_sparse_update_op import (
    variable_sparse_update,
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

_INDEXED_SHAPES = (
    ("elements_of_a_vector", [10], [4, 1]),
    ("elements_of_a_matrix", [5, 7], [3, 2]),
    ("rows", [5, 7], [3, 1]),
    ("slices_of_rank_4", [3, 2, 4, 5], [2, 2]),
    ("batch_of_indices", [5, 7], [2, 3, 2]),
    ("one_index", [5, 7], [2]),
    ("no_index", [5, 7], [0, 2]),
    ("empty_slices", [3, 0], [2, 1]),
)


def _random_update(shape, indices_shape):
    """Makes a value, indices that differ from each other, and updates."""
    rng = np.random.default_rng(0)
    depth = indices_shape[-1]
    count = int(np.prod(indices_shape[:-1]))
    positions = rng.permutation(int(np.prod(shape[:depth])))[:count]
    indices = np.stack(np.unravel_index(positions, shape[:depth]), axis=-1)
    updates = rng.random(indices_shape[:-1] + shape[depth:])
    return rng.random(shape), indices.reshape(indices_shape), updates


class VariableSparseUpdateValuesTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(
        (f"{d.name}_{i.name}", d, i)
        for d in _NUMERIC_DTYPES
        for i in (tf.int32, tf.int64)
    )
    def test_assigns_adds_and_multiplies_numbers(self, dtype, index_dtype):
        indices = tf.constant([[1], [3]], index_dtype)
        for operation, expected in (
            ("assign", [1, 5, 3, 6]),
            ("add", [1, 7, 3, 10]),
            ("multiply", [1, 10, 3, 24]),
        ):
            v = tf.Variable(tf.cast([1, 2, 3, 4], dtype))
            variable_sparse_update(
                v, indices, tf.cast([5, 6], dtype), operation
            )
            self.assertEqual(v.dtype, dtype)
            self.assertAllEqual(tf.cast(v, tf.int32), expected)

    def test_assigns_strings_and_bools(self):
        long = "a string too long to be stored inside its own header " * 3
        v = tf.Variable(["one", "two", "three"])
        variable_sparse_update(v, [[2], [0]], [long, "zw\0lf"])
        self.assertAllEqual(v, ["zw\0lf", "two", long])
        v = tf.Variable([True, True, False])
        variable_sparse_update(v, [[0], [2]], [False, True])
        self.assertAllEqual(v, [False, True, True])

    def test_one_update_serves_for_all(self):
        v = tf.Variable(tf.ones([3, 2]))
        variable_sparse_update(v, [[0], [2]], 4.0, "add")
        self.assertAllEqual(v, [[5.0, 5.0], [1.0, 1.0], [5.0, 5.0]])
        variable_sparse_update(v, [[0, 1], [1, 0]], 2.0, "multiply")
        self.assertAllEqual(v, [[5.0, 10.0], [2.0, 1.0], [5.0, 5.0]])

    @parameterized.named_parameters(*_INDEXED_SHAPES)
    def test_changes_what_numpy_changes(self, shape, indices_shape):
        initial, indices, updates = _random_update(shape, indices_shape)
        chosen = tuple(np.moveaxis(indices, -1, 0))
        for operation, ufunc in (
            ("assign", lambda _, y: y),
            ("add", np.add),
            ("multiply", np.multiply),
        ):
            v = tf.Variable(initial)
            variable_sparse_update(v, indices, updates, operation)
            expected = initial.copy()
            expected[chosen] = ufunc(expected[chosen], updates)
            self.assertAllEqual(v, expected)

    @parameterized.named_parameters(*_INDEXED_SHAPES[:5])
    def test_agrees_with_scatter_nd(self, shape, indices_shape):
        initial, indices, updates = _random_update(shape, indices_shape)
        for operation, scatter in (
            ("assign", "scatter_nd_update"),
            ("add", "scatter_nd_add"),
        ):
            ours, theirs = tf.Variable(initial), tf.Variable(initial)
            variable_sparse_update(ours, indices, updates, operation)
            getattr(theirs, scatter)(indices, updates)
            self.assertAllEqual(ours, theirs)

    def test_equal_indices_count_each_in_order(self):
        v = tf.Variable([1, 1])
        variable_sparse_update(v, [[0]] * 3, [5, 6, 7])
        self.assertAllEqual(v, [7, 1])
        variable_sparse_update(v, [[0]] * 3, [1, 2, 3], "add")
        self.assertAllEqual(v, [13, 1])
        variable_sparse_update(v, [[1]] * 10, 2, "multiply")
        self.assertAllEqual(v, [13, 1024])

    @parameterized.named_parameters(
        (d.name, d) for d in _NUMERIC_DTYPES if d.is_integer
    )
    def test_integers_wrap(self, dtype):
        v = tf.Variable(tf.constant([dtype.max, dtype.max], dtype))
        variable_sparse_update(v, [[0]], tf.constant(1, dtype), "add")
        largest = tf.constant(dtype.max, dtype)
        variable_sparse_update(v, [[1]], largest, "multiply")
        self.assertAllEqual(v, [dtype.min, 1])

    def test_many_indices_in_a_large_variable(self):
        rng = np.random.default_rng(0)
        v = tf.Variable(tf.zeros([1_000_000], tf.int32))
        indices = rng.integers(0, 1_000_000, [500_000, 1])
        variable_sparse_update(v, indices, 1, "add")
        expected = np.bincount(indices[:, 0], minlength=1_000_000)
        self.assertTrue(np.array_equal(v, expected))

    def test_prints_what_the_document_prints(self):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            variable_and_sparse_update.variable_and_sparse_update()
        self.assertEqual(
            output.getvalue(),
            "[1 1 1 1 1 1 1 1 1 1]\n"
            "[1 1 1 1 1 2 1 1 1 1]\n"
            "[1 2 1 1 1 2 1 1 1 1]\n"
            "[1 2 1 1 1 2 1 2 1 1]\n"
            "[1 2 1 1 1 4 1 2 1 1]\n",
        )


class VariableSparseUpdateReadersTest(tf.test.TestCase):
    def test_what_was_read_before_keeps_its_value(self):
        v = tf.Variable(tf.ones([1000]))
        before = v.read_value()
        variable_sparse_update(v, [[3]], 5.0)
        between = v.read_value()
        variable_sparse_update(v, [[3]], 6.0)
        self.assertAllEqual(before, tf.ones([1000]))
        self.assertEqual(between[3].numpy(), 5.0)
        self.assertEqual(v[3].numpy(), 6.0)

    def test_what_was_assigned_keeps_its_value(self):
        value = tf.ones([1000])
        v = tf.Variable(tf.zeros([1000]))
        v.assign(value)
        variable_sparse_update(v, [[3]], 5.0)
        self.assertAllEqual(value, tf.ones([1000]))

    def test_dense_and_sparse_changes_take_turns(self):
        v = tf.Variable(tf.zeros([4]))
        variable_sparse_update(v, [[0]], 1.0)
        v.assign_add(tf.ones([4]))
        variable_sparse_update(v, [[1]], 3.0, "multiply")
        v.scatter_nd_add([[1]], [10.0])
        read = v.read_value()
        v.assign(tf.zeros([4]))
        variable_sparse_update(v, [[2]], 7.0)
        self.assertAllEqual(read, [2.0, 13.0, 1.0, 1.0])
        self.assertAllEqual(v, [0.0, 0.0, 7.0, 0.0])

    def test_no_update_is_lost_and_none_is_seen_by_half(self):
        n, rounds = 10_000, 200
        v = tf.Variable(tf.zeros([n], tf.int64))
        everywhere = np.arange(n)[:, None]
        torn = []
        done = threading.Event()

        def read():
            while not done.is_set():
                value = v.numpy()
                if value.min() != value.max():
                    torn.append(value)

        def write():
            for _ in range(rounds):
                variable_sparse_update(v, everywhere, 1, "add")

        reader = threading.Thread(target=read)
        writers = [threading.Thread(target=write) for _ in range(4)]
        for thread in [reader, *writers]:
            thread.start()
        for thread in writers:
            thread.join()
        done.set()
        reader.join()
        self.assertAllEqual(v, np.full([n], 4 * rounds))
        self.assertEmpty(torn)


@tf.function
def _in_a_function(*args):
    variable_sparse_update(*args)


class VariableSparseUpdateErrorsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self._v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def _assert_raises(self, message, indices, updates, *operation):
        with self.assertRaisesRegex(errors.InvalidArgumentError, message):
            variable_sparse_update(self._v, indices, updates, *operation)
        with self.assertRaisesRegex(
            (errors.InvalidArgumentError, ValueError), message
        ):
            _in_a_function(self._v, indices, updates, *operation)
        self.assertAllEqual(self._v, [[1.0, 2.0], [3.0, 4.0]])

    def test_index_out_of_range_is_named_and_changes_nothing(self):
        for index in ([2, 0], [0, 2], [-1, 0], [0, -1]):
            self._assert_raises(
                r"indices must be within the variable's shape, \[2,2\]\. "
                rf"Index 1 is \[{index[0]},{index[1]}\]",
                [[0, 0], index],
                [9.0, 9.0],
            )
        self._assert_raises(
            r"Index 0 is \[-9223372036854775808,0\]",
            np.array([[-(2**63), 0]]),
            [9.0],
        )

    def test_shape_of_updates_must_fit(self):
        for indices, updates, expected in (
            ([[0, 0], [1, 1]], [1.0], r"\[2\]\. updates shape: \[1\]"),
            ([[0], [1]], [1.0, 2.0], r"\[2,2\]\. updates shape: \[2\]"),
            ([[[0, 0]]], [[[1.0]]], r"\[1,1\]\. updates shape: \[1,1,1\]"),
        ):
            self._assert_raises(
                "updates must be a scalar or have the shape " + expected,
                indices,
                updates,
            )

    def test_indices_must_have_coordinates_and_not_too_many(self):
        for indices in ([[0, 0, 0]], np.zeros([3, 0], np.int32)):
            self._assert_raises(
                "The last dimension of indices must be from 1 to the "
                r"variable's rank, 2\. indices shape: ",
                indices,
                9.0,
            )
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            "indices must have at least one dimension",
        ):
            variable_sparse_update(self._v, 0, 9.0)

    def test_shapes_unknown_to_a_graph_are_compared_when_it_runs(self):
        @tf.function(
            input_signature=[
                tf.TensorSpec(None, tf.int32),
                tf.TensorSpec(None, tf.float32),
            ]
        )
        def run(indices, updates):
            variable_sparse_update(self._v, indices, updates)

        with self.assertRaisesRegex(
            errors.InvalidArgumentError, r"updates shape: \[3\]"
        ):
            run([[0, 0]], [1.0, 2.0, 3.0])
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "at least one dimension"
        ):
            run(0, 1.0)
        self.assertAllEqual(self._v, [[1.0, 2.0], [3.0, 4.0]])

    def test_updates_must_be_of_the_variables_type(self):
        for updates in (tf.constant([1]), "one"):
            with self.assertRaises((TypeError, ValueError)):
                variable_sparse_update(self._v, [[0]], updates)
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"updates must be of the variable's type, float\. Their type: int",
        ):
            gen_variable_sparse_update_op.examples_variable_sparse_update(
                self._v.handle, [[0]], [[1, 2]], operation="assign"
            )
        self.assertAllEqual(self._v, [[1.0, 2.0], [3.0, 4.0]])

    def test_operation_must_be_one_that_the_type_has(self):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, '"assign", "add", "multiply"'
        ):
            variable_sparse_update(self._v, [[0, 0]], 1.0, "subtract")
        for v in (tf.Variable(["a"]), tf.Variable([True])):
            with self.assertRaisesRegex(
                errors.InvalidArgumentError,
                "operation must be assign for elements of type .* It is: add",
            ):
                variable_sparse_update(v, [[0]], v[0], "add")

    def test_handle_must_be_that_of_a_variable(self):
        table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0)
        with self.assertRaises(errors.InvalidArgumentError):
            gen_variable_sparse_update_op.examples_variable_sparse_update(
                table.resource_handle, [[0]], [1], operation="assign"
            )

    def test_variable_that_is_not_initialized_is_named(self):
        with tf.Graph().as_default(), self.session():
            v = tf.compat.v1.get_variable(
                "ages", [3], use_resource=True, dtype=tf.float32
            )
            update = variable_sparse_update(v, [[0]], 1.0)
            with self.assertRaisesRegex(
                errors.FailedPreconditionError,
                "The variable 'ages' is not initialized, or was deleted",
            ):
                self.evaluate(update)
            self.evaluate(v.initializer)
            self.evaluate(update)
            self.assertEqual(self.evaluate(v)[0], 1.0)


class VariableSparseUpdateGraphTest(tf.test.TestCase):
    def test_function_runs_it_between_the_reads_around_it(self):
        v = tf.Variable([1, 2, 3])

        @tf.function
        def run():
            before = v.read_value()
            variable_sparse_update(v, [[1]], 10, "multiply")
            between = v.read_value()
            variable_sparse_update(v, [[1]], 1, "add")
            return before, between, v.read_value()

        before, between, after = run()
        self.assertAllEqual(before, [1, 2, 3])
        self.assertAllEqual(between, [1, 20, 3])
        self.assertAllEqual(after, [1, 21, 3])

    def test_runs_in_a_loop_of_a_graph(self):
        v = tf.Variable(tf.zeros([5], tf.int32))

        @tf.function
        def count(keys):
            for key in keys:
                variable_sparse_update(v, [[key]], 1, "add")

        count(tf.constant([0, 4, 4, 2, 4]))
        self.assertAllEqual(v, [1, 0, 1, 0, 3])

    def test_saved_model_keeps_the_function(self):
        module = tf.Module()
        module.v = tf.Variable([1.0, 2.0, 3.0])

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def double(position):
            variable_sparse_update(module.v, [[position]], 2.0, "multiply")
            return module.v.read_value()

        module.double = double
        path = self.create_tempdir().full_path
        tf.saved_model.save(module, path)
        loaded = tf.saved_model.load(path)
        self.assertAllEqual(loaded.double(2), [1.0, 2.0, 6.0])
        self.assertAllEqual(loaded.v, [1.0, 2.0, 6.0])
        self.assertAllEqual(module.v, [1.0, 2.0, 3.0])


class VariableSparseUpdateGradientTest(tf.test.TestCase):
    def test_gradient_is_that_of_scatter_nd_update(self):
        v, x = tf.Variable([1.0, 2.0, 3.0]), tf.constant([5.0])

        def gradients(update):
            v.assign([1.0, 2.0, 3.0])
            with tf.GradientTape() as tape:
                tape.watch(x)
                before = tf.reduce_sum(v**3)
                update(v, tf.constant([[1]]), x * 2)
                loss = before + tf.reduce_sum(v**2)
            return tape.gradient(loss, [v, x])

        def scatter(variable, indices, updates):
            variable.scatter_nd_update(indices, updates)

        for wrap in (lambda f: f, tf.function):
            ours, none = wrap(gradients)(variable_sparse_update)
            theirs, also_none = wrap(gradients)(scatter)
            self.assertAllClose(ours, theirs)
            self.assertAllClose(ours, [3.0 + 2.0, 12.0 + 20.0, 27.0 + 6.0])
            self.assertIsNone(none)
            self.assertIsNone(also_none)


if __name__ == "__main__":
    tf.test.main()
