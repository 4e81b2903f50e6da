"""The rows of `sharded_hash_table`, beside TensorFlow's two mutable tables."""

import concurrent.futures
from collections.abc import Callable
from collections.abc import Mapping

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context

from benchmarks import measure
from benchmarks import row
from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)

_ITEMS, _QUICK_ITEMS = 1_000_000, 20_000
# Keys of which no table fits a cache: of a million, ours fits that of many a
# server and DenseHashTable that of a few, so their ratio is that of the caches.
_ITEMS_BEYOND_CACHES = 8_000_000

_THREADS, _BATCH = 8, 64
# Of each thread: nine lookups and an insert, as often.
_STEPS, _QUICK_STEPS = 50, 5
# How often a thread goes through its steps in a turn.
_ROUNDS_OF_STEPS = 4


def _sharded(key_dtype: tf.DType = tf.int64):
    return sharded_hash_table.ShardedHashTable(key_dtype, tf.int64, -1)


def _mutable(key_dtype: tf.DType = tf.int64):
    return tf.lookup.experimental.MutableHashTable(key_dtype, tf.int64, -1)


def _dense():
    return tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-2
    )


_TABLES = {
    "ShardedHashTable": _sharded,
    "MutableHashTable": _mutable,
    "DenseHashTable": _dense,
}


def int_keys(count: int) -> np.ndarray:
    """Returns keys that differ, of all sizes and in no order."""
    numbers = np.random.default_rng(0).permutation(count).astype(np.uint64)
    # Modulo 2**64 an odd factor makes of numbers that differ others that do.
    return (numbers * np.uint64(0x9E3779B97F4A7C15)).view(np.int64)


def _filled(make: Callable[[], object], keys: tf.Tensor):
    table = make()
    table.insert(keys, tf.range(len(keys), dtype=tf.int64))
    return table


def _lookup_ints(run: row.Run) -> Mapping[str, measure.Side]:
    inserted = tf.constant(int_keys(run.items))
    keys = tf.random.shuffle(inserted, seed=1)
    tables = {name: _filled(make, inserted) for name, make in _TABLES.items()}
    return {
        name: lambda table=table: table.lookup(keys)
        for name, table in tables.items()
    }


def _insert_ints(run: row.Run) -> Mapping[str, measure.Side]:
    keys = tf.constant(int_keys(run.items))
    values = tf.range(run.items, dtype=tf.int64)
    return {
        name: measure.Prepared(make, lambda table: table.insert(keys, values))
        for name, make in _TABLES.items()
    }


def _export_ints(run: row.Run) -> Mapping[str, measure.Side]:
    keys = tf.constant(int_keys(run.items))
    ours, peer = _filled(_sharded, keys), _filled(_mutable, keys)
    return {"ShardedHashTable": ours.export, "MutableHashTable": peer.export}


def _lookup_strings(run: row.Run) -> Mapping[str, measure.Side]:
    numbers = tf.constant(int_keys(run.items))
    inserted = tf.strings.as_string(numbers % 10**16, width=16, fill="0")
    keys = tf.random.shuffle(inserted, seed=1)
    ours = _filled(lambda: _sharded(tf.string), inserted)
    peer = _filled(lambda: _mutable(tf.string), inserted)
    return {
        "ShardedHashTable": lambda: ours.lookup(keys),
        "MutableHashTable": lambda: peer.lookup(keys),
    }


def _crafted_strings(run: row.Run) -> Mapping[str, measure.Side]:
    """Filling and reading a table of strings of 16 bytes that were chosen.

    Their last eight are one of two constants of a hash that multiplies words, which for
    one that is not careful makes the first eight count for nothing.
    """
    words = np.random.default_rng(0).integers(
        0, 2**64, [run.items, 2], np.uint64
    )
    crafted = words.copy()
    constants = np.array([0x9E3779B97F4A7C15, 0x243F6A8885A308D3], np.uint64)
    crafted[:, 1] = np.resize(constants, run.items)

    def side(words: np.ndarray) -> measure.Side:
        keys = tf.constant([word.tobytes() for word in words])
        values = tf.range(run.items, dtype=tf.int64)

        def fill_and_read(table) -> None:
            table.insert(keys, values)
            table.lookup(keys)

        return measure.Prepared(lambda: _sharded(tf.string), fill_and_read)

    return {"crafted keys": side(crafted), "random keys": side(words)}


def _hold_pairs(make: Callable[[], object], count: int):
    table = make()
    step = min(count, 1_000_000)
    for begin in range(0, count, step):
        keys = tf.range(begin, min(begin + step, count), dtype=tf.int64)
        table.insert(keys * 0x9E3779B97F4A7C1, keys)
    return table


def hold_in_sharded(count: int):
    """Returns a table of so many pairs."""
    return _hold_pairs(_sharded, count)


