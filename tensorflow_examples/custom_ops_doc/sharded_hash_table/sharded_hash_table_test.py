"""Tests of what the table's methods do, for every type and shape."""

import base64
import copy
import os
import zlib

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import errors

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    gen_sharded_hash_table_op as gen_ops,
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

# A checkpoint of two tables that this class wrote before it was one of
# TensorFlow's, in the files of these endings.
_EARLIER_CHECKPOINT = {
    "index": (
        "c-n=NO=uHA7=~xkB;AsP%`Ox*6n3(T?j@$(?B)j)Okzk|#nu|pi-Z(|h;5Z75xt4mUV0D}{H"
        "clu5f43hP*6xgq@V{69tyUiP>P5L5fwoX&YGE>*-dQrkg(6Z^UlYU2>^ZpMmz!p17bNpT*x0"
        "79~(JT%H|Fh%450FLcUZkPGrZ2g<ct;KTunbm}dj4*8mF4G^Qu3v$go{Y^gLck~>-|9EsN}l"
        "T+2$nd-$_Y*6TvJu)y?K3~44z`zjqilAhzdS!epLYiP+*cC7k43P{PB&m?@1_?JX+`x1I1&T"
        "U737@lN;i^wzEn$+8411a|PQk|etiqZQNrjSbka7TkLS2-k-31v3hzR2O%2cCjxr4G_26!UR"
        "zm+Hyhg?X7{Z>k_rnVr`@Z^!6{S_5TT$XsiQ11j2ouJVPnr$!&`*p_z0-oUIxdkEW><!bj;Y"
        "e@A>22ovkEpX7k+hWT1XFDgsM7zf6P@W!RhjlGB-ZM)r)N%Wa;JM+mrL`SKbL|h73+6tp)^4"
        "VhG}XUGDc%>IHnV}!kC=EtaTGVK+SLV4fx_XX^`X>ZnsI;cW4hI>Gtk@TFm_PaqpS}!wC|cX"
        "F<F0I>%_?9gZald%&?2VT+XEKT;QOX|m-BSCb*ENg03rTT2F6i89T52vV8m*N`z9d&@DZd6h"
        "9v^M<8)=~eN#%B+0lc2g_Apgjzyd0N|U?p)q5qfGM^7PJd*a*P(<=NQ%eh+|aqV_UPjiDvtz"
        "w>CZFim2!pb`gF?AplJe0C_I}4}AdmESPyJKDWN1_0jxxcM-szI+zRE?8b@Phv$RBt)K|HKF"
        "5Avn%mJRzWWQC8d&2"
    ),
    "data-00000-of-00001": (
        "c-p1aKTE?v7{~FXOG~sW0hfxU>LNmIa=9eUWFt7ZYF(U6A&6KzG*#>-eH{+s?h6on7Y@4U<m"
        "BWV5Uu?q_3nwk6AuzNa+lBa@O}RnE={Y|H0>?aweh;x(6myR`QB^&?^ogDYwvpUS$(;CSZFA"
        "&;?vy0ZTHtD{{O#^zBu2Dqrv-J{PtY9iSGA}qA``z&1~!Rq!G81{w8B)lTQ1nb(pMWa=LMuH"
        "!Wkj6E&J~`8e(-Wvfsc9j>g0_4>~C=3aekw=#Lc<i^Z!e-<@Q<F7l*>37Cw1jmMsEjhM=V+#"
        "(04wD?F;4r~)pyNo6qu@A#!=b|^hbuT-a9rrPlH)2kuHbmk@g&Dna6G~Bq2o)Aui*HCQ-w}d"
        "a;geWRd5361d<adIDyHG{Nxl`g(WnomgyO@Kc~<ttl&|#M9apOEnBvVWs4TW7LzTeVlmNju;"
        "s{>qhdLt#j(X@i>p{%v|MbtvgN8+Zfc%J`TA3y((k0_2{>e)phM&dIAornL*xlKWS*cy<Ow)"
        "ro}feI2{>e)phM&dIAornL*xlKWS*cy<Ow)ro}feI2{>e)phM*e4Jw@{JgQWlkVWSSTU4HqM"
        "dt}yRGyGU=LuU>o{&Z730qX2kVWSSTZ24(0zeqR{r"
    ),
}

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


