"""Runs operations of a table while each allocation of theirs fails in its turn.

    LD_PRELOAD=.../failing_malloc.so failing_allocations

For n = 1, 2, ... the n-th allocation that the kernel library asks for in an
operation fails. The operation is to succeed, or to raise ResourceExhaustedError;
the table is to hold what it did, or of some keys what the operation was to do; and
the same operation is to succeed afterwards. Started by `failing_allocations_test`.
"""

import argparse
import copy
import ctypes
import faulthandler
import itertools
import pathlib
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import errors

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)

# Without progress for so long, in seconds, an operation is said to hang.
_PATIENCE = 300

# A table's contents: its values, by the text of its keys.
Contents = dict[Any, Any]


def _mapped(name: str) -> tuple[int, int]:
    """Returns where a library of this process begins and ends."""
    addresses = [
        [int(address, 16) for address in line.split()[0].split("-")]
        for line in pathlib.Path("/proc/self/maps").read_text().splitlines()
        if pathlib.Path(line.split()[-1]).name.startswith(name)
    ]
    return addresses[0][0], addresses[-1][1]


class Failing:
    """Lets an allocation of the kernel library fail."""

    def __init__(self, malloc_too: bool) -> None:
        self._library = ctypes.CDLL(None)
        self._at = self._library.failing_allocations_at
        self._at.argtypes, self._at.restype = [ctypes.c_int64], ctypes.c_int64
        of = self._library.failing_allocations_of
        of.argtypes = [ctypes.c_size_t] * 4 + [ctypes.c_int]
        of(
            *_mapped("sharded_hash_table_kernel"),
            *_mapped("libstdc++.so.6"),
            malloc_too,
        )

    def at(self, n: int) -> int:
        """Lets the n-th one from now on fail, or none; returns how many did."""
        return self._at(n)


class Kind:
    """A kind of table, and what its keys and values are made of."""

    def __init__(
        self,
        key_dtype: tf.DType,
        key_shape: tuple[int, ...],
        value_dtype: tf.DType,
        value_shape: tuple[int, ...],
    ) -> None:
        self.key_dtype, self.key_shape = key_dtype, key_shape
        self.value_dtype, self.value_shape = value_dtype, value_shape
        self.strings = tf.string in (key_dtype, value_dtype)
        self.name = (
            f"{key_dtype.name}{list(key_shape)} to "
            f"{value_dtype.name}{list(value_shape)}"
        )

    def _tensor(
        self, numbers: np.ndarray, dtype: tf.DType, shape: tuple[int, ...]
    ) -> np.ndarray:
        numbers = np.broadcast_to(
            numbers.reshape((-1,) + (1,) * len(shape)), (len(numbers), *shape)
        )
        if dtype != tf.string:
            return numbers.astype(dtype.as_numpy_dtype)
        # Longer than what a table keeps in a cell.
        return np.vectorize(
            lambda number: b"a long string %09d" % number, otypes=[object]
        )(numbers).astype(object)

    def keys(self, begin: int, end: int) -> np.ndarray:
        """Returns keys."""
        return self._tensor(
            np.arange(begin, end), self.key_dtype, self.key_shape
        )

    def values(self, begin: int, end: int, added: int) -> np.ndarray:
        """Returns values of the keys, which differ by what is added."""
        return self._tensor(
            np.arange(begin, end) + added, self.value_dtype, self.value_shape
        )

    def table(self):
        """Returns an empty table."""
        return sharded_hash_table.ShardedHashTable(
            self.key_dtype,
            self.value_dtype,
            tf.zeros(self.value_shape, self.value_dtype),
            empty_key=tf.zeros(self.key_shape, self.key_dtype),
        )


def pairs_of(keys: np.ndarray, values: np.ndarray) -> Contents:
    """Returns values by keys."""
    return dict(zip(map(str, keys.tolist()), values.tolist(), strict=True))


def contents(table) -> Contents:
    """Returns what is in a table."""
    keys, values = table.export()
    found = pairs_of(keys.numpy(), values.numpy())
    if len(found) != len(keys):
        raise AssertionError("a key is there twice")
    return found


