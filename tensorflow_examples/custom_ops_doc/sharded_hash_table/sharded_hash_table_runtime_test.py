"""Tests of the table's life in each of TensorFlow's runtimes, and with many threads."""

import concurrent.futures
import os
import subprocess
import sys

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.core.framework import tensor_pb2
from tensorflow.python.framework import errors
from tensorflow.python.framework import ops

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    gen_sharded_hash_table_op,
)
from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    gen_resource_probe_op,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    resource_lifetime,
)

ShardedHashTable = sharded_hash_table.ShardedHashTable


def _int_table(**kwargs):
    return ShardedHashTable(tf.int64, tf.int64, -1, **kwargs)


class LifetimeTest(resource_lifetime.ResourceLifetimeTestCase):
    def _watched_table(self):
        table = _int_table()
        gen_resource_probe_op.testing_watch_resource(table.resource_handle)
        return table

    def test_resource_lives_until_the_last_handle_goes(self):
        table = self._watched_table()
        handle = tf.identity(table.resource_handle)
        del table
        self._assert_live(1)
        del handle
        self._assert_live(0)

    def test_resource_made_in_a_function_is_destroyed_when_it_returns(self):
        @tf.function
        def use():
            table = _int_table()
            watch = gen_resource_probe_op.testing_watch_resource(
                table.resource_handle
            )
            with tf.control_dependencies([watch]):
                live = gen_resource_probe_op.testing_live_resource_count()
            with tf.control_dependencies([live]):
                return table.lookup([1]), live - self._live_before

        for _ in range(3):
            value, live = use()
            self.assertAllEqual(value, [-1])
            self.assertAllEqual(live, 1)
            self._assert_live(0)

    def test_function_keeps_the_resource_that_it_captured(self):
        table = self._watched_table()
        lookup = tf.function(table.lookup).get_concrete_function(
            tf.TensorSpec([1], tf.int64)
        )
        del table
        self._assert_live(1)
        self.assertAllEqual(lookup(tf.constant([1], tf.int64)), [-1])
        del lookup
        self._assert_live(0)

    def test_resource_is_destroyed_though_a_kernel_failed(self):
        table = self._watched_table()
        with self.assertRaises(errors.InvalidArgumentError):
            table.insert([1], [1, 2])
        del table
        self._assert_live(0)


class DebugStringTest(tf.test.TestCase):
    def _debug_string(self, table):
        text = gen_resource_probe_op.testing_resource_debug_string(
            table.resource_handle
        )
        return text.numpy().decode()

    def test_shows_all_pairs_of_a_small_table(self):
        table = _int_table()
        self.assertEqual(
            self._debug_string(table), "ShardedHashTable<int64, int64> {}"
        )
        table.insert([1, 2, 3], [100, 200, 300])
        text = self._debug_string(table)
        self.assertNotIn("...", text)
        for pair in ("1: 100, ", "2: 200, ", "3: 300, "):
            self.assertIn(pair, text)

    def test_shows_three_pairs_of_a_large_table(self):
        table = _int_table()
        table.insert(np.arange(1000), np.arange(1000))
        self.assertRegex(
            self._debug_string(table),
            r"^ShardedHashTable<int64, int64> \{(\d+: \d+, ){3}\.\.\.\}$",
        )

    def test_shows_values_of_every_type(self):
        for dtype, name, default, value, text in (
            (tf.bool, "bool", False, True, "true"),
            (tf.int32, "int32", 0, -5, "-5"),
            (tf.float16, "half", 0, 0.5, "0.5"),
            (tf.bfloat16, "bfloat16", 0, 0.5, "0.5"),
            (tf.float32, "float", 0, 0.5, "0.5"),
            (tf.float64, "double", 0, 0.25, "0.25"),
            (tf.string, "string", "", "text", "text"),
            (tf.float32, "float", [0, 0], [0.5, 1], "0.5 1"),
        ):
            table = ShardedHashTable(tf.string, dtype, default)
            table.insert("key", value)
            self.assertEqual(
                self._debug_string(table),
                f"ShardedHashTable<string, {name}> {{key: {text}, }}",
            )

    def test_shows_a_hundred_characters_of_a_pair(self):
        table = ShardedHashTable(tf.string, tf.string, "")
        table.insert("key", "v" * 95)
        self.assertIn("{key: " + "v" * 95 + ", }", self._debug_string(table))
        table.insert("key", "v" * 96)
        self.assertIn(
            "{key: " + "v" * 95 + " ..., }", self._debug_string(table)
        )


