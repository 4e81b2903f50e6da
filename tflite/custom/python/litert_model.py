"""LiteRT's CompiledModel from Python, with custom ops.

ai_edge_litert's own class of that name does not take custom ops. The runtime is
its libLiteRt.so; besides that package only numpy is needed.
"""

import ctypes
import functools
import importlib.util
import os
from collections.abc import Mapping
from collections.abc import Sequence

import numpy as np

from tflite.custom.python import model_file
from tflite.custom.python import model_interpreter
from tflite.custom.python import registerers
from tflite.custom.python import tensor_details

_LIBRARY = "libtflite_custom_ops_litert.so"
_PREFIX = "TfLiteCustomOpsLiteRtModel"
_MAX_RANK = 8

_POINTER = ctypes.c_void_p
_TEXT = ctypes.c_char_p
_INT = ctypes.c_int
_SIZE = ctypes.c_size_t
_INTS = ctypes.POINTER(ctypes.c_int32)


class _KernelLibrary(ctypes.Structure):
    """TfLiteCustomOpsLibrary: addresses of two functions."""

    _fields_ = [("has", _POINTER), ("register_with_options", _POINTER)]


# Result and arguments of each function of litert_registerer.h used here.
_PROTOTYPES = {
    "TfLiteCustomOpsLiteRtError": (_TEXT, []),
    f"{_PREFIX}Create": (
        _POINTER,
        [_TEXT, _SIZE, _INT, ctypes.POINTER(_KernelLibrary), _INT],
    ),
    f"{_PREFIX}Delete": (None, [_POINTER]),
    f"{_PREFIX}Read": (_INT, [_POINTER, _INT, _POINTER, _SIZE]),
    f"{_PREFIX}Resize": (_INT, [_POINTER, _INTS, _INTS]),
    f"{_PREFIX}Run": (_INT, [_POINTER]),
    f"{_PREFIX}SelectSignature": (_INT, [_POINTER, _INT]),
    f"{_PREFIX}TensorCount": (_INT, [_POINTER, _INT]),
    f"{_PREFIX}TensorName": (_TEXT, [_POINTER, _INT, _INT]),
    f"{_PREFIX}TensorShape": (_INT, [_POINTER, _INT, _INT, _INTS]),
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


def _kernel_libraries(ops: Sequence[str | None]) -> ctypes.Array:
    libraries = [registerers.load_library(path) for path in ops]
    functions = ("TfLiteCustomOpsHas", "TfLiteCustomOpsRegisterWithOptions")
    return (_KernelLibrary * len(libraries))(
        *[
            _KernelLibrary(
                *[ctypes.cast(getattr(library, f), _POINTER) for f in functions]
            )
            for library in libraries
        ]
    )


class LiteRtModel(model_interpreter.Interpreter):
    """LiteRT's CompiledModel on the CPU.

    What it can only tell while it runs, such as a shape, it cannot run. The
    first graph is run through the signature that is of it.
    """

    _handle = None

    def _open(self) -> None:
        self._close()
        self._library = _load()
        kernels = _kernel_libraries(self._ops)
        self._handle = self._call(
            "Create",
            self._model,
            len(self._model),
            self._num_threads,
            kernels,
            len(kernels),
        )
        if not self._handle:
            raise ValueError(self._error())
        self._selected = 0

    def __del__(self) -> None:
        self._close()

    def _close(self) -> None:
        if self._handle:
            self._call("Delete", self._handle)
        self._handle = None

    def _call(self, function: str, *arguments):
        return getattr(self._library, _PREFIX + function)(*arguments)

    def _error(self) -> str:
        return model_interpreter.explained(
            self._library.TfLiteCustomOpsLiteRtError().decode()
        )

    def _check(self, status: int, error: type[Exception]) -> None:
        if status != 0:
            raise error(self._error())

    def _select(self, signature: model_file.Signature | None) -> None:
        index = 0 if signature is None else signature.index
        if index != self._selected:
            status = self._call("SelectSignature", self._handle, index)
            self._check(status, ValueError)
            self._selected = index

    def _names(self, is_output: bool) -> list[str]:
        count = self._call("TensorCount", self._handle, is_output)
        return [
            self._call("TensorName", self._handle, is_output, i).decode()
            for i in range(count)
        ]

    @functools.cached_property
    def _first_graph(self) -> model_file.Signature | None:
        """The signature of the first graph, if the model has signatures."""
        signatures = self._file.signatures.values()
        found = [each for each in signatures if each.graph == 0]
        if signatures and not found:
            raise ValueError(
                "LiteRT's CompiledModel runs signatures, and the model has none"
                f" of its first graph: there are {list(self._file.signatures)}"
            )
        return found[0] if found else None

    @functools.cached_property
    def _orders(self) -> tuple[list[int], list[int]]:
        """For each input and output of the first graph its place in LiteRT."""
        self._select(self._first_graph)
        orders = []
        for is_output in (False, True):
            names = self._names(is_output)
            tensors = self._file.outputs if is_output else self._file.inputs
            if self._first_graph is not None:
                named = (
                    self._first_graph.outputs
                    if is_output
                    else self._first_graph.inputs
                )
                names = [named[name].name for name in names]
            orders.append([names.index(tensor.name) for tensor in tensors])
        return orders[0], orders[1]

    def _shape(self, is_output: bool, place: int) -> model_interpreter.Shape:
        dims = (ctypes.c_int32 * _MAX_RANK)()
        rank = self._call("TensorShape", self._handle, is_output, place, dims)
        return tuple(dims[:rank])

    def _shapes(self, is_output: bool) -> list[model_interpreter.Shape]:
        order = self._orders[is_output]
        self._select(self._first_graph)
        return [self._shape(is_output, place) for place in order]

    def _resize_in_order(
        self, shapes: Sequence[model_interpreter.Shape]
    ) -> None:
        """Gives the inputs shapes, in LiteRT's order."""
        before = [self._shape(False, place) for place in range(len(shapes))]
        if before == list(shapes):
            return
        dims = [size for shape in shapes for size in shape]
        ranks = [len(shape) for shape in shapes]
        status = self._call(
            "Resize",
            self._handle,
            (ctypes.c_int32 * len(dims))(*dims),
            (ctypes.c_int32 * len(ranks))(*ranks),
        )
        self._check(status, ValueError)

    def _resize(self, shapes: Sequence[model_interpreter.Shape]) -> None:
        order = self._orders[False]
        self._select(self._first_graph)
        by_place = dict(zip(order, shapes, strict=True))
        self._resize_in_order([by_place[i] for i in range(len(shapes))])

    def _write_place(self, place: int, value: np.ndarray) -> None:
        at = (self._handle, place, value.ctypes.data, value.nbytes)
        self._check(self._call("Write", *at), ValueError)

    def _read_place(self, place: int, tensor: model_file.Tensor) -> np.ndarray:
        dtype = tensor_details.numpy_dtype(tensor.type)
        value = np.empty(self._shape(True, place), dtype)
        at = (self._handle, place, value.ctypes.data, value.nbytes)
        self._check(self._call("Read", *at), RuntimeError)
        return value

    def _write(self, index: int, value: np.ndarray) -> None:
        place = self._orders[False][index]
        self._select(self._first_graph)
        self._write_place(place, value)

    def _read(self, index: int) -> np.ndarray:
        place = self._orders[True][index]
        self._select(self._first_graph)
        return self._read_place(place, self._file.outputs[index])

    def invoke(self) -> None:
        self._select(self._first_graph)
        self._check(self._call("Run", self._handle), RuntimeError)

    def _run_signature(
        self, signature: model_file.Signature, inputs: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        self._select(signature)
        names = self._names(False)
        self._resize_in_order([inputs[name].shape for name in names])
        for place, name in enumerate(names):
            self._write_place(place, inputs[name])
        self._check(self._call("Run", self._handle), RuntimeError)
        return {
            name: self._read_place(place, signature.outputs[name])
            for place, name in enumerate(self._names(True))
        }
