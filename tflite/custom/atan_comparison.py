"""Times Atan beside the guide's scalar loop, tf.atan, np.arctan and memcpy.

    ./bazelw run //tflite/custom:atan_comparison
    ./bazelw run //tflite/custom:atan_comparison -- --sizes=1000 --seconds=1

All on one thread, each in turn, over and over: what else the machine does meets
all of them. tf.atan makes a tensor for its result, as it does in a program; the
others write to an array that is there. Each result is checked before it is
timed.
"""

import ctypes
import dataclasses
import os
import statistics
import sys
import time
from collections.abc import Callable
from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from absl import app
from absl import flags

_SIZES = flags.DEFINE_list(
    "sizes", ["65536", "16777216"], "how many floats, one or more numbers"
)
_SECONDS = flags.DEFINE_float(
    "seconds", 10.0, "how long each size is timed", lower_bound=0.0
)

_LIBRARY = "atan_loops.so"
# Medians need a few rounds, however short the time.
_FEWEST_ROUNDS = 3
# A timing lasts about as long as this many floats take.
_FLOATS_A_TIMING = 1 << 20
_ATAN = "Atan"
_MEMCPY = "memcpy"
# float32 results may be so many units in the last place off.
_ULPS = 4


@dataclasses.dataclass(frozen=True)
class Contender:
    """A way to make y of x.

    Attributes:
      name: its name in the table.
      run: makes y once.
      result: returns y.
    """

    name: str
    run: Callable[[], object]
    result: Callable[[], np.ndarray]


@dataclasses.dataclass(frozen=True)
class Row:
    """What a contender took, in nanoseconds an element.

    Attributes:
      name: the contender's.
      median: of all rounds.
      low: the quarter of the rounds that was faster ends here.
      high: the quarter that was slower begins here.
      ratio: the median of how many times as long as Atan it took, round by
        round.
    """

    name: str
    median: float
    low: float
    high: float
    ratio: float


def contenders(x: np.ndarray) -> list[Contender]:
    """Returns the contenders for x, a float32 vector; the scalar loop first."""
    library = ctypes.CDLL(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), _LIBRARY)
    )
    result = np.empty_like(x)

    def loop(name: str, function: str) -> Contender:
        call = getattr(library, function)
        call.restype = None
        arguments = (
            ctypes.c_size_t(x.size),
            x.ctypes.data_as(ctypes.c_void_p),
            result.ctypes.data_as(ctypes.c_void_p),
        )
        return Contender(name, lambda: call(*arguments), lambda: result)

    tensor = tf.constant(x)
    return [
        loop("scalar std::atan (float)", "AtanLoopsFloat"),
        loop("scalar atan (double)", "AtanLoopsDouble"),
        loop(_ATAN, "AtanLoopsKernel"),
        Contender(
            "tf.atan",
            lambda: tf.atan(tensor),
            lambda: tf.atan(tensor).numpy(),
        ),
        Contender(
            "np.arctan", lambda: np.arctan(x, out=result), lambda: result
        ),
        loop(_MEMCPY, "AtanLoopsCopy"),
    ]


def check(contender: Contender, x: np.ndarray) -> None:
    """Runs a contender once, and looks at what it made of x.

    Raises:
      ValueError: it is not the arc tangent; for memcpy, not x.
    """
    contender.run()
    y = contender.result()
    expected = x if contender.name == _MEMCPY else np.arctan(x, dtype="float64")
    if y.shape != x.shape or y.dtype != np.float32:
        raise ValueError(
            f"{contender.name} gives {y.dtype}{list(y.shape)} for"
            f" {x.dtype}{list(x.shape)}"
        )
    off = np.abs(y - expected) > _ULPS * np.spacing(np.abs(y))
    if off.any():
        i = int(np.argmax(off))
        raise ValueError(
            f"{contender.name} gives {y[i]!r} for {x[i]!r}, not {expected[i]!r}"
        )


def _seconds(run: Callable[[], object], repetitions: int) -> float:
    start = time.perf_counter()
    for _ in range(repetitions):
        run()
    return time.perf_counter() - start


def compare(size: int, seconds: float) -> list[Row]:
    """Returns a row for each contender, in their order, for `size` floats.

    Args:
      size: how many.
      seconds: how long to go on; three rounds at least.

    Raises:
      ValueError: a contender's result is wrong.
    """
    x = (np.arange(size) * 7919 % 20001).astype(np.float32) * np.float32(1e-3)
    x -= 10
    everyone = contenders(x)
    for contender in everyone:
        check(contender, x)
    repetitions = max(1, _FLOATS_A_TIMING // size)
    rounds: list[list[float]] = []
    end = time.monotonic() + seconds
    while len(rounds) < _FEWEST_ROUNDS or time.monotonic() < end:
        rounds.append([_seconds(each.run, repetitions) for each in everyone])
    atan = [each.name for each in everyone].index(_ATAN)
    rows = []
    for i, contender in enumerate(everyone):
        scale = 1e9 / (size * repetitions)
        times = [each[i] * scale for each in rounds]
        low, median, high = statistics.quantiles(times, method="inclusive")
        ratio = statistics.median(each[i] / each[atan] for each in rounds)
        rows.append(Row(contender.name, median, low, high, ratio))
    print(_table(f"{size} floats, {len(rounds)} rounds", rows))
    return rows


def _table(title: str, rows: Sequence[Row]) -> str:
    lines = [
        f"{title:<32} {'ns an element':>14} {'quartiles':>18} {'to Atan':>9}"
    ]
    for row in rows:
        quartiles = f"{row.low:.3f} .. {row.high:.3f}"
        lines.append(
            f"  {row.name:<30} {row.median:14.3f} {quartiles:>18}"
            f" {row.ratio:9.2f}"
        )
    return "\n".join(lines)


def _sizes(texts: Sequence[str]) -> list[int]:
    for text in texts:
        if not text.isdecimal() or int(text) == 0:
            raise ValueError(
                f"--sizes must be positive numbers, such as 1000,65536, not"
                f" {text!r}"
            )
    return [int(text) for text in texts]


def main(argv: Sequence[str]) -> int:
    """Prints a table for each size."""
    try:
        if len(argv) > 1:
            raise ValueError(f"unexpected arguments: {' '.join(argv[1:])}")
        sizes = _sizes(_SIZES.value)
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        for size in sizes:
            compare(size, _SECONDS.value)
    except ValueError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    app.run(main)
