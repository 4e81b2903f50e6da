"""Runs operations of a table at once, on threads, and checks all that they see.

    operation_pairs --threads=8 insert,export:200000:2 insert,remove:4096:0.5

Started by `operation_pairs_test` in a process of its own, since the threads of
TensorFlow's pool are set once a process and since a table that hangs cannot be
stopped otherwise. If a thread makes no progress for long, the stacks of all
threads are printed and the process ends.

All operations work on the same keys, each time in another order. What is written
says who wrote it, when, and for which key, so whatever is read can be checked:
that it was written, that it was not overwritten before the read began, and that
an export is of one moment.
"""

import argparse
import contextlib
import copy
import faulthandler
import itertools
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)

# A value is, from its lowest bit: how often was added to it, its key, the number of
# the writer, and which of the writer's events set it.
_ADD_BITS, _KEY_BITS, _WRITER_BITS = 20, 18, 3
_KEY_SHIFT = _ADD_BITS
_WRITER_SHIFT = _KEY_SHIFT + _KEY_BITS
_EVENT_SHIFT = _WRITER_SHIFT + _WRITER_BITS
# Who filled the table; and who "wrote" a value that began by an addition.
_FILLER, _NOBODY = 7, 0
_MAX_WRITERS = 6

_ABSENT = -1
# Of a key that a batch holds twice, the value that nobody may ever see.
OVERTAKEN = -2
_RESTORED_FILES = 4


class Wrong(Exception):
    """Something was read that cannot be."""


def _require(holds: object, what: str, *found: object) -> None:
    if not np.all(holds):
        raise Wrong(f"{what}. Found: {', '.join(map(str, found))}")


class Batch:
    """The keys of all operations: most of them once, some of them twice."""

    def __init__(self, size: int) -> None:
        twice = size // 16
        self.keys = np.arange(size - twice, dtype=np.int64)
        self._twice = twice

    def shuffled(self, rng: np.random.Generator) -> np.ndarray:
        """Returns all keys in some order, after some that come again."""
        keys = rng.permutation(self.keys)
        return np.concatenate([rng.permutation(keys)[: self._twice], keys])

    def come_again(self, keys: np.ndarray) -> np.ndarray:
        """Returns which keys of a shuffled batch are those that it has twice."""
        return np.isin(keys, keys[: self._twice])

    def first_ones(self, values: np.ndarray, instead: int) -> np.ndarray:
        """Replaces the values of the keys that come again."""
        values[: self._twice] = instead
        return values


class Writer:
    """What a thread writes: events, each of which is for all keys."""

    # "set", "delete" or "add", by the number of the event.
    effects: tuple[str, ...] = ()
    # Whether an event happens to all keys at one moment.
    at_once = False
    # After how many events its values come again.
    period = 1 << 20

    def __init__(self, number: int) -> None:
        self.number = number
        self.started = self.done = 0

    def effect(self, event: int) -> str:
        """Returns what an event does to each key."""
        return self.effects[event % len(self.effects)]

    def values(self, keys: np.ndarray, event: int) -> np.ndarray:
        """Returns what an event sets keys to."""
        return (
            (np.int64(event % self.period) << _EVENT_SHIFT)
            | np.int64((self.number + 1) << _WRITER_SHIFT)
            | (keys << _KEY_SHIFT)
        )

    @contextlib.contextmanager
    def event(self) -> Iterator[None]:
        """Counts the next event: as started before it, as done after it."""
        self.started += 1
        yield
        self.done += 1

    @property
    def last(self) -> str | None:
        """What its last event did, if there was one."""
        return self.effect(self.done - 1) if self.done else None


def filling(keys: np.ndarray) -> np.ndarray:
    """Returns the values that a table begins with."""
    return np.int64(_FILLER << _WRITER_SHIFT) | (keys << _KEY_SHIFT)


class Seen:
    """Keys and values that were read, taken apart."""

    def __init__(self, keys: np.ndarray, values: np.ndarray) -> None:
        self.keys = keys
        self.count = len(keys)
        _require(values >= 0, "a value is none that was written", values)
        self.event = values >> _EVENT_SHIFT
        self.writer = (values >> _WRITER_SHIFT) & ((1 << _WRITER_BITS) - 1)
        self.added = values & ((1 << _ADD_BITS) - 1)
        born = self.writer == _NOBODY
        key = (values >> _KEY_SHIFT) & ((1 << _KEY_BITS) - 1)
        _require(
            np.where(born, key == 0, key == keys),
            "a value is that of another key",
            keys[:5],
            key[:5],
        )
        _require(self.added[born] > 0, "a value of nobody's")


