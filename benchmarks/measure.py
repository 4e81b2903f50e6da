"""Ways to measure the sides of a row.

Each makes a row's `measure` of a few lines: `interleaved` of functions in this
process, `google_benchmark` of a C++ program, `resident` of what a fresh process
holds in memory.
"""

import contextlib
import ctypes
import dataclasses
import gc
import itertools
import json
import math
import multiprocessing
import os
import pathlib
import re
import subprocess
import time
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from benchmarks import row

_MAX_CALLS = 1_000_000


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A side whose calls each need something made first, which is not timed.

    `call` is given what `prepare` returns.
    """

    prepare: Callable[[], Any]
    call: Callable[[Any], object]


Side = Callable[[], object] | Prepared


def interleaved(
    setup: Callable[[row.Run], Mapping[str, Side]],
) -> Callable[[row.Run], row.Costs]:
    """Measures functions that take turns in this process.

    Every round has a turn of each side, in one order and in the next round in
    the other; in a turn a side is called as often as fills the turn.

    Args:
      setup: makes the sides, by name; each call of one works on all items.

    Returns:
      The `measure` of a row: nanoseconds an item.
    """

    def measure(run: row.Run) -> row.Costs:
        sides = setup(run)
        # The first call of each is for what happens once.
        calls = {
            name: _calls(side, run.turn_seconds) for name, side in sides.items()
        }
        costs = {name: [] for name in sides}
        for i in range(run.rounds):
            for name in list(sides) if i % 2 == 0 else reversed(sides):
                seconds = _turn(sides[name], calls[name]) / calls[name]
                costs[name].append(seconds / run.items * 1e9)
        return costs

    return measure


def _turn(side: Side, calls: int) -> float:
    """Calls a side; returns the seconds of all its calls."""
    with _without_garbage_collection():
        if isinstance(side, Prepared):
            total = 0.0
            for _ in range(calls):
                made = side.prepare()
                start = time.perf_counter()
                side.call(made)
                total += time.perf_counter() - start
                del made
            return total
        start = time.perf_counter()
        for _ in itertools.repeat(None, calls):
            side()
        return time.perf_counter() - start


@contextlib.contextmanager
def _without_garbage_collection():
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _calls(side: Side, turn_seconds: float) -> int:
    """How many calls fill a turn; the side is warm afterwards."""
    if _turn(side, 1) >= 10 * turn_seconds:
        return 1  # However much of it happens but once.
    calls = 1
    while True:
        seconds = _turn(side, calls)
        if seconds >= turn_seconds or calls >= _MAX_CALLS:
            return calls
        wanted = math.ceil(calls * turn_seconds / max(seconds, 1e-9))
        # A single call tells little; nor does one that was interrupted.
        if seconds >= turn_seconds / 4:
            return min(wanted, _MAX_CALLS)
        calls = min(wanted, calls * 10, _MAX_CALLS)


def google_benchmark(
    program: str, benchmarks: Mapping[str, str]
) -> Callable[[row.Run], row.Costs]:
    """Measures functions of a C++ program that is written with Google Benchmark.

    The program repeats its benchmarks in random order, as many times as there
    are rounds, and is given `--items=N` and `--threads=N`. Each must tell
    SetItemsProcessed.

    Args:
      program: its name; it is in this folder.
      benchmarks: the names of its benchmarks, by those of the sides.

    Returns:
      The `measure` of a row: nanoseconds an item.
    """

    def measure(run: row.Run) -> row.Costs:
        names = "|".join(re.escape(name) for name in benchmarks.values())
        command = [
            str(pathlib.Path(__file__).parent / program),
            f"--items={run.items}",
            f"--threads={run.threads}",
            f"--benchmark_filter=^({names})(/|$)",
            f"--benchmark_repetitions={run.rounds}",
            f"--benchmark_min_time={run.turn_seconds}",
            "--benchmark_enable_random_interleaving=true",
            "--benchmark_format=json",
        ]
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            raise RuntimeError(
                f"{program} ended with status {process.returncode}: "
                f"{process.stderr.strip() or process.stdout.strip()}"
            )
        return costs_of_report(process.stdout, benchmarks)

    return measure


def costs_of_report(report: str, benchmarks: Mapping[str, str]) -> row.Costs:
    """Reads Google Benchmark's JSON.

    Args:
      report: what the program printed.
      benchmarks: the names of its benchmarks, by those of the sides.

    Returns:
      The nanoseconds an item of each repetition, by the names of the sides.

    Raises:
      ValueError: A benchmark is not in the report, failed, or does not tell its
        items.
    """
    costs = {}
    runs = json.loads(report)["benchmarks"]
    for side, name in benchmarks.items():
        found = [
            entry
            for entry in runs
            if entry["run_type"] == "iteration"
            and entry["name"].split("/")[0] == name
        ]
        if not found:
            raise ValueError(f"the report has no benchmark of the name {name}")
        found.sort(key=lambda entry: entry["repetition_index"])
        for entry in found:
            if entry.get("error_occurred"):
                raise ValueError(f"{name} failed: {entry['error_message']}")
            if "items_per_second" not in entry:
                raise ValueError(f"{name} does not tell SetItemsProcessed")
        costs[side] = [1e9 / entry["items_per_second"] for entry in found]
    return costs


def resident(
    fills: Mapping[str, Callable[[int], object]],
) -> Callable[[row.Run], row.Costs]:
    """Measures what objects hold in memory, each in a fresh process.

    The cost is what the process's resident memory grows by, once all that is
    free has been given back.

    Args:
      fills: functions of the number of items that return what is to be
        measured, by the names of the sides; each a function of a module. A
        first call with one item is for what happens once.

    Returns:
      The `measure` of a row: bytes an item.
    """

    def measure(run: row.Run) -> row.Costs:
        costs = {name: [] for name in fills}
        for i in range(run.rounds):
            for name in list(fills) if i % 2 == 0 else reversed(fills):
                grown = in_fresh_process(_growth, fills[name], run.items)
                costs[name].append(grown / run.items)
        return costs

    return measure


def _growth(fill: Callable[[int], object], items: int) -> int:
    """Returns by how many bytes the process grows for what `fill` returns."""
    fill(1)
    before = _resident_bytes()
    held = fill(items)
    grown = _resident_bytes() - before
    del held
    return grown


def _resident_bytes() -> int:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def in_fresh_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function of a module in a process of its own; returns its result.

    Raises:
      RuntimeError: It raised, or the process ended without a result.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(
        target=_send, args=(theirs, function, arguments), daemon=True
    )
    process.start()
    theirs.close()
    try:
        result, error = ours.recv()
    except EOFError:
        process.join()
        raise RuntimeError(
            f"{function.__name__} ended its process with status "
            f"{process.exitcode}"
        ) from None
    finally:
        process.kill()
        process.join()
    if error:
        raise RuntimeError(f"{function.__name__} failed: {error}")
    return result


def _send(connection, function: Callable, arguments: tuple) -> None:
    try:
        connection.send((function(*arguments), None))
    except Exception as error:  # The parent raises it.
        connection.send((None, f"{type(error).__name__}: {error}"))
