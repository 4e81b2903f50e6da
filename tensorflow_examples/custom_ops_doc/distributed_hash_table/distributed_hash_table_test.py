"""Tests of distributed_hash_table, over servers that are processes."""

import os
import threading

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.eager import context
from tensorflow.python.framework import errors

from tensorflow_examples.custom_ops_doc.distributed_hash_table import (
    distributed_hash_table,
)
from tensorflow_examples.custom_ops_doc.distributed_hash_table import (
    local_servers,
)

_servers: local_servers.LocalServers
_devices: list[str]


def setUpModule():
    global _servers, _devices
    _servers = local_servers.LocalServers(3)
    # A process connects once, so all tests share the servers.
    _devices = distributed_hash_table.connect(_servers.addresses)


def tearDownModule():
    _servers.stop()


def _table(servers=2, key_dtype=tf.int64, value_dtype=tf.int64, default=-1):
    return distributed_hash_table.DistributedHashTable(
        key_dtype, value_dtype, default, _devices[:servers]
    )


class DistributedHashTableTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.product(
        servers=(1, 2, 3),
        key_dtype=(tf.int32, tf.int64, tf.string),
        value_dtype=(tf.float32, tf.string),
    )
    def test_finds_what_was_inserted(self, servers, key_dtype, value_dtype):
        def to(dtype, numbers):
            if dtype == tf.string:
                return tf.strings.as_string(numbers)
            return tf.cast(numbers, dtype)

        default = to(value_dtype, tf.constant(-1))
        table = _table(servers, key_dtype, value_dtype, default)
        keys = tf.reshape(tf.range(100), [4, 5, 5])
        table.insert(to(key_dtype, keys), to(value_dtype, keys * 2))
        self.assertAllEqual(
            table.lookup(to(key_dtype, keys + 50)),
            to(value_dtype, tf.where(keys < 50, (keys + 50) * 2, -1)),
        )
        self.assertEqual(table.size(), 100)

    def test_values_may_be_vectors(self):
        table = _table(default=[-1, -2])
        table.insert([[1], [2]], [[[10, 11]], [[20, 21]]])
        self.assertAllEqual(
            table.lookup([2, 3, 1]), [[20, 21], [-1, -2], [10, 11]]
        )
        self.assertAllEqual(table.lookup(1), [10, 11])
        self.assertAllEqual(table.lookup([1, 3], [7, 8]), [[10, 11], [7, 8]])
        self.assertAllEqual(
            table.lookup([1, 3], [[5, 6], [7, 8]]), [[10, 11], [7, 8]]
        )

    def test_defaults_are_of_the_table_the_call_or_the_key(self):
        table = _table()
        table.insert([5], [50])
        self.assertAllEqual(table.lookup([5, 6]), [50, -1])
        self.assertAllEqual(table.lookup([5, 6], 7), [50, 7])
        self.assertAllEqual(table.lookup([5, 6, 7], [1, 2, 3]), [50, 2, 3])

    def test_empty_batches_are_taken(self):
        table = _table()
        none = np.zeros([0, 3], np.int64)
        table.insert(none, none)
        table.remove(none)
        self.assertEqual(table.lookup(none).shape, [0, 3])
        self.assertEqual(table.size(), 0)
        keys, values = table.export()
        self.assertEqual((keys.shape, values.shape), ([0], [0]))

    def test_last_of_a_key_counts_and_all_are_added(self):
        table = _table()
        keys = np.tile(np.arange(1000), 10)
        table.insert(keys, np.arange(10_000))
        self.assertAllEqual(
            table.lookup(np.arange(1000)), np.arange(9000, 10_000)
        )
        table.accumulate(keys, np.ones_like(keys))
        self.assertAllEqual(table.lookup([0, 999]), [9010, 10_009])

    def test_removes_clears_and_exports(self):
        table = _table(3)
        table.insert(np.arange(10), np.arange(10) * 10)
        table.remove([3, 99])
        keys, values = table.export()
        self.assertAllEqual(np.sort(keys), [0, 1, 2, 4, 5, 6, 7, 8, 9])
        self.assertAllEqual(values, keys * 10)
        table.clear()
        self.assertEqual(table.size(), 0)

    def test_each_server_has_a_like_part(self):
        table = _table(3)
        table.insert(np.arange(30_000), np.arange(30_000))
        for server in table._tables:
            self.assertBetween(server.size().numpy(), 9_000, 11_000)

    def test_works_in_a_function(self):
        table = _table()

        @tf.function(input_signature=[tf.TensorSpec(None, tf.int64)])
        def count(keys):
            table.insert(keys, table.lookup(keys, tf.zeros_like(keys)) + 1)
            return table.lookup(keys), table.size()

        self.assertAllEqual(count(tf.constant([1, 2], tf.int64))[0], [1, 1])
        counts, size = count(tf.constant([[2], [3]], tf.int64))
        self.assertAllEqual(counts, [[2], [1]])
        self.assertEqual(size, 3)

    def test_threads_share_a_table(self):
        table = _table()

        def work():
            for _ in range(20):
                table.accumulate(np.arange(100), np.ones([100], np.int64))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertAllEqual(table.lookup(np.arange(100)), np.full([100], 80))

    def test_wrong_arguments_are_refused_and_change_nothing(self):
        table = _table()
        table.insert([1], [10])
        wrong = r"values must have the shape of keys.*: \(2,\).*: \(3,\)"
        with self.assertRaisesRegex(ValueError, wrong):
            table.insert([1, 2], [1, 2, 3])
        with self.assertRaisesRegex(ValueError, wrong):
            tf.function(table.accumulate)([1, 2], [1, 2, 3])

        @tf.function(input_signature=[tf.TensorSpec(None, tf.int64)] * 2)
        def insert(keys, values):
            table.insert(keys, values)

        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "values must have the shape of keys"
        ):
            insert([1, 2], [1, 2, 3])
        with self.assertRaisesRegex(ValueError, "dynamic_default_values must"):
            table.lookup([1, 2], [1, 2, 3])
        with self.assertRaises((TypeError, ValueError)):
            table.lookup(["one"])
        with self.assertRaises((TypeError, ValueError)):
            table.insert([1], ["one"])
        keys, values = table.export()
        self.assertAllEqual((keys, values), ([1], [10]))

    def test_error_of_a_server_is_raised_once_and_by_the_call(self):
        table = _table(value_dtype=tf.string, default="")
        for _ in range(2):
            with self.assertRaisesRegex(TypeError, "cannot be added"):
                table.accumulate([1, 2, 3], ["a", "b", "c"])
        table.insert([1], ["a"])
        self.assertAllEqual(table.lookup([1]), ["a"])

    def test_servers_are_told_an_address_of_the_client(self):
        (client,) = (
            job.tasks[0]
            for job in context.get_server_def().cluster.job
            if job.name == "localhost"
        )
        # Not the name "localhost", which is another machine on each.
        self.assertRegex(client, r"^127\.0\.0\.1:\d+$")

    def test_number_of_servers_must_fit_the_slots(self):
        for devices in ([], _devices):
            with self.assertRaisesRegex(
                ValueError,
                rf"from 1 to num_slots, 2\. There are: {len(devices)}",
            ):
                distributed_hash_table.DistributedHashTable(
                    tf.int64, tf.int64, -1, devices, num_slots=2
                )
        with self.assertRaisesRegex(ValueError, "at least one server"):
            distributed_hash_table.connect([])


