"""Tests of what the table's methods do, for every type and shape."""

import os

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import errors

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    gen_sharded_hash_table_op,
)
from tensorflow_examples.custom_ops_doc.sharded_hash_table.sharded_hash_table import (
    ShardedHashTable,
)

_KEY_DTYPES = (tf.int32, tf.int64, tf.string)
_NUMBERS = (
    tf.int32,
    tf.int64,
    tf.float16,
    tf.bfloat16,
    tf.float32,
    tf.float64,
)
_VALUE_DTYPES = (tf.bool, *_NUMBERS, tf.string)

# Of one byte, of a word and a bit, of a row in memory.
_VALUE_SHAPES = ((), (1,), (3,), (2, 5), (0,))


def _numbers_as(dtype, numbers):
    """The integers `numbers` as an array of `dtype`."""
    numbers = np.asarray(numbers)
    if dtype == tf.string:
        # Some are short enough to be stored where the number would be.
        texts = [b"x" * (n % 40) + b"%d" % n for n in numbers.ravel()]
        return np.array(texts, object).reshape(numbers.shape)
    if dtype == tf.bool:
        return numbers % 2 == 1
    return numbers.astype(dtype.as_numpy_dtype)


def _every(*lists):
    """Parameters of a test: each choice of one element of each list."""
    choices = [()]
    for elements in lists:
        choices = [(*choice, e) for choice in choices for e in elements]
    return [
        {
            "testcase_name": "_".join(
                getattr(e, "name", None) or "x".join(map(str, e)) or "scalar"
                for e in choice
            ),
            "arguments": choice,
        }
        for choice in choices
    ]


def _int_table(**kwargs):
    return ShardedHashTable(tf.int64, tf.int64, -1, **kwargs)


def _pairs(table):
    keys, values = table.export(stable_order=True)
    return dict(
        zip(keys.numpy().tolist(), values.numpy().tolist(), strict=True)
    )


class EveryTypeTest(parameterized.TestCase, tf.test.TestCase):
    @parameterized.named_parameters(
        *_every(_KEY_DTYPES, _VALUE_DTYPES, _VALUE_SHAPES)
    )
    def test_gives_back_what_it_was_given(self, arguments):
        key_dtype, value_dtype, value_shape = arguments
        count = int(np.prod(value_shape))
        keys = _numbers_as(key_dtype, np.arange(50))
        values = _numbers_as(
            value_dtype, np.arange(50 * count).reshape(50, *value_shape) % 100
        )
        default = _numbers_as(value_dtype, np.full(value_shape, 101))
        table = ShardedHashTable(key_dtype, value_dtype, default)
        table.insert(keys[:40], values[:40])
        table.insert(keys[20:40], values[:20])

        expected = np.concatenate(
            [
                values[:20],
                values[:20],
                np.broadcast_to(default, values[40:].shape),
            ]
        )
        self.assertAllEqual(table.lookup(keys), expected)
        self.assertAllEqual(
            table.lookup(keys, values)[40:], values[40:], "default for each"
        )
        self.assertEqual(table.lookup(keys).dtype, value_dtype)

        exported_keys, exported_values = table.export(stable_order=True)
        order = np.argsort(keys[:40])
        self.assertAllEqual(exported_keys, keys[:40][order])
        self.assertAllEqual(exported_values, expected[:40][order])
        other = ShardedHashTable(key_dtype, value_dtype, default)
        other.do_import(*table.export())
        self.assertAllEqual(other.lookup(keys), expected)

        table.remove(keys[::2])
        self.assertAllEqual(table.size(), 20)
        self.assertAllEqual(table.lookup(keys[1:40:2]), expected[1:40:2])
        self.assertAllEqual(
            table.lookup(keys[:40:2]),
            np.broadcast_to(default, expected[:40:2].shape),
        )

    @parameterized.named_parameters(
        *_every(_KEY_DTYPES, _NUMBERS, _VALUE_SHAPES)
    )
    def test_accumulate_adds(self, arguments):
        key_dtype, value_dtype, value_shape = arguments
        count = int(np.prod(value_shape))
        keys = _numbers_as(key_dtype, [1, 2, 1, 3, 1])
        deltas = _numbers_as(
            value_dtype, np.arange(5 * count).reshape(5, *value_shape)
        )
        default = _numbers_as(value_dtype, np.full(value_shape, 101))
        table = ShardedHashTable(key_dtype, value_dtype, default)
        table.insert(keys[3:4], deltas[4:])
        table.accumulate(keys, deltas)
        self.assertAllEqual(
            table.lookup(_numbers_as(key_dtype, [1, 2, 3, 4])),
            [
                deltas[0] + deltas[2] + deltas[4],
                deltas[1],
                deltas[3] + deltas[4],
                default,
            ],
        )


