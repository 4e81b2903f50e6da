"""Runs the commands of stdin, one a line, and prints a table of them.

    steps.py [--resume] [--restart] < COMMANDS

The table has each command's result, its tests and its time, and the sum. The
last line is `N passed, N failed` and, if there are any, `, N skipped`: the sum
of such lines of the commands. One that fails without a failed test counts as a
failed test. Exits with 1 if a command failed, with 130 at an interrupt.

With --resume, a command that passed with the files as they are now is not run
again: ci/.state has a file for each state of them. --restart forgets that.
"""

import argparse
import dataclasses
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

_WORKSPACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_STATE = os.path.join(_WORKSPACE, "ci", ".state")
_SUMMARY = re.compile(rb"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")


@dataclasses.dataclass
class Result:
    """What became of a command."""

    command: str
    outcome: str  # "passed", "failed", "interrupted" or "earlier".
    seconds: float
    passed: int = 0
    failed: int = 0
    skipped: int = 0


def _git(*arguments: str, index: str | None = None) -> str:
    environment = os.environ | ({"GIT_INDEX_FILE": index} if index else {})
    return subprocess.run(
        ["git", *arguments],
        cwd=_WORKSPACE,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.strip()


def state_of_files() -> str:
    """Returns a name for the commit and the files, changed ones and new ones."""
    with tempfile.TemporaryDirectory() as folder:
        index = os.path.join(folder, "index")
        _git("read-tree", "HEAD", index=index)
        _git("add", "--all", index=index)
        return f"{_git('rev-parse', 'HEAD')}-{_git('write-tree', index=index)}"


def run(command: str) -> Result:
    """Runs a command, whose output is shown as it comes."""
    print(f"=== {command}", flush=True)
    result = Result(command, "passed", 0.0)
    interrupted = False

    def note(*_) -> None:
        nonlocal interrupted
        interrupted = True

    # The command gets the interrupt too, and what it says of it is shown.
    previous = signal.signal(signal.SIGINT, note)
    start = time.monotonic()
    with subprocess.Popen(
        shlex.split(command),
        cwd=_WORKSPACE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as process:
        for line in process.stdout:
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
            if counts := _SUMMARY.match(line.rstrip()):
                passed, failed, skipped = counts.groups(b"0")
                result.passed += int(passed)
                result.failed += int(failed)
                result.skipped += int(skipped)
    signal.signal(signal.SIGINT, previous)
    result.seconds = time.monotonic() - start
    if interrupted or process.returncode in (130, -signal.SIGINT):
        result.outcome = "interrupted"
    elif process.returncode:
        result.outcome = "failed"
        result.failed = max(result.failed, 1)
    return result


def table(results: list[Result]) -> str:
    """Returns a line for each command, and one for their sum."""
    width = max(len(result.command) for result in results)
    lines = [f"{'step':{width}} | {'result':11} | passed | failed |    time"]

    def line(name: str, outcome: str, counts, seconds: float) -> str:
        passed, failed = counts
        return (
            f"{name:{width}} | {outcome:11} | {passed:6} | {failed:6} |"
            f" {int(seconds) // 60:3}:{int(seconds) % 60:02}"
        )

    for each in results:
        counts = each.passed, each.failed
        lines.append(line(each.command, each.outcome, counts, each.seconds))
    counts = (
        sum(each.passed for each in results),
        sum(each.failed for each in results),
    )
    seconds = sum(each.seconds for each in results)
    return "\n".join([*lines, line("all", "", counts, seconds)])


def main(arguments: list[str]) -> int:
    """Runs the commands of stdin."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--restart", action="store_true")
    options = parser.parse_args(arguments)
    commands = [line.strip() for line in sys.stdin if line.strip()]

    earlier: dict[str, dict] = {}
    path = ""
    if options.resume:
        os.makedirs(_STATE, exist_ok=True)
        path = os.path.join(_STATE, state_of_files())
        if os.path.exists(path) and not options.restart:
            with open(path) as file:
                earlier = json.load(file)
    results: list[Result] = []
    for command in commands:
        if command in earlier:
            result = Result(**earlier[command])
            result.outcome = "earlier"
            print(f"=== {command}: passed earlier", flush=True)
        else:
            result = run(command)
        results.append(result)
        if result.outcome == "interrupted":
            break
        if path and result.outcome == "passed":
            earlier[command] = dataclasses.asdict(result)
            with tempfile.NamedTemporaryFile(
                "w", dir=os.path.dirname(path) or ".", delete=False
            ) as file:
                json.dump(earlier, file)
            os.replace(file.name, path)

    print(f"\n{table(results)}")
    skipped = sum(each.skipped for each in results)
    print(
        f"{sum(each.passed for each in results)} passed,"
        f" {sum(each.failed for each in results)} failed"
        + (f", {skipped} skipped" if skipped else "")
    )
    outcomes = {each.outcome for each in results}
    if "interrupted" in outcomes:
        return 130
    return 1 if "failed" in outcomes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
