"""The rows of `multiplex_2`."""

import ctypes
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from benchmarks import measure
from benchmarks import row
from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op
from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_scalars_op

# Of malloc.h: how many blocks may be mappings of their own, which the system
# zeroes, and how much free memory may stay at the top of the heap.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4
_MMAP_MAX_DEFAULT, _TRIM_THRESHOLD_DEFAULT = 65536, 128 * 1024


def _keep_freed_memory(run: row.Run) -> None:
    """Lets large outputs be given the memory of earlier ones, while a row runs.

    Else each output of 80 MB is fresh memory, and its page faults take longer
    than the op.
    """
    libc = ctypes.CDLL(None)

    def restore():
        libc.mallopt(_M_MMAP_MAX, _MMAP_MAX_DEFAULT)
        libc.mallopt(_M_TRIM_THRESHOLD, _TRIM_THRESHOLD_DEFAULT)
        libc.malloc_trim(0)

    run.cleanup.callback(restore)
    libc.mallopt(_M_MMAP_MAX, 0)
    libc.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)


def _inputs(items: int) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    rng = np.random.default_rng(0)
    cond = tf.constant(rng.random(items) < 0.5)
    a, b = (tf.constant(rng.random(items, np.float32)) for _ in range(2))
    return cond, a, b


def _where(run: row.Run) -> Mapping[str, measure.Side]:
    _keep_freed_memory(run)
    cond, a, b = _inputs(run.items)
    return {
        "multiplex": lambda: multiplex_2_op.multiplex(cond, a, b),
        "tf.where": lambda: tf.where(cond, a, b),
    }


def _where_scalar(run: row.Run) -> Mapping[str, measure.Side]:
    _keep_freed_memory(run)
    cond, a, _ = _inputs(run.items)
    zero = tf.constant(0.0)
    return {
        "multiplex": lambda: multiplex_scalars_op.multiplex_scalars(
            cond, a, zero
        ),
        "tf.where": lambda: tf.where(cond, a, zero),
    }


ROWS = (
    row.Row(
        name="multiplex_2/float32",
        about="Eager calls; both write their output where an earlier one was.",
        item="element",
        items=20_000_000,
        quick_items=1_000_000,
        ours="multiplex",
        peers=(row.Peer("tf.where", floor=1.3),),
        measure=measure.interleaved(_where),
    ),
    row.Row(
        name="multiplex_2/float32_and_scalar",
        about="As the row before, with a scalar for b.",
        item="element",
        items=20_000_000,
        quick_items=1_000_000,
        ours="multiplex",
        peers=(row.Peer("tf.where", floor=1.3),),
        measure=measure.interleaved(_where_scalar),
    ),
    row.Row(
        name="multiplex_2/float32_limit",
        about="The function behind the op, over memory that is there. The "
        "copies read and write as many bytes in all; one writes past the "
        "caches, as ours does and not every memcpy.",
        item="element",
        items=20_000_000,
        quick_items=1_000_000,
        ours="multiplex",
        peers=(
            row.Peer("memcpy", floor=0.8, is_limit=True),
            row.Peer("streaming copy", floor=0.8, is_limit=True),
        ),
        measure=measure.google_benchmark(
            "multiplex_benchmark",
            {
                "multiplex": "multiplex",
                "memcpy": "memcpy",
                "streaming copy": "streaming_copy",
            },
        ),
    ),
)
