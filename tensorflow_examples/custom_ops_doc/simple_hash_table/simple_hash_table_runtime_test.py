"""Tests of the table's life in each of TensorFlow's runtimes."""

import concurrent.futures
import copy
import os
import pickle

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.core.framework import tensor_pb2
from tensorflow.python.framework import errors
from tensorflow.python.framework import ops

from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    gen_resource_probe_op,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    resource_lifetime,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import run_python
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    simple_hash_table,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table.simple_hash_table_op import (
    gen_simple_hash_table_op,
)


def _int_table(**kwargs):
    return simple_hash_table.SimpleHashTable(tf.int64, tf.int64, -1, **kwargs)


def _serialized_and_parsed(handle):
    return tf.io.parse_tensor(tf.io.serialize_tensor(handle), tf.resource)


class LifetimeTest(resource_lifetime.ResourceLifetimeTestCase):
    def _watched_table(self):
        table = _int_table()
        gen_resource_probe_op.testing_watch_resource(table.resource_handle)
        return table

    def test_resource_is_destroyed_with_its_object(self):
        table = self._watched_table()
        self._assert_live(1)
        del table
        self._assert_live(0)

    def test_resource_lives_until_the_last_handle_goes(self):
        table = self._watched_table()
        handle = tf.identity(table.resource_handle)
        del table
        self._assert_live(1)
        other = tf.stack([handle, handle])
        del handle
        self._assert_live(1)
        del other
        self._assert_live(0)

    def test_each_object_has_its_own_resource(self):
        tables = [self._watched_table() for _ in range(5)]
        self._assert_live(5)
        del tables[2:]
        self._assert_live(2)
        tables.clear()
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
                return table.find(1), live - self._live_before

        for _ in range(3):
            value, live = use()
            self.assertAllEqual(value, -1)
            self.assertAllEqual(live, 1)
            self._assert_live(0)

    def test_handle_that_a_function_returns_keeps_the_resource(self):
        @tf.function
        def make():
            return self._watched_table().resource_handle

        handle = make()
        self._assert_live(1)
        del handle
        self._assert_live(0)

    def test_function_keeps_the_resource_that_it_captured(self):
        table = self._watched_table()
        find = tf.function(table.find).get_concrete_function(
            tf.TensorSpec([], tf.int64)
        )
        del table
        self._assert_live(1)
        self.assertAllEqual(find(tf.constant(1, tf.int64)), -1)
        del find
        self._assert_live(0)

    def test_resource_is_destroyed_though_a_kernel_failed(self):
        table = self._watched_table()
        with self.assertRaises(errors.NotFoundError):
            table.remove(1)
        del table
        self._assert_live(0)