class ShardedHashTableTest(parameterized.TestCase, tf.test.TestCase):
    def test_example_of_the_docstring(self):
        table = ShardedHashTable(tf.string, tf.int64, default_value=-1)
        table.insert(["a", "b"], [7, 8])
        self.assertAllEqual(table.lookup([["a"], ["c"]]), [[7], [-1]])
        table.accumulate(["a", "c", "c"], [1, 10, 10])
        self.assertAllEqual(table.export(stable_order=True)[1], [8, 8, 20])

    def test_properties_are_known(self):
        table = ShardedHashTable("int32", float, [1.0, 2.0], name="T")
        self.assertEqual(table.key_dtype, tf.int32)
        self.assertEqual(table.value_dtype, tf.float32)
        self.assertEqual(table.value_shape, [2])
        self.assertEqual(table.name, "T")
        self.assertAllEqual(table.default_value, [1.0, 2.0])

    @parameterized.parameters(
        ((),), ((0,),), ((1,),), ((7,),), ((2, 0, 3),), ((2, 3, 4),)
    )
    def test_batches_may_have_any_shape(self, shape):
        table = ShardedHashTable(tf.int64, tf.float32, [0.0, 0.0])
        keys = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        values = np.stack([keys, -keys], axis=-1).astype(np.float32)
        table.insert(keys, values)
        self.assertEqual(table.size(), keys.size)
        self.assertAllEqual(table.lookup(keys), values)
        table.accumulate(keys, values)
        self.assertAllEqual(table[keys], 2 * values)
        table.remove(keys)
        self.assertEqual(table.size(), 0)
        self.assertAllEqual(table.lookup(keys), np.zeros_like(values))

    @parameterized.parameters(1, 2, 64, 1024)
    def test_number_of_shards_makes_no_difference(self, num_shards):
        table = _int_table(num_shards=num_shards)
        keys = np.arange(10_000) << 40
        table.insert(keys, keys + 1)
        table.remove(keys[::3])
        self.assertAllEqual(
            table.lookup(keys), np.where(np.arange(10_000) % 3, keys + 1, -1)
        )

    @parameterized.parameters(300, 5_000, 1_000_000)
    def test_last_of_many_values_of_a_key_counts(self, count):
        rng = np.random.default_rng(1)
        keys = rng.integers(0, count // 10, count)
        values = np.arange(count)
        last = np.full(count // 10, -1)
        last[keys] = values  # NumPy assigns in order, too.
        for key_dtype in (tf.int64, tf.string):
            table = ShardedHashTable(key_dtype, tf.int64, -1)
            as_type = keys if key_dtype == tf.int64 else keys.astype("S")
            table.insert(as_type, values)
            all_keys = np.arange(count // 10)
            if key_dtype == tf.string:
                all_keys = all_keys.astype("S")
            self.assertAllEqual(table.lookup(all_keys), last)

    def test_accumulate_of_a_large_batch_loses_nothing(self):
        table = _int_table()
        keys = np.random.default_rng(1).integers(0, 1000, 1_000_000)
        for _ in range(3):
            table.accumulate(keys, np.ones_like(keys))
        self.assertAllEqual(
            table.lookup(np.arange(1000)), 3 * np.bincount(keys, minlength=1000)
        )

    def test_accumulate_starts_from_zero_and_not_from_the_default(self):
        table = _int_table()
        self.assertEqual(table.lookup(1), -1)
        table.accumulate(1, 5)
        self.assertEqual(table.lookup(1), 5)

    def test_accumulate_wraps_around(self):
        table = _int_table()
        table.accumulate([1, 1], [2**63 - 1, 1])
        self.assertEqual(table.lookup(1), -(2**63))

    @parameterized.parameters(tf.bool, tf.string)
    def test_accumulate_refuses_what_are_no_numbers(self, dtype):
        default = _numbers_as(dtype, 0).item()
        table = ShardedHashTable(tf.int64, dtype, default)
        with self.assertRaisesRegex(
            TypeError, f"type {dtype.name} cannot be added, only those of int32"
        ):
            table.accumulate([1], [default])

    def test_remove_ignores_keys_that_are_not_there(self):
        table = _int_table()
        table.insert([1, 2], [10, 20])
        table.remove([2, 3, 2])
        self.assertEqual(_pairs(table), {1: 10})

    def test_clear_removes_all_and_the_table_can_be_filled_again(self):
        table = _int_table()
        table.insert(np.arange(1000), np.arange(1000))
        table.clear()
        self.assertEqual(table.size(), 0)
        self.assertAllEqual(table.export()[0], [])
        table.insert([1], [10])
        self.assertEqual(_pairs(table), {1: 10})

    def test_tables_are_apart(self):
        tables = [_int_table() for _ in range(2)]
        tables[0].insert([1], [10])
        self.assertEqual(tables[1].size(), 0)

    def test_import_replaces_all_and_keeps_the_last_of_a_key(self):
        table = _int_table()
        table.insert([1, 2], [10, 20])
        table.do_import([3, 4, 3], [30, 40, 31])
        self.assertEqual(_pairs(table), {3: 31, 4: 40})

    def test_stable_order_sorts_numbers_by_sign_and_strings_by_bytes(self):
        table = _int_table()
        table.insert([3, -5, 0], [1, 2, 3])
        self.assertAllEqual(table.export(stable_order=True)[0], [-5, 0, 3])
        table = ShardedHashTable(tf.string, tf.int64, -1)
        table.insert(["b", "\xff", "", "aa", "a\0"], [1, 2, 3, 4, 5])
        self.assertAllEqual(
            table.export(stable_order=True)[0],
            [b"", b"a\0", b"aa", b"b", "\xff".encode()],
        )

    @parameterized.parameters(
        0, 1, 7, 8, 9, 15, 16, 17, 22, 23, 24, 31, 32, 1000
    )
    def test_strings_of_any_length_are_told_apart(self, length):
        table = ShardedHashTable(tf.string, tf.string, "none")
        key = bytes(range(256)) * 4
        key = key[:length]
        others = [key + b"\0", key[1:], b"\0" + key]
        others += [key[:i] + b"!" + key[i + 1 :] for i in range(length)]
        others = sorted(set(others) - {key})
        table.insert([key], [key])
        self.assertAllEqual(table.lookup([key]), [key])
        self.assertAllEqual(table.lookup(others), ["none"] * len(others))
        table.insert(others, others)
        self.assertAllEqual(table.lookup([key, *others]), [key, *others])

    def test_values_outlive_the_tensors_that_they_came_from(self):
        table = ShardedHashTable(tf.string, tf.string, "none")
        for i in range(100):
            text = b"%d" % i * 50
            table.insert([text], [text])
        texts = [b"%d" % i * 50 for i in range(100)]
        self.assertAllEqual(table.lookup(texts), texts)
        values = table.lookup(texts)
        table.insert(texts, ["other" * 20] * 100)
        table.clear()
        self.assertAllEqual(values, texts)

    @parameterized.parameters(
        lambda i: i,
        lambda i: i << 40,
        lambda i: i << 51,
        lambda i: -i,
        lambda i: i * 1024,
        lambda i: i * 0x9E3779B1,
    )
    def test_keys_with_a_pattern_are_kept_apart(self, pattern):
        table = _int_table()
        keys = np.array([pattern(i) for i in range(4096)])
        table.insert(keys, np.arange(4096))
        self.assertAllEqual(table.lookup(keys), np.arange(4096))


class ErrorsTest(parameterized.TestCase, tf.test.TestCase):
    """Each error leaves the table as it was."""

    def setUp(self):
        super().setUp()
        self.table = ShardedHashTable(tf.int64, tf.float32, [0.0, 0.0])
        self.table.insert([1], [[1.0, 2.0]])

    def tearDown(self):
        self.assertEqual(_pairs(self.table), {1: [1.0, 2.0]})
        super().tearDown()

    @parameterized.parameters(
        ("insert", [2, 3], [[1.0, 2.0]]),
        ("insert", [2], [1.0, 2.0]),
        ("insert", 2, [[1.0, 2.0]]),
        ("insert", [2], [[1.0, 2.0, 3.0]]),
        ("insert", [[1]], [[1.0, 2.0]]),
        ("accumulate", [2, 3], [[1.0, 2.0]]),
        ("accumulate", [], [[1.0, 2.0]]),
        ("do_import", [2, 3], [[1.0, 2.0]]),
    )
    def test_values_of_another_shape_are_refused(self, method, keys, values):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"(values|deltas).* must have the shape of keys followed by that of one "
            r"value: \[.*2\]\. Its shape: \[",
        ):
            getattr(self.table, method)(
                np.array(keys, np.int64), np.array(values, np.float32)
            )

    def test_keys_to_import_must_be_a_vector(self):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"keys must be vectors\. The shape of keys\[0\]: \[1,1\]",
        ):
            self.table.do_import([[2]], [[[1.0, 2.0]]])

    @parameterized.parameters(0.0, [[[1.0, 2.0]]], [[[1.0], [2.0], [3.0]]])
    def test_defaults_of_another_shape_are_refused(self, defaults):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"default_values must have the shape of one value or of all\. Its shape: "
            r"\[.*\], of one value: \[2\], of all: \[3,2\]",
        ):
            self.table.lookup([1, 2, 3], defaults)

    def test_shapes_that_a_graph_did_not_know_are_refused_when_it_runs(self):
        spec = tf.TensorSpec(None, tf.int64)
        value_spec = tf.TensorSpec(None, tf.float32)

        @tf.function(input_signature=[spec, value_spec])
        def insert(keys, values):
            self.table.insert(keys, values)

        with self.assertRaisesRegex(errors.InvalidArgumentError, "Its shape: "):
            insert([2, 3], [1.0, 2.0])

    def test_shapes_that_a_graph_knows_are_refused_when_it_is_built(self):
        @tf.function
        def use(method, *args):
            table = ShardedHashTable(tf.int64, tf.float32, [0.0, 0.0])
            getattr(table, method)(*args)

        with self.assertRaisesRegex(
            ValueError, r"that of one value: \[2,2\]\. Its shape: \[2\]"
        ):
            use("insert", [2, 3], [1.0, 2.0])
        with self.assertRaisesRegex(
            ValueError, r"of one value: \[2\], of all: \[3,2\]"
        ):
            use("lookup", [1, 2, 3], [1.0])
        with self.assertRaisesRegex(ValueError, r"Its shape: \[1,3\]"):
            use("do_import", [1], [[1.0, 2.0, 3.0]])

    @parameterized.parameters(
        ("insert", [1.5], [[1.0, 2.0]]),
        ("insert", tf.constant([1], tf.int32), [[1.0, 2.0]]),
        ("insert", [1], [["a", "b"]]),
        ("lookup", ["a"]),
        ("lookup", [1], tf.constant([1, 2])),
        ("remove", ["a"]),
        ("accumulate", [1], tf.constant([[1, 2]])),
        ("do_import", ["a"], [[1.0, 2.0]]),
    )
    def test_arguments_of_another_type_are_refused(self, method, *args):
        with self.assertRaises((TypeError, ValueError)):
            getattr(self.table, method)(*args)

    def test_ops_refuse_keys_and_values_of_other_types_than_the_tables(self):
        handle = self.table.resource_handle
        ops = gen_sharded_hash_table_op
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            "The table has keys of type int64, not int32",
        ):
            ops.examples_sharded_hash_table_remove(handle, tf.constant([1]))
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            "The table has values of type float, not double",
        ):
            ops.examples_sharded_hash_table_insert(
                handle, np.array([1]), np.array([[1.0, 2.0]])
            )
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            "The table has values of type float, not string",
        ):
            ops.examples_sharded_hash_table_export(
                handle, key_dtype=tf.int64, value_dtype=tf.string
            )

    @parameterized.parameters(-1, 0, 3, 2048)
    def test_number_of_shards_must_be_a_power_of_two(self, num_shards):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            f"num_shards must be a power of two of at most 1024, not {num_shards}",
        ):
            _int_table(num_shards=num_shards)

    @parameterized.parameters(
        (tf.float32, tf.int64, 0), (tf.int64, tf.complex64, 0)
    )
    def test_types_without_a_table_are_refused_by_name(self, key, value, zero):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "is not in the list of allowed values"
        ):
            ShardedHashTable(key, value, zero)

    def test_values_that_are_too_large_are_refused(self):
        create = gen_sharded_hash_table_op.examples_sharded_hash_table_create
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "at most 17592186044416 elements"
        ):
            create(tf.int64, tf.float32, value_shape=[2**45])

    def test_table_that_memory_does_not_hold_takes_no_keys(self):
        create = gen_sharded_hash_table_op.examples_sharded_hash_table_create
        handle = create(tf.int64, tf.float64, value_shape=[2**32])
        insert = gen_sharded_hash_table_op.examples_sharded_hash_table_insert
        insert(handle, np.zeros(0, np.int64), np.zeros((0, 2**32)))
        size = gen_sharded_hash_table_op.examples_sharded_hash_table_size(
            handle
        )
        self.assertEqual(size, 0)

    def test_default_must_have_a_known_shape(self):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
        def make(default):
            ShardedHashTable(tf.int64, tf.int64, default)

        with self.assertRaisesRegex(ValueError, r"must have a known shape"):
            make([1, 2])


