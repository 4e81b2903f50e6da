"""Tests of the SimpleHashTable class: what it stores, saves and refuses."""

import os

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import errors
from tensorflow.python.framework import test_util

from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    simple_hash_table,
)

_DTYPE_PAIRS = (
    (tf.int32, tf.float64),
    (tf.int32, tf.float32),
    (tf.int32, tf.int32),
    (tf.int32, tf.string),
    (tf.int64, tf.float64),
    (tf.int64, tf.float32),
    (tf.int64, tf.int32),
    (tf.int64, tf.int64),
    (tf.int64, tf.string),
    (tf.string, tf.bool),
    (tf.string, tf.float64),
    (tf.string, tf.float32),
    (tf.string, tf.int32),
    (tf.string, tf.int64),
    (tf.string, tf.string),
)

# Three keys or values of each type, the third of which is the default.
_SAMPLES = {
    tf.bool: (True, True, False),
    tf.float32: (0.5, 1e30, -999.0),
    tf.float64: (0.1, 1e300, -999.0),
    tf.int32: (7, -(2**31), -999),
    tf.int64: (7, -(2**63), -999),
    tf.string: ("", "long \0 \u20ac " * 10, "none"),
}

_all_dtype_pairs = parameterized.named_parameters(
    (f"{k.name}_{v.name}", k, v) for k, v in _DTYPE_PAIRS
)


def _table(pairs=((1, 100), (2, 200), (3, 300))):
    table = simple_hash_table.SimpleHashTable(tf.int64, tf.int64, -1)
    for key, value in pairs:
        table.insert(key, value)
    return table


class SimpleHashTableTest(tf.test.TestCase, parameterized.TestCase):
    def _pairs(self, table):
        keys, values = self.evaluate(table.export())
        self.assertEqual(keys.shape, values.shape)
        return dict(zip(keys.tolist(), values.tolist(), strict=True))

    def _use(self, key_dtype, value_dtype):
        (key, other_key, _), (value, other_value, default) = (
            [tf.constant(x, dtype) for x in _SAMPLES[dtype]]
            for dtype in (key_dtype, value_dtype)
        )
        table = simple_hash_table.SimpleHashTable(
            key_dtype, value_dtype, default
        )
        found = [table.find(key)]
        table.insert(key, value)
        table.insert(other_key, value)
        table.insert(other_key, other_value)
        found += [table.find(key), table.find(other_key)]
        table.remove(key)
        found += [table.find(key, other_value), table.find(other_key)]
        expected = [default, value, other_value, other_value, other_value]
        return tf.stack(found), tf.stack(expected)

    @_all_dtype_pairs
    def test_finds_what_was_inserted_in_eager_code(self, *dtypes):
        found, expected = self._use(*dtypes)
        self.assertEqual(found.dtype, dtypes[1])
        self.assertAllEqual(found, expected)

    @_all_dtype_pairs
    def test_finds_what_was_inserted_in_a_function(self, *dtypes):
        found, expected = tf.function(self._use)(*dtypes)
        self.assertEqual(found.dtype, dtypes[1])
        self.assertAllEqual(found, expected)

    @_all_dtype_pairs
    def test_imports_what_was_exported(self, key_dtype, value_dtype):
        keys = tf.constant(_SAMPLES[key_dtype], key_dtype)
        values = tf.constant(_SAMPLES[value_dtype], value_dtype)
        tables = [
            simple_hash_table.SimpleHashTable(
                key_dtype, value_dtype, _SAMPLES[value_dtype][2]
            )
            for _ in range(2)
        ]
        tables[0].do_import(keys, values)
        exported = tables[0].export()
        self.assertEqual([t.dtype for t in exported], [key_dtype, value_dtype])
        tables[1].do_import(*exported)
        self.assertEqual(
            self._pairs(tables[1]),
            dict(zip(keys.numpy(), values.numpy(), strict=True)),
        )

    def test_document_example(self):
        table = simple_hash_table.SimpleHashTable(
            tf.int32, float, default_value=-999.0
        )
        self.assertAllEqual(
            table.find(key=1, dynamic_default_value=-999.0), -999.0
        )
        table.insert(key=1, value=100.0)
        self.assertAllEqual(
            table.find(key=1, dynamic_default_value=-999.0), 100.0
        )

    def test_dtypes_are_known(self):
        table = simple_hash_table.SimpleHashTable("int32", float, 0.0)
        self.assertEqual(table.key_dtype, tf.int32)
        self.assertEqual(table.value_dtype, tf.float32)

    def test_default_may_be_given_to_find_or_to_the_table(self):
        table = _table()
        self.assertAllEqual(table.find(9), -1)
        self.assertAllEqual(table.find(9, -2), -2)
        self.assertAllEqual(table.find(1, -2), 100)
        self.assertNotIn(9, self._pairs(table))

    def test_tables_are_apart(self):
        one, two = _table(), _table([])
        self.assertLen(self._pairs(one), 3)
        self.assertEmpty(self._pairs(two))

    def test_holds_many_keys(self):
        keys = np.arange(100_000) * 2**40
        table = _table([])
        table.do_import(keys, keys + 1)
        self.assertAllEqual(table.find(keys[-1]), keys[-1] + 1)
        exported_keys, exported_values = table.export()
        self.assertAllEqual(np.sort(exported_keys), keys)
        self.assertAllEqual(exported_values, exported_keys + 1)

    def test_import_replaces_all_pairs_and_keeps_the_last_of_a_key(self):
        table = _table()
        table.do_import([3, 4, 4], [30, 40, 41])
        self.assertEqual(self._pairs(table), {3: 30, 4: 41})
        table.do_import([], [])
        self.assertEmpty(self._pairs(table))

    def test_function_keeps_the_table_that_it_captured(self):
        table = _table([])

        @tf.function(input_signature=[tf.TensorSpec([], tf.int64, name="key")])
        def count(key):
            seen = table.find(key, 0) + 1
            table.insert(key, seen)
            return seen

        self.assertEqual([int(count(k)) for k in (5, 5, 6, 5)], [1, 2, 1, 3])
        self.assertEqual(self._pairs(table), {5: 3, 6: 1})


class SimpleHashTableErrorsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self._table = _table()

    def _assert_unchanged(self):
        keys, values = self._table.export()
        self.assertAllEqual(np.sort(keys), [1, 2, 3])
        self.assertAllEqual(np.sort(values), [100, 200, 300])

    def test_remove_of_a_missing_key_names_the_key(self):
        with self.assertRaisesRegex(
            errors.NotFoundError, "Key for remove not found: 9"
        ):
            self._table.remove(9)
        with self.assertRaisesRegex(
            errors.NotFoundError, "Key for remove not found: lost"
        ):
            simple_hash_table.SimpleHashTable(tf.string, tf.bool, True).remove(
                "lost"
            )
        self._assert_unchanged()

    def test_import_rejects_unequal_lengths_and_keeps_the_table(self):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            "keys and values must have the same length: 3 and 2",
        ):
            self._table.do_import([7, 8, 9], [70, 80])
        self._assert_unchanged()

    def test_import_rejects_what_are_not_vectors_and_keeps_the_table(self):
        for keys, values in ((7, 70), ([[7]], [[70]]), ([7], 70), (7, [70])):
            with self.assertRaisesRegex(
                errors.InvalidArgumentError, "keys and values must be vectors"
            ):
                self._table.do_import(keys, values)
        self._assert_unchanged()

    def test_import_into_a_graph_rejects_unequal_lengths_when_built(self):
        with self.assertRaisesRegex(
            ValueError, "keys and values must have the same length: 3 and 2"
        ):
            tf.function(self._table.do_import)([7, 8, 9], [70, 80])
        self._assert_unchanged()

    def test_import_rejects_lengths_that_a_graph_did_not_know(self):
        @tf.function(input_signature=[tf.TensorSpec(None, tf.int64)] * 2)
        def run(keys, values):
            self._table.do_import(keys, values)

        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            "keys and values must have the same length: 3 and 2",
        ):
            run([7, 8, 9], [70, 80])
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "keys and values must be vectors"
        ):
            run(7, 70)
        self._assert_unchanged()

    def test_keys_and_values_must_be_scalars(self):
        for message, call in (
            ("key must be a scalar", lambda: self._table.find([1, 2])),
            ("default_value must be", lambda: self._table.find(1, [1])),
            ("key must be a scalar", lambda: self._table.insert([1], 1)),
            ("value must be a scalar", lambda: self._table.insert(1, [[]])),
            ("key must be a scalar", lambda: self._table.remove([1])),
        ):
            with self.assertRaisesRegex(errors.InvalidArgumentError, message):
                call()
        self._assert_unchanged()

    def test_keys_must_be_scalars_in_a_graph_that_knew_and_did_not_know(self):
        with self.assertRaisesRegex(ValueError, "must be rank 0 but is rank 1"):
            tf.function(self._table.find)(tf.constant([1, 2], tf.int64))
        find = tf.function(self._table.find).get_concrete_function(
            tf.TensorSpec(None, tf.int64)
        )
        self.assertAllEqual(find(tf.constant(2, tf.int64)), 200)
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"key must be a scalar\. Its shape: \[2\]",
        ):
            find(tf.constant([1, 2], tf.int64))

    def test_keys_and_values_must_be_of_the_tables_types(self):
        for call in (
            lambda: self._table.find("one"),
            lambda: self._table.find(tf.constant(1, tf.int32)),
            lambda: self._table.find(1, 0.5),
            lambda: self._table.insert(1, "one"),
            lambda: self._table.remove(1.5),
            lambda: self._table.do_import(["one"], [1]),
        ):
            with self.assertRaises((TypeError, ValueError)):
                call()
        self._assert_unchanged()

    def test_default_must_be_a_scalar_of_the_value_type(self):
        with self.assertRaisesRegex(
            ValueError, "default_value must be a scalar"
        ):
            simple_hash_table.SimpleHashTable(tf.int32, tf.int32, [0])
        with self.assertRaises((TypeError, ValueError)):
            simple_hash_table.SimpleHashTable(tf.int32, tf.int32, "none")

    def test_types_without_a_kernel_are_refused_by_name(self):
        with self.assertRaisesRegex(errors.NotFoundError, "DT_HALF"):
            simple_hash_table.SimpleHashTable(tf.half, tf.int32, 0)


