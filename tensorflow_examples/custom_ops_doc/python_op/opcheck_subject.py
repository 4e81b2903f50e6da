"""What `opcheck` checks: an op with sample inputs, and how it is called."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import array_comparison
from tensorflow_examples.custom_ops_doc.python_op import python_op

# The value of an output that is no array: a resource, a variant.
OPAQUE = None


class Failed(Exception):
    """A check found the op at fault.

    Attributes:
      steps: lines of Python that show it, after `op` and `inputs`.
    """

    def __init__(self, message: str, steps: Sequence[str] = ()):
        super().__init__(message)
        self.steps = list(steps)


class NotSupported(Exception):
    """The op does not do what a check asks for, which is no fault."""


class Skipped(Exception):
    """A check has nothing to say of the op."""


class Sample:
    """One set of inputs.

    Attributes:
      index: its position among the samples.
      inputs: the inputs as they were given.
      free: positions of those that are arrays; the others are handles.
      arrays: list of these arrays, never written to.
    """

    def __init__(self, index: int, inputs: Sequence[Any]):
        self.index = index
        self.inputs = list(inputs)
        self.free = []
        self.arrays = []
        for i, x in enumerate(self.inputs):
            if isinstance(x, python_op.Variable):
                x = x.tensor if x.tensor is not None else x
            if isinstance(x, tf.Variable):
                x = tf.convert_to_tensor(x)
            if isinstance(x, tf.Tensor):
                if x.dtype in (tf.resource, tf.variant):
                    continue
                x = x.numpy()
            array = np.array(x)
            if array.dtype.kind in "US":
                array = array.astype(object)
            if not _is_tensor_like(array):
                raise TypeError(
                    f"input {i} of sample {index} must be a tensor or what "
                    f"NumPy makes an array of, but is {x!r}"
                )
            array.flags.writeable = False
            self.free.append(i)
            self.arrays.append(array)

    def specs(self, shapes: Sequence[Any] | None = None) -> list[tf.TensorSpec]:
        """Returns specs of the free inputs, by default of unknown dimensions."""
        if shapes is None:
            shapes = [[None] * x.ndim for x in self.arrays]
        return [
            tf.TensorSpec(shape, tf.as_dtype(x.dtype))
            for shape, x in zip(shapes, self.arrays, strict=True)
        ]

    def with_arrays(self, arrays: Sequence[np.ndarray]) -> Sample:
        """Returns a sample with other arrays in the free places."""
        inputs = list(self.inputs)
        for i, x in zip(self.free, arrays, strict=True):
            inputs[i] = x
        return Sample(self.index, inputs)


def _is_tensor_like(array: np.ndarray) -> bool:
    if array.dtype == object:
        return all(isinstance(x, (str, bytes)) for x in array.flat)
    try:
        tf.as_dtype(array.dtype)
    except TypeError:
        return False
    return True


class Subject:
    """An op under test.

    Attributes:
      op: the op.
      name: a text for people.
      is_python: whether it is an `Op`.
      samples: list of samples.
      seed: what every source of random numbers starts with.
      stateful: whether what it gives depends on more than its inputs.
      comparable: whether equal calls must give equal values.
      results: dict from a check's name to its result, as far as they are made.
    """

    def __init__(
        self,
        op: Callable,
        samples: Sequence[Sequence[Any]],
        seed: int,
        stateful: bool | None,
        reset: Callable[[], Any] | None,
        state: Callable[[], Any] | None,
    ):
        self.op = op
        self.is_python = isinstance(op, python_op.Op)
        self.name = str(op) if self.is_python else _name_of(op)
        self.samples = [Sample(i, inputs) for i, inputs in enumerate(samples)]
        self.seed = seed
        self._reset = reset
        self._state = state
        self.results: dict[str, str] = {}
        self._references: dict[int, list] = {}
        self._graphs: dict[tuple, Callable] = {}
        self.operations: list[tf.Operation] = []
        if stateful is None:
            stateful = self._is_stateful()
        self.stateful = stateful
        self.comparable = not stateful or reset is not None

    def _is_stateful(self) -> bool:
        if self.is_python:
            return False
        try:
            self.operations = self.traced(
                self.samples[0]
            ).graph.get_operations()
        except Exception:  # The checks will say so.
            return False
        return any(
            op.op_def.is_stateful
            for op in self.operations
            if op.type != "Placeholder"
        )

    @property
    def uses_python(self) -> bool:
        """Whether the op, or what it calls, is a function of this process."""
        return self.is_python or any(
            "PyFunc" in op.type or op.type == "Examples>PythonCall"
            for op in self.operations
        )

    def rng(self, purpose: str) -> np.random.Generator:
        """Returns a source of random numbers for a purpose."""
        return np.random.default_rng([self.seed, zlib.crc32(purpose.encode())])

    # Calls.

    def call(self, sample: Sample, tensors: Sequence[Any]) -> list[tf.Tensor]:
        """Applies the op; returns a flat list of its outputs.

        Args:
          sample: gives the inputs that are handles.
          tensors: the free inputs.
        """
        inputs = list(sample.inputs)
        for i, x in zip(sample.free, tensors, strict=True):
            inputs[i] = x
        if self.is_python:
            return self.op(*inputs, return_list=True)
        return [
            tf.convert_to_tensor(y)
            for y in tf.nest.flatten(self.op(*inputs))
            if y is not None and not isinstance(y, tf.Operation)
        ]

    def reset(self) -> None:
        """Puts the op's state where it was, if there is a way to."""
        if self._reset is not None:
            self._reset()

    def run(self, function: Callable, tensors: Sequence[Any]) -> list:
        """Calls a function that applies the op, and returns arrays.

        The op's state is reset before; what it is afterwards comes after the
        outputs.
        """
        self.reset()
        outputs = list(function(*tensors))
        if self._state is not None:
            outputs += tf.nest.flatten(self._state())
        return [value_of(y) for y in outputs]

    def applied(self, sample: Sample) -> Callable:
        """Returns a function of the free inputs that applies the op."""
        return lambda *xs: self.call(sample, xs)

    def eager(self, sample: Sample) -> list:
        """Returns the values of the outputs in eager code."""
        return self.run(self.applied(sample), tensors_of(sample.arrays))

    def reference(self, sample: Sample) -> list:
        """As `eager`, which is called once for a sample."""
        if sample.index not in self._references:
            self._references[sample.index] = self.eager(sample)
        return self._references[sample.index]

    def function(
        self, sample: Sample, specs: Sequence[tf.TensorSpec], **kwargs: Any
    ) -> Callable:
        """Returns the op as a `tf.function` of the free inputs."""
        return graph_function(self.applied(sample), specs, **kwargs)

    def traced(
        self, sample: Sample, shapes: Sequence[Any] | None = None
    ) -> Any:
        """Returns the op as a concrete function of inputs of given shapes."""
        specs = sample.specs(shapes)
        return self.function(sample, specs).get_concrete_function()

    def graph(self, sample: Sample) -> list:
        """Returns the values of the outputs in a graph that knows ranks alone."""
        key = (sample.index, *((x.dtype.str, x.ndim) for x in sample.arrays))
        if key not in self._graphs:
            self._graphs[key] = self.function(sample, sample.specs())
        return self.run(self._graphs[key], tensors_of(sample.arrays))

    def expected(self, sample: Sample) -> list:
        """Returns what a graph gives, or eager code where a graph fails.

        What is checked within a graph is then not blamed for a difference
        between the two.
        """
        if self.results.get("eager equals graph") == "FAIL":
            try:
                return self.graph(sample)
            except Exception:
                pass
        return self.reference(sample)

    def compare(
        self,
        sample: Sample,
        expected: Sequence,
        found: Sequence,
        what: str,
        steps: Sequence[str] = (),
    ) -> None:
        """Raises Failed where outputs differ; values only if they may not."""
        if len(expected) != len(found):
            raise Failed(
                f"{len(expected)} outputs, but {len(found)} {what}", steps
            )
        for i, (x, y) in enumerate(zip(expected, found, strict=True)):
            if (x is OPAQUE) != (y is OPAQUE):
                raise Failed(f"output {i} is of another kind {what}", steps)
            if x is OPAQUE:
                continue
            if self.comparable:
                same = array_comparison.close(x, y)
            else:
                same = x.dtype == y.dtype
            if not same:
                raise Failed(
                    f"sample {sample.index}: output {i} differs {what}: "
                    f"{array_comparison.difference(x, y)}",
                    steps,
                )


