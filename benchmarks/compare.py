"""Sets every example beside what users would pick instead.

    ./bazelw run //benchmarks:compare -- [--filter=REGEX] [--out=DIR] [--check]

Each row measures ours and its peers in turns, in one run, and gives the ratio of
what they cost: above 1, ours is faster, or smaller. benchmarks/README.md says how
to read and how to add one.
"""

import argparse
import contextlib
import datetime
import fcntl
import gc
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from collections.abc import Sequence

import tensorflow as tf

from benchmarks import report
from benchmarks import row
from benchmarks import rows as all_rows

_ROUNDS, _QUICK_ROUNDS = 21, 3
_TURN_SECONDS, _QUICK_TURN_SECONDS = 0.1, 0.01


def main(
    arguments: Sequence[str], rows: Sequence[row.Row] = all_rows.ROWS
) -> int:
    """Measures the rows that the arguments choose.

    Returns:
      The exit status: 0, or 1 where a row failed or, with `--check`, missed its
      floor, or 130 where it was interrupted.

    Raises:
      SystemExit: An argument is wrong; stderr has which, and why.
    """
    options = _parse(arguments, rows)
    chosen = [of for of in rows if options.filter.search(of.name)]
    if options.list:
        for of in chosen:
            print(_description(of))
        return 0
    # Of processes that rows start.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # TensorFlow's modules stay: the collection before each turn, which would
    # take a tenth of a second, need not look at them.
    gc.freeze()
    # The kernels are for CPUs; a peer is not to run elsewhere.
    tf.config.set_visible_devices([], "GPU")
    if options.threads_given:
        tf.config.threading.set_intra_op_parallelism_threads(options.threads)
        tf.config.threading.set_inter_op_parallelism_threads(options.threads)
    with _folder(options.out) as folder:
        return _compare(chosen, options, folder)


def _parse(
    arguments: Sequence[str], rows: Sequence[row.Row]
) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )

    def pattern(text: str) -> re.Pattern:
        try:
            return re.compile(text)
        except re.error as error:
            raise argparse.ArgumentTypeError(
                f"'{text}' is no regular expression: {error}"
            ) from None

    def count(text: str) -> int:
        if not text.isdecimal() or int(text) < 1:
            raise argparse.ArgumentTypeError(
                f"must be a whole number above 0: '{text}'"
            )
        return int(text)

    parser.add_argument(
        "--filter",
        type=pattern,
        default=re.compile(""),
        metavar="REGEX",
        help="only rows in whose name it is found",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="few rounds over few items: whether it works, not how fast",
    )
    parser.add_argument(
        "--rounds", type=count, help=f"instead of {_ROUNDS}, or a row's own"
    )
    parser.add_argument(
        "--threads",
        type=count,
        help="of TensorFlow and of the C++ programs; else one for each CPU",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="where compare.json, .md and .png are written; else a new folder",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="fail where a ratio is below its floor by more than its spread",
    )
    parser.add_argument("--list", action="store_true", help="only name rows")
    options = parser.parse_args(arguments)
    if not any(options.filter.search(of.name) for of in rows):
        parser.error(
            f"argument --filter: no row's name has "
            f"'{options.filter.pattern}' in it; there are: "
            f"{', '.join(of.name for of in rows)}"
        )
    options.threads_given = options.threads is not None
    options.threads = options.threads or len(os.sched_getaffinity(0))
    return options


def _description(of: row.Row) -> str:
    peers = ", ".join(
        peer.name + (f" >= {peer.floor:g}x" if peer.floor is not None else "")
        for peer in of.peers
    )
    return f"{of.name}: {of.ours} beside {peers}. {of.about}"


