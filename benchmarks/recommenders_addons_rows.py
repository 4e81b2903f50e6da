"""The rows of `sharded_hash_table` beside TensorFlow Recommenders Addons.

Its `CuckooHashTable` is the table that recommender systems keep embeddings in.
Release 0.8.1 needs TensorFlow 2.16.2; with another release there are no rows. Of
its Python nothing is run, as that needs Keras 2 and a setuptools of that time:
its ops are called as its class calls them.
"""

import functools
import importlib.util
import itertools
import os
from collections.abc import Callable
from collections.abc import Mapping
from types import ModuleType

import tensorflow as tf

from benchmarks import measure
from benchmarks import row
from benchmarks import sharded_hash_table_rows
from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)

_PACKAGE = importlib.util.find_spec("tensorflow_recommenders_addons")
_ITEMS, _QUICK_ITEMS = 1_000_000, 20_000


@functools.cache
def _ops() -> ModuleType:
    return tf.load_op_library(
        os.path.join(
            _PACKAGE.submodule_search_locations[0],
            "dynamic_embedding/core/_cuckoo_hashtable_ops.so",
        )
    )


class _CuckooHashTable:
    """The ops as methods. The table is destroyed with the object."""

    _numbers = itertools.count()

    def __init__(self, value_length: int) -> None:
        self._default = tf.zeros([value_length])
        self._handle = _ops().tfra_cuckoo_hash_table_of_tensors(
            key_dtype=tf.int64,
            value_dtype=tf.float32,
            value_shape=[value_length],
            shared_name=f"table_{next(self._numbers)}",
        )

    def __del__(self) -> None:
        tf.raw_ops.DestroyResourceOp(resource=self._handle)

    def insert(self, keys: tf.Tensor, values: tf.Tensor) -> None:
        _ops().tfra_cuckoo_hash_table_insert(self._handle, keys, values)

    def lookup(self, keys: tf.Tensor) -> tf.Tensor:
        return _ops().tfra_cuckoo_hash_table_find(
            self._handle, keys, self._default
        )

    def export(self) -> tuple[tf.Tensor, tf.Tensor]:
        return _ops().tfra_cuckoo_hash_table_export(
            self._handle, tf.int64, tf.float32
        )


def _sharded(value_length: int):
    return sharded_hash_table.ShardedHashTable(
        tf.int64, tf.float32, tf.zeros([value_length])
    )


_TABLES = {"ShardedHashTable": _sharded, "CuckooHashTable": _CuckooHashTable}

Sides = Mapping[str, measure.Side]


def _filled(run: row.Run, value_length: int) -> tuple[tf.Tensor, dict]:
    """Returns keys and the tables, by their names, that have them."""
    keys = tf.constant(sharded_hash_table_rows.int_keys(run.items))
    values = tf.random.normal([run.items, value_length], seed=1)
    tables = {name: make(value_length) for name, make in _TABLES.items()}
    for table in tables.values():
        table.insert(keys, values)
    return keys, tables


def _insert(value_length: int, run: row.Run) -> Sides:
    keys = tf.constant(sharded_hash_table_rows.int_keys(run.items))
    values = tf.random.normal([run.items, value_length], seed=1)
    return {
        name: measure.Prepared(
            functools.partial(make, value_length),
            lambda table: table.insert(keys, values),
        )
        for name, make in _TABLES.items()
    }


def _overwrite(value_length: int, run: row.Run) -> Sides:
    keys, tables = _filled(run, value_length)
    keys = tf.random.shuffle(keys, seed=1)
    values = tf.random.normal([run.items, value_length], seed=2)
    return {
        name: functools.partial(table.insert, keys, values)
        for name, table in tables.items()
    }


def _lookup(value_length: int, run: row.Run) -> Sides:
    keys, tables = _filled(run, value_length)
    keys = tf.random.shuffle(keys, seed=1)
    return {
        name: functools.partial(table.lookup, keys)
        for name, table in tables.items()
    }


def _export(value_length: int, run: row.Run) -> Sides:
    _, tables = _filled(run, value_length)
    return {name: table.export for name, table in tables.items()}


def _row(
    sides: Callable[[int, row.Run], Sides],
    about: str,
    value_length: int,
    floor: float,
) -> row.Row:
    name = sides.__name__.removeprefix("_")
    return row.Row(
        name=f"sharded_hash_table/recommenders_addons_{name}_{value_length}",
        about=f"{about} Values are of {value_length} float32 each.",
        item="key",
        items=_ITEMS,
        quick_items=_QUICK_ITEMS,
        ours="ShardedHashTable",
        peers=(row.Peer("CuckooHashTable", floor),),
        measure=measure.interleaved(functools.partial(sides, value_length)),
        rounds=11,
    )


# By the numbers of a value: of insert, overwrite, lookup and export. Of 16 and 64
# nine tenths of what a server of two cores had once: 3.5, 2.4, 3.2, 1.5 and 2.8,
# 1.7, 2.1, 1.2 times. Of 1, where that was 9.4, 5.7, 5.8, 2.3, what another holds:
# there the peer takes from 133 to 160 and from 48 to 62 ns for the first two.
_FLOORS = {
    1: (6, 3.5, 4.5, 2),
    16: (3.15, 2.15, 2.9, 1.35),
    64: (2.5, 1.5, 1.9, 1.05),
}


def _rows(
    value_length: int,
    insert: float,
    overwrite: float,
    lookup: float,
    export: float,
) -> tuple[row.Row, ...]:
    return (
        _row(
            _insert,
            "One batch of keys that differ, into a table that is new each time.",
            value_length,
            insert,
        ),
        _row(
            _overwrite,
            "New values for all keys of the table, in another order.",
            value_length,
            overwrite,
        ),
        _row(
            _lookup,
            "All keys of the table, in another order than inserted.",
            value_length,
            lookup,
        ),
        _row(_export, "The whole table.", value_length, export),
    )


ROWS: tuple[row.Row, ...] = (
    tuple(
        itertools.chain.from_iterable(
            _rows(value_length, *floors)
            for value_length, floors in _FLOORS.items()
        )
    )
    if _PACKAGE
    else ()
)
