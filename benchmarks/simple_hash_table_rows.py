"""The rows of `simple_hash_table`: what one eager call costs."""

from collections.abc import Mapping

import tensorflow as tf

from benchmarks import measure
from benchmarks import row
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    simple_hash_table,
)


def _find(key: int | tf.Tensor) -> Mapping[str, measure.Side]:
    ours = simple_hash_table.SimpleHashTable(tf.int64, tf.int64, -1)
    peer = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    ours.insert(key, 1)
    peer.insert(key, tf.constant(1, tf.int64))
    return {"find": lambda: ours.find(key), "lookup": lambda: peer.lookup(key)}


def _row(kind: str, setup) -> row.Row:
    return row.Row(
        name=f"simple_hash_table/eager_find_of_{kind}",
        about="One key a call; lookup is MutableHashTable's, given the same.",
        item="call",
        items=1,
        quick_items=1,
        ours="find",
        peers=(row.Peer("lookup", floor=1.5),),
        measure=measure.interleaved(setup),
    )


ROWS = (
    _row("tensor", lambda run: _find(tf.constant(7, tf.int64))),
    _row("python_int", lambda run: _find(7)),
)
