"""Tests of variable_sparse_update on what is not one plain variable."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.distribute import ps_values
from tensorflow.python.distribute import sharded_variable
from tensorflow.python.framework import errors
from tensorflow.python.keras.mixed_precision import autocast_variable

from tensorflow_examples.custom_ops_doc.variable_sparse_update.variable_sparse_update_op import (
    variable_sparse_update,
)

_UPDATES = (
    ("assign", [1.0, 50.0, 3.0, 60.0, 70.0]),
    ("add", [1.0, 52.0, 3.0, 64.0, 75.0]),
    ("multiply", [1.0, 100.0, 3.0, 240.0, 350.0]),
)


def _in_a_function(f):
    """Calls `f` in a graph, which cannot return the operation that it does."""

    def run(*args):
        @tf.function
        def call():
            f(*args)

        call()

    return run


_eager_and_in_a_function = parameterized.named_parameters(
    ("eager", lambda f: f), ("in_a_function", _in_a_function)
)


def setUpModule():
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0],
        [tf.config.LogicalDeviceConfiguration()] * 2,
    )


def _mirrored_strategy():
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


class ReplicasTest(tf.test.TestCase, parameterized.TestCase):
    def setUp(self):
        super().setUp()
        self._strategy = _mirrored_strategy()

    def _variable(self, value=(1.0, 2.0, 3.0, 4.0, 5.0), **kwargs):
        with self._strategy.scope():
            return tf.Variable(value, **kwargs)

    def _copies(self, variable):
        copies = self._strategy.experimental_local_results(variable)
        self.assertLen(copies, 2)
        self.assertNotEqual(copies[0].device, copies[1].device)
        return [copy.numpy().tolist() for copy in copies]

    @_eager_and_in_a_function
    def test_every_copy_of_a_mirrored_variable_is_changed(self, wrap):
        for aggregation in tf.VariableAggregation:
            for operation, expected in _UPDATES:
                v = self._variable(aggregation=aggregation)
                wrap(variable_sparse_update)(
                    v, [[1], [3], [4]], [50.0, 60.0, 70.0], operation
                )
                self.assertEqual(self._copies(v), [expected] * 2)

    @_eager_and_in_a_function
    def test_every_copy_is_changed_within_the_scope(self, wrap):
        v = self._variable()
        with self._strategy.scope():
            wrap(variable_sparse_update)(v, [[0]], 9.0)
        self.assertEqual(self._copies(v), [[9.0, 2.0, 3.0, 4.0, 5.0]] * 2)

    def test_every_copy_is_changed_in_the_order_of_the_calls(self):
        for wrap in (lambda f: f, tf.function):
            v = self._variable()

            def run(v=v):
                before = v.read_value()
                variable_sparse_update(v, [[0]], 2.0, "add")
                variable_sparse_update(v, [[0]], 10.0, "multiply")
                v.assign_add([1.0] * 5)
                variable_sparse_update(v, [[0]], 2.0, "multiply")
                return before

            self.assertAllEqual(wrap(run)(), [1.0, 2.0, 3.0, 4.0, 5.0])
            self.assertEqual(self._copies(v), [[62.0, 3.0, 4.0, 5.0, 6.0]] * 2)

    def test_variable_that_is_an_argument_of_a_function_is_changed(self):
        v = self._variable()

        @tf.function
        def run(v, indices):
            variable_sparse_update(v, indices, 9.0)

        run(v, tf.constant([[0]]))
        self.assertEqual(self._copies(v), [[9.0, 2.0, 3.0, 4.0, 5.0]] * 2)

    @_eager_and_in_a_function
    def test_no_copy_is_changed_if_the_kernel_refuses(self, wrap):
        v = self._variable()
        for indices, updates in (([[0], [5]], 1.0), ([[0]], [1.0, 2.0])):
            with self.assertRaises((errors.InvalidArgumentError, ValueError)):
                wrap(variable_sparse_update)(v, indices, updates)
        self.assertEqual(self._copies(v), [[1.0, 2.0, 3.0, 4.0, 5.0]] * 2)

    def test_one_replica_may_not_change_what_is_the_same_in_all(self):
        v = self._variable()

        def change():
            variable_sparse_update(v, [[0]], 9.0)

        for run in (change, tf.function(change)):
            with self.assertRaisesRegex(
                ValueError, "same value in each replica.*merge_call"
            ):
                self._strategy.run(run)
        self.assertEqual(self._copies(v), [[1.0, 2.0, 3.0, 4.0, 5.0]] * 2)

    def test_replicas_change_all_copies_in_a_merge_call(self):
        v = self._variable()

        def add_all(strategy, *updates):
            for each in strategy.experimental_local_results(updates[0]):
                variable_sparse_update(v, [[0]], each, "add")

        @tf.function
        def step():
            context = tf.distribute.get_replica_context()
            mine = tf.cast(context.replica_id_in_sync_group + 1, tf.float32)
            context.merge_call(add_all, args=(mine,))

        self._strategy.run(step)
        self.assertEqual(self._copies(v), [[4.0, 2.0, 3.0, 4.0, 5.0]] * 2)

    def test_each_replica_changes_its_own_where_reads_join_them(self):
        for aggregation, expected in (
            (tf.VariableAggregation.SUM, [3.0, 20.0]),
            (tf.VariableAggregation.MEAN, [1.5, 10.0]),
        ):
            v = self._variable(
                [0.0, 10.0],
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=aggregation,
            )

            def step(v=v):
                context = tf.distribute.get_replica_context()
                mine = tf.cast(context.replica_id_in_sync_group + 1, tf.float32)
                variable_sparse_update(v, [[0]], mine)

            for run in (step, tf.function(step)):
                self._strategy.run(run)
                self.assertEqual(self._copies(v), [[1.0, 10.0], [2.0, 10.0]])
                self.assertAllEqual(v.read_value(), expected)

    @_eager_and_in_a_function
    def test_what_reads_join_is_refused_outside_of_the_replicas(self, wrap):
        v = self._variable(
            [1.0, 2.0],
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
            name="seen",
        )
        with self.assertRaisesRegex(
            ValueError, "seen:0 has .* SUM: it has no elements to change.*run"
        ):
            wrap(variable_sparse_update)(v, [[0]], 9.0)
        self.assertEqual(self._copies(v), [[1.0, 2.0]] * 2)

    def test_a_plain_variable_is_changed_in_the_scope_of_a_strategy(self):
        v = tf.Variable([1.0, 2.0])
        with self._strategy.scope():
            variable_sparse_update(v, [[0]], 9.0)
        self.assertAllEqual(v, [9.0, 2.0])

    @_eager_and_in_a_function
    def test_one_replica_of_a_strategy_is_a_plain_variable(self, wrap):
        strategy = tf.distribute.OneDeviceStrategy("CPU:1")
        with strategy.scope():
            v = tf.Variable([1.0, 2.0])
        wrap(variable_sparse_update)(v, [[0]], 9.0)
        self.assertAllEqual(v, [9.0, 2.0])

    @_eager_and_in_a_function
    def test_a_variable_that_is_stored_centrally_is_changed(self, wrap):
        strategy = tf.distribute.experimental.CentralStorageStrategy(
            ["CPU:0", "CPU:1"]
        )
        with strategy.scope():
            v = tf.Variable([1.0, 2.0])
        self.assertIsInstance(v, ps_values.AggregatingVariable)
        wrap(variable_sparse_update)(v, [[0]], 9.0)
        self.assertAllEqual(v, [9.0, 2.0])

        # The replicas have one variable, so each call counts.
        strategy.run(lambda: wrap(variable_sparse_update)(v, [[1]], 3.0, "add"))
        self.assertAllEqual(v, [9.0, 8.0])


class ShardsTest(tf.test.TestCase, parameterized.TestCase):
    def _variable(self, value, shards, dtype=tf.float32):
        """A variable as ParameterServerStrategy makes it."""
        value = np.asarray(value)
        partitioner = tf.distribute.experimental.partitioners
        counts = partitioner.FixedShardsPartitioner(shards)(
            shape=tf.TensorShape(value.shape), dtype=dtype
        )
        parts = np.array_split(value, counts[0])
        return sharded_variable.ShardedVariable(
            [tf.Variable(part, dtype=dtype) for part in parts]
        )

    @_eager_and_in_a_function
    def test_each_shard_has_its_part(self, wrap):
        for shards in (1, 2, 3, 5):
            for operation, expected in _UPDATES:
                v = self._variable([1.0, 2.0, 3.0, 4.0, 5.0], shards)
                self.assertLen(v.variables, shards)
                wrap(variable_sparse_update)(
                    v, [[4], [1], [3]], [70.0, 50.0, 60.0], operation
                )
                self.assertAllEqual(tf.convert_to_tensor(v), expected)

    @_eager_and_in_a_function
    def test_it_is_as_on_one_variable(self, wrap):
        rng = np.random.default_rng(0)
        for shape, indices_shape in (
            ([10], [6, 1]),
            ([10, 3], [6, 2]),
            ([10, 3], [6, 1]),
            ([7, 2, 3], [2, 4, 2]),
            ([7, 2, 3], [1]),
            ([7, 2, 3], [0, 2]),
        ):
            depth = indices_shape[-1]
            value = rng.integers(1, 9, shape)
            indices = rng.integers(0, shape[:depth], indices_shape)
            full = rng.integers(1, 9, [*indices_shape[:-1], *shape[depth:]])
            for updates in (full, 7):
                for operation in ("assign", "add", "multiply"):
                    one = tf.Variable(value, dtype=tf.int32)
                    many = self._variable(value, 3, tf.int32)
                    # An index that is there twice counts twice, in order.
                    variable_sparse_update(one, indices, updates, operation)
                    wrap(variable_sparse_update)(
                        many, indices, updates, operation
                    )
                    self.assertAllEqual(tf.convert_to_tensor(many), one)

    def test_shards_are_changed_by_shapes_that_a_graph_does_not_know(self):
        v = self._variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], 2)

        @tf.function(
            input_signature=[
                tf.TensorSpec([None, 1], tf.int64),
                tf.TensorSpec(None, tf.float32),
            ]
        )
        def run(indices, updates):
            variable_sparse_update(v, indices, updates)

        run([[2], [0]], [[60.0, 61.0], [10.0, 11.0]])
        expected = [[10.0, 11.0], [3.0, 4.0], [60.0, 61.0]]
        self.assertAllEqual(tf.convert_to_tensor(v), expected)
        for indices, updates in (
            ([[0], [3]], [[9.0, 9.0], [9.0, 9.0]]),
            ([[0], [2]], [[9.0, 9.0]]),
            ([[0], [2]], [9.0, 9.0]),
        ):
            with self.assertRaises(errors.InvalidArgumentError):
                run(indices, updates)
            self.assertAllEqual(tf.convert_to_tensor(v), expected)

    def test_shards_that_are_an_argument_of_a_function_are_changed(self):
        v = self._variable([1.0, 2.0, 3.0], 2)

        @tf.function
        def run(v):
            variable_sparse_update(v, [[2]], 9.0)

        run(v)
        self.assertAllEqual(tf.convert_to_tensor(v), [1.0, 2.0, 9.0])

    @_eager_and_in_a_function
    def test_no_shard_is_changed_if_one_would_refuse(self, wrap):
        value = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
        v = self._variable(value, 2)
        for indices, updates, message in (
            ([[0, 0], [3, 0]], 9.0, "indices must be within"),
            ([[0, 0], [2, 2]], 9.0, "indices must be within"),
            ([[0, 0], [-1, 0]], 9.0, "indices must be within"),
            ([[0], [2]], [9.0, 9.0], "updates must be a scalar or have"),
            ([[0, 0], [2, 1]], [9.0], "updates must be a scalar or have"),
            ([[0, 0, 0]], 9.0, "must be from 1 to the variable's rank, 2"),
            (0, 9.0, "must be from 1 to the variable's rank, 2"),
            ([[0, 0]], "nine", ""),
        ):
            with self.assertRaisesRegex(
                (errors.InvalidArgumentError, ValueError, TypeError), message
            ):
                wrap(variable_sparse_update)(v, indices, updates)
            self.assertAllEqual(tf.convert_to_tensor(v), value)

    def test_strings_are_assigned_and_not_added(self):
        v = self._variable([b"a", b"b", b"c"], 2, tf.string)
        variable_sparse_update(v, [[2], [0]], ["x", "y"])
        self.assertAllEqual(tf.convert_to_tensor(v), [b"y", b"b", b"x"])
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "operation must be assign"
        ):
            variable_sparse_update(v, [[0]], "z", "add")


class WrappersTest(tf.test.TestCase, parameterized.TestCase):
    @_eager_and_in_a_function
    def test_caching_variable_is_changed(self, wrap):
        v = ps_values.CachingVariable(tf.Variable([1.0, 2.0]))
        wrap(variable_sparse_update)(v, [[0]], 9.0)
        self.assertAllEqual(v.read_value(), [9.0, 2.0])

    @_eager_and_in_a_function
    def test_cast_variable_is_changed_in_its_own_type(self, wrap):
        v = autocast_variable.create_autocast_variable(tf.Variable([1.0, 2.0]))
        with autocast_variable.enable_auto_cast_variables(tf.float16):
            wrap(variable_sparse_update)(v, [[0]], 1.0 + 2.0**-20)
            self.assertEqual(v.read_value().dtype, tf.float16)
        self.assertAllEqual(v.read_value(), [1.0 + 2.0**-20, 2.0])

    def test_variable_that_a_function_makes_is_changed(self):
        made = []

        @tf.function
        def run():
            if not made:
                made.append(tf.Variable([1.0, 2.0]))
            variable_sparse_update(made[0], [[0]], 3.0, "add")
            return made[0].read_value()

        self.assertAllEqual(run(), [4.0, 2.0])
        self.assertAllEqual(run(), [7.0, 2.0])

    def test_variable_without_its_value_is_refused(self):
        with tf.Graph().as_default(), self.session():
            v = tf.compat.v1.get_variable(
                "made_later", [2], use_resource=True, dtype=tf.float32
            )
            with self.assertRaisesRegex(
                errors.FailedPreconditionError, "'made_later' is not initial"
            ):
                self.evaluate(variable_sparse_update(v, [[0]], 1.0))

    def test_what_is_no_variable_is_refused_by_name(self):
        with tf.Graph().as_default():
            reference = tf.compat.v1.get_variable(
                "by_reference", [2], use_resource=False
            )
            partitioned = tf.compat.v1.get_variable(
                "parts",
                [4],
                partitioner=tf.compat.v1.fixed_size_partitioner(2),
                use_resource=True,
            )
            for each, name in (
                (reference, "by_reference"),
                (partitioned, "PartitionedVariable"),
                (tf.constant([1.0]), "Tensor"),
                ([1.0, 2.0], r"\[1.0, 2.0\]"),
                (None, "None"),
            ):
                with self.assertRaisesRegex(
                    TypeError, f"variable must be a tf.Variable .*{name}"
                ):
                    variable_sparse_update(each, [[0]], 1.0)


class KerasTest(tf.test.TestCase, parameterized.TestCase):
    @_eager_and_in_a_function
    def test_kerass_variable_is_changed(self, wrap):
        for operation, expected in _UPDATES:
            v = tf.keras.Variable([1.0, 2.0, 3.0, 4.0, 5.0])
            wrap(variable_sparse_update)(
                v, [[1], [3], [4]], [50.0, 60.0, 70.0], operation
            )
            self.assertAllEqual(v.numpy(), expected)

    def test_weight_of_a_layer_of_mixed_precision_is_changed_in_its_type(self):
        class CountCalls(tf.keras.layers.Layer):
            def build(self, shape):
                self.calls = self.add_weight(
                    shape=[2], initializer="zeros", trainable=False
                )

            def call(self, x):
                # Half of precision could not hold this.
                variable_sparse_update(self.calls, [[1]], 1.0 + 2.0**-20, "add")
                return x + tf.cast(self.calls[1], x.dtype)

        layer = CountCalls(dtype="mixed_float16")
        model = tf.keras.Sequential([tf.keras.Input([2]), layer])
        model.compile(loss="mse", run_eagerly=False, jit_compile=False)
        model.predict(np.zeros([4, 2]), batch_size=1, verbose=0)
        self.assertEqual(layer.calls.numpy().dtype, np.float32)
        self.assertAllEqual(layer.calls.numpy(), [0.0, 4 * (1.0 + 2.0**-20)])

    def test_kerass_variable_of_a_strategy_is_changed_in_every_replica(self):
        strategy = _mirrored_strategy()
        with strategy.scope():
            v = tf.keras.Variable([1.0, 2.0])
        variable_sparse_update(v, [[0]], 9.0)
        for copy in strategy.experimental_local_results(v.value):
            self.assertAllEqual(copy, [9.0, 2.0])

    def test_variable_of_an_input_is_refused_by_name(self):
        with self.assertRaisesRegex(
            TypeError, "variable must be a tf.Variable .*KerasTensor"
        ):
            variable_sparse_update(tf.keras.Input([2]), [[0]], 1.0)


if __name__ == "__main__":
    tf.test.main()
