"""Outputs in LiteRT's CompiledModel: right, or refused with the op's name."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf
from absl.testing import absltest
from absl.testing import parameterized

from tflite.custom.python.interpreter import Interpreter

_N = None


def _convert(function: Callable, *inputs: tf.TensorSpec) -> bytes:
    concrete = tf.function(function, inputs).get_concrete_function()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
    converter.allow_custom_ops = True
    return converter.convert()


def _floats(*shape: int | None) -> tf.TensorSpec:
    return tf.TensorSpec(shape, tf.float32)


def _ints(*shape: int | None) -> tf.TensorSpec:
    return tf.TensorSpec(shape, tf.int32)


class OutputCheckTest(parameterized.TestCase):
    """Outputs whose shapes, or memory, LiteRT takes for granted."""

    @parameterized.named_parameters(
        ("range", "Range", lambda n: tf.range(n), _ints()),
        (
            "behind a range",
            "Range",
            lambda n: tf.cast(tf.range(n), tf.float32) * 2 + 1,
            _ints(),
        ),
        ("where", "Where", lambda x: tf.where(x > 0), _floats(4)),
        (
            "behind a where",
            "Where",
            lambda x: tf.exp(tf.boolean_mask(x, x > 0)),
            _floats(4),
        ),
        (
            "length of a where",
            "Where",
            lambda x: tf.shape(tf.where(x > 0))[0],
            _floats(4),
        ),
        (
            "one output of two",
            "Where",
            lambda x: (tf.exp(x), tf.boolean_mask(x, x > 0)),
            _floats(4),
        ),
        ("unique", "Unique", lambda x: tf.unique(x)[0], _floats(4)),
        ("slice", "StridedSlice", lambda x, n: x[:n], _floats(5), _ints()),
        ("pad", "Pad", tf.pad, _floats(5), _ints(1, 2)),
        ("depth", "OneHot", tf.one_hot, _ints(3), _ints()),
        (
            "k",
            "TopkV2",
            lambda x, k: tf.math.top_k(x, k)[0],
            _floats(5),
            _ints(),
        ),
        (
            "size",
            "ResizeBilinear",
            tf.image.resize,
            _floats(1, 4, 4, 1),
            _ints(2),
        ),
        (
            "branches of two shapes",
            "If",
            lambda x: tf.cond(x[0] > 0, lambda: x[:2], lambda: x),
            _floats(4),
        ),
        (
            "shape that the runtime does not follow beforehand",
            "Reshape",
            lambda x: tf.reshape(x, [tf.shape(x)[0], 6]),
            _floats(_N, 2, 3),
        ),
        ("custom op", "DenseBincount", tf.math.bincount, _ints(4)),
    )
    def test_output_whose_shape_only_the_run_tells_is_refused(
        self, op: str, function: Callable, *inputs: tf.TensorSpec
    ) -> None:
        with self.assertRaisesRegex(
            ValueError,
            f"its output '.*' depends on the op '{op}', which finds the shape",
        ):
            Interpreter(_convert(function, *inputs), runtime="litert")

    @parameterized.named_parameters(
        (
            "sum of a mask",
            lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)),
            [1.0, -2.0, 3.0],
        ),
        (
            "custom op behind a mask",
            lambda x: tf.reduce_sum(tf.atan(tf.boolean_mask(x, x > 0))),
            [1.0, -2.0, 3.0],
        ),
        ("shape", lambda x: (tf.shape(x), x * 2), [1.0, 2.0]),
        ("fill", lambda x: tf.fill(tf.shape(x), 3.0), [1.0, 2.0]),
        (
            "reshape inside a graph",
            lambda x: tf.reshape(x, [tf.shape(x)[0], 1]) * 2,
            [1.0],
        ),
        (
            "loop over what a batch has",
            lambda x: tf.while_loop(
                lambda i, _: i < 3, lambda i, a: (i + 1, a * 2), (0, x)
            )[1],
            [1.0, 2.0],
        ),
        ("input as output", lambda x: (tf.identity(x), x + 1), [1.0, 2.0]),
        ("one tensor twice", lambda x: (tf.exp(x), tf.exp(x)), [1.0, 2.0]),
    )
    def test_other_outputs_are_right(
        self, function: Callable, values: list[float]
    ) -> None:
        x = np.array(values, np.float32)
        model = _convert(function, _floats(_N))
        interpreter = Interpreter(model, runtime="litert")
        interpreter.resize(0, x.shape)
        expected = tf.nest.flatten(function(tf.constant(x)))
        # The second run finds the memory that the first one left.
        for _ in range(2):
            outputs = interpreter.run(x)
            self.assertLen(outputs, len(expected))
            for each, right in zip(outputs, expected, strict=True):
                np.testing.assert_allclose(each, right, rtol=1e-6)

    def test_run_that_changes_a_shape_fails_and_names_the_op(self) -> None:
        model = _convert(
            lambda x: tf.reshape(x, [tf.shape(x)[0], 6]) * 2, _floats(_N, 2, 3)
        )
        interpreter = Interpreter(model, runtime="litert")
        interpreter.resize(0, [4, 2, 3])
        with self.assertRaisesRegex(
            (RuntimeError, ValueError), "depends on the op 'Reshape'"
        ):
            interpreter.run(np.ones([4, 2, 3], np.float32))


if __name__ == "__main__":
    absltest.main()
