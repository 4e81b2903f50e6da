"""One interpreter for every runtime, with custom ops.

    interpreter = Interpreter("model.tflite", runtime="litert")
    (y,) = interpreter.run(x)

Needs no TensorFlow. See Interpreter for the runtimes.
"""

import os
import types
from collections.abc import Mapping
from collections.abc import Sequence

import numpy as np

from tflite.custom.python import model_file
from tflite.custom.python import model_interpreter
from tflite.custom.python import registerers

RUNTIMES = ("tflite", "ai_edge_litert", "litert")


class _ModuleInterpreter(model_interpreter.ModelInterpreter):
    """A Python package's InterpreterWithCustomOps.

    The package is ai_edge_litert's or tensorflow.lite's.
    """

    def __init__(self, module: types.ModuleType, *arguments) -> None:
        self._module = module
        super().__init__(*arguments)

    def _open(self) -> None:
        try:
            self._interpreter = self._module.InterpreterWithCustomOps(
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


class Interpreter(model_interpreter.ModelInterpreter):
    """Runs a model in a runtime. Not for use by several threads."""

    def __new__(
        cls,
        model: str | os.PathLike[str] | bytes,
        *,
        runtime: str | types.ModuleType = "tflite",
        num_threads: int = 1,
        ops: Sequence[str] | None = None,
    ) -> model_interpreter.ModelInterpreter:
        """Prepares a model.

        Args:
          model: a .tflite file, or the contents of one.
          runtime: what runs it: "tflite", TFLite's C library, for which numpy
            is all that must be installed; "ai_edge_litert", that package's
            interpreter; "litert", LiteRT's CompiledModel, from the same
            package. Or a module with a class InterpreterWithCustomOps, such as
            tensorflow.lite.python.interpreter.
          num_threads: how many threads built-in ops may use.
          ops: libraries of kernels that a `tflite_registerer` or
            `tflite_selected_ops` made, each by path or, if it is among the
            program's data, by label, such as "//my:libmy_ops.so". Without,
            the library with this repository's kernels. Of kernels with one name
            and version the last library's runs.

        Raises:
          OSError: the file, or a library of `ops`, cannot be read.
          ValueError: there is no such runtime; it is no model, or one that the
            runtime cannot prepare.
        """
        if not isinstance(model, bytes):
            with open(model, "rb") as file:
                model = file.read()
        arguments = (model, num_threads, ops)
        # Each runtime is imported by those who ask for it: a program that uses
        # one needs no package of another.
        if isinstance(runtime, types.ModuleType):
            return _ModuleInterpreter(runtime, *arguments)
        if runtime == "tflite":
            from tflite.custom.python import c_interpreter

            return c_interpreter.CInterpreter(*arguments)
        if runtime == "ai_edge_litert":
            from ai_edge_litert import interpreter as ai_edge_litert

            return _ModuleInterpreter(ai_edge_litert, *arguments)
        if runtime == "litert":
            from tflite.custom.python import litert_model

            return litert_model.LiteRtModel(*arguments)
        raise ValueError(
            f"runtime must be one of {', '.join(RUNTIMES)}, or a module with"
            f" InterpreterWithCustomOps, not {runtime!r}"
        )