class _Callable:
    """A function that TensorFlow does not know again.

    It would warn that a function is traced often, which is what is wanted here.
    """

    def __init__(self, function: Callable):
        self._function = function
        self.__name__ = "checked"

    def __call__(self, *xs: tf.Tensor) -> Any:
        return self._function(*xs)


def graph_function(
    function: Callable, specs: Sequence[tf.TensorSpec], **kwargs: Any
) -> Callable:
    """Returns the `tf.function` of a function, not converted by AutoGraph."""
    return tf.function(
        _Callable(function),
        input_signature=list(specs),
        autograph=False,
        **kwargs,
    )


def _name_of(op: Callable) -> str:
    return getattr(op, "__qualname__", None) or repr(op)


def tensors_of(arrays: Sequence[np.ndarray]) -> list[tf.Tensor]:
    """Returns tensors with memory of their own."""
    return [tf.constant(x.copy(), tf.as_dtype(x.dtype)) for x in arrays]


def value_of(tensor: tf.Tensor) -> np.ndarray | None:
    """Returns a copy of a tensor's value, or OPAQUE."""
    if tensor.dtype in (tf.resource, tf.variant):
        return OPAQUE
    value = tensor.numpy()
    if tensor.dtype == tf.string:
        return np.array(value, object)
    return np.array(value)


def shapes_of(values: Sequence[np.ndarray | None]) -> Iterator[Any]:
    """Yields the shapes of values, None for those that are OPAQUE."""
    for x in values:
        yield None if x is OPAQUE else x.shape


# Texts.


def first_line(error: BaseException) -> str:
    """Returns what an error says first."""
    text = re.sub(r"\x1b\[\d*m", "", str(error))
    if text.startswith("Graph execution error"):
        # Where the nodes were made stands before what is wrong with them.
        found = re.search(r"^(?!Graph |Detected at )\S.*$", text, re.MULTILINE)
        text = found[0] if found else text
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    if lines[0].startswith("in user code"):
        return lines[-1][:300]  # AutoGraph's.
    if lines[0].startswith("Exception encountered when calling"):
        lines = lines[1:] or lines  # Keras's, as the next.
    for i, line in enumerate(lines[:-1]):
        if line.endswith("Error encountered:"):
            return lines[i + 1][:300]
    return lines[0][:300]


def array_source(x: np.ndarray) -> str:
    """Returns Python source of a small array, or a description of a large one."""
    if x.size > 40:
        return f"...  # {x.dtype}, shape {x.shape}, from {x.min()} to {x.max()}"
    dtype = "object" if x.dtype == object else f'"{x.dtype.name}"'
    if x.size == 0 and x.ndim > 1:
        return f"np.zeros({x.shape}, {dtype})"
    text = repr(x.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array({text}, {dtype})"
