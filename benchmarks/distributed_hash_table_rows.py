"""The rows of `distributed_hash_table`: two servers beside one, on this machine."""

import contextlib
from collections.abc import Callable
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from benchmarks import measure
from benchmarks import row
from tensorflow_examples.custom_ops_doc.distributed_hash_table import (
    distributed_hash_table,
)
from tensorflow_examples.custom_ops_doc.distributed_hash_table import (
    local_servers,
)

_TABLE_SIZE = 1_000_000


def _lookup(
    table: distributed_hash_table.DistributedHashTable, keys: tf.Tensor
) -> object:
    return table.lookup(keys)


def _insert(
    table: distributed_hash_table.DistributedHashTable, keys: tf.Tensor
) -> object:
    return table.insert(keys, keys)


def _measure(
    call: Callable[..., object], items: int, rounds: int, turn_seconds: float
) -> row.Costs:
    """Measures both; in a process of its own, since connecting changes it."""

    def sides(run: row.Run) -> Mapping[str, measure.Side]:
        servers = run.cleanup.enter_context(local_servers.LocalServers(2))
        devices = distributed_hash_table.connect(servers.addresses)
        both, one = (
            distributed_hash_table.DistributedHashTable(
                tf.int64, tf.int64, -1, devices[:count]
            )
            for count in (2, 1)
        )
        held = tf.range(max(items, _TABLE_SIZE), dtype=tf.int64)
        for table in (both, one):
            table.insert(held, held)
        rng = np.random.default_rng(0)
        keys = tf.constant(rng.integers(0, held.shape[0], items))
        return {
            "two servers": lambda: call(both, keys),
            "one server": lambda: call(one, keys),
        }

    with contextlib.ExitStack() as cleanup:
        run = row.Run(items, rounds, turn_seconds, threads=1, cleanup=cleanup)
        return measure.interleaved(sides)(run)


def _row(call: Callable[..., object]) -> row.Row:
    kind = call.__name__.strip("_")
    return row.Row(
        name=f"distributed_hash_table/{kind}",
        about=(
            "Batches of keys of a table of a million; the servers are "
            "processes on this machine. Where it has two cores, one server and "
            "its client keep both busy, and a second one gains nothing."
        ),
        item="key",
        items=100_000,
        quick_items=1000,
        ours="two servers",
        peers=(row.Peer("one server"),),
        measure=lambda run: measure.in_fresh_process(
            _measure, call, run.items, run.rounds, run.turn_seconds
        ),
    )


ROWS = (_row(_lookup), _row(_insert))
