"""The C implementation of an op: what its `c_code` says, compiled, loaded and called.

    fn = c_implementation(op, node)
    if fn is None:
        ...  # op.perform serves

`c_source` says what C code may use, `find_compiler` which compiler is taken, and
`CompileCache` where the results are kept.
"""

import hashlib
import importlib.machinery
import importlib.util
import json
import os
import sys
import sysconfig
import threading
import warnings
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op.c_compiler import (
    CCompileError,
)
from tensorflow_examples.custom_ops_doc.python_op.c_compiler import Compiler
from tensorflow_examples.custom_ops_doc.python_op.c_compiler import LIBRARY_NAME
from tensorflow_examples.custom_ops_doc.python_op.c_compiler import SOURCE_NAME
from tensorflow_examples.custom_ops_doc.python_op.c_compiler import (
    find_compiler,
)
from tensorflow_examples.custom_ops_doc.python_op.c_compiler import (
    machine_identity,
)
from tensorflow_examples.custom_ops_doc.python_op.c_source import (
    CCodeUnsupportedError,
)
from tensorflow_examples.custom_ops_doc.python_op.c_source import MODULE_NAME
from tensorflow_examples.custom_ops_doc.python_op.c_source import c_source
from tensorflow_examples.custom_ops_doc.python_op.c_source import call_optional
from tensorflow_examples.custom_ops_doc.python_op.compile_cache import (
    CompileCache,
)
from tensorflow_examples.custom_ops_doc.python_op.compile_cache import (
    default_folder,
)

Implementation = Callable[[Sequence[np.ndarray], Sequence[list]], None]
_Bind = Callable[[str, Any], Implementation]

_ON_FAILURE = ("warn", "raise")

# What this process has loaded and what its compiler refused, and why, by the key of the cache.
_loaded: dict[str, _Bind] = {}
_refused: dict[str, str] = {}
_locks: dict[str, threading.Lock] = {}
_warned: set[tuple[str, str]] = set()


class CCodeWarning(UserWarning):
    """An op's C code could not be used and its `perform` runs instead."""


def c_implementation(
    op: Any,
    node: Any,
    *,
    on_failure: str | None = None,
    cache_dir: str | None = None,
    compiler: str | None = None,
) -> Implementation | None:
    """Returns the C implementation of an op for one node, compiled where it is new.

    The op may define, as in Theano and PyTensor: `c_code(node, name, inputs,
    outputs, sub)`, with or without `name`; `c_support_code()`,
    `c_support_code_apply(node, name)`, `c_init_code()`, `c_init_code_apply(node,
    name)`, `c_code_cleanup(node, name, inputs, outputs, sub)`; `c_headers()`,
    `c_header_dirs()`, `c_libraries()`, `c_lib_dirs()`, `c_compile_args()`;
    `c_code_cache_version()`; `get_params(node)`, an object for the C code;
    `check_input`.

    Compiled code is kept in the process and in `cache_dir`, by a SHA-256 of the
    whole source, the arguments, the compiler, Python's and NumPy's versions and
    `c_code_cache_version()`. The text of headers in `c_header_dirs` is not part
    of it: an op whose own headers change gives another version. A version of
    `()` means no more than that the source decides.

    Args:
      op: the op.
      node: an Apply of the op; each variable's `type` has a `dtype` and `ndim`.
      on_failure: "warn" or "raise"; `config.c_code_on_failure` by default, and
        "warn" without one.
      cache_dir: the folder of compiled code; by default `config.compile_dir`,
        `$PYTHON_OP_COMPILE_DIR`, or `default_folder()`, the first that is set.
      compiler: the compiler's command, "" for none; `config.cxx` by default, and
        what `find_compiler` finds without one.

    Returns:
      A function of `(inputs, output_storage)`: the first a list of arrays, the
      second a list of cells, lists of one element, that hold None or an array to
      reuse. When it returns, each cell holds an output, which may be the same array
      written anew. It holds the GIL. Where it raises, the cells hold what they
      held. It raises what `c_code` sets before `%(fail)s`; RuntimeError where the
      code fails without an exception, throws a C++ one, or leaves an output NULL;
      TypeError where it leaves one of another dtype or ndim. An input that is no
      array or has another dtype or ndim is a TypeError, one that is not aligned or
      not of the machine's byte order a ValueError; where the op's `check_input` is
      False nobody looks, and the code gets whatever is there.

      None where the op has no `c_code`, or one that raises NotImplementedError.
      None, with one CCodeWarning for an op and a cause, where there is no compiler,
      the code does not compile or load, or it asks for what is not offered.

    Raises:
      CCompileError: in place of such a warning, where `on_failure` is "raise".
      TypeError, ValueError: `c_code` is not as the contract says, or `on_failure`
        is neither of its values.
    """
    on_failure = on_failure or config.c_code_on_failure
    if on_failure not in _ON_FAILURE:
        raise ValueError(
            f"on_failure must be one of {', '.join(_ON_FAILURE)}: got {on_failure!r}"
        )
    if compiler is None:
        compiler = config.cxx
    folder = cache_dir or config.compile_dir or default_folder()
    try:
        source = c_source(op, node)
        if source is None:
            return None
        bind = _compile_and_load(
            op, source, find_compiler(compiler), CompileCache(folder)
        )
    except (CCodeUnsupportedError, CCompileError) as error:
        message = f"{op}: its C code cannot be used: {error}"
        if on_failure == "raise":
            raise CCompileError(message) from error
        _warn_once(str(op), str(error), f"{message}\nIts perform runs instead.")
        return None
    return bind(str(op), call_optional(op, "get_params", node, default=None))


