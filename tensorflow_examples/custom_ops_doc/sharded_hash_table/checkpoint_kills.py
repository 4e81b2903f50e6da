"""Kills processes that save a table while a thread writes it, again and again.

    checkpoint_kills --kills=20 --folder=FOLDER

Each process goes on from the latest checkpoint, checks that it has the table as
of one moment of the save that wrote it, and saves until SIGKILL comes. They are
forked from a process that has imported TensorFlow and not yet used it, so that a
thousand of them take minutes. Started by `checkpoint_kills_test`.
"""

import argparse
import contextlib
import mmap
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    operation_pairs,
)

# Without a word of a process for so long, in seconds, it is said to hang.
_PATIENCE = 300


class Notes:
    """What processes know of each other: it outlives those that are killed."""

    def __init__(self) -> None:
        self._numbers = np.frombuffer(mmap.mmap(-1, 4096), np.int64)

    def _note(index: int, about: str) -> property:  # noqa: N805
        def get(self) -> int:
            return int(self._numbers[index])

        def set_(self, value: int) -> None:
            self._numbers[index] = value

        return property(get, set_, doc=about)

    events_started = _note(0, "How many events the writer has started.")
    events_done = _note(1, "How many of them are over.")
    save_begun = _note(2, "The number of the save that was begun last.")
    done_before_save = _note(3, "How many events were over before it.")
    save_done = _note(4, "The number of the save that was done last.")
    done_before_last_save = _note(5, "How many events were over before it.")
    started_by_last_save = _note(6, "How many had started when it was done.")


class NotedWriter(operation_pairs.Inserting):
    """A writer that goes on where one in another process was killed."""

    def __init__(self, notes: Notes) -> None:
        super().__init__(0)
        self._notes = notes
        self.started = self.done = notes.events_started

    @contextlib.contextmanager
    def event(self) -> Iterator[None]:
        """Counts the next event."""
        self._notes.events_started = self.started + 1
        with super().event():
            yield
        self._notes.events_done = self.done


def check_restored(
    notes: Notes, batch: operation_pairs.Batch, save: int, table
) -> None:
    """Checks that a table is what it was at a moment of a save.

    That save is noted as done: the next process may find no other.

    Args:
      notes: what the processes before knew.
      batch: the keys of the table.
      save: the number that the checkpoint has in it.
      table: what was restored from it.

    Raises:
      operation_pairs.Wrong: It is not.
    """
    writer = operation_pairs.Inserting(0)
    if save == notes.save_done:
        before = notes.done_before_last_save
        writer.started = notes.started_by_last_save
    elif save == notes.save_begun:
        before = notes.done_before_save
        writer.started = notes.events_started
    else:
        raise operation_pairs.Wrong(
            f"the latest checkpoint is that of save {save}, not of "
            f"{notes.save_done} or {notes.save_begun}"
        )
    history = operation_pairs.History(batch, [writer])
    history.check_export(*operation_pairs.contents(table), {writer: before})
    notes.done_before_last_save = before
    notes.started_by_last_save = writer.started
    notes.save_done = save


def save_until_killed(notes: Notes, size: int, folder: str, last: bool) -> None:
    """Goes on from the latest checkpoint of the folder, and checks it.

    Args:
      notes: what the processes know of each other.
      size: the number of keys of a batch.
      folder: where checkpoints are.
      last: whether to check the checkpoint and no more.
    """
    batch = operation_pairs.Batch(size)
    table = operation_pairs.new_table()
    number = tf.Variable(0, dtype=tf.int64)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(table=table, number=number), folder, max_to_keep=3
    )
    if manager.restore_or_initialize():
        check_restored(notes, batch, int(number.numpy()), table)
    elif notes.save_done:
        raise operation_pairs.Wrong("there is no checkpoint")
    if last:
        return
    writer = NotedWriter(notes)
    rng = np.random.default_rng(writer.started)

    def write() -> None:
        keys = batch.shuffled(rng)
        values = batch.first_ones(
            writer.values(keys, writer.started), operation_pairs.OVERTAKEN
        )
        with writer.event():
            table.insert(keys, values)

    def write_for_ever() -> None:
        while True:
            write()

    # So that the first save finds nothing of what was restored.
    write()
    threading.Thread(target=write_for_ever, daemon=True).start()
    while True:
        save = notes.save_begun + 1
        before = notes.done_before_save = notes.events_done
        notes.save_begun = save
        number.assign(save)
        manager.save(save)
        started = notes.events_started
        # If it is killed before the last of these, `check_restored` finds the
        # checkpoint under `save_begun`.
        notes.done_before_last_save = before
        notes.started_by_last_save = started
        notes.save_done = save


def fork(notes: Notes, size: int, folder: str, last: bool) -> int:
    """Starts a process that saves; returns its number."""
    process = os.fork()
    if process:
        return process
    try:
        save_until_killed(notes, size, folder, last)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(1)


def main(arguments: list[str]) -> int:
    """Kills as often as the arguments say; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, required=True)
    parser.add_argument("--keys", type=int, default=20_000)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    notes = Notes()
    in_a_save = 0
    for kill in range(options.kills + 1):
        saves = notes.save_begun
        last = kill == options.kills
        process = fork(notes, options.keys, options.folder, last)
        wait_until = time.monotonic() + _PATIENCE
        while notes.save_begun == saves:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                if last and status == 0:
                    break
                print(f"kill {kill}: the process ended with status {status}")
                return 1
            if time.monotonic() > wait_until:
                print(f"kill {kill}: the process hangs")
                os.kill(process, signal.SIGKILL)
                return 1
            time.sleep(0.001)
        else:
            # In its first save, or in one of those that follow.
            time.sleep(rng.uniform(0, rng.choice((0.03, 0.1, 0.5))))
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            in_a_save += notes.save_begun != notes.save_done
    print(
        f"{options.kills} kills, {in_a_save} of them in a save, of "
        f"{notes.save_begun} saves; {notes.events_started} batches written"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