def _in_graph(method, **kwargs):
    """A `tf.function` that calls it; none can return what a write returns."""

    @tf.function(**kwargs)
    def call(*args):
        result = method(*args)
        return None if isinstance(result, tf.Operation) else result

    return call


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
        for call, error in (
            (table.accumulate, errors.InvalidArgumentError),
            (_in_graph(table.accumulate), TypeError),
        ):
            with self.assertRaisesRegex(
                error, f"{dtype.name} .*list of allowed values: int32, int64"
            ):
                call([1], [default])

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
        ("accumulate", [2, 3], [[1.0, 2.0]]),
        ("accumulate", [], [[1.0, 2.0]]),
        ("do_import", [2, 3], [[1.0, 2.0]]),
    )
    def test_values_of_another_shape_are_refused(self, method, keys, values):
        call = getattr(self.table, method)
        keys, values = np.array(keys, np.int64), np.array(values, np.float32)
        in_graph = _in_graph(
            call,
            input_signature=[
                tf.TensorSpec(None, tf.int64),
                tf.TensorSpec(None, tf.float32),
            ],
        )
        for run in (call, in_graph):
            with self.assertRaisesRegex(
                errors.InvalidArgumentError,
                r"Expected shape \[.*2\] for value, got \[",
            ):
                run(keys, values)

    @parameterized.parameters(0.0, [[[1.0, 2.0]]], [[[1.0], [2.0], [3.0]]])
    def test_defaults_of_another_shape_are_refused(self, defaults):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"Expected shape \[2\] or \[3,2\] for default value, got \[",
        ):
            self.table.lookup([1, 2, 3], defaults)

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

    def test_ops_refuse_other_types_than_the_tables(self):
        handle = self.table.resource_handle
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "Value must be type"
        ):
            gen_ops.examples_sharded_hash_table_accumulate(
                handle, np.array([1]), np.array([[1.0, 2.0]])
            )
        with self.assertRaisesRegex(
            errors.InvalidArgumentError,
            r"The table is a ShardedHashTable<int64, float\[2\]>\. It has no keys "
            "of type int64 with values of type string",
        ):
            gen_ops.examples_sharded_hash_table_export_sorted(
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
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, "at most 17592186044416 elements"
        ):
            gen_ops.examples_sharded_hash_table(
                tf.int64, tf.float32, value_shape=[2**45]
            )

    def test_table_that_memory_does_not_hold_takes_no_keys(self):
        handle = gen_ops.examples_sharded_hash_table(
            tf.int64, tf.float64, value_shape=[2**32], anonymous=True
        )
        tf.raw_ops.LookupTableInsertV2(
            table_handle=handle,
            keys=np.zeros(0, np.int64),
            values=np.zeros((0, 2**32)),
        )
        size = tf.raw_ops.LookupTableSizeV2(table_handle=handle)
        self.assertEqual(size, 0)

    def test_keys_without_an_element_are_refused(self):
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, r"must have an element.*: \[0\]"
        ):
            _int_table(empty_key=tf.zeros([0], tf.int64))

    def test_default_must_have_a_known_shape(self):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
        def make(default):
            ShardedHashTable(tf.int64, tf.int64, default)

        with self.assertRaisesRegex(
            ValueError, "default_value must have a known shape"
        ):
            make([1, 2])


class VectorKeysTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.product(
        key_dtype=_KEY_DTYPES, length=(1, 2, 7), count=(50, 10_000)
    )
    def test_gives_back_what_it_was_given(self, key_dtype, length, count):
        keys = np.random.default_rng(0).integers(0, 3, (count, length)) - 1
        if key_dtype == tf.string:
            keys = _numbers_as(tf.string, keys + 1)
        else:
            keys = keys.astype(key_dtype.as_numpy_dtype)
        table = ShardedHashTable(
            key_dtype, tf.int64, -1, empty_key=tf.zeros_like(keys[0])
        )
        table.insert(keys, np.arange(count))
        expected = {tuple(key): i for i, key in enumerate(keys.tolist())}
        self.assertEqual(table.size(), len(expected))
        self.assertAllEqual(
            table.lookup(keys), [expected[tuple(key)] for key in keys.tolist()]
        )
        exported, values = table.export(stable_order=True)
        self.assertEqual(
            [tuple(key) for key in exported.numpy().tolist()], sorted(expected)
        )
        self.assertAllEqual(values, [expected[key] for key in sorted(expected)])
        other = copy.deepcopy(table)
        other.remove(keys[: count // 2])
        kept = {tuple(key) for key in keys[: count // 2].tolist()}
        self.assertEqual(other.size(), len(set(expected) - kept))

    def test_keys_that_join_to_the_same_are_apart(self):
        table = ShardedHashTable(tf.string, tf.int64, -1, empty_key=["", ""])
        table.insert([["ab", ""], ["a", "b"]], [1, 2])
        self.assertAllEqual(
            table.lookup([["a", "b"], ["", "ab"], ["ab", ""]]), [2, -1, 1]
        )

    def test_graph_knows_the_shapes(self):
        table = ShardedHashTable(
            tf.int64, tf.float32, [0.0] * 3, empty_key=[0, 0]
        )

        @tf.function(input_signature=[tf.TensorSpec([None, 5, 2], tf.int64)])
        def use(keys):
            return table.lookup(keys), table.export(), table.size()

        lookup, (keys, values), size = use.get_concrete_function().output_shapes
        self.assertEqual(lookup.as_list(), [None, 5, 3])
        self.assertEqual(keys.as_list(), [None, 2])
        self.assertEqual(values.as_list(), [None, 3])
        self.assertEqual(size.as_list(), [])

    def test_keys_of_another_length_are_refused(self):
        table = ShardedHashTable(tf.int64, tf.int64, -1, empty_key=[0, 0])
        for call in (
            lambda: table.insert([[1, 2, 3]], [1]),
            lambda: table.accumulate([[1, 2, 3]], [1]),
            lambda: table.lookup([1, 2, 3]),
        ):
            with self.assertRaises(errors.InvalidArgumentError):
                call()
        self.assertEqual(table.size(), 0)


class RaggedAndSparseTest(tf.test.TestCase, parameterized.TestCase):
    def setUp(self):
        super().setUp()
        self.table = _int_table()
        self.table.insert([1, 2], [10, 20])

    def _calls(self, method):
        return method, _in_graph(method)

    def test_ragged_keys(self):
        keys = tf.ragged.constant([[1], [], [9, 2]], tf.int64)
        deltas = tf.ragged.constant([[1], [], [2, 3]], tf.int64)
        for lookup in self._calls(self.table.lookup):
            self.assertAllEqual(
                lookup(keys), tf.ragged.constant([[10], [], [-1, 20]])
            )
            self.assertAllEqual(
                lookup(keys, deltas), tf.ragged.constant([[10], [], [2, 20]])
            )
            self.assertAllEqual(
                lookup(keys, 7), tf.ragged.constant([[10], [], [7, 20]])
            )
        for insert, accumulate, remove in zip(
            self._calls(self.table.insert),
            self._calls(self.table.accumulate),
            self._calls(self.table.remove),
            strict=True,
        ):
            insert(keys, deltas)
            accumulate(keys, deltas)
            self.assertEqual(_pairs(self.table), {1: 2, 2: 6, 9: 4})
            remove(keys)
            self.assertEqual(_pairs(self.table), {})

    def test_ragged_keys_of_vectors(self):
        table = ShardedHashTable(tf.int64, tf.int64, [-1, -1])
        keys = tf.ragged.constant([[1], [2, 1]], tf.int64)
        values = [[[10, 11]], [[0, 0], [12, 13]]]
        values = tf.ragged.constant(values, tf.int64, ragged_rank=1)
        table.insert(keys, values)
        self.assertAllEqual(
            table.lookup(keys),
            tf.ragged.constant([[[12, 13]], [[0, 0], [12, 13]]], ragged_rank=1),
        )

    def test_sparse_keys(self):
        keys = tf.sparse.from_dense(np.array([[1, 0], [9, 2]]))
        deltas = tf.sparse.from_dense(np.array([[1, 0], [2, 3]]))
        for lookup in self._calls(self.table.lookup):
            for defaults, expected in ((None, -1), (deltas, 2), (7, 7)):
                values = lookup(keys, defaults)
                self.assertIsInstance(values, tf.SparseTensor)
                self.assertAllEqual(
                    tf.sparse.to_dense(values), [[10, 0], [expected, 20]]
                )
        self.table.insert(keys, deltas)
        self.table.accumulate(keys, deltas)
        self.assertEqual(_pairs(self.table), {1: 2, 2: 6, 9: 4})
        self.table.remove(keys)
        self.assertEqual(_pairs(self.table), {})

    def test_sparse_keys_of_vectors_are_refused(self):
        vectors = ShardedHashTable(tf.int64, tf.int64, [-1, -1])
        keys = tf.sparse.from_dense(np.array([[1, 0]]))
        for call in (
            lambda: vectors.lookup(keys),
            lambda: vectors.insert(keys, keys),
        ):
            with self.assertRaisesRegex(ValueError, r"a value \(2,\)"):
                call()

    @parameterized.parameters("lookup", "insert", "accumulate")
    def test_values_elsewhere_than_their_keys_are_refused(self, method):
        ragged = tf.ragged.constant([[1, 99], [98]], tf.int64)
        sparse = tf.sparse.from_dense(np.array([[1, 0], [99, 98]]))
        wide = tf.SparseTensor(sparse.indices, sparse.values, [2, 3])
        call = getattr(self.table, method)
        for keys, values, message in (
            (
                ragged,
                [[-2], [-3, -4]],
                "the row splits of keys:.*0,? 2,? 3.*0,? 1,? 3",
            ),
            (
                ragged,
                [[-2, -3], [-4], []],
                "row splits of keys:.*0,? 2,? 3.*0,? 2,? 3,? 3",
            ),
            (
                sparse,
                tf.sparse.from_dense(np.array([[1, 2], [3, 0]])),
                "indices",
            ),
            (sparse, wide, "the indices in the shape of keys:.*2,? 2.*2,? 3"),
        ):
            if isinstance(values, list):
                values = tf.ragged.constant(values, tf.int64)
            # In a graph also where it cannot be seen before it runs.
            spec = [tf.type_spec_from_value(keys)]
            spec.append(
                tf.RaggedTensorSpec([None, None], tf.int64)
                if isinstance(keys, tf.RaggedTensor)
                else tf.SparseTensorSpec([None, None], tf.int64)
            )
            for run in (
                call,
                _in_graph(call),
                _in_graph(call, input_signature=spec),
            ):
                with self.assertRaisesRegex(
                    errors.InvalidArgumentError, f"(?s){message}"
                ):
                    run(keys, values)
        self.assertEqual(_pairs(self.table), {1: 10, 2: 20})

    def test_values_of_another_kind_are_refused(self):
        ragged = tf.ragged.constant([[1, 99], [98]], tf.int64)
        deep = tf.ragged.constant([[[1], [99]], [[98]]], tf.int64)
        sparse = tf.sparse.from_dense(np.array([[1, 0], [99, 98]]))
        for call in (
            lambda: self.table.insert(ragged, [1, 2, 3]),
            lambda: self.table.insert([1, 2, 3], ragged),
            lambda: self.table.accumulate(ragged, sparse),
            lambda: self.table.lookup(sparse, ragged),
            lambda: self.table.lookup([1], ragged),
        ):
            with self.assertRaisesRegex(TypeError, "as keys are, not a "):
                call()
        with self.assertRaisesRegex(
            ValueError, "as many row splits as keys, 1, not 2"
        ):
            self.table.insert(ragged, deep)
        with self.assertRaises((ValueError, errors.InvalidArgumentError)):
            self.table.lookup(ragged, [1, 2, 3])  # As many as there are keys.
        self.assertEqual(_pairs(self.table), {1: 10, 2: 20})


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
                tensors[f"-keys-{i}"] = tf.constant(keys)
                tensors[f"-values-{i}"] = tf.constant(keys + count)
            table._restore_from_tensors(tensors)
            self.assertAllEqual(
                table.lookup(np.arange(100)), np.arange(100) + count
            )

    def test_checkpoint_of_an_earlier_release_is_read(self):
        path = self._path()
        for ending, text in _EARLIER_CHECKPOINT.items():
            with open(f"{path}.{ending}", "wb") as file:
                file.write(zlib.decompress(base64.b85decode(text)))
        numbers = ShardedHashTable(tf.int64, tf.float32, [0.0, 0.0])
        strings = ShardedHashTable(tf.string, tf.string, "")
        checkpoint = tf.train.Checkpoint(numbers=numbers, strings=strings)
        checkpoint.read(path).assert_consumed()
        self.assertEqual(
            _pairs(numbers), {1: [1.0, 10.0], 2: [2.0, 20.0], -3: [3.0, 30.0]}
        )
        self.assertEqual(_pairs(strings), {b"a": b"x", b"b" * 40: b"y" * 30})

    @parameterized.parameters(((),), ((2,),))
    def test_takes_what_tables_of_tensorflows_stored(self, shape):
        lookup = tf.lookup.experimental
        keys = tf.constant([1, 2, 3], tf.int64)
        values = tf.reshape(
            tf.repeat(keys * 10, int(np.prod(shape))), [3, *shape]
        )
        default = tf.fill(shape, tf.constant(-1, tf.int64))
        model = tf.Module()
        model.mutable = lookup.MutableHashTable(tf.int64, tf.int64, default)
        model.dense = lookup.DenseHashTable(
            tf.int64, tf.int64, default, empty_key=0, deleted_key=-5
        )
        for theirs in (model.mutable, model.dense):
            theirs.insert(keys, values)
            theirs.remove(keys[:1])
        path = tf.train.Checkpoint(model=model).write(self._path())
        for where, empty_keys in (("mutable", ()), ("dense", (0, -5))):
            ours = ShardedHashTable(tf.int64, tf.int64, default)
            ours.insert(7, default)
            ours.restore_from(path, f"model/{where}", empty_keys)
            exported_keys, exported_values = ours.export(stable_order=True)
            self.assertAllEqual(exported_keys, keys[1:])
            self.assertAllEqual(exported_values, values[1:])
        with self.assertRaisesRegex(
            ValueError,
            r"no table of TensorFlow's at 'mutable'. It has them at: "
            r"\['model/dense', 'model/mutable'\]",
        ):
            ours.restore_from(path, "mutable")
        with self.assertRaises(errors.InvalidArgumentError):
            ShardedHashTable(tf.int32, tf.int64, default).restore_from(
                path, "model/mutable"
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
