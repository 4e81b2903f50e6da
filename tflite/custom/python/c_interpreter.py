"""TFLite's C library from Python, with the custom ops of this repository.

For programs without TensorFlow and ai-edge-litert: the only other package that
it needs is numpy.
"""

import ctypes
from collections.abc import Sequence

import numpy as np

from tflite.custom.python import registerers
from tflite.custom.python import tensor_details

_OK = 0
_POINTER = ctypes.c_void_p
_INT = ctypes.c_int
_SIZE = ctypes.c_size_t
# Result and arguments of each function used here.
_PROTOTYPES = {
    "TfLiteCustomOpsRegisterWithOptions": (None, [_POINTER]),
    "TfLiteInterpreterAllocateTensors": (_INT, [_POINTER]),
    "TfLiteInterpreterCreate": (_POINTER, [_POINTER, _POINTER]),
    "TfLiteInterpreterDelete": (None, [_POINTER]),
    "TfLiteInterpreterGetInputTensor": (_POINTER, [_POINTER, ctypes.c_int32]),
    "TfLiteInterpreterGetOutputTensor": (_POINTER, [_POINTER, ctypes.c_int32]),
    "TfLiteInterpreterGetInputTensorCount": (ctypes.c_int32, [_POINTER]),
    "TfLiteInterpreterGetOutputTensorCount": (ctypes.c_int32, [_POINTER]),
    "TfLiteInterpreterInvoke": (_INT, [_POINTER]),
    "TfLiteInterpreterOptionsCreate": (_POINTER, []),
    "TfLiteInterpreterOptionsDelete": (None, [_POINTER]),
    "TfLiteInterpreterOptionsSetNumThreads": (None, [_POINTER, ctypes.c_int32]),
    "TfLiteInterpreterResizeInputTensor": (
        _INT,
        [_POINTER, ctypes.c_int32, ctypes.POINTER(_INT), ctypes.c_int32],
    ),
    "TfLiteModelCreate": (_POINTER, [ctypes.c_char_p, _SIZE]),
    "TfLiteModelDelete": (None, [_POINTER]),
    "TfLiteTensorByteSize": (_SIZE, [_POINTER]),
    "TfLiteTensorCopyFromBuffer": (_INT, [_POINTER, _POINTER, _SIZE]),
    "TfLiteTensorCopyToBuffer": (_INT, [_POINTER, _POINTER, _SIZE]),
    "TfLiteTensorDim": (ctypes.c_int32, [_POINTER, ctypes.c_int32]),
    "TfLiteTensorName": (ctypes.c_char_p, [_POINTER]),
    "TfLiteTensorNumDims": (ctypes.c_int32, [_POINTER]),
    "TfLiteTensorType": (_INT, [_POINTER]),
}


def _load() -> ctypes.CDLL:
    # The kernels' library brings the C library: both answer to one handle.
    library = registerers.load_library()
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


class CInterpreter:
    """Runs a model whose tensors are numeric. Not for use by several threads.

    Why something failed is printed by the C library on stderr.
    """

    def __init__(self, model: bytes, num_threads: int = 1) -> None:
        """Prepares a model.

        Args:
          model: contents of a .tflite file.
          num_threads: how many threads built-in ops may use.

        Raises:
          ValueError: they are no model, or one that cannot be prepared.
        """
        self._interpreter = None
        self._library = _load()
        self._bytes = model  # The interpreter reads weights from there.
        handle = self._library.TfLiteModelCreate(model, len(model))
        if not handle:
            raise ValueError(f"not a TFLite model: {len(model)} bytes")
        options = self._library.TfLiteInterpreterOptionsCreate()
        self._library.TfLiteInterpreterOptionsSetNumThreads(
            options, num_threads
        )
        self._library.TfLiteCustomOpsRegisterWithOptions(options)
        self._interpreter = self._library.TfLiteInterpreterCreate(
            handle, options
        )
        self._library.TfLiteInterpreterOptionsDelete(options)
        self._library.TfLiteModelDelete(handle)
        if not self._interpreter:
            raise ValueError("could not make an interpreter of the model")
        self._allocate()

    def __del__(self) -> None:
        if self._interpreter:
            self._library.TfLiteInterpreterDelete(self._interpreter)

    def _allocate(self) -> None:
        status = self._library.TfLiteInterpreterAllocateTensors(
            self._interpreter
        )
        if status != _OK:
            raise ValueError(f"could not prepare the model: status {status}")

    def _input(self, index: int) -> int:
        return self._library.TfLiteInterpreterGetInputTensor(
            self._interpreter, index
        )

    def _output(self, index: int) -> int:
        return self._library.TfLiteInterpreterGetOutputTensor(
            self._interpreter, index
        )

    def inputs(self) -> list[tensor_details.TensorDetails]:
        """Returns what the inputs are."""
        count = self._library.TfLiteInterpreterGetInputTensorCount(
            self._interpreter
        )
        return [self._details(self._input(index)) for index in range(count)]

    def outputs(self) -> list[tensor_details.TensorDetails]:
        """Returns what the outputs are."""
        count = self._library.TfLiteInterpreterGetOutputTensorCount(
            self._interpreter
        )
        return [self._details(self._output(index)) for index in range(count)]

    def resize(self, index: int, shape: Sequence[int]) -> None:
        """Gives an input another shape; all inputs lose their values."""
        status = self._library.TfLiteInterpreterResizeInputTensor(
            self._interpreter, index, (_INT * len(shape))(*shape), len(shape)
        )
        if status != _OK:
            raise ValueError(f"could not resize input {index} to {shape}")
        self._allocate()

    def set_input(self, index: int, value: np.ndarray) -> None:
        """Copies an array of exactly the input's shape and type into it."""
        tensor = self._input(index)
        self._details(tensor).check(f"input {index}", value)
        value = np.ascontiguousarray(value)
        self._library.TfLiteTensorCopyFromBuffer(
            tensor, value.ctypes.data, value.nbytes
        )

    def invoke(self) -> None:
        status = self._library.TfLiteInterpreterInvoke(self._interpreter)
        if status != _OK:
            raise RuntimeError(f"could not run the model: status {status}")

    def output(self, index: int) -> np.ndarray:
        """Returns a copy of an output."""
        tensor = self._output(index)
        details = self._details(tensor)
        value = np.empty(details.shape, details.dtype)
        self._library.TfLiteTensorCopyToBuffer(
            tensor, value.ctypes.data, value.nbytes
        )
        return value

    def _details(self, tensor: int) -> tensor_details.TensorDetails:
        rank = self._library.TfLiteTensorNumDims(tensor)
        return tensor_details.TensorDetails(
            name=(self._library.TfLiteTensorName(tensor) or b"").decode(),
            shape=tuple(
                self._library.TfLiteTensorDim(tensor, i) for i in range(rank)
            ),
            dtype=tensor_details.numpy_dtype(
                self._library.TfLiteTensorType(tensor)
            ),
        )
