"""What interpreters of every runtime are to their users."""

import os
import re
import types
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import numpy as np

from tflite.custom.python import model_file
from tflite.custom.python.tensor_details import TensorDetails

_UNRESOLVED = re.compile(r"unresolved custom op: ([^\s.]+)")

Shape = tuple[int, ...]


def explained(message: str) -> str:
    """Returns a runtime's error, with a way out if an op has no kernel."""
    found = _UNRESOLVED.search(message)
    if found is None:
        return message
    op = found.group(1)
    return (
        f"{message.rstrip(' .')}: none of the libraries in ops has a kernel for the"
        f" custom op '{op}'; `./bazelw run //tools/new_op -- my_op --kind=tflite`"
        " writes one to start from, and its library goes to ops=[...]"
    )


class SignatureRunner:
    """Calls a signature: `runner(x=x)["y"]`."""

    def __init__(
        self,
        signature: model_file.Signature,
        run: Callable[..., dict[str, np.ndarray]],
    ) -> None:
        self._signature = signature
        self._run = run

    def inputs(self) -> dict[str, TensorDetails]:
        """Returns what the inputs are, by their names in the signature.

        The shapes are those of the model.
        """
        tensors = self._signature.inputs
        return {name: tensor.details() for name, tensor in tensors.items()}

    def outputs(self) -> dict[str, TensorDetails]:
        """Returns what the outputs are, as inputs() does."""
        tensors = self._signature.outputs
        return {name: tensor.details() for name, tensor in tensors.items()}

    def __call__(self, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        """Returns the outputs by name for these inputs, which may have other shapes.

        Raises:
          ValueError: an input is missing, has no such name, or is of another
            type or of a shape that does not fit.
          RuntimeError: an op failed.
        """
        names = list(self._signature.inputs)
        if sorted(inputs) != sorted(names):
            raise ValueError(
                f"the signature '{self._signature.key}' has the inputs {names},"
                f" {list(inputs)} were given"
            )
        checked = {}
        for name, tensor in self._signature.inputs.items():
            value = np.asarray(inputs[name])
            role = f"input '{name}' of the signature '{self._signature.key}'"
            checked[name] = tensor.details(value.shape).checked(role, value)
        return self._run(self._signature, checked)


# By the name of a runtime, what imports and returns the class for it:
# interpreter.py's, since a program that uses one runtime needs no package of
# another.
CLASSES: dict[str, Callable[[], type["Interpreter"]]] = {}


def _class_of(runtime: str | types.ModuleType) -> type["Interpreter"]:
    if isinstance(runtime, types.ModuleType):
        runtime = "ai_edge_litert"
    if runtime not in CLASSES:
        raise ValueError(
            f"runtime must be one of {', '.join(CLASSES)}, or a module with"
            f" InterpreterWithCustomOps, not {runtime!r}"
        )
    return CLASSES[runtime]()


class Interpreter:
    """Runs a model in a runtime. Not for use by several threads.

    A tensor's name, type and quantization are read from the model, so that they
    are the same in every runtime; a subclass brings what moves the data.

    Beside the methods in the style of this repository there are those of
    `ai_edge_litert.interpreter.Interpreter`, under their names there, for
    programs that were written for it. Their index of an input is its place among
    the inputs; outputs count on from there.
    """

    def __new__(
        cls,
        model: str | os.PathLike[str] | bytes,
        *,
        runtime: str | types.ModuleType = "tflite",
        num_threads: int = 1,
        ops: Sequence[str] | None = None,
    ) -> "Interpreter":
        """Makes one of the runtime's class; see __init__."""
        del model, num_threads, ops
        return super().__new__(
            _class_of(runtime) if cls is Interpreter else cls
        )

    def __init__(
        self,
        model: str | os.PathLike[str] | bytes,
        *,
        runtime: str | types.ModuleType = "tflite",
        num_threads: int = 1,
        ops: Sequence[str] | None = None,
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
        self._model = model
        self._runtime = runtime
        self._num_threads = num_threads
        self._ops = [None] if ops is None else list(ops)
        self._open()
        self._file = model_file.read(model)

    # What a runtime does. Indices are those of the first graph.

    def _open(self) -> None:
        """Makes the runtime's interpreter, in the place of one that is there."""
        raise NotImplementedError

    def _shapes(self, is_output: bool) -> list[Shape]:
        """Returns the shapes of the inputs, or of the outputs, as they are now."""
        raise NotImplementedError

    def _resize(self, shapes: Sequence[Shape]) -> None:
        """Gives every input a shape, or raises ValueError."""
        raise NotImplementedError

    def _write(self, index: int, value: np.ndarray) -> None:
        """Sets an input to a value that fits."""
        raise NotImplementedError

    def _read(self, index: int) -> np.ndarray:
        """Returns a copy of an output."""
        raise NotImplementedError

    def _run_signature(
        self, signature: model_file.Signature, inputs: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Returns the outputs of a signature, after resizing what needs it."""
        raise NotImplementedError

    def invoke(self) -> None:
        """Runs the model.

        Raises:
          RuntimeError: an op failed.
        """
        raise NotImplementedError

    def inputs(self) -> list[TensorDetails]:
        """Returns what the inputs of the first graph are, in order."""
        shapes = self._shapes(False)
        return [
            tensor.details(shape)
            for tensor, shape in zip(self._file.inputs, shapes, strict=True)
        ]

    def outputs(self) -> list[TensorDetails]:
        """Returns what the outputs of the first graph are, in order.

        If an op finds its output's shape only when it runs, the shape is that of
        the last run.
        """
        shapes = self._shapes(True)
        return [
            tensor.details(shape)
            for tensor, shape in zip(self._file.outputs, shapes, strict=True)
        ]

    def resize(self, index: int, shape: Sequence[int]) -> None:
        """Gives an input another shape; all inputs lose their values.

        Raises:
          ValueError: the runtime or an op does not take the shape. LiteRT's
            CompiledModel makes no input a scalar that was none.
        """
        shapes = self._shapes(False)
        shapes[index] = tuple(shape)
        self._resize(shapes)

    def set_input(self, index: int, value: np.ndarray) -> None:
        """Copies an array of exactly the input's shape and dtype into it.

        Raises:
          ValueError: it has another.
        """
        details = self.inputs()[index]
        self._write(index, details.checked(f"input {index}", value))

    def output(self, index: int) -> np.ndarray:
        """Returns a copy of an output of the last run.

        Raises:
          RuntimeError: there was none, and the output has no memory yet.
        """
        return self._read(index)

    def run(self, *inputs: np.ndarray) -> list[np.ndarray]:
        """Returns the outputs for these inputs, which may change shapes.

        Raises:
          ValueError: there are not as many inputs as the model has, or one is
            of another dtype, or of a shape that does not fit.
          RuntimeError: an op failed.
        """
        shapes = self._shapes(False)
        if len(inputs) != len(shapes):
            raise ValueError(
                f"the model has {len(shapes)} inputs, {len(inputs)} were given"
            )
        values = [np.asarray(value) for value in inputs]
        if [value.shape for value in values] != shapes:
            self._resize([value.shape for value in values])
        for index, value in enumerate(values):
            self.set_input(index, value)
        self.invoke()
        return [self._read(index) for index in range(len(self._file.outputs))]

    def reset_variables(self) -> None:
        """Gives the model's variables the values that they had at first.

        All inputs lose their values and keep their shapes.
        """
        shapes = self._shapes(False)
        self._open()
        if self._shapes(False) != shapes:
            self._resize(shapes)

    def get_signature_list(self) -> dict[str, dict[str, list[str]]]:
        """Returns the names of the inputs and outputs of each signature."""
        return {
            key: {
                "inputs": list(signature.inputs),
                "outputs": list(signature.outputs),
            }
            for key, signature in self._file.signatures.items()
        }

    def get_signature_runner(self, key: str | None = None) -> SignatureRunner:
        """Returns what calls a signature. Signatures share the model's variables.

        Args:
          key: the signature's; may be left out if there is only one.

        Raises:
          ValueError: there is no such signature, or there are several.
        """
        signatures = self._file.signatures
        if key is None and len(signatures) == 1:
            (key,) = signatures
        if key not in signatures:
            raise ValueError(
                f"signature must be one of {list(signatures)}, not {key!r}"
            )
        return SignatureRunner(signatures[key], self._run_signature)

    # ai_edge_litert.interpreter.Interpreter's.

    def allocate_tensors(self) -> None:
        """Does nothing: resizing does it."""

    def get_input_details(self) -> list[dict[str, Any]]:
        """Returns inputs() as dictionaries with an index each."""
        return [_dictionary(i, each) for i, each in enumerate(self.inputs())]

    def get_output_details(self) -> list[dict[str, Any]]:
        """Returns outputs() as dictionaries with an index each."""
        first = len(self._file.inputs)
        return [
            _dictionary(first + i, each)
            for i, each in enumerate(self.outputs())
        ]

    def resize_tensor_input(
        self, index: int, shape: Sequence[int], strict: bool = False
    ) -> None:
        """As resize(); with `strict` only dimensions of -1 may change."""
        signature = self._file.inputs[index].shape_signature
        fits = len(shape) == len(signature) and all(
            b in (-1, a) for a, b in zip(shape, signature, strict=True)
        )
        if strict and not fits:
            raise ValueError(
                f"input {index} has the shape {list(signature)}, of which only -1"
                f" may change: not to {list(shape)}"
            )
        self.resize(index, shape)

    def set_tensor(self, index: int, value: np.ndarray) -> None:
        """As set_input()."""
        self.set_input(index, value)

    def get_tensor(self, index: int) -> np.ndarray:
        """As output(), for an index of get_output_details()."""
        first = len(self._file.inputs)
        if index < first:
            raise ValueError(
                f"tensor {index} is an input; outputs begin at {first}"
            )
        return self.output(index - first)

    def reset_all_variables(self) -> None:
        """As reset_variables()."""
        self.reset_variables()


def _dictionary(index: int, details: TensorDetails) -> dict[str, Any]:
    scale, zero_point = details.quantization
    scales = [scale] if scale else []
    is_string = details.dtype == object
    return {
        "name": details.name,
        "index": index,
        "shape": np.array(details.shape, np.int32),
        "shape_signature": np.array(details.shape_signature, np.int32),
        "dtype": np.bytes_ if is_string else details.dtype.type,
        "quantization": details.quantization,
        "quantization_parameters": {
            "scales": np.array(scales, np.float32),
            "zero_points": np.array([zero_point][: len(scales)], np.int32),
            "quantized_dimension": 0,
        },
        "sparsity_parameters": {},
    }
