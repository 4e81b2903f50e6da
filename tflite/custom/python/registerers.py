"""The custom ops of this repository, for TFLite's Python interpreters.

    interpreter = InterpreterWithCustomOps(
        model_path=path, custom_op_registerers=custom_op_registerers()
    )

with the class from `tensorflow.lite.python.interpreter` or from
`ai_edge_litert.interpreter`; the latter needs no TensorFlow.
"""

import ctypes
import functools
import os
from collections.abc import Callable

_LIBRARY = "libtflite_custom_ops.so"
_REGISTERER = "TfLiteCustomOpsRegisterer"


def library_path(name: str) -> str:
    """Returns where a library of this repository lies: near this file.

    Raises:
      FileNotFoundError: it does not.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    parent = os.path.dirname(folder)
    folders = [folder, parent, os.path.join(parent, "litert")]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    raise FileNotFoundError(
        f"{name} is in none of: {', '.join(folders)}; build it with Bazel and"
        " put it there"
    )


@functools.cache
def load_library(path: str | None = None) -> ctypes.CDLL:
    """Returns the kernels' library, loaded so that nobody else sees it.

    Functions of TFLite's C library can be called through it too.

    Args:
      path: another library than the one with all kernels, such as the
        shared_library of tflite_selected_ops.

    Raises:
      OSError: it cannot be loaded.
    """
    library = ctypes.CDLL(path or library_path(_LIBRARY))
    library.TfLiteCustomOpsRegisterer.argtypes = [ctypes.c_void_p]
    library.TfLiteCustomOpsRegisterer.restype = ctypes.c_int
    library.TfLiteCustomOpsName.argtypes = [ctypes.c_int]
    library.TfLiteCustomOpsName.restype = ctypes.c_char_p
    return library


def _register(path: str | None, resolver: int) -> None:
    if load_library(path).TfLiteCustomOpsRegisterer(resolver) != 0:
        raise RuntimeError(
            f"could not register {', '.join(custom_op_names(path))}: what is at"
            f" address {resolver:#x} does not look like an op resolver"
        )


def custom_op_names(path: str | None = None) -> list[str]:
    """Returns the names of the ops that the registerers register, sorted.

    Args:
      path: as load_library's.
    """
    names: list[str] = []
    while name := load_library(path).TfLiteCustomOpsName(len(names)):
        names.append(name.decode())
    return names


def custom_op_registerers(
    path: str | None = None,
) -> list[Callable[[int], None]]:
    """Returns what InterpreterWithCustomOps takes as custom_op_registerers.

    The library stays private to this module: none of its symbols, nor of the
    TFLite that it brings, can meet those of another library in the process.

    Args:
      path: as load_library's.
    """
    load_library(path)
    return [functools.partial(_register, path)]


def custom_op_registerer_names(path: str | None = None) -> list[str]:
    """Returns the same as names, for code that takes nothing but names.

    Loads the library, and with it libtensorflowlite_c.so, so that every library
    in the process can find their symbols. The first library that a process
    loads so is the one that the names mean.

    Args:
      path: as load_library's.
    """
    ctypes.CDLL(path or library_path(_LIBRARY), mode=ctypes.RTLD_GLOBAL)
    return [_REGISTERER]