class Case:
    """An operation on a table that holds some keys, and what comes of it."""

    def __init__(self, kind: Kind, held: int, batch: int, folder: str) -> None:
        self._kind = kind
        self._held = held
        # Half of them are there already.
        self._begin, self._end = held - min(held, batch // 2), held + batch
        self._path = f"{folder}/restored"
        self.before = self._pairs(0, held, 1000)
        self.operations: dict[str, Callable[[Any], Contents | None]] = {
            "create": self._create,
            "lookup": self._lookup,
            "lookup_or": self._lookup_or,
            "insert": self._insert,
            "remove": self._remove,
            "clear": self._clear,
            "size": self._size,
            "export": self._export,
            "export_sorted": self._export_sorted,
            "do_import": self._do_import,
            "save": self._save,
            "restore": self._restore,
            "copy": self._copy,
        }
        if kind.value_dtype != tf.string:
            self.operations["accumulate"] = self._accumulate

    def filled(self):
        """Returns a table as it is before an operation."""
        table = self._kind.table()
        table.insert(*self._batch(0, self._held, 1000))
        return table

    def _batch(self, begin: int, end: int, added: int) -> tuple:
        return self._kind.keys(begin, end), self._kind.values(begin, end, added)

    def _pairs(self, begin: int, end: int, added: int) -> Contents:
        return pairs_of(*self._batch(begin, end, added))

    # Each returns what the table is to hold then, if that is not what it held.

    def _create(self, table):
        _require(self._kind.table().size().numpy() == 0, "a new table")

    def _lookup(self, table):
        keys, values = self._batch(0, self._held, 1000)
        found = table.lookup(keys).numpy()
        _require(np.array_equal(found, values), "values")

    def _lookup_or(self, table):
        keys, values = self._batch(self._end, self._end + self._held, 1)
        found = table.lookup(keys, values).numpy()
        _require(np.array_equal(found, values), "defaults")

    def _insert(self, table):
        table.insert(*self._batch(self._begin, self._end, 2000))
        return {**self.before, **self._pairs(self._begin, self._end, 2000)}

    def _accumulate(self, table):
        table.accumulate(*self._batch(self._begin, self._end, 0))
        after = dict(self.before)
        for key, delta in self._pairs(self._begin, self._end, 0).items():
            old = after.get(key, np.zeros(self._kind.value_shape).tolist())
            after[key] = (np.asarray(old) + np.asarray(delta)).tolist()
        return after

    def _remove(self, table):
        table.remove(self._kind.keys(self._begin, self._end))
        return self._pairs(0, self._begin, 1000)

    def _clear(self, table):
        table.clear()
        return {}

    def _size(self, table):
        _require(table.size().numpy() == self._held, "the size")

    def _export(self, table):
        _require(contents(table) == self.before, "an export")

    def _export_sorted(self, table):
        keys, values = table.export(stable_order=True)
        expected = self._batch(0, self._held, 1000)
        _require(np.array_equal(keys.numpy(), expected[0]), "sorted keys")
        _require(np.array_equal(values.numpy(), expected[1]), "sorted values")

    def _do_import(self, table):
        table.do_import(*self._batch(self._begin, self._end, 2000))
        return self._pairs(self._begin, self._end, 2000)

    def _save(self, table):
        tf.train.Checkpoint(table=table).write(f"{self._path}-saved")

    def save_what_is_restored(self):
        """Writes the checkpoint that `restore` reads."""
        table = self._kind.table()
        table.insert(*self._batch(self._begin, self._end, 2000))
        tf.train.Checkpoint(table=table).write(self._path)

    def _restore(self, table):
        tf.train.Checkpoint(table=table).read(self._path).assert_consumed()
        return self._pairs(self._begin, self._end, 2000)

    def _copy(self, table):
        _require(contents(copy.deepcopy(table)) == self.before, "a copy")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(f"{what} differs")


def run(failing: Failing, case: Case, name: str, most: int) -> int:
    """Lets each allocation of an operation fail, of so many at most.

    Returns:
      How many failed.

    Raises:
      AssertionError: Something is not as it is to be. What is raised instead of
        ResourceExhaustedError is raised here, too.
    """
    operation = case.operations[name]
    # TensorFlow makes the object of a kernel once, in its own way.
    operation(case.filled())
    for n in itertools.count(1):
        faulthandler.dump_traceback_later(_PATIENCE, exit=True)
        print(n, end=" ", flush=True)
        table = case.filled()
        failing.at(n)
        try:
            after = operation(table)
            succeeded = True
        except errors.ResourceExhaustedError:
            succeeded = False
        failed = failing.at(0)
        if not succeeded:
            _require(failed > 0, "an operation for which there was memory")
        found = contents(table)
        if succeeded:
            _require(found == (case.before if after is None else after), "this")
        again = operation(table)
        again = case.before if again is None else again
        if not succeeded:
            _require(found == case.before, "what was there before")
        # What was added before is added to.
        if name != "accumulate":
            _require(contents(table) == again, "a second time")
        _require(table.size().numpy() == len(contents(table)), "the size")
        if not failed:
            return n - 1
        if n == most:
            return n
    raise AssertionError


def main(arguments: list[str]) -> None:
    """Runs all operations on some kinds of tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held", type=int, default=1000)
    parser.add_argument("--batch", type=int, action="append", required=True)
    parser.add_argument("--most", type=int, default=500)
    parser.add_argument(
        "--operation", action="append", help="of which; else of all"
    )
    options = parser.parse_args(arguments)
    faulthandler.enable()
    tf.config.threading.set_intra_op_parallelism_threads(4)
    for kind in (
        Kind(tf.int64, (), tf.int64, ()),
        Kind(tf.int32, (), tf.float32, (20,)),
        Kind(tf.string, (), tf.string, (2,)),
        Kind(tf.int64, (3,), tf.float32, ()),
        Kind(tf.string, (2,), tf.int64, ()),
    ):
        kind.table()
        # The strings of TensorFlow's tensors do not ask whether there is memory.
        failing = Failing(malloc_too=not kind.strings)
        for batch in options.batch:
            with tempfile.TemporaryDirectory() as folder:
                case = Case(kind, options.held, batch, folder)
                case.save_what_is_restored()
                for name in options.operation or case.operations:
                    if name not in case.operations:
                        continue
                    print(f"{kind.name}, {batch} keys, {name}:", end=" ")
                    count = run(failing, case, name, options.most)
                    print(f"\n  {count} allocations", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
