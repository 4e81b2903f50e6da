r"""A test case that holds kernels against TensorFlow, in every runtime.

class FooTest(KernelTestCase):
    def test_equals_tensorflow(self) -> None:
        self.check("Foo", random_values((2, 3)), axis=1)
        self.check_converted("Foo", random_values((2, 3)), axis=1)

    def test_axes_outside_are_refused(self) -> None:
        x = random_values((2, 3))
        self.assert_refused(r"axis must be in \[-2, 2\)", "Foo", [x], axis=2)
"""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import op_def_registry

from tflite.custom.python.every_runtime import run_everywhere
from tflite.custom.python.single_op_model import Tensor
from tflite.custom.python.single_op_model import custom_op_model
from tflite.custom.python.single_op_model import type_name

FLOATS = ["float32", "float64"]
INTS = ["int8", "int16", "int32", "int64"]
UINTS = ["uint8", "uint16", "uint32", "uint64"]
NUMBERS = [*FLOATS, *INTS, *UINTS]
INDICES = ["int32", "int64"]
# Values that a comparison, a sum or a product may treat on their own.
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 3e38, 1.0, -2.5]

# What tf.raw_ops calls otherwise than the op's definition.
_RENAMED = {"reduction_indices": "axis", "split_dim": "axis"}
# What has no kernel of its own, but is rewritten in a graph.
_GRAPH_ONLY = {"AccumulateNV2"}
# By the model schema, which is how the converter writes types.
_SCHEMA_TYPES = {
    **{tf.float32: 0, tf.float64: 10, tf.int32: 2, tf.int64: 4},
    **{tf.complex64: 8, tf.complex128: 11},
}


def random_values(
    shape: Sequence[int], dtype: str = "float32", seed: int = 1
) -> np.ndarray:
    """Returns normal floats, or integers in [-100, 100), always the same."""
    generator = np.random.default_rng(seed)
    if dtype.startswith("float"):
        return np.asarray(generator.standard_normal(shape)).astype(dtype)
    return np.asarray(generator.integers(-100, 100, shape)).astype(dtype)


def run_op(
    op: str,
    inputs: Sequence[np.ndarray],
    outputs: Sequence[str],
    options: Mapping[str, Any] | bytes = b"",
    constants: Sequence[int] = (),
    version: int = 1,
) -> list[np.ndarray]:
    """Runs a model of one custom op in every runtime.

    Args:
      op: its name in the model.
      inputs: its inputs.
      outputs: the types of its outputs.
      options: its options, or the bytes that stand for them.
      constants: which inputs are constants of the model.
      version: of the op.

    Raises:
      RuntimeError: a kernel refuses the call.
      AssertionError: the runtimes differ.
    """
    tensors = [
        Tensor(x.shape, type_name(x.dtype), value=x if i in constants else None)
        for i, x in enumerate(inputs)
    ]
    model = custom_op_model(
        op, tensors, [Tensor([1], dtype) for dtype in outputs], options, version
    )
    return run_everywhere(
        model, [x for i, x in enumerate(inputs) if i not in constants]
    )


def _raw_op(op: str, attributes: Mapping[str, Any]) -> Callable:
    """Returns an op as a function of its inputs, whose order is the op's."""

    def call(*tensors: tf.Tensor):
        arguments = op_def_registry.get(op).input_arg
        names = [_RENAMED.get(each.name, each.name) for each in arguments]
        if arguments[0].number_attr:  # As many as there are before the others.
            count = len(tensors) - len(arguments) + 1
            tensors = (list(tensors[:count]), *tensors[count:])
        inputs = dict(zip(names, tensors, strict=True))
        return getattr(tf.raw_ops, op)(**inputs, **attributes)

    return tf.function(call) if op in _GRAPH_ONLY else call