class DistributedHashTableSavingTest(tf.test.TestCase, parameterized.TestCase):
    def setUp(self):
        super().setUp()
        self._folder = self.create_tempdir().full_path

    def _save(self, table):
        return tf.train.Checkpoint(table=table).save(
            os.path.join(self._folder, "ckpt")
        )

    @parameterized.product(saved=(1, 2, 3), restored=(1, 2, 3))
    def test_checkpoint_restores_to_any_number_of_servers(
        self, saved, restored
    ):
        table = _table(saved)
        table.insert(np.arange(1000), np.arange(1000) * 3)
        path = self._save(table)
        other = _table(restored)
        other.insert([5, 5000], [-5, -5])
        tf.train.Checkpoint(table=other).restore(path).assert_consumed()
        self.assertAllEqual(other.lookup(np.arange(1000)), np.arange(1000) * 3)
        self.assertEqual(other.size(), 1000)
        # Each key is where calls look for it.
        other.insert(np.arange(1000), np.arange(1000))
        self.assertEqual(other.size(), 1000)

    def test_each_server_writes_its_part(self):
        table = _table(3, default=[0] * 1000)
        table.insert(np.arange(600), np.ones([600, 1000], np.int64))
        self._save(table)
        parts = [
            os.path.getsize(os.path.join(self._folder, name))
            for name in os.listdir(self._folder)
            if ".data-" in name
        ]
        large = [size for size in parts if size > 1_000_000]
        self.assertLen(large, 3)
        self.assertAllInRange(large, 1_200_000, 2_000_000)

    def test_strings_and_empty_slots_are_kept(self):
        table = _table(2, tf.string, tf.string, "")
        table.insert(["a", "b" * 100], ["c" * 100, ""])
        path = self._save(table)
        other = _table(3, tf.string, tf.string, "?")
        tf.train.Checkpoint(table=other).restore(path).assert_consumed()
        self.assertAllEqual(
            other.lookup(["a", "b" * 100, "x"]), ["c" * 100, "", "?"]
        )

    def test_other_number_of_slots_is_refused(self):
        path = self._save(_table())
        other = distributed_hash_table.DistributedHashTable(
            tf.int64, tf.int64, -1, _devices, num_slots=100
        )
        with self.assertRaises(errors.NotFoundError):
            tf.train.Checkpoint(table=other).restore(path)


