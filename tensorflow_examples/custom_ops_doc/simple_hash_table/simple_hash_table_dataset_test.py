"""Tests of datasets that look up: their checkpoints, snapshots and services."""

import contextlib
import os
import subprocess
import sys

import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import errors

from tensorflow_examples.custom_ops_doc.simple_hash_table import data_service
from tensorflow_examples.custom_ops_doc.simple_hash_table import run_python
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    simple_hash_table,
)

_SERVER = f"""
import sys
from {data_service.__name__} import DataService
{{imports}}
service = DataService()
print(service.target, flush=True)
sys.stdin.read()
"""
_IMPORT = f"import {simple_hash_table.__name__}"


def setUpModule():
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0],
        [tf.config.LogicalDeviceConfiguration()] * 2,
    )


def _table(key_dtype=tf.int64):
    table = simple_hash_table.SimpleHashTable(key_dtype, tf.string, "none")
    keys = tf.as_string(tf.range(8)) if key_dtype == tf.string else range(8)
    table.do_import(keys, [f"value {i}" for i in range(8)])
    return table


@contextlib.contextmanager
def _service_of_another_process(imports):
    """Yields the address of a tf.data service."""
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER.format(imports=imports)],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process.stdout.readline().strip()
        process.stdin.close()


class IteratorCheckpointTest(tf.test.TestCase, parameterized.TestCase):
    def _assert_resumes(self, dataset):
        expected = list(dataset.as_numpy_iterator())
        iterator = iter(dataset)
        start = [next(iterator).numpy() for _ in range(3)]
        checkpoint = tf.train.Checkpoint(iterator=iterator)
        path = checkpoint.save(
            os.path.join(self.create_tempdir().full_path, "checkpoint")
        )
        rest = [each.numpy() for each in iterator]
        self.assertAllEqual(start + rest, expected)

        # In the iterator that went on, and in one that is new.
        checkpoint.restore(path)
        self.assertAllEqual([each.numpy() for each in iterator], rest)
        other = iter(dataset)
        tf.train.Checkpoint(iterator=other).restore(path)
        self.assertAllEqual([each.numpy() for each in other], rest)

    def test_iterator_resumes_where_its_dataset_looks_up(self):
        table = _table()
        self._assert_resumes(tf.data.Dataset.range(10).map(table.find))

    def test_iterator_resumes_with_threads_shuffling_and_prefetching(self):
        table = _table(tf.string)
        self._assert_resumes(
            tf.data.Dataset.range(10)
            .shuffle(4, seed=1, reshuffle_each_iteration=False)
            .map(
                lambda i: table.find(tf.as_string(i)),
                num_parallel_calls=tf.data.AUTOTUNE,
            )
            .prefetch(2)
        )

    def test_iterator_resumes_where_its_dataset_exports(self):
        table = _table()
        self._assert_resumes(
            tf.data.Dataset.range(10).map(
                lambda i: tf.reduce_sum(table.export()[0]) + i
            )
        )

    def test_iterator_whose_dataset_writes_is_refused_by_name(self):
        table = _table()

        def insert(key):
            table.insert(key, "new")
            return key

        def remove(key):
            table.remove(key)
            return key

        for write, name in ((insert, "Insert"), (remove, "Remove")):
            iterator = iter(tf.data.Dataset.range(3).map(write))
            with self.assertRaisesRegex(
                errors.FailedPreconditionError,
                f"Examples>SimpleHashTable{name} is stateful",
            ):
                tf.train.Checkpoint(iterator=iterator).save(
                    os.path.join(self.create_tempdir().full_path, "checkpoint")
                )