class ShapeTest(tf.test.TestCase):
    def _shapes(self, make_table, keys_shape):
        """Static shapes of what lookup and export give, in a function."""
        found = []

        @tf.function(input_signature=[tf.TensorSpec(keys_shape, tf.int64)])
        def use(keys):
            table = make_table()
            found.append(table.lookup(keys).shape)
            found.extend(tensor.shape for tensor in table.export())
            found.append(table.size().shape)

        use.get_concrete_function()
        return found[-4:]

    def test_graph_knows_the_shapes(self):
        captured = ShardedHashTable(tf.int64, tf.float32, [0.0, 0.0, 0.0])
        for make_table in (
            lambda: captured,
            lambda: ShardedHashTable(tf.int64, tf.float32, [0.0, 0.0, 0.0]),
        ):
            lookup, keys, values, size = self._shapes(make_table, [None, 5])
            self.assertEqual(lookup.as_list(), [None, 5, 3])
            self.assertEqual(keys.as_list(), [None])
            self.assertEqual(values.as_list(), [None, 3])
            self.assertEqual(size.as_list(), [])
            lookup, *_ = self._shapes(make_table, None)
            self.assertIsNone(lookup.rank)

    def test_op_alone_knows_the_shape_from_the_handle(self):
        ops = gen_sharded_hash_table_op

        @tf.function
        def use():
            handle = ops.examples_sharded_hash_table_create(
                tf.int64, tf.float32, value_shape=[3]
            )
            values = ops.examples_sharded_hash_table_find(
                handle, np.zeros((4, 5), np.int64), np.zeros(3, np.float32)
            )
            self.assertEqual(values.shape, [4, 5, 3])
            _, slices = ops.examples_sharded_hash_table_export_slices(
                handle, tf.int64, tf.float32, num_slices=2
            )
            self.assertEqual(
                [s.shape.as_list() for s in slices], [[None, 3]] * 2
            )
            return values

        self.assertAllEqual(use(), np.zeros((4, 5, 3)))


