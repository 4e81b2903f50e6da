"""Tests of the table's life in each of TensorFlow's runtimes, and with many threads."""

import concurrent.futures
import copy
import os

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import errors
from tensorflow.python.framework import ops

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    gen_sharded_hash_table_op as gen_ops,
)
from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import data_service
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
            table = _int_table(experimental_is_anonymous=True)
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

    def test_tells_type_and_size(self):
        table = _int_table()
        table.insert([1, 2, 3], [100, 200, 300])
        self.assertEqual(
            self._debug_string(table),
            "ShardedHashTable<int64, int64> of size 3",
        )
        vectors = ShardedHashTable(
            tf.string, tf.float32, [0.0] * 2, empty_key=["", "", ""]
        )
        self.assertEqual(
            self._debug_string(vectors),
            "ShardedHashTable<string[3], float[2]> of size 0",
        )


class HandleTest(tf.test.TestCase):
    def _calls(self, handle):
        """Calls of the ops of ours, for a table from int64 to int64."""
        one = tf.constant(1, tf.int64)
        types = {"key_dtype": tf.int64, "value_dtype": tf.int64}
        prefix = "examples_sharded_hash_table"
        return (
            lambda: getattr(gen_ops, f"{prefix}_accumulate")(handle, one, one),
            lambda: getattr(gen_ops, f"{prefix}_clear")(handle),
            lambda: getattr(gen_ops, f"{prefix}_export_sorted")(
                handle, **types
            ),
            lambda: getattr(gen_ops, f"{prefix}_export_slices")(
                handle, num_slices=2, **types
            ),
            lambda: getattr(gen_ops, f"{prefix}_import_slices")(
                handle, [[one]], [[one]]
            ),
        )

    def _assert_all_refuse(self, handle, message):
        for call in self._calls(handle):
            with self.assertRaisesRegex(errors.InvalidArgumentError, message):
                call()

    def test_ops_take_the_handle_of_a_table(self):
        for call in self._calls(_int_table().resource_handle):
            call()

    def test_ops_refuse_the_handle_of_a_variable(self):
        self._assert_all_refuse(tf.Variable(1.0).handle, "Var.*LookupInterface")

    def test_ops_refuse_a_table_of_tensorflows(self):
        table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
        self._assert_all_refuse(
            table.resource_handle,
            "must point to a ShardedHashTable, not to A lookup table of size: 0",
        )

    def test_ops_refuse_many_handles(self):
        table = _int_table()
        self._assert_all_refuse(
            tf.stack([table.resource_handle] * 2),
            r"table_handle must be a scalar\. Its shape: \[2\]",
        )

    def test_handle_that_was_serialized_leads_to_the_table_while_it_lives(self):
        table = _int_table()
        table.insert([1], [10])
        handle = tf.io.parse_tensor(
            tf.io.serialize_tensor(table.resource_handle), tf.resource
        )
        self.assertEqual(tf.raw_ops.LookupTableSizeV2(table_handle=handle), 1)
        del table
        with self.assertRaisesRegex(errors.NotFoundError, "does not exist"):
            tf.raw_ops.LookupTableSizeV2(table_handle=handle)