class History:
    """What may be read of a table, by what its writers have done so far."""

    def __init__(self, batch: Batch, writers: list[Writer]) -> None:
        self._batch = batch
        self._writers = writers
        self._setters = [w for w in writers if w.effects != ("add",)]
        self._adders = [w for w in writers if w.effects == ("add",)]

    def done(self) -> dict[Writer, int]:
        """Returns how many events of each writer are over. Before a read."""
        return {writer: writer.done for writer in self._writers}

    def check(
        self,
        keys: np.ndarray,
        values: np.ndarray,
        absent: np.ndarray,
        before: dict[Writer, int],
        one_moment: bool = False,
    ) -> None:
        """Checks what a read saw that began after `before` was taken.

        Args:
          keys: the keys that were found to be there.
          values: their values.
          absent: the keys that were found not to be there.
          before: what `done` returned.
          one_moment: whether the read was of one moment for all keys.
        """
        started = {writer: writer.started for writer in self._writers}
        seen = Seen(keys, values)
        known = seen.writer == _NOBODY
        if len(absent):
            _require(
                any(
                    writer.effect(event) == "delete"
                    for writer in self._setters
                    for event in range(
                        max(before[writer] - 1, 0), started[writer]
                    )
                ),
                "keys are gone that nobody can have removed",
                absent[:5],
            )
        for writer in self._setters:
            mine = seen.writer == writer.number + 1
            known |= mine
            if not mine.any():
                continue
            # The last event of this number that may have begun.
            last = started[writer] - 1
            event = last - (last - seen.event[mine]) % writer.period
            _require(
                event >= max(before[writer] - 1, 0),
                f"writer {writer.number}'s values were overwritten before",
                event.min(),
                before[writer],
            )
            if one_moment:
                _require(
                    np.ptp(event) <= (0 if writer.at_once else 1),
                    f"an export saw writer {writer.number} at several moments",
                    np.unique(event),
                )
        filled = seen.writer == _FILLER
        known |= filled
        _require(known, "a value is of a writer that there is not")
        if filled.any():
            _require(
                all(before[writer] == 0 for writer in self._setters),
                "a value of the beginning was overwritten before",
            )
        if not len(seen.keys):
            return
        most = sum(started[writer] for writer in self._adders)
        _require(seen.added <= most, "too much was added", seen.added.max())
        if not self._setters:
            least = sum(before[writer] for writer in self._adders)
            _require(seen.added >= least, "an addition is lost", least)
            if one_moment:
                _require(
                    np.ptp(seen.added) <= len(self._adders),
                    "an export saw additions at several moments",
                    np.unique(seen.added),
                )
        if one_moment and self._setters == self._writers:
            if all(writer.at_once for writer in self._writers):
                _require(
                    seen.count == len(self._batch.keys)
                    and len(np.unique(seen.writer)) == 1,
                    "an export saw a part of what was done at once",
                    seen.count,
                )

    def check_export(
        self,
        keys: np.ndarray,
        values: np.ndarray,
        before: dict[Writer, int],
    ) -> None:
        """Checks all that a table holds, as of one moment."""
        order = np.argsort(keys)
        sorted_keys = keys[order]
        _require(np.diff(sorted_keys) > 0, "a key is there twice")
        absent = np.setdiff1d(self._batch.keys, sorted_keys, True)
        _require(
            len(absent) + len(keys) == len(self._batch.keys),
            "a key is there that nobody wrote",
            sorted_keys[:5],
        )
        self.check(keys, values, absent, before, one_moment=True)

    def check_end(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Checks what a table holds when all writers have come to their end."""
        self.check_export(keys, values, self.done())
        lasts = {writer.last for writer in self._setters}
        if "delete" not in lasts:
            _require(
                len(keys) == len(self._batch.keys),
                "a key is gone at the end",
                len(keys),
            )
        added = sum(writer.done for writer in self._adders)
        seen = Seen(keys, values)
        if lasts <= {None}:
            _require(
                (seen.added == added) & (seen.writer == _FILLER),
                "the sums at the end are not those of all additions",
                np.unique(seen.added),
                added,
            )
        for writer in self._setters:
            mine = seen.writer == writer.number + 1
            _require(
                seen.event[mine] == (writer.done - 1) % writer.period,
                f"writer {writer.number}'s last event is not what is left",
                np.unique(seen.event[mine]),
                writer.done,
            )


class Scene:
    """A table, its history, and where its checkpoints go."""

    def __init__(self, batch: Batch, folder: str) -> None:
        self.batch = batch
        self.folder = folder
        self.table = new_table()
        self.table.insert(batch.keys, filling(batch.keys))
        self.history: History
        self.restoring = threading.Lock()


def new_table():
    """Returns an empty table."""
    return sharded_hash_table.ShardedHashTable(tf.int64, tf.int64, _ABSENT)


def contents(table, **options) -> tuple[np.ndarray, np.ndarray]:
    """Returns what a table exports."""
    keys, values = table.export(**options)
    return keys.numpy(), values.numpy()


class Inserting(Writer):
    """Sets all keys, each event anew."""

    effects = ("set",)


class Adding(Writer):
    """Adds one to all keys."""

    effects = ("add",)


class Removing(Writer):
    """Sets all keys and removes them, in turn."""

    effects = ("set", "delete")


class Clearing(Removing):
    """The same, each at one moment."""

    at_once = True


class Importing(Inserting):
    """Puts all keys in place of what is there."""

    at_once = True


class Restoring(Importing):
    """Does so with what some files have."""

    period = _RESTORED_FILES


def _values(scene: Scene, writer: Writer, keys: np.ndarray) -> np.ndarray:
    """Returns what the next event sets the keys of a batch to."""
    values = writer.values(keys, writer.started)
    return scene.batch.first_ones(values, OVERTAKEN)


def insert(scene: Scene, writer: Writer, rng: np.random.Generator) -> None:
    """Sets all keys."""
    keys = scene.batch.shuffled(rng)
    values = _values(scene, writer, keys)
    with writer.event():
        scene.table.insert(keys, values)


def accumulate(scene: Scene, writer: Writer, rng: np.random.Generator) -> None:
    """Adds one to all keys; to some of them five, and takes four away."""
    keys = scene.batch.shuffled(rng)
    deltas = np.where(scene.batch.come_again(keys), -4, 1)
    scene.batch.first_ones(deltas, 5)
    with writer.event():
        scene.table.accumulate(keys, deltas)


def remove(scene: Scene, writer: Writer, rng: np.random.Generator) -> None:
    """Sets all keys and removes them."""
    insert(scene, writer, rng)
    keys = scene.batch.shuffled(rng)
    with writer.event():
        scene.table.remove(keys)


def clear(scene: Scene, writer: Writer, rng: np.random.Generator) -> None:
    """Puts all keys there at once, and removes all that is there."""
    do_import(scene, writer, rng)
    with writer.event():
        scene.table.clear()


def do_import(scene: Scene, writer: Writer, rng: np.random.Generator) -> None:
    """Puts all keys in place of what is there."""
    keys = scene.batch.shuffled(rng)
    values = _values(scene, writer, keys)
    with writer.event():
        scene.table.do_import(keys, values)


def restore(scene: Scene, writer: Writer, rng: np.random.Generator) -> None:
    """Puts what a checkpoint has in place of what is there."""
    number = writer.started % _RESTORED_FILES
    path = os.path.join(scene.folder, f"restored-{writer.number}-{number}")
    if not os.path.exists(path + ".index"):
        table = new_table()
        table.insert(scene.batch.keys, writer.values(scene.batch.keys, number))
        tf.train.Checkpoint(table=table).write(path)
    # Of two at once TensorFlow passes one object's values on and not the other's.
    with scene.restoring, writer.event():
        tf.train.Checkpoint(table=scene.table).read(path).assert_consumed()


def lookup(scene: Scene, writer: None, rng: np.random.Generator) -> None:
    """Looks up all keys."""
    keys = rng.permutation(scene.batch.keys)
    before = scene.history.done()
    values = scene.table.lookup(keys).numpy()
    there = values != _ABSENT
    scene.history.check(keys[there], values[there], keys[~there], before)


def lookup_or(scene: Scene, writer: None, rng: np.random.Generator) -> None:
    """Looks up all keys, with a default for each."""
    keys = rng.permutation(scene.batch.keys)
    defaults = -1000 - keys
    before = scene.history.done()
    values = scene.table.lookup(keys, defaults).numpy()
    there = values != defaults
    scene.history.check(keys[there], values[there], keys[~there], before)


def size(scene: Scene, writer: None, rng: np.random.Generator) -> None:
    """Asks for the number of keys, which is never above that of all."""
    count = scene.table.size().numpy()
    _require(0 <= count <= len(scene.batch.keys), "a size", count)
    if not any("delete" in w.effects for w in scene.history.done()):
        _require(count == len(scene.batch.keys), "a size", count)


def export(scene: Scene, writer: None, rng: np.random.Generator) -> None:
    """Exports all keys."""
    before = scene.history.done()
    scene.history.check_export(*contents(scene.table), before)


def export_sorted(scene: Scene, writer: None, rng: np.random.Generator) -> None:
    """Exports all keys in their order."""
    before = scene.history.done()
    keys, values = contents(scene.table, stable_order=True)
    _require(np.diff(keys) > 0, "keys are not in order")
    scene.history.check_export(keys, values, before)


def save(scene: Scene, writer: None, rng: np.random.Generator) -> None:
    """Writes a checkpoint."""
    before = scene.history.done()
    name = f"saved-{threading.get_ident()}"
    path = tf.train.Checkpoint(table=scene.table).write(
        os.path.join(scene.folder, name)
    )
    table = new_table()
    tf.train.Checkpoint(table=table).read(path).assert_consumed()
    scene.history.check_export(*contents(table), before)


def copy_table(scene: Scene, writer: None, rng: np.random.Generator) -> None:
    """Makes a copy."""
    before = scene.history.done()
    table = copy.deepcopy(scene.table)
    scene.history.check_export(*contents(table), before)


# All of them, and who writes in each.
OPERATIONS: dict[str, tuple[Callable[..., None], type[Writer] | None]] = {
    "lookup": (lookup, None),
    "lookup_or": (lookup_or, None),
    "insert": (insert, Inserting),
    "accumulate": (accumulate, Adding),
    "remove": (remove, Removing),
    "clear": (clear, Clearing),
    "size": (size, None),
    "export": (export, None),
    "export_sorted": (export_sorted, None),
    "do_import": (do_import, Importing),
    "save": (save, None),
    "restore": (restore, Restoring),
    "copy": (copy_table, None),
}


def run_together(
    names: list[str], batch_size: int, seconds: float, patience: float
) -> list[int]:
    """Runs operations on a thread each, again and again for a while.

    Returns:
      How often each was run.

    Raises:
      Wrong: Something was read that cannot be. What TensorFlow raises in a
        thread is raised here, too.
    """
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Batch(batch_size), folder)
        numbers = itertools.count()
        cast = []
        for name in names:
            operation, role = OPERATIONS[name]
            cast.append((operation, role and role(next(numbers))))
        writers = [writer for _, writer in cast if writer]
        assert len(writers) <= _MAX_WRITERS
        scene.history = History(scene.batch, writers)
        calls = [0] * len(cast)
        errors: list[BaseException] = []
        stop = threading.Event()
        begin = threading.Barrier(len(cast) + 1)

        def act(i: int) -> None:
            operation, writer = cast[i]
            rng = np.random.default_rng(i)
            begin.wait()
            try:
                # Whatever is begun is ended, and each has its turn.
                while calls[i] == 0 or not stop.is_set():
                    operation(scene, writer, rng)
                    calls[i] += 1
            except BaseException as error:
                errors.append(error)

        threads = [
            threading.Thread(target=act, args=(i,), daemon=True)
            for i in range(len(cast))
        ]
        for thread in threads:
            thread.start()
        begin.wait()
        _watch(threads, calls, errors, stop, seconds, patience)
        if errors:
            raise errors[0]
        scene.history.check_end(*contents(scene.table))
        keys, values = contents(scene.table, stable_order=True)
        found = scene.table.lookup(keys).numpy()
        _require(found == values, "a lookup differs from the export")
        _require(scene.table.size().numpy() == len(keys), "the size at the end")
        return calls


def _watch(
    threads: list[threading.Thread],
    calls: list[int],
    errors: list[BaseException],
    stop: threading.Event,
    seconds: float,
    patience: float,
) -> None:
    """Waits for threads to end, and ends the process if one makes no progress."""
    end = time.monotonic() + seconds
    seen = dict.fromkeys(range(len(threads)), -1)
    faulthandler.dump_traceback_later(patience, exit=True)
    while any(thread.is_alive() for thread in threads):
        if errors or time.monotonic() > end:
            stop.set()
        if all(
            calls[i] > seen[i] or not thread.is_alive()
            for i, thread in enumerate(threads)
        ):
            seen = dict(enumerate(calls))
            faulthandler.dump_traceback_later(patience, exit=True)
        time.sleep(0.01)
    faulthandler.cancel_dump_traceback_later()


def main(arguments: list[str]) -> None:
    """Runs what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument(
        "--patience",
        type=float,
        default=120,
        help="seconds after which a thread that does not go on is said to hang",
    )
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="OPERATION,OPERATION:KEYS:SECONDS",
        help="what runs at once, with how many keys a batch, for how long",
    )
    options = parser.parse_args(arguments)
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    for run in options.runs:
        names, batch, seconds = run.split(":")
        print(f"{run}: ", end="", flush=True)
        calls = run_together(
            names.split(","), int(batch), float(seconds), options.patience
        )
        print(*calls, "calls", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