class CheckpointTest(parameterized.TestCase, tf.test.TestCase):
    def _path(self):
        return os.path.join(self.create_tempdir(), "checkpoint")

    @parameterized.named_parameters(
        *_every(_KEY_DTYPES, (tf.float32, tf.bfloat16, tf.string), ((), (3,)))
    )
    def test_restores_into_a_fresh_object(self, arguments):
        key_dtype, value_dtype, value_shape = arguments
        default = _numbers_as(value_dtype, np.full(value_shape, 7))
        keys = _numbers_as(key_dtype, np.arange(500))
        values = _numbers_as(
            value_dtype,
            np.arange(500 * default.size).reshape(500, *value_shape),
        )
        table = ShardedHashTable(key_dtype, value_dtype, default)
        table.insert(keys, values)
        path = tf.train.Checkpoint(table=table).write(self._path())

        for num_shards in (1, 4, 64, 256):
            fresh = ShardedHashTable(
                key_dtype, value_dtype, default, num_shards=num_shards
            )
            fresh.insert(_numbers_as(key_dtype, [1000]), default[None])
            status = tf.train.Checkpoint(table=fresh).read(path)
            status.assert_consumed()
            self.assertEqual(fresh.size(), 500)
            self.assertAllEqual(fresh.lookup(keys), values)

    def test_restores_into_the_same_object(self):
        table = _int_table()
        table.insert([1, 2], [10, 20])
        checkpoint = tf.train.Checkpoint(table=table)
        path = checkpoint.write(self._path())
        table.insert([2, 3], [21, 30])
        checkpoint.read(path).assert_consumed()
        self.assertEqual(_pairs(table), {1: 10, 2: 20})

    def test_restores_into_an_object_that_comes_later(self):
        table = _int_table()
        table.insert([1], [10])
        path = tf.train.Checkpoint(table=table).write(self._path())
        later = tf.train.Checkpoint()
        status = later.read(path)
        later.table = _int_table()
        status.assert_consumed()
        self.assertEqual(_pairs(later.table), {1: 10})

    def test_no_tensor_holds_the_whole_table(self):
        table = _int_table()
        table.insert(np.arange(10_000), np.arange(10_000))
        path = tf.train.Checkpoint(table=table).write(self._path())
        shapes = [
            shape
            for name, shape in tf.train.list_variables(path)
            if name.startswith("table/")
        ]
        self.assertLen(shapes, 32)
        self.assertEqual(sum(n for [n] in shapes), 20_000)
        self.assertLess(max(n for [n] in shapes), 1_000)

    def test_any_number_of_slices_is_restored(self):
        table = _int_table()
        for count in (1, 3, 40):
            slices = np.array_split(np.arange(100), count)
            tensors = {}
            for i, keys in enumerate(slices):
                tensors[f"table-keys-{i}"] = tf.constant(keys)
                tensors[f"table-values-{i}"] = tf.constant(keys + count)
            table._restore_from_tensors(tensors)
            self.assertAllEqual(
                table.lookup(np.arange(100)), np.arange(100) + count
            )

    def test_table_that_asks_for_no_checkpoint_is_not_saved(self):
        table = _int_table(checkpoint=False)
        table.insert([1], [10])
        checkpoint = tf.train.Checkpoint(table=table)
        path = checkpoint.write(self._path())
        self.assertNotIn("table", str(tf.train.list_variables(path)))
        table.insert([1], [11])
        checkpoint.read(path)
        self.assertEqual(_pairs(table), {1: 11})


if __name__ == "__main__":
    tf.test.main()
