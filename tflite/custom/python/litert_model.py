"""LiteRT's CompiledModel from Python, with the custom ops of this repository.

ai_edge_litert's own class of that name does not take custom ops. The runtime is
its libLiteRt.so; besides that package only numpy is needed.
"""

import ctypes
import functools
import importlib.util
import os
from collections.abc import Sequence

import numpy as np

from tflite.custom.python import registerers
from tflite.custom.python import tensor_details

_LIBRARY = "libtflite_custom_ops_litert.so"
_PREFIX = "TfLiteCustomOpsLiteRtModel"
_MAX_RANK = 8

_POINTER = ctypes.c_void_p
_INT = ctypes.c_int
_SIZE = ctypes.c_size_t
_INTS = ctypes.POINTER(ctypes.c_int32)
# Result and arguments of each function of litert_registerer.h used here.
_PROTOTYPES = {
    "TfLiteCustomOpsLiteRtError": (ctypes.c_char_p, []),
    f"{_PREFIX}Create": (_POINTER, [ctypes.c_char_p, _SIZE, _INT]),
    f"{_PREFIX}Delete": (None, [_POINTER]),
    f"{_PREFIX}Read": (_INT, [_POINTER, _INT, _POINTER, _SIZE]),
    f"{_PREFIX}Resize": (_INT, [_POINTER, _INT, _INTS, _INT]),
    f"{_PREFIX}Run": (_INT, [_POINTER]),
    f"{_PREFIX}TensorCount": (_INT, [_POINTER, _INT]),
    f"{_PREFIX}TensorName": (ctypes.c_char_p, [_POINTER, _INT, _INT]),
    f"{_PREFIX}TensorShape": (_INT, [_POINTER, _INT, _INT, _INTS]),
    f"{_PREFIX}TensorType": (_INT, [_POINTER, _INT, _INT]),
    f"{_PREFIX}Write": (_INT, [_POINTER, _INT, _POINTER, _SIZE]),
}


@functools.cache
def _load() -> ctypes.CDLL:
    # Once libLiteRt.so is in the process under its own name, the library here
    # finds it, wherever the package is installed.
    package = importlib.util.find_spec("ai_edge_litert")
    if package is None or package.origin is None:
        raise ModuleNotFoundError(
            "LiteRT's CompiledModel needs the package ai-edge-litert"
        )
    ctypes.CDLL(os.path.join(os.path.dirname(package.origin), "libLiteRt.so"))
    library = ctypes.CDLL(registerers.library_path(_LIBRARY))
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


class LiteRtModel:
    """Runs a model whose tensors are numeric. Not for use by several threads.

    Runs the model's first signature; a model without any has one over its first
    graph.
    """

    def __init__(self, model: bytes, num_threads: int = 1) -> None:
        """Prepares a model.

        Args:
          model: contents of a .tflite file.
          num_threads: how many threads built-in ops may use.

        Raises:
          ValueError: they are no model, or one that cannot be prepared; also
            where an op could only tell the shape of its output when it runs.
        """
        self._model = None
        self._library = _load()
        self._model = self._call("Create", model, len(model), num_threads)
        if not self._model:
            raise ValueError(self._error())

    def __del__(self) -> None:
        if self._model:
            self._call("Delete", self._model)

    def _call(self, function: str, *arguments):
        return getattr(self._library, _PREFIX + function)(*arguments)

    def _error(self) -> str:
        return self._library.TfLiteCustomOpsLiteRtError().decode()

    def _details(
        self, is_output: bool, index: int
    ) -> tensor_details.TensorDetails:
        at = (self._model, is_output, index)
        dims = (ctypes.c_int32 * _MAX_RANK)()
        rank = self._call("TensorShape", *at, dims)
        return tensor_details.TensorDetails(
            name=self._call("TensorName", *at).decode(),
            shape=tuple(dims[:rank]),
            dtype=tensor_details.numpy_dtype(self._call("TensorType", *at)),
        )

    def _all(self, is_output: bool) -> list[tensor_details.TensorDetails]:
        count = self._call("TensorCount", self._model, is_output)
        return [self._details(is_output, index) for index in range(count)]

    def inputs(self) -> list[tensor_details.TensorDetails]:
        """Returns what the inputs are."""
        return self._all(False)

    def outputs(self) -> list[tensor_details.TensorDetails]:
        """Returns what the outputs are."""
        return self._all(True)

    def resize(self, index: int, shape: Sequence[int]) -> None:
        """Gives an input another shape; all inputs lose their values.

        Raises:
          ValueError: LiteRT or an op does not take the shape. LiteRT does not
            take that of a scalar.
        """
        if self.inputs()[index].shape == tuple(shape):
            return
        dims = (ctypes.c_int32 * len(shape))(*shape)
        if self._call("Resize", self._model, index, dims, len(shape)) != 0:
            raise ValueError(self._error())

    def set_input(self, index: int, value: np.ndarray) -> None:
        """Copies an array of exactly the input's shape and type into it."""
        self.inputs()[index].check(f"input {index}", value)
        value = np.ascontiguousarray(value)
        at = (self._model, index, value.ctypes.data, value.nbytes)
        if self._call("Write", *at) != 0:
            raise ValueError(self._error())

    def invoke(self) -> None:
        """Runs the model.

        Raises:
          RuntimeError: an op failed.
        """
        if self._call("Run", self._model) != 0:
            raise RuntimeError(self._error())

    def output(self, index: int) -> np.ndarray:
        """Returns a copy of an output."""
        details = self.outputs()[index]
        value = np.empty(details.shape, details.dtype)
        at = (self._model, index, value.ctypes.data, value.nbytes)
        if self._call("Read", *at) != 0:
            raise RuntimeError(self._error())
        return value
