"""Prints which custom ops each runtime registers by itself, as JSON.

    ./bazelw run //tflite/custom/tools:runtime_ops

A custom op is a name in a model, so nothing lists those that a runtime knows.
Each name that stands in a runtime's library is tried: a model of one op is
prepared without this repository's kernels, and what a runtime does not know it
calls unresolved. Whatever else it says of such a model, it knows the op.
"""

import contextlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator

from ai_edge_litert import interpreter as ai_edge_litert
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.python import registerers
from tflite.custom.python.c_interpreter import CInterpreter
from tflite.custom.python.litert_model import LiteRtModel
from tflite.custom.python.single_op_model import single_op_model

_UNRESOLVED = re.compile("unresolved custom op|Select TensorFlow op")
_NAME = re.compile(rb"(?<=\0)[A-Z][A-Za-z0-9]+(?:[_>][A-Za-z0-9]+)*(?=\0)")


def _prepare(module, model: bytes) -> None:
    module.Interpreter(model_content=model).allocate_tensors()


_RUNTIMES: dict[str, Callable[[bytes], object]] = {
    "tf.lite": lambda model: _prepare(tf_lite, model),
    "ai_edge_litert": lambda model: _prepare(ai_edge_litert, model),
    "tflite": CInterpreter,
    "litert": LiteRtModel,
}


@contextlib.contextmanager
def _stderr() -> Iterator[Callable[[], str]]:
    """Catches what libraries print; gives a function that takes it."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)

        def take() -> str:
            file.seek(0)
            text = file.read().decode(errors="replace")
            file.seek(0)
            file.truncate()
            return text

        try:
            yield take
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def runtime_ops(names: Collection[str]) -> dict[str, list[str]]:
    """Returns the runtimes that know an op, by the names that any knows.

    Kernels of this repository are left out: two of the runtimes have them.
    """
    known: dict[str, list[str]] = {}
    with _stderr() as printed:
        for name in sorted(set(names) - {*registerers.custom_op_names()}):
            model = single_op_model(name, [1], custom=True)
            for runtime, prepare in _RUNTIMES.items():
                error = ""
                try:
                    prepare(model)
                except (RuntimeError, ValueError) as exception:
                    error = str(exception)
                if not _UNRESOLVED.search(error + printed()):
                    known.setdefault(name, []).append(runtime)
    return known


def names_in_libraries() -> set[str]:
    """Returns what may be an op's name in the runtimes' libraries."""
    runtime_ops(["LoadsTheLibraries"])
    with open("/proc/self/maps") as file:
        fields = [line.split(maxsplit=5) for line in file]
    paths = {each[5].strip() for each in fields if len(each) == 6}
    names = set()
    for path in paths:
        # libtensorflow_cc, which tf.lite brings, has none of TFLite's kernels.
        if re.search(r"lite[^/]*\.so", os.path.basename(path), re.I):
            with open(path, "rb") as file:
                names |= {x.decode() for x in _NAME.findall(file.read())}
    return names


if __name__ == "__main__":
    print(json.dumps(runtime_ops(names_in_libraries())))
