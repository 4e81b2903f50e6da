"""Scans what the converter makes of TensorFlow's ops and writes ../OPS.md.

    ./bazelw run //tflite/custom/tools:scan_converter
    ./bazelw run //tflite/custom/tools:scan_converter -- --ops=Atan,Cross

Two files of the workspace are written: conversions.json, what the converter
made of each op and which ops runtimes have by themselves, and OPS.md, which
also says which custom ops have a kernel here.
"""

import json
import os
import queue
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from collections.abc import Sequence

from absl import app
from absl import flags

from tflite.custom.python import registerers
from tflite.custom.tools import conversions

_UPDATE_KERNELS_ONLY = flags.DEFINE_bool(
    "update_kernels_only",
    False,
    "take the conversions from the last scan, as after a new kernel",
)
_CHECK = flags.DEFINE_bool(
    "check", False, "write nothing; fail if the files are out of date"
)
_OPS = flags.DEFINE_list(
    "ops", [], "print what becomes of these ops, and write nothing"
)
_RESCAN = flags.DEFINE_list(
    "rescan",
    [],
    "scan these ops again and take the others' conversions from the last scan",
)
_JOBS = flags.DEFINE_integer(
    "jobs", os.cpu_count() or 1, "how many processes convert", lower_bound=1
)

_PAGE = "tflite/custom/OPS.md"
_CONVERSIONS = "tflite/custom/tools/conversions.json"
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_WORKER = os.path.join(_FOLDER, "convert_ops")

# A conversion takes a tenth of a second, the first import of TensorFlow several.
_START_SECONDS = 300.0
_OP_SECONDS = 60.0


class ConverterStoppedError(Exception):
    """A worker died, or did not answer in time."""