class SerializedHandleTest(resource_lifetime.ResourceLifetimeTestCase):
    def _find(self, handle, key):
        return gen_simple_hash_table_op.examples_simple_hash_table_find(
            handle, tf.constant(key, tf.int64), tf.constant(-1, tf.int64)
        )

    def _assert_not_found(self, handle):
        with self.assertRaisesRegex(
            errors.NotFoundError, "There is no table of the name 'Resource-"
        ):
            self._find(handle, 1)

    def test_serialized_handle_leads_to_its_table(self):
        gen = gen_simple_hash_table_op
        table, other = _int_table(), _int_table()
        handle = _serialized_and_parsed(table.resource_handle)
        one, two = tf.constant(1, tf.int64), tf.constant(2, tf.int64)
        gen.examples_simple_hash_table_insert(handle, one, one)
        gen.examples_simple_hash_table_insert(handle, two, one)
        gen.examples_simple_hash_table_remove(handle, two, value_dtype=tf.int64)
        self.assertAllEqual(table.find(1), 1)
        self.assertAllEqual(self._find(handle, 1), 1)
        self.assertAllEqual(tf.function(self._find)(handle, 1), 1)
        keys, _ = gen.examples_simple_hash_table_export(
            handle, key_dtype=tf.int64, value_dtype=tf.int64
        )
        self.assertAllEqual(keys, [1])
        gen.examples_simple_hash_table_import(handle, [two], [two])
        self.assertAllEqual(table.export()[0], [2])
        self.assertAllEqual(other.export()[0], [])

    def test_serialized_handle_does_not_keep_its_table(self):
        table = _int_table()
        gen_resource_probe_op.testing_watch_resource(table.resource_handle)
        handle = _serialized_and_parsed(table.resource_handle)
        owner = tf.identity(table.resource_handle)
        del table
        self.assertAllEqual(self._find(handle, 1), -1)
        self._assert_live(1)
        del owner
        self._assert_live(0)
        self._assert_not_found(handle)

    def test_no_entry_stays_of_the_tables_that_have_ended(self):
        before = gen_resource_probe_op.testing_published_resources()
        tables = [_int_table() for _ in range(100)]
        published = gen_resource_probe_op.testing_published_resources()
        self.assertAllEqual(published - before, 100)
        del tables[50:]
        published = gen_resource_probe_op.testing_published_resources()
        self.assertAllEqual(published - before, 50)
        tables.clear()
        published = gen_resource_probe_op.testing_published_resources()
        self.assertAllEqual(published, before)

    def test_handle_of_a_table_that_ends_meanwhile_finds_it_or_nothing(self):
        def look_up(serialized):
            handle = tf.io.parse_tensor(serialized, tf.resource)
            found = 0
            try:
                while True:
                    self.assertAllEqual(self._find(handle, 1), 10)
                    found += 1
            except errors.NotFoundError:
                return found

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for _ in range(50):
                table = _int_table()
                table.insert(1, 10)
                serialized = tf.io.serialize_tensor(table.resource_handle)
                jobs = [pool.submit(look_up, serialized) for _ in range(4)]
                del table
                for job in jobs:
                    job.result()

    def test_handle_of_another_process_is_refused(self):
        program = f"""
import tensorflow as tf
from {simple_hash_table.__name__} import SimpleHashTable
table = SimpleHashTable(tf.int64, tf.int64, -1)
print(tf.io.serialize_tensor(table.resource_handle).numpy().hex())
"""
        result = run_python.run_python("-c", program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self._assert_not_found(
            tf.io.parse_tensor(
                bytes.fromhex(result.stdout.strip()), tf.resource
            )
        )


class DebugStringTest(tf.test.TestCase):
    def _debug_string(self, table):
        text = gen_resource_probe_op.testing_resource_debug_string(
            table.resource_handle
        )
        return text.numpy().decode()

    def test_shows_all_pairs_of_a_small_table(self):
        table = _int_table()
        self.assertEqual(self._debug_string(table), "SimpleHashTable {}")
        table.insert(1, 100)
        self.assertEqual(
            self._debug_string(table), "SimpleHashTable {1: 100, }"
        )
        table.do_import([1, 2, 3], [100, 200, 300])
        text = self._debug_string(table)
        self.assertNotIn("...", text)
        for pair in ("1: 100, ", "2: 200, ", "3: 300, "):
            self.assertIn(pair, text)

    def test_shows_three_pairs_of_a_large_table(self):
        table = _int_table()
        table.do_import(range(1000), range(1000))
        self.assertRegex(
            self._debug_string(table),
            r"^SimpleHashTable \{(\d+: \d+, ){3}\.\.\.\}$",
        )

    def test_shows_a_hundred_characters_of_a_pair(self):
        table = simple_hash_table.SimpleHashTable(tf.string, tf.string, "")
        table.insert("key", "v" * 95)
        self.assertEqual(
            self._debug_string(table),
            "SimpleHashTable {key: " + "v" * 95 + ", }",
        )
        table.insert("key", "v" * 96)
        self.assertEqual(
            self._debug_string(table),
            "SimpleHashTable {key: " + "v" * 95 + " ..., }",
        )


class HandleTest(tf.test.TestCase, parameterized.TestCase):
    def _calls(self, handle):
        """Calls of the five ops that take a table from int64 to int64."""
        one = tf.constant(1, tf.int64)
        gen = gen_simple_hash_table_op
        return (
            lambda: gen.examples_simple_hash_table_find(handle, one, one),
            lambda: gen.examples_simple_hash_table_insert(handle, one, one),
            lambda: gen.examples_simple_hash_table_remove(
                handle, one, value_dtype=tf.int64
            ),
            lambda: gen.examples_simple_hash_table_export(
                handle, key_dtype=tf.int64, value_dtype=tf.int64
            ),
            lambda: gen.examples_simple_hash_table_import(handle, [one], [one]),
        )

    def _assert_all_refuse(self, handle, message):
        for call in self._calls(handle):
            with self.assertRaisesRegex(errors.InvalidArgumentError, message):
                call()

        @tf.function
        def find_in_function():
            return self._calls(handle)[0]()

        with self.assertRaisesRegex(errors.InvalidArgumentError, message):
            find_in_function()

    def _parsed_handle(self, proto):
        return tf.io.parse_tensor(proto.SerializeToString(), tf.resource)

    def test_ops_refuse_a_table_of_other_types(self):
        other = simple_hash_table.SimpleHashTable(tf.string, tf.float32, 0.0)
        self._assert_all_refuse(
            other.resource_handle,
            r"must point to a SimpleHashTable<int64, int64>\. "
            r"It points to SimpleHashTable<string, float>",
        )

    def test_ops_refuse_the_handle_of_a_variable(self):
        variable = tf.Variable(1.0)
        self._assert_all_refuse(
            variable.handle, "It points to another resource"
        )

    def test_ops_refuse_the_handle_of_another_kind_of_table(self):
        table = tf.lookup.experimental.MutableHashTable(
            tf.int64, tf.int64, -1, name="mutable"
        )
        self._assert_all_refuse(
            table.resource_handle, "It points to another resource"
        )

    def test_ops_refuse_a_handle_that_was_never_set(self):
        proto = tensor_pb2.TensorProto(dtype=tf.resource.as_datatype_enum)
        proto.tensor_shape.SetInParent()
        proto.resource_handle_val.add()
        self._assert_all_refuse(
            self._parsed_handle(proto), "It points to nothing: it was never set"
        )

    def test_ops_refuse_a_serialized_handle_to_a_table_of_other_types(self):
        other = simple_hash_table.SimpleHashTable(tf.string, tf.float32, 0.0)
        self._assert_all_refuse(
            _serialized_and_parsed(other.resource_handle),
            "It points to SimpleHashTable<string, float>",
        )

    def test_ops_refuse_many_handles(self):
        table = _int_table()
        for call in self._calls(tf.stack([table.resource_handle] * 2)):
            with self.assertRaisesRegex(
                errors.InvalidArgumentError, "_handle must be a scalar"
            ):
                call()

    def test_ops_refuse_a_tensor_of_no_handles(self):
        table = _int_table()
        handles = tf.stack([table.resource_handle])[:0]
        for call in self._calls(handles):
            with self.assertRaisesRegex(
                errors.InvalidArgumentError,
                # TensorFlow's eager runtime may refuse it before the kernel.
                "_handle must be a scalar|Empty resource handle",
            ):
                call()

    def test_ops_refuse_many_handles_in_a_graph_that_did_not_know(self):
        @tf.function(input_signature=[tf.TensorSpec(None, tf.resource)])
        def find(handle):
            return self._calls(handle)[0]()

        table = _int_table()
        table.insert(1, 100)
        self.assertAllEqual(find(table.resource_handle), 100)
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "resource_handle must be a scalar"
        ):
            find(tf.stack([table.resource_handle] * 2))