def _options(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as the converter writes them."""
    return {
        name: _SCHEMA_TYPES[value] if isinstance(value, tf.DType) else value
        for name, value in attributes.items()
    }


def _output_types(
    op: str, inputs: Sequence[np.ndarray], attributes: Mapping[str, Any]
) -> list[str]:
    """The types of an op's outputs, by its definition."""
    definition = op_def_registry.get(op)
    types = {x.name: x.default_value.type for x in definition.attr}
    for argument, x in zip(definition.input_arg, inputs, strict=False):
        types[argument.type_attr] = tf.as_dtype(x.dtype)
    types |= attributes
    return [
        tf.as_dtype(x.type or types[x.type_attr]).name
        for x in definition.output_arg
    ]


def run_tensorflow(
    op: str | Callable, *inputs: np.ndarray, **attributes: Any
) -> list[np.ndarray]:
    """Returns what an op of tf.raw_ops, or a function of tensors, gives."""
    call = _raw_op(op, attributes) if isinstance(op, str) else op
    # Constants are copies: some ops write to their inputs.
    result = call(*[tf.constant(x) for x in inputs])
    arrays = [x.numpy() for x in tf.nest.flatten(result)]
    # A scalar string comes as bytes.
    return [x if hasattr(x, "dtype") else np.array(x, object) for x in arrays]


class KernelTestCase(tf.test.TestCase, parameterized.TestCase):
    """Compares kernels with TensorFlow."""

    def check(
        self,
        op: str,
        *inputs: np.ndarray,
        ulps: int = 0,
        rtol: float = 0.0,
        constants: Sequence[int] = (),
        want: Sequence[np.ndarray] | None = None,
        **attributes: Any,
    ) -> None:
        """Checks what a kernel gives in every runtime against tf.raw_ops.

        Args:
          op: its name.
          inputs: its inputs, in order.
          ulps: how far floats may be from what they should be. Integers, and
            where NaN stand, must be as they should be.
          rtol: in place of `ulps`, how far relatively or absolutely.
          constants: which inputs are constants of the model.
          want: what the outputs should be, where TensorFlow has other ones.
          **attributes: of the op, by their names in TensorFlow.
        """
        if want is None:
            want = run_tensorflow(op, *inputs, **attributes)
        options = _options(attributes)
        types = [type_name(x.dtype) for x in want]
        got = run_op(op, inputs, types, options, constants)
        self.assert_outputs(got, want, ulps, rtol)

    def check_converted(
        self,
        op: str | Callable,
        *inputs: np.ndarray,
        ulps: int = 0,
        rtol: float = 0.0,
        **attributes: Any,
    ) -> None:
        """Checks a model that the converter has written, options and all.

        Args are those of `check`, but that `op` may be a function of tensors.
        """
        call = _raw_op(op, attributes) if isinstance(op, str) else op
        specs = [tf.TensorSpec(x.shape, x.dtype) for x in inputs]
        got = run_everywhere(self.convert(call, specs), inputs)
        want = run_tensorflow(op, *inputs, **attributes)
        self.assert_outputs(got, want, ulps, rtol)

    def convert(
        self, function: Callable, specs: Sequence[tf.TensorSpec]
    ) -> bytes:
        """Returns the model of a function of tensors."""
        concrete = tf.function(function, specs).get_concrete_function()
        converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
        converter.allow_custom_ops = True
        return converter.convert()

    def assert_outputs(
        self,
        got: Sequence[np.ndarray],
        want: Sequence[np.ndarray],
        ulps: int = 0,
        rtol: float = 0.0,
    ) -> None:
        """Checks shapes, types and values, as `check` does."""
        self.assertLen(got, len(want))
        for a, b in zip(got, want, strict=True):
            self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
            if not np.issubdtype(b.dtype, np.inexact):
                np.testing.assert_array_equal(a, b)
                continue
            if np.iscomplexobj(b):
                a, b = (np.stack([x.real, x.imag]) for x in (a, b))
            nan = np.isnan(b)
            np.testing.assert_array_equal(np.isnan(a), nan)
            if ulps:
                np.testing.assert_array_max_ulp(a[~nan], b[~nan], ulps)
            else:
                np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)

    def assert_refused(
        self, why: str, op: str, inputs: Sequence[np.ndarray], **attributes: Any
    ) -> None:
        """Checks that TensorFlow refuses a call, and the kernel in its words.

        Args:
          why: a regular expression that the kernel's error must match.
          op: its name.
          inputs: its inputs, in order.
          **attributes: of the op, by their names in TensorFlow.
        """
        with self.assertRaises((tf.errors.OpError, ValueError)):
            # In a graph, whose shapes are checked as well as the kernel's own.
            run_tensorflow(tf.function(_raw_op(op, attributes)), *inputs)
        types = _output_types(op, inputs, attributes)
        with self.assertRaisesRegex(RuntimeError, why):
            run_op(op, inputs, types, _options(attributes))