class LostServerTest(tf.test.TestCase):
    def test_server_that_is_killed_comes_back(self):
        table, apart = _table(3), _table(2)
        keys = np.arange(300)
        table.insert(keys, keys)
        apart.insert(keys, keys)
        self.assertEqual(table.reconnect(), [])
        checkpoint = tf.train.Checkpoint(table=table)
        path = checkpoint.save(
            os.path.join(self.create_tempdir().full_path, "ckpt")
        )

        _servers.kill(2)
        for _ in range(2):
            with self.assertRaises(errors.UnavailableError):
                table.lookup(keys)
            with self.assertRaises(errors.UnavailableError):
                table.insert(keys, keys)
        with self.assertRaisesRegex(
            TimeoutError, rf"the server at {_servers.addresses[2]} is not back"
        ):
            table.reconnect(timeout=0.5)
        # Servers that are not lost serve on.
        self.assertAllEqual(apart.lookup(keys), keys)

        _servers.restart(2)
        self.assertEqual(table.reconnect(), [2])
        self.assertAllEqual(apart.lookup(keys), keys)
        self.assertBetween(table.size().numpy(), 150, 250)
        checkpoint.restore(path).assert_consumed()
        self.assertAllEqual(table.lookup(keys), keys)
        self.assertAllEqual(tf.function(table.lookup)(tf.constant(keys)), keys)
        table.insert(keys, keys + 1)
        self.assertAllEqual(table.lookup(keys), keys + 1)


class TableServerTest(tf.test.TestCase):
    def _assert_fails(self, message, *arguments):
        output, _ = (
            process := local_servers.run_server(arguments)
        ).communicate()
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(output, message)

    def test_wrong_flags_are_named(self):
        self._assert_fails("cluster", "--task_index=0")
        self._assert_fails(
            "--task_index must be less than the 1 addresses.* It is: 1",
            "--cluster=localhost:1",
            "--task_index=1",
        )
        self._assert_fails(
            "unknown argument: x",
            "--cluster=localhost:1",
            "--task_index=0",
            "x",
        )

    def test_address_in_use_is_named(self):
        self._assert_fails(
            "gRPC server",
            f"--cluster={_servers.addresses[0]}",
            "--task_index=0",
        )


if __name__ == "__main__":
    tf.test.main()