class GraphTest(tf.test.TestCase):
    def test_session_keeps_the_table(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            table = _int_table()
            keys = tf.compat.v1.placeholder(tf.int64, [None])
            session.run(table.insert(keys, keys * 10), {keys: [1, 2]})
            self.assertEqual(session.run(table.size()), 2)
            self.assertAllEqual(
                session.run(table.lookup(keys), {keys: [2, 3]}), [20, -1]
            )

    def test_session_forgets_an_anonymous_table(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            table = _int_table(experimental_is_anonymous=True)
            session.run(table.insert([1], [10]))
            self.assertEqual(session.run(table.size()), 0)

    def test_tables_of_a_graph_are_apart(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            tables = [_int_table() for _ in range(2)]
            tables.append(_int_table(checkpoint=False))
            session.run(tables[0].insert([1], [10]))
            self.assertEqual(session.run([t.size() for t in tables]), [1, 0, 0])

    def test_name_of_another_table_is_refused(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            sizes = [
                tf.raw_ops.LookupTableSizeV2(
                    table_handle=gen_ops.examples_sharded_hash_table(
                        tf.int64, dtype, shared_name="name"
                    )
                )
                for dtype in (tf.int64, tf.float32)
            ]
            self.assertEqual(session.run(sizes[0]), 0)
            with self.assertRaisesRegex(
                errors.InvalidArgumentError,
                "The name 'name' is that of another table, ShardedHashTable<int64,"
                " int64>, and cannot be that of a ShardedHashTable<int64, float>",
            ):
                session.run(sizes[1])

    def test_session_goes_on_with_an_empty_table_after_it_was_destroyed(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            table = _int_table()
            session.run(table.insert([1], [10]))
            session.run(
                tf.raw_ops.DestroyResourceOp(resource=table.resource_handle)
            )
            self.assertEqual(session.run(table.size()), 0)

    def test_saver_restores_the_table(self):
        path = os.path.join(self.create_tempdir().full_path, "saved")
        for restore in (False, True):
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                table = _int_table(name="a_table")
                saver = tf.compat.v1.train.Saver()
                if restore:
                    saver.restore(session, path)
                    self.assertAllEqual(
                        session.run(table.lookup([1, 2])), [10, -1]
                    )
                else:
                    session.run(table.insert([1], [10]))
                    saver.save(session, path)
        table = _int_table()
        table.restore_from(path, "a_table")
        self.assertAllEqual(table.lookup([1, 2]), [10, -1])

    def test_ragged_defaults_elsewhere_are_refused_in_a_session(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            values = _int_table().lookup(
                tf.ragged.constant([[1], [2]], tf.int64),
                tf.ragged.constant([[1, 2], []], tf.int64),
            )
            with self.assertRaises(errors.InvalidArgumentError):
                session.run(values)


class DatasetTest(tf.test.TestCase):
    def _table(self):
        table = _int_table()
        table.insert([0, 1, 2], [0, 10, 20])
        return table

    def test_map_reads_the_table_as_it_then_is(self):
        table = self._table()
        dataset = tf.data.Dataset.range(4).batch(2).map(table.lookup)
        self.assertEqual(dataset.element_spec.shape.as_list(), [None])
        self.assertAllEqual(list(dataset), [[0, 10], [20, -1]])
        table.insert(3, 30)
        self.assertAllEqual(list(dataset), [[0, 10], [20, 30]])

    def test_parallel_map_writes_the_table(self):
        table = _int_table()

        def count(keys):
            table.accumulate(keys % 10, tf.ones_like(keys))
            return keys

        dataset = tf.data.Dataset.range(1000).batch(10)
        for _ in dataset.map(count, num_parallel_calls=8):
            pass
        self.assertAllEqual(table.lookup(np.arange(10)), [100] * 10)

    def test_iterator_is_restored_from_a_checkpoint(self):
        table = self._table()

        def look_up(key):
            keys, _ = table.export(stable_order=True)
            return table.lookup(key) + 0 * keys[0]

        iterator = iter(tf.data.Dataset.range(4).map(look_up))
        checkpoint = tf.train.Checkpoint(iterator=iterator)
        next(iterator)
        path = checkpoint.write(
            os.path.join(self.create_tempdir().full_path, "checkpoint")
        )
        self.assertAllEqual(list(iterator), [10, 20, -1])
        checkpoint.read(path)
        self.assertAllEqual(list(iterator), [10, 20, -1])

    def test_snapshot(self):
        dataset = tf.data.Dataset.range(4).map(self._table().lookup)
        dataset = dataset.snapshot(self.create_tempdir().full_path)
        for _ in range(2):
            self.assertAllEqual(list(dataset), [0, 10, 20, -1])

    def test_each_contents_of_a_table_has_a_snapshot_of_its_own(self):
        path = self.create_tempdir().full_path
        for pairs in ({0: 1, 1: 2}, {0: 1, 1: 3}, {1: 2, 0: 1}):
            table = _int_table()
            for key, value in pairs.items():
                table.insert(key, value)
            dataset = tf.data.Dataset.range(2).map(table.lookup).snapshot(path)
            self.assertAllEqual(list(dataset), [pairs[0], pairs[1]])
        self.assertLen(tf.io.gfile.glob(path + "/*/snapshot.metadata"), 2)

    def test_service_has_the_table(self):
        service = data_service.DataService()
        vectors = ShardedHashTable(
            tf.string, tf.float32, [0.0, 0.0], empty_key=["", ""]
        )
        vectors.insert([["1", "1"]], [[3.0, 4.0]])
        ints = self._table()

        def lookup(key):
            text = tf.strings.as_string(key)
            return ints.lookup(key), vectors.lookup([text, text])

        dataset = tf.data.Dataset.range(2).map(lookup)
        dataset = dataset.apply(
            tf.data.experimental.service.distribute(
                "parallel_epochs", service.target
            )
        )
        numbers, rows = zip(*dataset, strict=True)
        self.assertAllEqual(numbers, [0, 10])
        self.assertAllEqual(rows, [[0.0, 0.0], [3.0, 4.0]])
        del service


class FunctionTest(tf.test.TestCase):
    def test_table_made_in_a_function_is_kept_as_tensorflows_are(self):
        for anonymous, expected in ((False, 2), (True, 1)):

            @tf.function
            def count(anonymous=anonymous):
                table = ShardedHashTable(
                    tf.int64,
                    tf.int64,
                    0,
                    name="kept_in_a_function",
                    experimental_is_anonymous=anonymous,
                )
                table.accumulate([1], [1])
                return table.lookup(1)

            count()
            self.assertAllEqual(count(), expected)

    def test_graph_knows_the_shapes(self):
        captured = ShardedHashTable(tf.int64, tf.float32, [0.0, 0.0, 0.0])
        for make_table in (
            lambda: captured,
            lambda: ShardedHashTable(tf.int64, tf.float32, [0.0, 0.0, 0.0]),
        ):

            @tf.function(input_signature=[tf.TensorSpec(None, tf.int64)] * 2)
            def use(keys, unknown, make_table=make_table):
                table = make_table()
                keys = tf.ensure_shape(keys, [None, 5])
                table.remove(tf.constant(1, tf.int64))
                return (
                    table.lookup(keys),
                    table.lookup(unknown),
                    table.export(stable_order=True),
                )

            found, unknown, (keys, values) = (
                use.get_concrete_function().output_shapes
            )
            self.assertEqual(found.as_list(), [None, 5, 3])
            self.assertIsNone(unknown.rank)
            self.assertEqual(keys.as_list(), [None])
            self.assertEqual(values.as_list(), [None, 3])

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

    def test_replicas_of_a_mirrored_strategy_share_the_table(self):
        strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with strategy.scope():
            table = _int_table()

        @tf.function
        def step():
            strategy.run(lambda: table.accumulate([1], [1]))
            return table.lookup([1])

        step()
        self.assertAllEqual(step(), [2])

    def test_table_that_is_empty_is_not_false(self):
        self.assertTrue(_int_table())

    def test_table_is_not_iterated(self):
        table = _int_table()
        with self.assertRaises(TypeError):
            iter(table)
        with self.assertRaises(TypeError):
            _ = 1 in table

    def test_is_a_table_of_tensorflows_and_takes_its_contents(self):
        theirs = tf.lookup.experimental.MutableHashTable(
            tf.string, tf.float32, [0.0, 0.0]
        )
        keys = tf.constant(["a", "b"])
        theirs.insert(keys, [[1.0, 2.0], [3.0, 4.0]])
        ours = ShardedHashTable(tf.string, tf.float32, [0.0, 0.0])
        self.assertIsInstance(ours, type(theirs))
        ours.do_import(*theirs.export())
        self.assertAllEqual(ours.lookup(keys), theirs.lookup(keys))
        ours.erase(keys[:1])
        ours.insert_or_assign(keys[1:], [[5.0, 6.0]])
        self.assertAllEqual(ours[keys], [[0.0, 0.0], [5.0, 6.0]])

    def test_copy_holds_the_same_and_is_another_table(self):
        table = _int_table(num_shards=2)
        table.insert([1], [10])
        copied = copy.deepcopy({"table": table, "again": table})
        self.assertIs(copied["table"], copied["again"])
        table.insert([1], [11])
        self.assertAllEqual(copied["table"].lookup([1]), [10])
        with (
            tf.Graph().as_default(),
            self.assertRaisesRegex(NotImplementedError, "eager code only"),
        ):
            copy.deepcopy(table)


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
            return {"values": module.table.lookup(keys)}

        @tf.function(input_signature=[keys, keys])
        def insert(keys, values):
            module.table.insert(keys, values)

        module.lookup, module.insert = lookup, insert
        return module

    def _saved(self, module=None):
        path = os.path.join(self.create_tempdir().full_path, "model")
        module = module or self._module()
        tf.saved_model.save(
            module, path, signatures={"serving_default": module.lookup}
        )
        return path

    def test_tables_are_apart_from_each_other(self):
        module = self._module()
        path = self._saved(module)
        one, two = tf.saved_model.load(path), tf.saved_model.load(path)
        one.insert([2], [-2])
        self.assertAllEqual(one.lookup([1, 2, 4])["values"], [100, -2, -1])
        self.assertAllEqual(two.lookup([1, 2, 4])["values"], [100, 200, -1])
        self.assertAllEqual(module.lookup([2])["values"], [200])
        result = one.signatures["serving_default"](tf.constant([2], tf.int64))
        self.assertAllEqual(result["values"], [-2])

    def test_what_was_loaded_can_be_changed_and_saved_again(self):
        loaded = tf.saved_model.load(self._saved())
        loaded.insert([4], [400])
        path = self._saved(loaded)
        for model in (loaded, tf.saved_model.load(path)):
            self.assertAllEqual(model.lookup([1, 4])["values"], [100, 400])
        self._assert_session_answers(path, [1, 4], [100, 400])

    def _assert_session_answers(self, path, keys, values):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            model = tf.compat.v1.saved_model.load(session, ["serve"], path)
            signature = model.signature_def["serving_default"]
            fetch = signature.outputs["values"].name
            feed = {signature.inputs["keys"].name: keys}
            # Each list of fetches is a graph of its own to the session.
            for fetches in (fetch, fetch, [fetch, *feed]):
                found = session.run(fetches, feed)
                if isinstance(fetches, list):
                    found = found[0]
                self.assertAllEqual(found, values)

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
        "",
        "Accumulate",
        "Clear",
        "ExportSorted",
        "ExportSlices",
        "ImportSlices",
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