class HandleTest(tf.test.TestCase, parameterized.TestCase):
    def _calls(self, handle):
        """Calls of the ops that take a table from int64 to int64."""
        one = tf.constant(1, tf.int64)
        types = {"key_dtype": tf.int64, "value_dtype": tf.int64}
        gen = gen_sharded_hash_table_op
        return (
            lambda: gen.examples_sharded_hash_table_find(handle, one, one),
            lambda: gen.examples_sharded_hash_table_insert(handle, one, one),
            lambda: gen.examples_sharded_hash_table_accumulate(
                handle, one, one
            ),
            lambda: gen.examples_sharded_hash_table_remove(handle, one),
            lambda: gen.examples_sharded_hash_table_clear(handle),
            lambda: gen.examples_sharded_hash_table_size(handle),
            lambda: gen.examples_sharded_hash_table_export(handle, **types),
            lambda: gen.examples_sharded_hash_table_export_slices(
                handle, num_slices=2, **types
            ),
            lambda: gen.examples_sharded_hash_table_import(
                handle, [[one]], [[one]]
            ),
        )

    def _assert_all_refuse(self, handle, message):
        for call in self._calls(handle):
            with self.assertRaisesRegex(errors.InvalidArgumentError, message):
                call()

    def _parsed_handle(self, proto):
        return tf.io.parse_tensor(proto.SerializeToString(), tf.resource)

    def test_ops_take_the_handle_of_a_table(self):
        for call in self._calls(_int_table().resource_handle):
            call()

    def test_ops_refuse_the_handle_of_a_variable(self):
        self._assert_all_refuse(
            tf.Variable(1.0).handle,
            r"must point to a ShardedHashTable\. It points to another resource",
        )

    def test_ops_refuse_the_handle_of_another_kind_of_table(self):
        table = tf.lookup.experimental.MutableHashTable(
            tf.int64, tf.int64, -1, experimental_is_anonymous=True
        )
        self._assert_all_refuse(
            table.resource_handle, "It points to another resource"
        )

    def test_ops_refuse_a_handle_that_was_never_set(self):
        proto = tensor_pb2.TensorProto(dtype=tf.resource.as_datatype_enum)
        proto.tensor_shape.SetInParent()
        proto.resource_handle_val.add()
        self._assert_all_refuse(
            self._parsed_handle(proto), "It owns no resource: it was never set"
        )

    def test_ops_refuse_a_handle_that_was_serialized(self):
        handle = tf.io.parse_tensor(
            tf.io.serialize_tensor(_int_table().resource_handle), tf.resource
        )
        self._assert_all_refuse(handle, "has been serialized")

    def test_ops_refuse_many_handles(self):
        table = _int_table()
        self._assert_all_refuse(
            tf.stack([table.resource_handle] * 2),
            r"table_handle must be a scalar\. Its shape: \[2\]",
        )


