"""Files that keep buffers and options after their tables, in every runtime."""

import flatbuffers
import numpy as np
import tensorflow as tf
from absl.testing import absltest
from absl.testing import parameterized
from ai_edge_litert import schema_py_generated as schema

from tflite.custom.python.interpreter import Interpreter

_WEIGHTS = np.arange(600, dtype=np.float32).reshape(2, 300) / 600


def _model() -> bytes:
    """Returns a model with a large constant, twice, and a custom op's options."""

    @tf.function(input_signature=[tf.TensorSpec([3, 2], tf.float32)])
    def function(x: tf.Tensor) -> tf.Tensor:
        y = tf.matmul(x, _WEIGHTS) + tf.linalg.matmul(x, _WEIGHTS[::-1])
        return tf.math.cumprod(1 + y / 100, axis=1, reverse=True)

    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [function.get_concrete_function()]
    )
    converter.allow_custom_ops = True
    converter._experimental_use_buffer_offset = True
    return _with_options_outside(converter.convert())


def _with_options_outside(file: bytes) -> bytes:
    """Returns the model with custom options after its tables too.

    The schema has a place for them; this converter keeps short ones inside.
    """
    model = schema.ModelT.InitFromPackedBuf(file, 0)
    outside = []
    for buffer in model.buffers:
        if buffer.offset > 1:
            data = file[buffer.offset : buffer.offset + buffer.size]
            outside.append((buffer, "offset", data))
    for op in model.subgraphs[0].operators:
        if op.customOptions is not None and len(op.customOptions) > 0:
            data = bytes(op.customOptions)
            op.customOptions = None
            op.largeCustomOptionsSize = len(data)
            outside.append((op, "largeCustomOptionsOffset", data))

    def pack() -> bytes:
        builder = flatbuffers.Builder()
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    # Offsets of any value but the default take the same place.
    for table, field, _ in outside:
        setattr(table, field, 2)
    end = len(pack())
    contents = b""
    for table, field, data in outside:
        contents += bytes(-(end + len(contents)) % 16)
        setattr(table, field, end + len(contents))
        contents += data
    return pack() + contents


def _expected(x: np.ndarray) -> np.ndarray:
    y = 1 + (x @ _WEIGHTS + x @ _WEIGHTS[::-1]) / 100
    return np.cumprod(y[:, ::-1], axis=1)[:, ::-1]


class BufferOffsetsTest(parameterized.TestCase):
    """The converter's _experimental_use_buffer_offset."""

    def test_the_model_keeps_its_contents_after_its_tables(self) -> None:
        model = schema.ModelT.InitFromPackedBuf(_model(), 0)
        self.assertGreater(max(each.offset for each in model.buffers), 1)
        options = [
            op.largeCustomOptionsSize for op in model.subgraphs[0].operators
        ]
        self.assertGreater(max(options), 1)

    @parameterized.parameters("tflite", "litert")
    def test_values(self, runtime: str) -> None:
        x = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
        (y,) = Interpreter(_model(), runtime=runtime).run(x)
        np.testing.assert_allclose(y, _expected(x), rtol=1e-5)

    @parameterized.parameters("tflite", "litert")
    def test_truncated_files_are_errors(self, runtime: str) -> None:
        model = _model()
        for size in range(len(model) - 600, len(model), 50):
            with self.assertRaisesRegex(ValueError, "damaged|not a TFLite"):
                Interpreter(model[:size], runtime=runtime)


if __name__ == "__main__":
    absltest.main()