def hold_in_mutable(count: int):
    """Returns a table of so many pairs."""
    return _hold_pairs(_mutable, count)


def _threads(run: row.Run) -> Mapping[str, measure.Side]:
    """Threads that each work through batches, in graphs, on one table.

    Each thread runs its graph itself, so Python is no part of it.
    """
    steps = run.items // (_THREADS * _ROUNDS_OF_STEPS * 10 * _BATCH)
    keys = int_keys(_QUICK_ITEMS if run.quick else _ITEMS)
    rng = np.random.default_rng(0)
    pool = concurrent.futures.ThreadPoolExecutor(_THREADS)
    run.cleanup.callback(pool.shutdown)
    values = tf.range(_BATCH, dtype=tf.int64)

    def work_of_a_thread(table) -> Callable[[], None]:
        batches = rng.choice(keys, [steps, 10, _BATCH])

        @tf.function
        def work():
            for step in batches:
                for batch in step[:-1]:
                    table.lookup(tf.constant(batch))
                table.insert(tf.constant(step[-1]), values)

        with context.function_executor_type("SINGLE_THREADED_EXECUTOR"):
            work()

        def repeat():
            with context.function_executor_type("SINGLE_THREADED_EXECUTOR"):
                for _ in range(_ROUNDS_OF_STEPS):
                    work()

        return repeat

    def side(make: Callable[[], object]) -> measure.Side:
        table = _filled(make, tf.constant(keys))
        works = [work_of_a_thread(table) for _ in range(_THREADS)]
        return lambda: [
            job.result() for job in [pool.submit(work) for work in works]
        ]

    return {
        "ShardedHashTable": side(_sharded),
        "MutableHashTable": side(_mutable),
    }


def _row(
    name: str,
    about: str,
    measured: Callable[[row.Run], row.Costs],
    floors: Mapping[str, float],
    **changes,
) -> row.Row:
    return row.Row(
        **{
            "name": f"sharded_hash_table/{name}",
            "about": about,
            "item": "key",
            "items": _ITEMS,
            "quick_items": _QUICK_ITEMS,
            "ours": "ShardedHashTable",
            "peers": tuple(row.Peer(*floor) for floor in floors.items()),
            "measure": measured,
            **changes,
        }
    )


ROWS = (
    _row(
        "lookup_int64",
        "All keys of the table in one batch, in another order than inserted. "
        "No table fits a cache: of a million keys ours would in many, and the "
        "ratio be that of the caches.",
        measure.interleaved(_lookup_ints),
        {"MutableHashTable": 2.5, "DenseHashTable": 2},
        items=_ITEMS_BEYOND_CACHES,
    ),
    _row(
        "insert_int64",
        "One batch of keys that differ, into a table that is new each time.",
        measure.interleaved(_insert_ints),
        {"MutableHashTable": 3, "DenseHashTable": 1.5},
    ),
    _row(
        "export_int64",
        "The whole table, in whatever order.",
        measure.interleaved(_export_ints),
        {"MutableHashTable": 8},
    ),
    _row(
        "lookup_string",
        "All keys of the table, of 16 bytes, in one batch, in another order "
        "than inserted.",
        measure.interleaved(_lookup_strings),
        {"MutableHashTable": 2},
    ),
    _row(
        "crafted_string",
        "A new table is filled and read, with keys of 16 bytes that are chosen "
        "to collide under hashes which multiply, beside random ones; the ratio "
        "is the part of their speed that is left, and not below 1/1.5.",
        measure.interleaved(_crafted_strings),
        {},
        items=80_000,
        ours="crafted keys",
        peers=(row.Peer("random keys", floor=0.67, is_limit=True),),
    ),
    _row(
        "memory_int64",
        "What a process grows by for a table of int64 pairs, filled a million "
        "at a time.",
        measure.resident(
            {
                "ShardedHashTable": hold_in_sharded,
                "MutableHashTable": hold_in_mutable,
            }
        ),
        {"MutableHashTable": 2},
        item="pair",
        items=10_000_000,
        quick_items=200_000,
        unit="bytes",
        rounds=3,
    ),
    _row(
        "threads_int64",
        f"{_THREADS} threads on a table of {_ITEMS:,} keys, whatever --threads "
        f"says: in turn nine lookups and an insert, of {_BATCH} keys each, all "
        "of which are there; in graphs, so that Python is no part of it.",
        measure.interleaved(_threads),
        {"MutableHashTable": 1.5},
        items=_THREADS * _ROUNDS_OF_STEPS * _STEPS * 10 * _BATCH,
        quick_items=_THREADS * _ROUNDS_OF_STEPS * _QUICK_STEPS * 10 * _BATCH,
    ),
)