class RuntimesTest(tf.test.TestCase):
    def test_table_of_a_v1_graph_lasts_for_one_session_run(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            table = _int_table()
            keys = tf.compat.v1.placeholder(tf.int64)
            before = table.lookup(keys)
            with tf.control_dependencies([before]):
                insert = table.insert(keys, keys + 100)
            with tf.control_dependencies([insert]):
                after = table.lookup(keys)
            for _ in range(2):
                self.assertAllEqual(
                    session.run([before, after], {keys: [1, 2]}),
                    [[-1, -1], [101, 102]],
                )

    def test_datasets_map_reads_the_table_as_it_then_is(self):
        table = _int_table()
        table.insert([0, 1, 2], [0, 10, 20])
        dataset = tf.data.Dataset.range(4).batch(2).map(table.lookup)
        self.assertEqual(dataset.element_spec.shape.as_list(), [None])
        self.assertAllEqual(list(dataset), [[0, 10], [20, -1]])
        table.insert(3, 30)
        self.assertAllEqual(list(dataset), [[0, 10], [20, 30]])

    def test_datasets_parallel_map_writes_the_table(self):
        table = _int_table()

        def count(keys):
            table.accumulate(keys % 10, tf.ones_like(keys))
            return keys

        dataset = tf.data.Dataset.range(1000).batch(10)
        for _ in dataset.map(count, num_parallel_calls=8):
            pass
        self.assertAllEqual(table.lookup(np.arange(10)), [100] * 10)

    def test_keras_layer_keeps_its_state_in_a_table(self):
        class CountVisits(tf.keras.layers.Layer):
            """Tells how often each key has been seen, with this batch."""

            def __init__(self):
                super().__init__()
                self.table = ShardedHashTable(tf.int64, tf.int64, 0)

            def call(self, keys):
                self.table.accumulate(keys, tf.ones_like(keys))
                return self.table.lookup(keys)

        layer = CountVisits()
        model = tf.keras.Sequential(
            [tf.keras.Input(shape=(), dtype="int64"), layer]
        )
        self.assertAllEqual(model(tf.constant([7, 8, 7], tf.int64)), [2, 1, 2])
        self.assertAllEqual(model.predict(np.array([7, 9]), verbose=0), [3, 1])

        path = os.path.join(self.create_tempdir().full_path, "model")
        model.export(path, verbose=False)
        loaded = tf.saved_model.load(path)
        self.assertAllEqual(
            loaded.serve(tf.constant([7, 8, 10], tf.int64)), [4, 2, 1]
        )
        self.assertAllEqual(layer.table.lookup(7), 3)

    def test_table_that_is_empty_is_not_false(self):
        self.assertTrue(_int_table())

    def test_ragged_keys_give_ragged_values(self):
        table = ShardedHashTable(tf.string, tf.int64, -1)
        table.insert(["a", "b"], [1, 2])
        keys = tf.ragged.constant([["a"], [], ["c", "b"]])
        values = table.lookup(keys)
        self.assertAllEqual(values, tf.ragged.constant([[1], [], [-1, 2]]))
        values = tf.function(table.lookup)(keys)
        self.assertAllEqual(values, tf.ragged.constant([[1], [], [-1, 2]]))
        defaults = tf.ragged.constant([[10], [], [11, 12]], tf.int64)
        self.assertAllEqual(
            table.lookup(keys, defaults), tf.ragged.constant([[1], [], [11, 2]])
        )

    def test_ragged_keys_of_vectors_give_ragged_vectors(self):
        table = ShardedHashTable(tf.int64, tf.int64, [-1, -1])
        table.insert([1], [[10, 11]])
        keys = tf.ragged.constant([[1], [2, 1]], tf.int64)
        self.assertAllEqual(
            table.lookup(keys),
            tf.ragged.constant(
                [[[10, 11]], [[-1, -1], [10, 11]]], ragged_rank=1
            ),
        )

    def test_sparse_keys_give_sparse_values(self):
        table = ShardedHashTable(tf.string, tf.int64, -1)
        table.insert(["a", "b"], [1, 2])
        keys = tf.sparse.from_dense([["a", ""], ["c", "b"]])
        for lookup in (table.lookup, tf.function(table.lookup)):
            values = lookup(keys)
            self.assertIsInstance(values, tf.SparseTensor)
            self.assertAllEqual(tf.sparse.to_dense(values), [[1, 0], [-1, 2]])
        vectors = ShardedHashTable(tf.string, tf.int64, [-1, -1])
        with self.assertRaisesRegex(
            ValueError, r"The values of sparse keys must be scalars\..*: \(2,\)"
        ):
            vectors.lookup(keys)

    def test_stands_where_a_table_of_tensorflow_does(self):
        """What StaticVocabularyTable does with its table, with either."""

        def lookup(table, words, num_oov_buckets=5):
            buckets = tf.strings.to_hash_bucket_fast(words, num_oov_buckets)
            ids = table.lookup(words)
            return tf.where(
                tf.not_equal(ids, table.default_value),
                ids,
                buckets + table.size(),
            )

        words = tf.constant([["emerson", "king"], ["palmer", "crimson"]])
        results = []
        for table_class in (
            tf.lookup.experimental.MutableHashTable,
            ShardedHashTable,
        ):
            table = table_class(tf.string, tf.int64, default_value=-1)
            if table_class is tf.lookup.experimental.MutableHashTable:
                table.default_value = table._default_value
            table.insert(tf.constant(["emerson", "lake", "palmer"]), [0, 1, 2])
            table.remove(tf.constant(["lake", "none"]))
            self.assertEqual(table.key_dtype, tf.string)
            self.assertEqual(table.value_dtype, tf.int64)
            self.assertAllEqual(table[tf.constant(["emerson"])], [0])
            self.assertAllEqual(sorted(table.export()[1].numpy()), [0, 2])
            results.append(
                [lookup(table, words), tf.function(lookup)(table, words)]
            )
        self.assertAllEqual(results[0], results[1])

    def test_takes_what_a_mutable_hash_table_exported(self):
        keys = tf.constant(["a", "b"])
        theirs = tf.lookup.experimental.MutableHashTable(
            tf.string, tf.float32, [0.0, 0.0]
        )
        theirs.insert(keys, [[1.0, 2.0], [3.0, 4.0]])
        ours = ShardedHashTable(tf.string, tf.float32, [0.0, 0.0])
        ours.do_import(*theirs.export())
        self.assertAllEqual(ours.lookup(keys), theirs.lookup(keys))


class ThreadsTest(tf.test.TestCase):
    def _run(self, work, count):
        with concurrent.futures.ThreadPoolExecutor(count) as executor:
            return list(executor.map(work, range(count)))

    def test_eight_threads_write_read_and_remove_at_once(self):
        table = ShardedHashTable(tf.string, tf.string, "none", num_shards=4)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)] * 2)
        def insert_in_function(keys, values):
            table.insert(keys, values)

        def work(thread):
            own = np.array(
                [b"%d of %d" % (i, thread) * (i % 5 + 1) for i in range(500)]
            )
            for i in range(20):
                values = np.char.add(own, b" in round %d" % i)
                (table.insert if i % 2 else insert_in_function)(own, values)
                self.assertAllEqual(table.lookup(own), values)
                table.insert(["shared"], [b"%d" % thread * 30])
                table.export()
            table.remove(own[::2])
            return table.lookup(["shared"])

        self._run(work, 8)
        self.assertEqual(table.size(), 8 * 250 + 1)
        self.assertIn(
            table.lookup("shared").numpy(), [b"%d" % i * 30 for i in range(8)]
        )

    def test_no_addition_of_eight_threads_is_lost(self):
        table = ShardedHashTable(tf.int64, tf.float32, [0.0, 0.0])
        # Large enough that each batch is itself the work of many threads.
        keys = np.random.default_rng(1).integers(0, 100, 20_000)
        ones = np.ones((20_000, 2), np.float32)

        @tf.function
        def count():
            table.accumulate(keys, ones)

        self._run(lambda _: [count() for _ in range(5)], 8)
        expected = 40 * np.bincount(keys, minlength=100)
        self.assertAllEqual(
            table.lookup(np.arange(100)), np.stack([expected] * 2, axis=-1)
        )

    def test_export_shows_one_moment(self):
        table = _int_table()
        stop = False

        def write():
            key = 0
            while not stop:
                table.insert(key, key)
                key += 1

        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            writer = executor.submit(write)
            for _ in range(50):
                keys, values = table.export(stable_order=True)
                self.assertAllEqual(keys, np.arange(len(keys)))
                self.assertAllEqual(values, keys)
            stop = True
            writer.result()

    def test_checkpoint_shows_one_moment(self):
        table = _int_table()
        stop = False

        def write():
            key = 0
            while not stop:
                table.insert(key, key)
                key += 1

        path = os.path.join(self.create_tempdir().full_path, "checkpoint")
        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            writer = executor.submit(write)
            for _ in range(5):
                path = tf.train.Checkpoint(table=table).write(path)
                fresh = _int_table()
                tf.train.Checkpoint(table=fresh).read(path)
                keys, _ = fresh.export(stable_order=True)
                self.assertAllEqual(keys, np.arange(len(keys)))
            stop = True
            writer.result()