def _warn_once(op: str, cause: str, message: str) -> None:
    if (op, cause) not in _warned:
        _warned.add((op, cause))
        warnings.warn(message, CCodeWarning, stacklevel=3)


def _include_folders() -> list[str]:
    """Returns the arguments for Python's and NumPy's headers.

    Raises:
      CCompileError: this Python has no headers.
    """
    python = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(python, "Python.h")):
        raise CCompileError(
            f"no Python.h in {python}: install Python's headers, "
            "which Debian has as libpython3-dev"
        )
    # Debian's pyconfig.h is a door to the machine's own, one folder up. Last, so that it hides nothing of the compiler's.
    return [
        f"-I{python}",
        f"-I{np.get_include()}",
        "-idirafter",
        os.path.dirname(python),
    ]


def _arguments(op: Any, compiler: Compiler) -> list[str]:
    folders = call_optional(op, "c_lib_dirs", default=())
    return compiler.arguments(
        [
            *(f"-I{f}" for f in call_optional(op, "c_header_dirs", default=())),
            *_include_folders(),
            *call_optional(op, "c_compile_args", default=()),
        ],
        [
            *(f"-L{f}" for f in folders),
            *(f"-Wl,-rpath,{f}" for f in folders),
            *(
                f"-l{name}"
                for name in call_optional(op, "c_libraries", default=())
            ),
        ],
    )


def _key(
    op: Any, source: str, compiler: Compiler, arguments: Sequence[str]
) -> str:
    content = [
        source,
        arguments,
        compiler.identity(),
        machine_identity(arguments),
        sys.version,
        sysconfig.get_config_var("SOABI"),
        np.__version__,
        repr(call_optional(op, "c_code_cache_version", default=())),
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _compile_and_load(
    op: Any, source: str, compiler: Compiler, cache: CompileCache
) -> _Bind:
    """Returns the `bind` of the source's module, compiled once for all that ask at a time."""
    arguments = _arguments(op, compiler)
    key = _key(op, source, compiler, arguments)

    def build(folder: str) -> str:
        with open(os.path.join(folder, SOURCE_NAME), "w") as file:
            file.write(source)
        compiler.run(folder, arguments)
        return os.path.join(folder, LIBRARY_NAME)

    with _locks.setdefault(key, threading.Lock()):
        if key in _refused:
            raise CCompileError(_refused[key])
        if key not in _loaded:
            try:
                _loaded[key] = _load(cache.get(key, build))
            except CCompileError as error:
                if error.lasting:
                    _refused[key] = str(error)
                raise
            except OSError as error:
                raise CCompileError(
                    f"it cannot be compiled: {error}"
                ) from error
        return _loaded[key]


def _load(path: str) -> _Bind:
    loader = importlib.machinery.ExtensionFileLoader(MODULE_NAME, path)
    spec = importlib.util.spec_from_file_location(
        MODULE_NAME, path, loader=loader
    )
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except Exception as error:
        raise CCompileError(
            f"it compiled, but cannot be loaded: {error}", lasting=True
        ) from error
    return module.bind


# A child has no thread that would let go of a lock that was held at the fork.
os.register_at_fork(after_in_child=_locks.clear)
