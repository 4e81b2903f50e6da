"""The interpreters of packages, with custom ops.

They are ai_edge_litert's, which only who asks for it needs, and tensorflow.lite's.
"""

import types
from collections.abc import Mapping
from collections.abc import Sequence

import numpy as np

from tflite.custom.python import model_file
from tflite.custom.python import model_interpreter
from tflite.custom.python import registerers


class ModuleInterpreter(model_interpreter.Interpreter):
    """A Python package's InterpreterWithCustomOps.

    The package is ai_edge_litert's or tensorflow.lite's.
    """

    def _open(self) -> None:
        module = self._runtime
        if not isinstance(module, types.ModuleType):
            from ai_edge_litert import interpreter as module
        try:
            self._interpreter = module.InterpreterWithCustomOps(
                model_content=self._model,
                num_threads=self._num_threads,
                custom_op_registerers=[
                    registerer
                    for path in self._ops
                    for registerer in registerers.custom_op_registerers(path)
                ],
            )
            self._interpreter.allocate_tensors()
        except RuntimeError as error:
            raise ValueError(model_interpreter.explained(str(error))) from error
        self._runners = {}

    def _all(self, is_output: bool) -> list[dict]:
        if is_output:
            return self._interpreter.get_output_details()
        return self._interpreter.get_input_details()

    def _shapes(self, is_output: bool) -> list[model_interpreter.Shape]:
        return [
            tuple(int(size) for size in each["shape"])
            for each in self._all(is_output)
        ]

    def _resize(self, shapes: Sequence[model_interpreter.Shape]) -> None:
        try:
            for details, shape in zip(self._all(False), shapes, strict=True):
                self._interpreter.resize_tensor_input(details["index"], shape)
            self._interpreter.allocate_tensors()
        except RuntimeError as error:
            raise ValueError(str(error)) from error

    def _write(self, index: int, value: np.ndarray) -> None:
        if value.dtype == object and value.shape == ():
            # The interpreters in Python take a lone object's address for its
            # bytes, of which they see those of numpy's own strings.
            if not value.item():
                raise ValueError(
                    f"input {index} is one empty string, which the"
                    " interpreters in Python cannot be given"
                )
            value = np.array(value.item(), np.bytes_)
        self._interpreter.set_tensor(self._all(False)[index]["index"], value)

    def invoke(self) -> None:
        self._interpreter.invoke()

    def _read(self, index: int) -> np.ndarray:
        tensor = self._all(True)[index]
        # The interpreters in Python refuse to read some without elements.
        if not np.all(tensor["shape"]):
            details = self._file.outputs[index].details()
            return np.empty(tensor["shape"], details.dtype)
        try:
            return self._interpreter.get_tensor(tensor["index"])
        except ValueError as error:
            raise RuntimeError(str(error)) from error

    def _run_signature(
        self, signature: model_file.Signature, inputs: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        if signature.key not in self._runners:
            self._runners[signature.key] = (
                self._interpreter.get_signature_runner(signature.key)
            )
        return self._runners[signature.key](**inputs)