class SimpleHashTableGraphTest(tf.test.TestCase):
    @test_util.run_in_graph_and_eager_modes
    def test_gives_the_same_in_graph_and_eager_modes(self):
        table = simple_hash_table.SimpleHashTable(tf.int32, tf.float32, -1.0)
        self.assertAllEqual(self.evaluate(table.find(1)), -1.0)
        self.assertAllEqual(self.evaluate(table.find(1, 2.0)), 2.0)

    def test_export_gives_vectors_and_find_a_scalar(self):
        with tf.Graph().as_default():
            table = simple_hash_table.SimpleHashTable(tf.int32, tf.string, "")
            keys, values = table.export()
            self.assertEqual(keys.shape.as_list(), [None])
            self.assertEqual(values.shape.as_list(), [None])
            self.assertEqual(table.find(1).shape, [])
            self.assertEqual(table.resource_handle.shape, [])

    def test_names_carry_the_name_of_the_table_or_of_the_call(self):
        with tf.Graph().as_default():
            table = simple_hash_table.SimpleHashTable(
                tf.int32, tf.int32, 0, name="ages"
            )
            found = table.find(1)
            named = table.find(1, name="look_up")
            inserted = table.insert(1, 2)
        self.assertEqual(table.resource_handle.op.name, "ages")
        self.assertStartsWith(found.op.name, "ages_lookup_table_find/")
        self.assertStartsWith(named.op.name, "look_up/")
        self.assertStartsWith(inserted.name, "ages_lookup_table_insert/")


