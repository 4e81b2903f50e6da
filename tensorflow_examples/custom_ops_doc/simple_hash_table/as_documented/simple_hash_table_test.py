"""The guide's tests and examples on its own listings, and a SavedModel."""

import os

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.eager import def_function
from tensorflow.python.framework import errors

from tensorflow_examples.custom_ops_doc.simple_hash_table.as_documented import (
    simple_hash_table,
)


class SimpleHashTableTest(tf.test.TestCase, parameterized.TestCase):
    def test_find_insert_find_strings_eager(self):
        default = "Default"
        foo = "Foo"
        bar = "Bar"
        hash_table = simple_hash_table.SimpleHashTable(
            tf.string, tf.string, default
        )
        result1 = hash_table.find(foo, default)
        self.assertEqual(result1, default)
        hash_table.insert(foo, bar)
        result2 = hash_table.find(foo, default)
        self.assertEqual(result2, bar)

    def _use_table(self, key_dtype, value_dtype):
        hash_table = simple_hash_table.SimpleHashTable(
            key_dtype, value_dtype, 111
        )
        result1 = hash_table.find(1, -999)
        hash_table.insert(1, 100)
        result2 = hash_table.find(1, -999)
        hash_table.remove(1)
        result3 = hash_table.find(1, -999)
        results = tf.stack((result1, result2, result3))
        return results  # expect [-999, 100, -999]

    # The guide says what the parameters are, but prints no decorator.
    @parameterized.parameters((tf.int32, float), (tf.int64, tf.int32))
    def test_find_insert_find_tf_function(self, key_dtype, value_dtype):
        results = def_function.function(
            lambda: self._use_table(key_dtype, value_dtype)
        )
        self.assertAllClose(self.evaluate(results), [-999.0, 100.0, -999.0])

    def test_examples_of_the_guide(self):
        # The first one calls it simple_hash_table_op.SimpleHashTable.
        hash_table = simple_hash_table.SimpleHashTable(
            tf.int32, float, default_value=-999.0
        )
        result1 = hash_table.find(key=1, dynamic_default_value=-999.0)
        # -999.0
        hash_table.insert(key=1, value=100.0)
        result2 = hash_table.find(key=1, dynamic_default_value=-999.0)
        # 100.0
        self.assertAllEqual([result1, result2], [-999.0, 100.0])
        hash_table = simple_hash_table.SimpleHashTable(tf.int32, float, -999.0)
        result1 = hash_table.find(1, -999.0)  # -999.0
        hash_table.insert(1, 100.0)
        result2 = hash_table.find(1, -999.0)  # 100.0
        self.assertAllEqual([result1, result2], [-999.0, 100.0])

    def test_saved_model_keeps_the_table(self):
        module = tf.Module()
        module.table = simple_hash_table.SimpleHashTable(
            tf.string, tf.int64, -1
        )
        module.table.do_import(["a", "b"], [1, 2])
        module.find = tf.function(
            module.table.find, input_signature=[tf.TensorSpec([], tf.string)]
        )
        path = os.path.join(self.create_tempdir().full_path, "model")
        tf.saved_model.save(module, path)
        loaded = tf.saved_model.load(path)
        self.assertAllEqual(
            [loaded.find(k) for k in ("a", "b", "c")], [1, 2, -1]
        )
        keys, values = module.table.export()
        self.assertAllEqual(np.sort(values), [1, 2])

    def test_remove_of_a_missing_key_is_not_found(self):
        table = simple_hash_table.SimpleHashTable(tf.string, tf.bool, False)
        with self.assertRaisesRegex(errors.NotFoundError, "not found: lost"):
            table.remove("lost")


if __name__ == "__main__":
    tf.test.main()
