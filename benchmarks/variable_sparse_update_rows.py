"""The rows of `variable_sparse_update`: four elements of a large variable."""

from collections.abc import Callable
from collections.abc import Mapping

import tensorflow as tf

from benchmarks import measure
from benchmarks import row
from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op
from tensorflow_examples.custom_ops_doc.variable_sparse_update import (
    variable_sparse_update_op,
)

_ELEMENTS, _QUICK_ELEMENTS = 10_000_000, 100_000


def _variable(run: row.Run) -> tuple[tf.Variable, tf.Tensor]:
    """Returns a large variable, and the positions of four of its elements."""
    elements = _QUICK_ELEMENTS if run.quick else _ELEMENTS
    variable = tf.Variable(tf.ones([elements], tf.int64), trainable=False)
    return variable, tf.constant([5, 12_345, 70_000, elements - 1], tf.int64)


def _in_place(run: row.Run) -> Callable[[], object]:
    variable, positions = _variable(run)
    indices, two = positions[:, tf.newaxis], tf.constant(2, tf.int64)
    return lambda: variable_sparse_update_op.variable_sparse_update(
        variable, indices, two, "multiply"
    )


def _by_scatter(run: row.Run) -> Callable[[], object]:
    variable, positions = _variable(run)
    indices = positions[:, tf.newaxis]
    return lambda: variable.scatter_nd_update(
        indices, variable.gather_nd(indices) * 2
    )


def _by_multiplex(run: row.Run) -> Callable[[], object]:
    variable, positions = _variable(run)

    def double():
        one_hot = tf.one_hot(
            positions, variable.shape[0], True, False, dtype=bool
        )
        cond = tf.reduce_any(one_hot, axis=0)
        variable.assign(multiplex_2_op.multiplex(cond, variable * 2, variable))

    return double


def _beside_scatter(run: row.Run) -> Mapping[str, measure.Side]:
    return {"in place": _in_place(run), "scatter_nd_update": _by_scatter(run)}


def _beside_multiplex(run: row.Run) -> Mapping[str, measure.Side]:
    return {"in place": _in_place(run), "multiplex_2": _by_multiplex(run)}


def _row(peer: str, floor: float, about: str, setup, **changes) -> row.Row:
    return row.Row(
        name=f"variable_sparse_update/beside_{peer}",
        about=about,
        item="call",
        items=1,
        quick_items=1,
        ours="in place",
        peers=(row.Peer(peer, floor),),
        measure=measure.interleaved(setup),
        **changes,
    )


ROWS = (
    _row(
        "scatter_nd_update",
        1.2,
        "Doubles 4 of 10 M int64 in eager code; the peer reads them, doubles "
        "them and writes them.",
        _beside_scatter,
    ),
    _row(
        "multiplex_2",
        1000,
        "Doubles 4 of 10 M int64 in eager code; the peer as "
        "variable_and_stateless_op does, all four at once.",
        _beside_multiplex,
        rounds=7,
    ),
)