class SnapshotTest(tf.test.TestCase):
    def test_snapshot_is_written_and_read(self):
        table = _table()
        path = self.create_tempdir().full_path
        dataset = tf.data.Dataset.range(9).map(table.find)
        expected = [b"value %d" % i for i in range(8)] + [b"none"]
        for _ in range(2):
            self.assertAllEqual(list(dataset.snapshot(path)), expected)
        self.assertLen(tf.io.gfile.glob(path + "/*/snapshot.metadata"), 1)

    def test_table_of_other_contents_has_a_snapshot_of_its_own(self):
        table = _table()
        path = self.create_tempdir().full_path
        for value in ("first", "second"):
            table.insert(0, value)
            dataset = tf.data.Dataset.range(2).map(table.find)
            self.assertEqual(
                list(dataset.snapshot(path).as_numpy_iterator()),
                [value.encode(), b"value 1"],
            )

    def test_process_with_the_same_contents_reads_the_snapshot(self):
        path = self.create_tempdir().full_path
        program = f"""
import sys
import tensorflow as tf
from {simple_hash_table.__name__} import SimpleHashTable
table = SimpleHashTable(tf.int64, tf.string, "none")
order = range(100) if sys.argv[2] == "up" else reversed(range(100))
for i in order:
    table.insert(i, str(i))
dataset = tf.data.Dataset.range(3).map(table.find).snapshot(sys.argv[1])
print([each.decode() for each in dataset.as_numpy_iterator()])
"""
        for order in ("up", "down"):
            result = run_python.run_python("-c", program, path, order)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.strip(), "['0', '1', '2']")
        self.assertLen(tf.io.gfile.glob(path + "/*/snapshot.metadata"), 1)

    def test_table_of_another_device_is_refused_by_name(self):
        with tf.device("CPU:1"):
            table = _table()
        dataset = tf.data.Dataset.range(2).map(table.find)
        self.assertAllEqual(list(dataset), [b"value 0", b"value 1"])
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            "resource Resource-.* located in device .*CPU:1 from .*CPU:0",
        ):
            dataset.snapshot(self.create_tempdir().full_path)


class StrategyTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self._strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def _local(self, value):
        return [
            each.numpy()
            for each in self._strategy.experimental_local_results(value)
        ]

    def test_replicas_share_a_table_wherever_it_is(self):
        tables = [_table()]
        with self._strategy.scope():
            tables.append(_table())
        with tf.device("CPU:1"):
            tables.append(_table())
        for table in tables:

            def step(table=table):
                context = tf.distribute.get_replica_context()
                key = tf.cast(context.replica_id_in_sync_group, tf.int64) + 100
                table.insert(key, tf.as_string(key))
                return table.find(key)

            for run in (step, tf.function(step)):
                self.assertEqual(
                    self._local(self._strategy.run(run)), [b"100", b"101"]
                )
            self.assertAllEqual(table.find(101), b"101")

    def test_distributed_datasets_look_up(self):
        table = _table()
        dataset = tf.data.Dataset.range(4).map(table.find).batch(2)
        distributed = self._strategy.experimental_distribute_dataset(dataset)
        self.assertAllEqual(
            [self._local(each) for each in distributed],
            [[[b"value 0"], [b"value 1"]], [[b"value 2"], [b"value 3"]]],
        )


class ServiceTest(tf.test.TestCase):
    def _distributed(self, dataset, target):
        return dataset.apply(
            tf.data.experimental.service.distribute("parallel_epochs", target)
        )

    def test_service_of_this_process_looks_up(self):
        service = data_service.DataService()
        table = _table()
        dataset = self._distributed(
            tf.data.Dataset.range(9).map(table.find), service.target
        )
        expected = [b"value %d" % i for i in range(8)] + [b"none"]
        self.assertAllEqual(list(dataset), expected)
        del service

    def test_service_has_a_copy_and_what_it_writes_stays_there(self):
        service = data_service.DataService()
        table = _table()

        def replace(key):
            table.insert(key, "new")
            return table.find(key)

        dataset = self._distributed(
            tf.data.Dataset.range(2).map(replace), service.target
        )
        self.assertAllEqual(list(dataset), [b"new", b"new"])
        self.assertAllEqual(table.find(0), b"value 0")
        del service

    def test_service_of_another_process_has_a_copy_of_the_table(self):
        tables = _table(), _table(tf.string)
        tables[0].insert(1, "long \0 \u20ac " * 10)

        def find(key):
            return tables[0].find(key), tables[1].find(tf.as_string(key))

        with _service_of_another_process(_IMPORT) as target:
            dataset = self._distributed(
                tf.data.Dataset.range(3).map(find), target
            )
            found = [(a.numpy(), b.numpy()) for a, b in dataset]
        self.assertEqual(
            found,
            [
                (b"value 0", b"value 0"),
                (("long \0 \u20ac " * 10).encode(), b"value 1"),
                (b"value 2", b"value 2"),
            ],
        )

    def test_process_of_a_service_without_the_module_names_the_op(self):
        table = _table()
        with _service_of_another_process("") as target:
            dataset = self._distributed(
                tf.data.Dataset.range(3).map(table.find), target
            )
            with self.assertRaisesRegex(
                errors.OpError,
                "Op type not registered 'Examples>SimpleHashTable",
            ):
                list(dataset)


if __name__ == "__main__":
    tf.test.main()