class Converter:
    """A process that converts one op after the other."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"},
            text=True,
        )
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)

    def read(self, seconds: float) -> str:
        """Returns the next line of the process.

        Raises:
          ConverterStoppedError: there is none, or not within `seconds`.
        """
        if not self._selector.select(seconds):
            raise ConverterStoppedError(
                f"The converter takes longer than {seconds:.0f} s"
            )
        line = self._process.stdout.readline()
        if not line:
            raise ConverterStoppedError("The converter crashes")
        return line

    def convert(self, op: str, seconds: float) -> conversions.Conversion:
        """Returns what becomes of an op.

        Raises:
          ConverterStoppedError: the process died or takes longer than `seconds`.
          ValueError: there is no such op, or it has no place in the scan.
        """
        try:
            self._process.stdin.write(op + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise ConverterStoppedError("The converter crashes") from error
        answer = json.loads(self.read(seconds))
        if "refused" in answer:
            raise ValueError(answer["refused"])
        return conversions.conversion_from_dict(answer)

    def close(self) -> None:
        """Ends the process."""
        self._selector.close()
        self._process.kill()
        self._process.communicate()


def start(command: Sequence[str]) -> tuple[Converter, str, list[str]]:
    """Returns a converter, TensorFlow's version and the ops to scan.

    Raises:
      ConverterStoppedError: the process did not start.
    """
    converter = Converter(command)
    try:
        hello = json.loads(converter.read(_START_SECONDS))
    except ConverterStoppedError:
        converter.close()
        raise
    return converter, hello["version"], hello["ops"]


def convert_all(
    ops: Sequence[str],
    command: Sequence[str],
    *,
    jobs: int,
    seconds: float = _OP_SECONDS,
    progress: Callable[[int], None] = lambda done: None,
) -> list[conversions.Conversion]:
    """Returns what becomes of each op, whatever happens to the converters.

    Args:
      ops: names of the ops.
      command: what starts a worker.
      jobs: how many workers run at once.
      seconds: how long an op may take.
      progress: called with the number of ops done.

    Raises:
      ConverterStoppedError: a worker did not start.
      ValueError: there is no such op, or it has no place in the scan.
    """
    pending: queue.SimpleQueue[str] = queue.SimpleQueue()
    for op in ops:
        pending.put(op)
    done: list[conversions.Conversion] = []
    failures: list[BaseException] = []

    def work() -> None:
        converter = None
        try:
            while not failures:
                try:
                    op = pending.get_nowait()
                except queue.Empty:
                    return
                if converter is None:
                    converter, _, _ = start(command)
                try:
                    done.append(converter.convert(op, seconds))
                except ConverterStoppedError as error:
                    converter.close()
                    converter = None
                    done.append(
                        conversions.Conversion(op, "", error=str(error))
                    )
                progress(len(done))
        except BaseException as error:  # noqa: BLE001  Raised again below.
            failures.append(error)
        finally:
            if converter is not None:
                converter.close()

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return sorted(done, key=lambda each: each.op)


def runtime_ops() -> dict[str, list[str]]:
    """Returns the runtimes that register an op by themselves, by its name.

    Raises:
      OSError: they cannot be asked.
    """
    process = subprocess.run(
        [os.path.join(_FOLDER, "runtime_ops")],
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        raise OSError(f"runtime_ops failed: {process.stderr}")
    return json.loads(process.stdout.splitlines()[-1])


def _progress_on_terminal(total: int) -> Callable[[int], None]:
    if not sys.stderr.isatty():
        return lambda done: None

    def show(done: int) -> None:
        end = "\n" if done == total else ""
        print(f"\r{done} of {total} ops", end=end, file=sys.stderr, flush=True)

    return show


def _scan(ops: Sequence[str] = ()) -> conversions.Scan:
    converter, version, dense_ops = start([_WORKER])
    converter.close()
    ops = ops or dense_ops
    return conversions.Scan(
        version,
        tuple(
            convert_all(
                ops,
                [_WORKER],
                jobs=min(_JOBS.value, len(ops)),
                progress=_progress_on_terminal(len(ops)),
            )
        ),
        runtime_ops(),
    )


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _last_scan(path: str) -> conversions.Scan:
    text = _read(path)
    if not text:
        raise ValueError(f"{path} is not there: scan all ops first")
    return conversions.Scan.from_json(text)


def _write_or_check(workspace: str) -> bool:
    """Returns whether the files are now what they should be."""
    scan_path = os.path.join(workspace, _CONVERSIONS)
    page_path = os.path.join(workspace, _PAGE)
    kernels = registerers.custom_op_names()
    started = time.monotonic()
    if _UPDATE_KERNELS_ONLY.value:
        scan = _last_scan(scan_path)
    elif _RESCAN.value:
        scan = _last_scan(scan_path).updated(_scan(_RESCAN.value))
    else:
        scan = _scan()
    texts = {
        scan_path: scan.to_json(),
        page_path: conversions.page(scan, kernels),
    }
    stale = [path for path, text in texts.items() if _read(path) != text]
    for path in stale:
        name = os.path.relpath(path, workspace)
        if _CHECK.value:
            print(f"{name} is out of date: run scan_converter without --check")
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(texts[path])
        print(f"wrote {name}")
    counts = [
        f"{name}: {count}" for name, count in scan.counts(kernels).items()
    ]
    print(f"{'; '.join(counts)}; {time.monotonic() - started:.0f} s")
    return not (_CHECK.value and stale)


def main(argv: Sequence[str]) -> int:
    """Scans, and writes, checks or prints."""
    try:
        if len(argv) > 1:
            raise ValueError(f"unexpected arguments: {' '.join(argv[1:])}")
        if _OPS.value:
            kernels = registerers.custom_op_names()
            print(conversions.page(_scan(_OPS.value), kernels))
            return 0
        workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
        if workspace is None:
            raise ValueError(
                "BUILD_WORKSPACE_DIRECTORY is not set: start it with bazelw run"
            )
        return 0 if _write_or_check(workspace) else 1
    except (ConverterStoppedError, OSError, ValueError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    app.run(main)
