"""TFLite's C library from Python, with custom ops.

For programs without TensorFlow and ai-edge-litert: the only other package that
it needs is numpy.
"""

import ctypes
from collections.abc import Mapping
from collections.abc import Sequence

import numpy as np

from tflite.custom.python import model_file
from tflite.custom.python import model_interpreter
from tflite.custom.python import registerers
from tflite.custom.python import tensor_details

_OK = 0
_STRING = 5  # kTfLiteString
_POINTER = ctypes.c_void_p
_TEXT = ctypes.c_char_p
_INT = ctypes.c_int
_INT32 = ctypes.c_int32
_SIZE = ctypes.c_size_t
_DIMS = ctypes.POINTER(_INT)


class _XnnpackOptions(ctypes.Structure):
    """TfLiteXNNPackDelegateOptions of the 2.17 library."""

    _fields_ = [
        ("num_threads", _INT32),
        ("flags", ctypes.c_uint32),
        ("weights_cache", _POINTER),
        ("handle_variable_ops", ctypes.c_bool),
        ("weight_cache_file_path", _TEXT),
    ]


# Result and arguments of each function used here.
_PROTOTYPES = {
    "TfLiteCustomOpsLogCreate": (_POINTER, []),
    "TfLiteCustomOpsLogDelete": (None, [_POINTER]),
    "TfLiteCustomOpsLogTake": (_TEXT, [_POINTER]),
    "TfLiteCustomOpsLogUse": (None, [_POINTER, _POINTER]),
    "TfLiteCustomOpsModelCreate": (_POINTER, [_TEXT, _SIZE, _POINTER]),
    "TfLiteCustomOpsModelDelete": (None, [_POINTER]),
    "TfLiteCustomOpsModelGet": (_POINTER, [_POINTER]),
    "TfLiteInterpreterAllocateTensors": (_INT, [_POINTER]),
    "TfLiteInterpreterCreate": (_POINTER, [_POINTER, _POINTER]),
    "TfLiteInterpreterDelete": (None, [_POINTER]),
    "TfLiteInterpreterGetInputTensor": (_POINTER, [_POINTER, _INT32]),
    "TfLiteInterpreterGetInputTensorCount": (_INT32, [_POINTER]),
    "TfLiteInterpreterGetOutputTensor": (_POINTER, [_POINTER, _INT32]),
    "TfLiteInterpreterGetOutputTensorCount": (_INT32, [_POINTER]),
    "TfLiteInterpreterGetSignatureRunner": (_POINTER, [_POINTER, _TEXT]),
    "TfLiteInterpreterInvoke": (_INT, [_POINTER]),
    "TfLiteInterpreterModifyGraphWithDelegate": (_INT, [_POINTER, _POINTER]),
    "TfLiteInterpreterOptionsCreate": (_POINTER, []),
    "TfLiteInterpreterOptionsDelete": (None, [_POINTER]),
    "TfLiteInterpreterOptionsSetNumThreads": (None, [_POINTER, _INT32]),
    "TfLiteInterpreterResizeInputTensor": (
        _INT,
        [_POINTER, _INT32, _DIMS, _INT32],
    ),
    "TfLiteSignatureRunnerAllocateTensors": (_INT, [_POINTER]),
    "TfLiteSignatureRunnerDelete": (None, [_POINTER]),
    "TfLiteSignatureRunnerGetInputTensor": (_POINTER, [_POINTER, _TEXT]),
    "TfLiteSignatureRunnerGetOutputTensor": (_POINTER, [_POINTER, _TEXT]),
    "TfLiteSignatureRunnerInvoke": (_INT, [_POINTER]),
    "TfLiteSignatureRunnerResizeInputTensor": (
        _INT,
        [_POINTER, _TEXT, _DIMS, _INT32],
    ),
    "TfLiteTensorByteSize": (_SIZE, [_POINTER]),
    "TfLiteTensorData": (_POINTER, [_POINTER]),
    "TfLiteTensorDim": (_INT32, [_POINTER, _INT32]),
    "TfLiteTensorName": (_TEXT, [_POINTER]),
    "TfLiteTensorNumDims": (_INT32, [_POINTER]),
    "TfLiteTensorRealloc": (_INT, [_SIZE, _POINTER]),
    "TfLiteTensorType": (_INT, [_POINTER]),
    "TfLiteXNNPackDelegateCreate": (
        _POINTER,
        [ctypes.POINTER(_XnnpackOptions)],
    ),
    "TfLiteXNNPackDelegateDelete": (None, [_POINTER]),
    "TfLiteXNNPackDelegateOptionsDefault": (_XnnpackOptions, []),
}


