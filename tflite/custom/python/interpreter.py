"""One interpreter for every runtime, with the custom ops of this repository.

    interpreter = Interpreter("model.tflite", runtime="litert")
    (y,) = interpreter.run(x)

Needs no TensorFlow. See Interpreter for the runtimes.
"""

import os
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from tflite.custom.python import registerers
from tflite.custom.python.tensor_details import TensorDetails

RUNTIMES = ("tflite", "ai_edge_litert", "litert")


class _ModuleInterpreter:
    """A Python package's InterpreterWithCustomOps, with CInterpreter's methods.

    The package is ai_edge_litert's or tensorflow.lite's.
    """

    def __init__(
        self, module: types.ModuleType, model: bytes, num_threads: int
    ) -> None:
        try:
            self._interpreter = module.InterpreterWithCustomOps(
                model_content=model,
                num_threads=num_threads,
                custom_op_registerers=registerers.custom_op_registerers(),
            )
            self._interpreter.allocate_tensors()
        except RuntimeError as error:
            raise ValueError(str(error)) from error

    def inputs(self) -> list[TensorDetails]:
        return [
            self._details(each)
            for each in self._interpreter.get_input_details()
        ]

    def outputs(self) -> list[TensorDetails]:
        return [
            self._details(each)
            for each in self._interpreter.get_output_details()
        ]

    def _details(self, details: dict[str, Any]) -> TensorDetails:
        return TensorDetails(
            name=details["name"],
            shape=tuple(int(size) for size in details["shape"]),
            dtype=np.dtype(details["dtype"]),
        )

    def resize(self, index: int, shape: Sequence[int]) -> None:
        tensor = self._interpreter.get_input_details()[index]["index"]
        try:
            self._interpreter.resize_tensor_input(tensor, shape)
            self._interpreter.allocate_tensors()
        except RuntimeError as error:
            raise ValueError(str(error)) from error

    def set_input(self, index: int, value: np.ndarray) -> None:
        self.inputs()[index].check(f"input {index}", value)
        tensor = self._interpreter.get_input_details()[index]["index"]
        self._interpreter.set_tensor(tensor, value)

    def invoke(self) -> None:
        self._interpreter.invoke()

    def output(self, index: int) -> np.ndarray:
        tensor = self._interpreter.get_output_details()[index]
        # The interpreters in Python refuse to read some without elements.
        if not np.all(tensor["shape"]):
            return np.empty(tensor["shape"], tensor["dtype"])
        return self._interpreter.get_tensor(tensor["index"])


def _make(
    runtime: str | types.ModuleType, model: bytes, num_threads: int
) -> Any:
    # Each runtime is imported by those who ask for it: a program that uses one
    # needs no package of another.
    if isinstance(runtime, types.ModuleType):
        return _ModuleInterpreter(runtime, model, num_threads)
    if runtime == "tflite":
        from tflite.custom.python import c_interpreter

        return c_interpreter.CInterpreter(model, num_threads)
    if runtime == "ai_edge_litert":
        from ai_edge_litert import interpreter as ai_edge_litert

        return _ModuleInterpreter(ai_edge_litert, model, num_threads)
    if runtime == "litert":
        from tflite.custom.python import litert_model

        return litert_model.LiteRtModel(model, num_threads)
    raise ValueError(
        f"runtime must be one of {', '.join(RUNTIMES)}, or a module with"
        f" InterpreterWithCustomOps, not {runtime!r}"
    )


class Interpreter:
    """Runs a model whose tensors are numeric. Not for use by several threads."""

    def __init__(
        self,
        model: str | os.PathLike[str] | bytes,
        *,
        runtime: str | types.ModuleType = "tflite",
        num_threads: int = 1,
    ) -> None:
        """Prepares a model.

        Args:
          model: a .tflite file, or the contents of one.
          runtime: what runs it: "tflite", TFLite's C library, for which numpy
            is all that must be installed; "ai_edge_litert", that package's
            interpreter; "litert", LiteRT's CompiledModel, from the same
            package. Or a module with a class InterpreterWithCustomOps, such as
            tensorflow.lite.python.interpreter.
          num_threads: how many threads built-in ops may use.

        Raises:
          OSError: the file cannot be read.
          ValueError: there is no such runtime; it is no model, or one that the
            runtime cannot prepare.
        """
        if not isinstance(model, bytes):
            with open(model, "rb") as file:
                model = file.read()
        self._interpreter = _make(runtime, model, num_threads)

    def inputs(self) -> list[TensorDetails]:
        """Returns what the inputs are, in order."""
        return self._interpreter.inputs()

    def outputs(self) -> list[TensorDetails]:
        """Returns what the outputs are, in order.

        Where an op finds its output's shape only when it runs, the shape is
        that of the last run.
        """
        return self._interpreter.outputs()

    def resize(self, index: int, shape: Sequence[int]) -> None:
        """Gives an input another shape; all inputs lose their values.

        Raises:
          ValueError: the runtime or an op does not take the shape. LiteRT's
            CompiledModel makes no input a scalar that was none.
        """
        self._interpreter.resize(index, shape)

    def set_input(self, index: int, value: np.ndarray) -> None:
        """Copies an array of exactly the input's shape and dtype into it.

        Raises:
          ValueError: it has another.
        """
        self._interpreter.set_input(index, value)

    def invoke(self) -> None:
        """Runs the model.

        Raises:
          RuntimeError: an op failed.
        """
        self._interpreter.invoke()

    def output(self, index: int) -> np.ndarray:
        """Returns a copy of an output of the last run."""
        return self._interpreter.output(index)

    def run(self, *inputs: np.ndarray) -> list[np.ndarray]:
        """Returns the outputs for these inputs, which may change shapes.

        Raises:
          ValueError: there are not as many inputs as the model has, or one is
            of another dtype, or of a shape that does not fit.
          RuntimeError: an op failed.
        """
        details = self.inputs()
        if len(inputs) != len(details):
            raise ValueError(
                f"the model has {len(details)} inputs, {len(inputs)} were given"
            )
        for index, value in enumerate(inputs):
            if self.inputs()[index].shape != value.shape:
                self.resize(index, value.shape)
        for index, value in enumerate(inputs):
            self.set_input(index, value)
        self.invoke()
        return [self.output(index) for index in range(len(self.outputs()))]