class SimpleHashTableSavingTest(tf.test.TestCase, parameterized.TestCase):
    def _path(self, name):
        return os.path.join(self.create_tempdir().full_path, name)

    def _assert_pairs(self, table, expected):
        keys, values = table.export()
        self.assertEqual(
            dict(zip(keys.numpy(), values.numpy(), strict=True)), expected
        )

    def test_checkpoint_restores_into_the_same_object(self):
        table = _table()
        checkpoint = tf.train.Checkpoint(table=table)
        path = checkpoint.save(self._path("ckpt"))
        table.remove(1)
        table.insert(4, 400)
        checkpoint.restore(path).assert_consumed()
        self._assert_pairs(table, {1: 100, 2: 200, 3: 300})

    @_all_dtype_pairs
    def test_checkpoint_restores_into_a_fresh_object(self, *dtypes):
        keys, values = (_SAMPLES[dtype] for dtype in dtypes)
        table = simple_hash_table.SimpleHashTable(*dtypes, values[2])
        table.do_import(keys, values)
        path = tf.train.Checkpoint(table=table).save(self._path("ckpt"))
        fresh = simple_hash_table.SimpleHashTable(*dtypes, values[2])
        status = tf.train.Checkpoint(table=fresh).restore(path)
        status.assert_consumed()
        self._assert_pairs(
            fresh,
            dict(
                zip(
                    tf.constant(keys, dtypes[0]).numpy(),
                    tf.constant(values, dtypes[1]).numpy(),
                    strict=True,
                )
            ),
        )

    def test_checkpoint_restores_into_an_object_that_comes_later(self):
        path = tf.train.Checkpoint(table=_table()).save(self._path("ckpt"))
        checkpoint = tf.train.Checkpoint()
        checkpoint.restore(path)
        checkpoint.table = _table([])
        self._assert_pairs(checkpoint.table, {1: 100, 2: 200, 3: 300})

    def test_checkpoint_of_an_empty_table_empties_the_table(self):
        path = tf.train.Checkpoint(table=_table([])).save(self._path("ckpt"))
        table = _table()
        tf.train.Checkpoint(table=table).restore(path)
        self._assert_pairs(table, {})

    def _module(self):
        module = tf.Module()
        module.table = _table()
        key = tf.TensorSpec([], tf.int64, name="key")

        @tf.function(input_signature=[key])
        def find(key):
            return module.table.find(key)

        @tf.function(input_signature=[key, key])
        def insert(key, value):
            module.table.insert(key, value)

        @tf.function(input_signature=[])
        def export():
            return module.table.export()

        module.find, module.insert, module.export = find, insert, export
        return module

    def test_saved_model_restores_pairs_and_default(self):
        path = self._path("model")
        tf.saved_model.save(self._module(), path)
        loaded = tf.saved_model.load(path)
        self.assertAllEqual(loaded.find(2), 200)
        self.assertAllEqual(loaded.find(9), -1)
        keys, values = loaded.export()
        self.assertAllEqual(np.sort(keys), [1, 2, 3])
        self.assertAllEqual(np.sort(values), [100, 200, 300])

    def test_saved_models_tables_are_apart_from_each_other(self):
        path = self._path("model")
        module = self._module()
        tf.saved_model.save(module, path)
        one, two = tf.saved_model.load(path), tf.saved_model.load(path)
        one.insert(2, -2)
        self.assertAllEqual(one.find(2), -2)
        self.assertAllEqual(two.find(2), 200)
        self.assertAllEqual(module.find(2), 200)

    def test_saved_model_that_was_loaded_can_be_changed_and_saved_again(self):
        first, second = self._path("first"), self._path("second")
        tf.saved_model.save(self._module(), first)
        loaded = tf.saved_model.load(first)
        loaded.insert(4, 400)
        tf.saved_model.save(loaded, second)
        again = tf.saved_model.load(second)
        self.assertAllEqual(again.find(4), 400)
        self.assertAllEqual(again.find(1), 100)

    def test_signature_of_a_saved_model_uses_the_table(self):
        path = self._path("model")
        module = self._module()
        tf.saved_model.save(module, path, signatures={"find": module.find})
        loaded = tf.saved_model.load(path)
        result = loaded.signatures["find"](key=tf.constant(3, tf.int64))
        self.assertAllEqual(list(result.values()), [300])


if __name__ == "__main__":
    tf.test.main()