class SavedModelTest(tf.test.TestCase):
    def _module(self):
        module = tf.Module()
        module.table = _int_table()
        module.table.insert([1, 2, 3], [100, 200, 300])
        keys = tf.TensorSpec([None], tf.int64, name="keys")

        @tf.function(input_signature=[keys])
        def lookup(keys):
            return module.table.lookup(keys)

        @tf.function(input_signature=[keys, keys])
        def insert(keys, values):
            module.table.insert(keys, values)

        module.lookup, module.insert = lookup, insert
        return module

    def _path(self):
        return os.path.join(self.create_tempdir().full_path, "model")

    def test_tables_are_apart_from_each_other(self):
        path = self._path()
        module = self._module()
        tf.saved_model.save(module, path)
        one, two = tf.saved_model.load(path), tf.saved_model.load(path)
        one.insert([2], [-2])
        self.assertAllEqual(one.lookup([1, 2, 4]), [100, -2, -1])
        self.assertAllEqual(two.lookup([1, 2, 4]), [100, 200, -1])
        self.assertAllEqual(module.lookup([2]), [200])

    def test_what_was_loaded_can_be_changed_and_saved_again(self):
        first, second = self._path(), self._path()
        tf.saved_model.save(self._module(), first)
        loaded = tf.saved_model.load(first)
        loaded.insert([4], [400])
        tf.saved_model.save(loaded, second)
        self.assertAllEqual(
            tf.saved_model.load(second).lookup([1, 4]), [100, 400]
        )

    def test_signature_uses_the_table(self):
        path = self._path()
        module = self._module()
        tf.saved_model.save(module, path, signatures={"look": module.lookup})
        loaded = tf.saved_model.load(path)
        result = loaded.signatures["look"](keys=tf.constant([3], tf.int64))
        self.assertAllEqual(list(result.values()), [[300]])

    def test_another_process_restores_it(self):
        path = self._path()
        tf.saved_model.save(self._module(), path)
        program = f"""
import tensorflow as tf
import {sharded_hash_table.__name__}
print(tf.saved_model.load({path!r}).lookup([3, 4]).numpy().tolist())
"""
        result = subprocess.run(
            [sys.executable, "-c", program],
            check=False,
            capture_output=True,
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
            text=True,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.strip(), "[300, -1]")

    def test_checkpoint_in_the_background_has_the_table_as_it_was(self):
        table = _int_table()
        table.insert([1], [10])
        checkpoint = tf.train.Checkpoint(table=table)
        path = checkpoint.save(
            os.path.join(self.create_tempdir().full_path, "checkpoint"),
            tf.train.CheckpointOptions(enable_async=True),
        )
        table.insert([1], [11])
        checkpoint.sync()
        checkpoint.restore(path)
        self.assertAllEqual(table.lookup([1]), [10])


class NoGradientTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.parameters(
        "Create",
        "Find",
        "Insert",
        "Accumulate",
        "Remove",
        "Clear",
        "Size",
        "Export",
        "ExportSlices",
        "Import",
    )
    def test_op_is_registered_as_having_no_gradient(self, op):
        # The look-up fails for an op of which nothing was registered.
        self.assertIsNone(
            ops.gradient_registry.lookup(f"Examples>ShardedHashTable{op}")
        )

    def test_cotangent_ends_at_lookup(self):
        table = ShardedHashTable(tf.int32, tf.float32, 0.0)
        default = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(default)
            loss = table.lookup(1, default) * 2.0 + default
        self.assertAllEqual(loss, 9.0)
        self.assertAllEqual(tape.gradient(loss, default), 1.0)


if __name__ == "__main__":
    tf.test.main()