class RuntimesTest(tf.test.TestCase):
    def test_table_of_a_v1_graph_lasts_for_one_session_run(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            table = _int_table()
            key = tf.compat.v1.placeholder(tf.int64)
            before = table.find(key)
            with tf.control_dependencies([before]):
                insert = table.insert(key, 100)
            with tf.control_dependencies([insert]):
                after = table.find(key)
                keys, _ = table.export()
            for _ in range(2):
                self.assertAllEqual(
                    session.run([before, after], {key: 1}), [-1, 100]
                )
            self.assertAllEqual(session.run(keys, {key: 5}), [5])
            with self.assertRaisesRegex(
                errors.InvalidArgumentError, "key must be a scalar"
            ):
                session.run(before, {key: [1, 2]})

    def test_datasets_map_reads_the_table_as_it_then_is(self):
        table = _int_table()
        table.do_import([0, 1, 2], [0, 10, 20])
        dataset = tf.data.Dataset.range(4).map(table.find)
        self.assertAllEqual(list(dataset), [0, 10, 20, -1])
        table.insert(3, 30)
        self.assertAllEqual(list(dataset), [0, 10, 20, 30])

    def test_datasets_parallel_map_writes_the_table(self):
        table = _int_table()

        def insert(key):
            table.insert(key, key * 10)
            return key

        dataset = tf.data.Dataset.range(100).map(insert, num_parallel_calls=8)
        self.assertLen(list(dataset), 100)
        keys, values = table.export()
        self.assertAllEqual(np.sort(keys), np.arange(100))
        self.assertAllEqual(values, keys * 10)

    def test_keras_layer_keeps_its_state_in_a_table(self):
        class CountVisits(tf.keras.layers.Layer):
            """Tells how often each key has been seen."""

            def __init__(self):
                super().__init__()
                self.table = simple_hash_table.SimpleHashTable(
                    tf.int64, tf.int64, default_value=0
                )

            def visit(self, key):
                count = self.table.find(key) + 1
                self.table.insert(key, count)
                return count

            def call(self, keys):
                return tf.map_fn(self.visit, keys)

        layer = CountVisits()
        model = tf.keras.Sequential(
            [tf.keras.Input(shape=(), dtype="int64"), layer]
        )
        self.assertAllEqual(model(tf.constant([7, 8, 7], tf.int64)), [1, 1, 2])
        self.assertAllEqual(model.predict(np.array([7, 9]), verbose=0), [3, 1])
        self.assertAllEqual(layer.table.find(7), 3)

        path = os.path.join(self.create_tempdir().full_path, "model")
        model.export(path, verbose=False)
        loaded = tf.saved_model.load(path)
        self.assertAllEqual(
            loaded.serve(tf.constant([7, 8, 10], tf.int64)), [4, 2, 1]
        )
        self.assertAllEqual(layer.table.find(7), 3)

    def test_sixteen_threads_at_once(self):
        table = _int_table()
        num_threads, num_keys = 16, 50

        @tf.function(input_signature=[tf.TensorSpec([], tf.int64)] * 2)
        def insert_in_function(key, value):
            table.insert(key, value)

        def work(thread):
            own = range(1000 * thread, 1000 * thread + num_keys)
            for i, key in enumerate(own):
                (table.insert if i % 2 else insert_in_function)(key, thread)
                table.insert(-2, thread)  # All threads write this key.
            found = [int(table.find(key)) for key in own]
            for key in own[::2]:
                table.remove(key)
            table.export()
            return found

        with concurrent.futures.ThreadPoolExecutor(num_threads) as executor:
            results = list(executor.map(work, range(num_threads)))
        for thread, found in enumerate(results):
            self.assertEqual(found, [thread] * num_keys)
        keys, values = (tensor.numpy() for tensor in table.export())
        self.assertLen(keys, num_threads * num_keys // 2 + 1)
        own = keys != -2
        self.assertAllEqual(values[own], keys[own] // 1000)
        self.assertBetween(int(table.find(-2)), 0, num_threads - 1)

    def test_strings_are_whole_while_threads_replace_and_remove_them(self):
        table = simple_hash_table.SimpleHashTable(tf.int64, tf.string, "")
        # Too long to be stored in their own headers.
        values = [bytes([letter]) * 1000 for letter in b"abcdefgh"]

        def replace(thread):
            for i in range(200):
                table.insert(i % 4, values[(thread + i) % len(values)])
                if i % 50 == 0:
                    try:
                        table.remove(i % 4)
                    except errors.NotFoundError:
                        pass  # Another thread was first.

        def find(_):
            return {table.find(i % 4).numpy() for i in range(300)}

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(replace, i) for i in range(4)]
            found = set().union(*pool.map(find, range(4)))
        for job in jobs:
            job.result()
        self.assertLessEqual(found, {*values, b""})

    def test_saved_model_is_restored_by_another_process(self):
        module = tf.Module()
        module.table = simple_hash_table.SimpleHashTable(
            tf.string, tf.float32, -1.0
        )
        module.table.insert("pi", 3.25)
        module.find = tf.function(
            module.table.find,
            input_signature=[tf.TensorSpec([], tf.string, name="key")],
        )
        path = os.path.join(self.create_tempdir().full_path, "model")
        tf.saved_model.save(module, path)
        program = f"""
import tensorflow as tf
import {simple_hash_table.__name__}
model = tf.saved_model.load({path!r})
print([model.find(key).numpy().item() for key in ("pi", "e")])
"""
        result = run_python.run_python("-c", program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.strip(), "[3.25, -1.0]")

    def test_saved_model_in_a_session_answers_with_defaults(self):
        module = tf.Module()
        module.table = _int_table()
        module.table.insert(1, 10)
        module.find = tf.function(
            module.table.find,
            input_signature=[tf.TensorSpec([], tf.int64, name="key")],
        )
        path = os.path.join(self.create_tempdir().full_path, "model")
        tf.saved_model.save(module, path, signatures=module.find)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            model = tf.compat.v1.saved_model.load(session, ["serve"], path)
            signature = model.signature_def["serving_default"]
            (output,) = signature.outputs.values()
            key = signature.inputs["key"].name
            self.assertAllEqual(session.run(output.name, {key: 1}), -1)

    def test_saver_does_not_see_it(self):
        with tf.Graph().as_default():
            _int_table()
            with self.assertRaisesRegex(ValueError, "No variables to save"):
                tf.compat.v1.train.Saver()

    def test_keras_saves_no_table_and_a_checkpoint_of_the_model_does(self):
        @tf.keras.utils.register_keras_serializable("simple_hash_table_test")
        class LookUp(tf.keras.layers.Layer):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.table = _int_table()

            def call(self, keys):
                return tf.map_fn(self.table.find, keys)

        model = tf.keras.Sequential(
            [tf.keras.Input(shape=(), dtype="int64"), LookUp()]
        )
        table = model.layers[-1].table
        table.insert(1, 10)
        folder = self.create_tempdir().full_path
        model.save(os.path.join(folder, "model.keras"))
        loaded = tf.keras.models.load_model(os.path.join(folder, "model.keras"))
        self.assertAllEqual(loaded.layers[-1].table.find(1), -1)

        checkpoint = tf.train.Checkpoint(model=model)
        path = checkpoint.save(os.path.join(folder, "checkpoint"))
        table.insert(1, 11)
        checkpoint.restore(path)
        self.assertAllEqual(table.find(1), 10)

    def test_xla_refuses_the_op_by_name(self):
        find = tf.function(_int_table().find, jit_compile=True)
        with self.assertRaisesRegex(
            (errors.InvalidArgumentError, errors.UnimplementedError),
            "Examples>SimpleHashTableFind",
        ):
            find(tf.constant(1, tf.int64))

    def test_deep_copy_has_the_same_table_and_a_pickle_is_refused(self):
        table = _int_table()
        copy.deepcopy(table).insert(1, 10)
        self.assertAllEqual(table.find(1), 10)
        with self.assertRaisesRegex(errors.InvalidArgumentError, "resource"):
            pickle.dumps(table)


class EagerArgumentsTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.parameters(tf.int32, tf.int64, tf.string)
    def test_keys_are_taken_and_refused_as_by_convert_to_tensor(self, dtype):
        table = simple_hash_table.SimpleHashTable(dtype, tf.int32, -1)
        for key in (
            *(True, 7, 2**31, 2**63, 1.5, "seven", b"seven", None, object()),
            *(np.int32(7), np.int64(7), np.float32(7), np.str_("seven")),
            *(np.array(7), np.bool_(True), tf.Variable(7), [7]),
            *(tf.constant(7, tf.int32), tf.constant(7, tf.int64)),
            *(tf.constant("seven"), tf.constant(7.0)),
        ):
            with self.subTest(key=repr(key)):
                try:
                    converted = tf.convert_to_tensor(key, dtype)
                except Exception as error:
                    with self.assertRaises(type(error)):
                        table.find(key)
                    continue
                if converted.shape.rank > 0:
                    with self.assertRaises(errors.InvalidArgumentError):
                        table.find(key)
                    continue
                table.insert(key, 1)
                self.assertAllEqual(table.find(key), 1)
                self.assertAllEqual(table.find(converted), 1)
                table.remove(converted)


class NoGradientTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.parameters(
        "Create", "Find", "Insert", "Remove", "Export", "Import"
    )
    def test_op_is_registered_as_having_no_gradient(self, op):
        # The look-up fails for an op of which nothing was registered.
        self.assertIsNone(
            ops.gradient_registry.lookup(f"Examples>SimpleHashTable{op}")
        )

    def _loss(self, table, default):
        return table.find(1, default) * 2.0 + default

    def test_cotangent_ends_at_find(self):
        table = simple_hash_table.SimpleHashTable(tf.int32, tf.float32, 0.0)
        default = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(default)
            loss = self._loss(table, default)
        self.assertAllEqual(loss, 9.0)
        self.assertAllEqual(tape.gradient(loss, default), 1.0)

    def test_cotangent_ends_at_find_in_a_graph(self):
        with tf.Graph().as_default():
            table = simple_hash_table.SimpleHashTable(tf.int32, tf.float32, 0.0)
            default = tf.constant(3.0)
            found = table.find(1, default)
            self.assertEqual(
                tf.compat.v1.gradients(found * 2.0, default), [None]
            )


if __name__ == "__main__":
    tf.test.main()
