"""Tests that a SavedModel with a table answers the same wherever it is loaded."""

import os
import re
import subprocess

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import run_python
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    simple_hash_table,
)

_SERVE = "tensorflow_examples/custom_ops_doc/serving/serve"
_PATHS = (tf, sharded_hash_table, simple_hash_table)
_TENSORFLOW, *_FOLDERS = (os.path.dirname(each.__file__) for each in _PATHS)
_OPS = tuple(
    os.path.join(folder, f"{os.path.basename(folder)}_kernel.so")
    for folder in _FOLDERS
)

_PYTHON = """
import sys
import tensorflow as tf
for ops in sys.argv[1].split(","):
    tf.load_op_library(ops)
del sys.argv[1]
from tensorflow.python.tools import saved_model_cli
saved_model_cli.main()
"""

_NUMBERS = ([1, 2, 3], [10, 20, 30], [3, 1, 7])
_STRINGS = (["a", "b" * 99, "c"], ["x", "", "z" * 99], ["c", "a", "no"])


def _sharded(keys, values):
    value = np.array(values[0])
    table = sharded_hash_table.ShardedHashTable(
        tf.constant(keys).dtype if isinstance(keys[0], str) else tf.int64,
        tf.string if isinstance(values[0], str) else tf.int64,
        "none" if value.dtype.kind == "U" else np.full(value.shape, -1),
    )
    table.insert(keys, values)
    return table


def _mutable(keys, values):
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    table.insert(tf.constant(keys, tf.int64), tf.constant(values, tf.int64))
    return table


def _static(keys, values):
    return tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(keys, values, tf.int64, tf.int64),
        -1,
    )


def _simple(keys, values):
    table = simple_hash_table.SimpleHashTable(tf.int64, tf.int64, -1)
    for key, value in zip(keys, values, strict=True):
        table.insert(key, value)
    return table


class ServingTest(tf.test.TestCase, parameterized.TestCase):
    def _save(self, table, key_dtype):
        module = tf.Module()
        module.table = table

        @tf.function(input_signature=[tf.TensorSpec([None], key_dtype, "keys")])
        def lookup(keys):
            if isinstance(table, simple_hash_table.SimpleHashTable):
                values = tf.map_fn(table.find, keys)
            else:
                values = table.lookup(keys)
            return {"values": values}

        module.lookup = lookup
        path = os.path.join(self.create_tempdir().full_path, "model")
        tf.saved_model.save(module, path, {"serving_default": lookup})
        return path

    def _serve(self, *arguments):
        library = os.path.join(_TENSORFLOW, "libtensorflow_cc.so.2")
        return subprocess.run(
            [_SERVE, library, *arguments], capture_output=True, text=True
        )

    def _answers(self, path, keys):
        """Returns the values in a list, as each way of loading has them."""
        loaded = tf.saved_model.load(path)
        with self.subTest("signature"):
            signature = loaded.signatures["serving_default"]
            dtype = signature.structured_input_signature[1]["keys"].dtype
            yield signature(keys=tf.constant(keys, dtype))["values"].numpy()
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            model = tf.compat.v1.saved_model.load(session, ["serve"], path)
            signature = model.signature_def["serving_default"]
            source = signature.inputs["keys"].name
            fetch = signature.outputs["values"].name
            for _ in range(2):
                yield session.run(fetch, {source: keys})
        out = os.path.join(self.create_tempdir().full_path)
        run = run_python.run_python(
            *("-c", _PYTHON, ",".join(_OPS), "run"),
            *("--dir", path, "--tag_set", "serve"),
            *("--signature_def", "serving_default", "--outdir", out),
            *("--input_exprs", f"keys={keys!r}"),
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        yield np.load(os.path.join(out, "values.npy"), allow_pickle=True)
        run = self._serve(",".join(_OPS), path, source, fetch, *map(str, keys))
        self.assertEqual(run.returncode, 0, run.stderr)
        served = run.stdout.split("\n")[:-1]
        self.assertEqual(served[: len(served) // 2], served[len(served) // 2 :])
        yield np.array(served[: len(served) // 2])

    @parameterized.named_parameters(
        ("static", _static, _NUMBERS, [30, 10, -1]),
        ("mutable", _mutable, _NUMBERS, [30, 10, -1]),
        ("sharded", _sharded, _NUMBERS, [30, 10, -1]),
        ("sharded_strings", _sharded, _STRINGS, ["z" * 99, "x", "none"]),
        (
            "sharded_vectors",
            _sharded,
            ([1, 2], [[1, 2], [3, 4]], [2, 7]),
            [[3, 4], [-1, -1]],
        ),
    )
    def test_each_way_gives_the_same(self, make, example, expected):
        keys, values, asked = example
        table = make(keys, values)
        for found in self._answers(self._save(table, table.key_dtype), asked):
            self.assertEqual(
                [tf.compat.as_str_any(value) for value in np.ravel(found)],
                [str(value) for value in np.ravel(expected)],
            )

    def test_simple_hash_table_has_its_default_in_a_session(self):
        # The guide's ops have no name by which a session could keep a table.
        keys, values, asked = _NUMBERS
        path = self._save(_simple(keys, values), tf.int64)
        loaded, *in_session = self._answers(path, asked)
        self.assertAllEqual(loaded, [30, 10, -1])
        for found in in_session:
            self.assertAllEqual(found.astype(np.int64), [-1, -1, -1])

    def test_without_the_library_of_ops_the_op_is_named(self):
        keys, values, _ = _NUMBERS
        path = self._save(_sharded(keys, values), tf.int64)
        process = self._serve("", path, "keys:0", "values:0", "1")
        self.assertEqual(process.returncode, 1)
        self.assertRegex(
            process.stderr,
            re.escape("Op type not registered 'Examples>ShardedHashTable"),
        )


if __name__ == "__main__":
    tf.test.main()