class CInterpreter(model_interpreter.Interpreter):
    """TFLite's C library, with XNNPACK if it takes the model."""

    _log = None
    _checked = None
    _interpreter = None
    _xnnpack = None
    _runners: dict[str, int] = {}

    def _open(self) -> None:
        self._close()
        # A kernels' library brings the C library: both answer to one handle.
        self._library = registerers.load_library(
            self._ops[0] if self._ops else None
        )
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(self._library, name)
            function.restype = result
            function.argtypes = arguments
        self._log = self._library.TfLiteCustomOpsLogCreate()
        self._checked = self._library.TfLiteCustomOpsModelCreate(
            self._model, len(self._model), self._log
        )
        if not self._checked:
            raise ValueError(self._failed("cannot read the model"))
        self._create()
        # Only this finds an op without a kernel, and tells its name.
        self._allocate()
        options = self._library.TfLiteXNNPackDelegateOptionsDefault()
        # A pool of one thread would only cost.
        options.num_threads = self._num_threads if self._num_threads > 1 else 0
        self._xnnpack = self._library.TfLiteXNNPackDelegateCreate(options)
        status = self._library.TfLiteInterpreterModifyGraphWithDelegate(
            self._interpreter, self._xnnpack
        )
        if status != _OK:
            # After that the interpreter is of no further use.
            self._create()
        self._allocate()

    def _create(self) -> None:
        if self._interpreter:
            self._library.TfLiteInterpreterDelete(self._interpreter)
            self._interpreter = None
        options = self._library.TfLiteInterpreterOptionsCreate()
        self._library.TfLiteInterpreterOptionsSetNumThreads(
            options, self._num_threads
        )
        self._library.TfLiteCustomOpsLogUse(self._log, options)
        for path in self._ops:
            registerers.load_library(path).TfLiteCustomOpsRegisterWithOptions(
                options
            )
        self._interpreter = self._library.TfLiteInterpreterCreate(
            self._library.TfLiteCustomOpsModelGet(self._checked), options
        )
        self._library.TfLiteInterpreterOptionsDelete(options)
        if not self._interpreter:
            raise ValueError(self._failed("could not make an interpreter"))
        self._library.TfLiteCustomOpsLogTake(self._log)

    def __del__(self) -> None:
        self._close()

    def _close(self) -> None:
        for runner in self._runners.values():
            self._library.TfLiteSignatureRunnerDelete(runner)
        if self._interpreter:
            self._library.TfLiteInterpreterDelete(self._interpreter)
        if self._xnnpack:
            self._library.TfLiteXNNPackDelegateDelete(self._xnnpack)
        if self._checked:
            self._library.TfLiteCustomOpsModelDelete(self._checked)
        if self._log:
            self._library.TfLiteCustomOpsLogDelete(self._log)
        self._log = self._checked = self._xnnpack = self._interpreter = None
        self._runners = {}

    def _failed(self, what: str) -> str:
        log = self._library.TfLiteCustomOpsLogTake(self._log).decode(
            errors="replace"
        )
        return model_interpreter.explained(f"{what}: {log}")

    def _allocate(self) -> None:
        if (
            self._library.TfLiteInterpreterAllocateTensors(self._interpreter)
            != _OK
        ):
            raise ValueError(self._failed("could not prepare the model"))

    def _tensor(self, is_output: bool, index: int) -> int:
        if is_output:
            get = self._library.TfLiteInterpreterGetOutputTensor
        else:
            get = self._library.TfLiteInterpreterGetInputTensor
        return get(self._interpreter, index)

    def _shape(self, tensor: int) -> model_interpreter.Shape:
        rank = self._library.TfLiteTensorNumDims(tensor)
        return tuple(
            self._library.TfLiteTensorDim(tensor, i) for i in range(rank)
        )

    def _shapes(self, is_output: bool) -> list[model_interpreter.Shape]:
        if is_output:
            count = self._library.TfLiteInterpreterGetOutputTensorCount
        else:
            count = self._library.TfLiteInterpreterGetInputTensorCount
        return [
            self._shape(self._tensor(is_output, index))
            for index in range(count(self._interpreter))
        ]

    def _resize(self, shapes: Sequence[model_interpreter.Shape]) -> None:
        for index, shape in enumerate(shapes):
            status = self._library.TfLiteInterpreterResizeInputTensor(
                self._interpreter,
                index,
                (_INT * len(shape))(*shape),
                len(shape),
            )
            if status != _OK:
                raise ValueError(
                    self._failed(f"could not resize input {index} to {shape}")
                )
        self._allocate()

    def _write(self, index: int, value: np.ndarray) -> None:
        self._fill(self._tensor(False, index), value)

    def _read(self, index: int) -> np.ndarray:
        return self._value(
            self._tensor(True, index), self._file.outputs[index].type
        )

    def invoke(self) -> None:
        if self._library.TfLiteInterpreterInvoke(self._interpreter) != _OK:
            raise RuntimeError(self._failed("could not run the model"))

    def _run_signature(
        self, signature: model_file.Signature, inputs: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        key = signature.key
        library = self._library
        if key not in self._runners:
            runner = library.TfLiteInterpreterGetSignatureRunner(
                self._interpreter, key.encode()
            )
            if not runner:
                raise ValueError(self._failed(f"no signature '{key}'"))
            self._runners[key] = runner
        runner = self._runners[key]
        for name, value in inputs.items():
            shape = value.shape
            status = library.TfLiteSignatureRunnerResizeInputTensor(
                runner, name.encode(), (_INT * len(shape))(*shape), len(shape)
            )
            if status != _OK:
                raise ValueError(
                    self._failed(f"could not resize input '{name}' to {shape}")
                )
        if library.TfLiteSignatureRunnerAllocateTensors(runner) != _OK:
            raise ValueError(
                self._failed(f"could not prepare the signature '{key}'")
            )
        for name, value in inputs.items():
            tensor = library.TfLiteSignatureRunnerGetInputTensor(
                runner, name.encode()
            )
            self._fill(tensor, value)
        if library.TfLiteSignatureRunnerInvoke(runner) != _OK:
            raise RuntimeError(
                self._failed(f"could not run the signature '{key}'")
            )
        return {
            name: self._value(
                library.TfLiteSignatureRunnerGetOutputTensor(
                    runner, name.encode()
                ),
                tensor.type,
            )
            for name, tensor in signature.outputs.items()
        }

    def _memory(self, tensor: int) -> int:
        """Returns where a tensor's elements are: it has some."""
        data = self._library.TfLiteTensorData(tensor)
        if not data:
            name = (self._library.TfLiteTensorName(tensor) or b"").decode()
            size = self._library.TfLiteTensorByteSize(tensor)
            raise RuntimeError(
                f"the tensor '{name}' has no memory for its {size} bytes: an"
                " output may have none before invoke(), and none is left if there"
                " was not enough"
            )
        return data

    def _fill(self, tensor: int, value: np.ndarray) -> None:
        if self._library.TfLiteTensorType(tensor) == _STRING:
            packed = tensor_details.pack_strings(value)
            if self._library.TfLiteTensorRealloc(len(packed), tensor) != _OK:
                raise RuntimeError(
                    f"no memory for {len(packed)} bytes of strings"
                )
            ctypes.memmove(self._memory(tensor), packed, len(packed))
        elif value.nbytes:
            ctypes.memmove(
                self._memory(tensor), value.ctypes.data, value.nbytes
            )

    def _value(self, tensor: int, tensor_type: int) -> np.ndarray:
        shape = self._shape(tensor)
        size = self._library.TfLiteTensorByteSize(tensor)
        if self._library.TfLiteTensorType(tensor) == _STRING:
            memory = ctypes.string_at(self._memory(tensor), size)
            return tensor_details.unpack_strings(memory, shape)
        value = np.empty(shape, tensor_details.numpy_dtype(tensor_type))
        if value.nbytes:
            ctypes.memmove(
                value.ctypes.data, self._memory(tensor), value.nbytes
            )
        return value
