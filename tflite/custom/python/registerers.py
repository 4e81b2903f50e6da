"""The custom ops of this repository, for TFLite's Python interpreters.

    interpreter = InterpreterWithCustomOps(
        model_path=path, custom_op_registerers=custom_op_registerers()
    )

with the class from `tensorflow.lite.python.interpreter` or from
`ai_edge_litert.interpreter`; the latter needs no TensorFlow.
"""

import ctypes
import functools
import glob
import os
from collections.abc import Callable

_LIBRARY = "libtflite_custom_ops.so"
_REGISTERER = "TfLiteCustomOpsRegisterer"


def library_path(name: str) -> str:
    """Returns where a library lies.

    Args:
      name: a path; a label, such as "//my:libmy_ops.so", of a file among the
        program's data; or the name of a library of this repository.

    Raises:
      FileNotFoundError: it lies in none of the places for it.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    repository = os.path.dirname(os.path.dirname(os.path.dirname(folder)))
    if name.startswith(("//", "@")) and ":" in name:
        workspace, _, rest = name.lstrip("@").partition("//")
        # Without a name of a workspace it may be of any: this module is in one.
        places = [
            os.path.join(each, *rest.split(":"))
            for each in glob.glob(
                os.path.join(os.path.dirname(repository), workspace or "*")
            )
        ]
        advice = "it must be among the program's `data`"
    elif "/" in name:
        places, advice = [name], "give the path of a file"
    else:
        parent = os.path.dirname(folder)
        places = [
            os.path.join(each, name)
            for each in (folder, parent, os.path.join(parent, "litert"))
        ]
        advice = "build it with Bazel and put it there"
    for path in places:
        if os.path.exists(path):
            return path
    raise FileNotFoundError(
        f"{name} is in none of: {', '.join(sorted(places))}; {advice}"
    )


@functools.cache
def load_library(path: str | None = None) -> ctypes.CDLL:
    """Returns the kernels' library, loaded so that nobody else sees it.

    Functions of TFLite's C library can be called through it too.

    Args:
      path: another library than the one with all kernels, as library_path
        takes it: what tflite_registerer or tflite_selected_ops made.

    Raises:
      OSError: it cannot be loaded, or is no such library.
    """
    path = library_path(path or _LIBRARY)
    library = ctypes.CDLL(path)
    if not hasattr(library, "TfLiteCustomOpsHas"):
        raise OSError(
            f"{path} shows no TfLiteCustomOpsHas: libraries of kernels are made by"
            " tflite_registerer, with the version of its rules that this is of"
        )
    library.TfLiteCustomOpsRegisterWithOptions.argtypes = [ctypes.c_void_p]
    library.TfLiteCustomOpsRegisterWithOptions.restype = None
    library.TfLiteCustomOpsRegisterer.argtypes = [ctypes.c_void_p]
    library.TfLiteCustomOpsRegisterer.restype = ctypes.c_int
    library.TfLiteCustomOpsHas.argtypes = [ctypes.c_char_p, ctypes.c_int]
    library.TfLiteCustomOpsHas.restype = ctypes.c_int
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
    ctypes.CDLL(library_path(path or _LIBRARY), mode=ctypes.RTLD_GLOBAL)
    return [_REGISTERER]