@contextlib.contextmanager
def _folder(out: str | None) -> Iterator[pathlib.Path]:
    """Yields the folder for the results, which no other run writes to.

    Raises:
      SystemExit: It cannot be made, or another run writes to it.
    """
    if out is None:
        yield pathlib.Path(tempfile.mkdtemp(prefix="custom_ops_compare."))
        return
    # What a user of `bazel run` means by a relative path.
    caller = os.environ.get("BUILD_WORKING_DIRECTORY", "")
    folder = pathlib.Path(caller, out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise SystemExit(
            f"compare: --out={out} cannot be a folder: {error}"
        ) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    except BlockingIOError:
        raise SystemExit(
            f"compare: --out={out} is being written to by another run; "
            "name another folder"
        ) from None
    finally:
        os.close(descriptor)


def _compare(
    chosen: list[row.Row], options: argparse.Namespace, folder: pathlib.Path
) -> int:
    started = datetime.datetime.now(datetime.UTC)
    machine = report.machine()
    if machine["load"] > 0.5:
        print(
            f"The load average is {machine['load']:.1f}: what else runs here "
            "makes the figures less sure.",
            file=sys.stderr,
        )
    results: list[report.Result] = []
    failed: list[str] = []
    interrupted = False
    try:
        print(report.head_text(chosen), flush=True)
        for of in chosen:
            try:
                results.append(_measure(of, options))
            except Exception as error:  # The other rows still count.
                failed.append(of.name)
                reason = f"{type(error).__name__}: {error}"
                print(f"{of.name}  FAILED: {reason}", flush=True)
                continue
            print(report.table_text(results[-1], chosen), flush=True)
    except KeyboardInterrupt:
        interrupted = True
        print(
            f"\nInterrupted: {len(results)} of {len(chosen)} rows are done.",
            file=sys.stderr,
        )
    if results:
        note = (
            f"{machine['cpu']}, {machine['cpus']} CPUs, {options.threads} "
            f"threads; TensorFlow {machine['tensorflow']}; {started:%F}"
        ) + ("; quick, so not to be relied on" if options.quick else "")
        facts = {
            "note": note,
            "machine": machine,
            "started": started.isoformat(timespec="seconds"),
            "threads": options.threads,
            "quick": options.quick,
            "complete": not failed and not interrupted,
        }
        _write(results, facts, folder)
        print(f"Written: {folder}/compare.json, .md, .png")
    missed = _report_missed(results) if options.check else False
    if interrupted:
        return 130
    return 1 if failed or missed else 0


def _measure(of: row.Row, options: argparse.Namespace) -> report.Result:
    items = of.quick_items if options.quick else of.items
    default = _QUICK_ROUNDS if options.quick else of.rounds or _ROUNDS
    with contextlib.ExitStack() as cleanup:
        costs = of.measure(
            row.Run(
                items=items,
                rounds=options.rounds or default,
                turn_seconds=(
                    _QUICK_TURN_SECONDS if options.quick else _TURN_SECONDS
                ),
                threads=options.threads,
                quick=options.quick,
                cleanup=cleanup,
            )
        )
    return report.result_of(of, items, costs)


def _write(
    results: list[report.Result],
    facts: dict[str, object],
    folder: pathlib.Path,
) -> None:
    """Writes all files, and only then puts them in place of earlier ones."""
    with tempfile.TemporaryDirectory(dir=folder) as unfinished:
        unfinished = pathlib.Path(unfinished)
        comparison = unfinished / "compare.json"
        comparison.write_text(
            json.dumps({**facts, "rows": report.as_json(results)}, indent=2)
            + "\n"
        )
        (unfinished / "compare.md").write_text(
            report.as_markdown(results, [facts["note"]])
        )
        _draw(comparison)
        for file in unfinished.iterdir():
            file.replace(folder / file.name)


def _draw(comparison: pathlib.Path) -> None:
    """Draws compare.png beside compare.json."""
    chart = pathlib.Path(__file__).parent / "chart"
    subprocess.run(
        [chart, comparison, comparison.with_suffix(".png")], check=True
    )


def _report_missed(results: list[report.Result]) -> bool:
    """Names the ratios that missed their floor; returns whether there are any."""
    missed = [
        (result, of)
        for result in results
        for of in result.peers
        if of.misses_its_floor
    ]
    for result, of in missed:
        print(
            f"{result.row.name}: {of.ratio.median:.3g} times {of.peer.name}, "
            f"quartiles {of.ratio.low:.3g} to {of.ratio.high:.3g}, is below "
            f"the floor of {of.peer.floor:g}",
            file=sys.stderr,
        )
    return bool(missed)


if __name__ == "__main__":
    try:
        status = main(sys.argv[1:])
    except KeyboardInterrupt:  # Before the first row, or while it writes.
        status = 130
    sys.exit(status)
