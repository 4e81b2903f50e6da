"""Trains and converts the model y = atan(x + offset), whose offset is learned.

    atan_model 5=atan.tflite 65536=atan_65536.tflite

The data, the model and the loop are those of the TFLite guide on custom
operators. TFLite has no kernel for Atan, so that the converted model needs one
that is registered as a custom op. Each argument names how many floats a model
takes, and where to write it: the guide's five are too few to measure.
"""

from collections.abc import Sequence

import tensorflow as tf
from absl import app

_X = (-8.0, 0.5, 2.0, 2.2, 201.0)
_Y = (-1.4288993, 0.98279375, 1.2490457, 1.2679114, 1.5658458)
_STEPS = 1000
_TRUE_OFFSET = 1.0
_TOLERANCE = 1e-4


class AtanModel(tf.Module):
    """y = atan(x + offset) for float32 x of any shape."""

    def __init__(self) -> None:
        super().__init__()
        self.offset = tf.Variable(0.0)

    @tf.function
    def atan(self, x: tf.Tensor) -> tf.Tensor:
        return tf.atan(x + self.offset, name="Atan")


def train() -> AtanModel:
    """Returns the model after 1000 steps of Adam on the guide's five points.

    Raises:
      ValueError: the offset did not come within 1e-4 of 1.
    """
    model = AtanModel()
    x = tf.constant(_X)
    y = tf.constant(_Y)
    optimizer = tf.optimizers.Adam(0.01)
    optimizer.build([model.offset])

    # Within a tf.function a step takes a tenth of the time.
    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(model.atan(x) - y))
        gradients = tape.gradient(loss, [model.offset])
        optimizer.apply_gradients(zip(gradients, [model.offset], strict=True))

    for _ in range(_STEPS):
        step()
    offset = float(model.offset.numpy())
    if abs(offset - _TRUE_OFFSET) > _TOLERANCE:
        raise ValueError(
            f"training ended at offset {offset}; it must be within {_TOLERANCE}"
            f" of {_TRUE_OFFSET}"
        )
    return model


def convert(model: AtanModel, size: int) -> bytes:
    """Returns the model as a .tflite file in which Atan is a custom op.

    Args:
      model: what `train` returned.
      size: the shape of x is [size].
    """
    x = tf.TensorSpec([size], tf.float32, name="x")
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [model.atan.get_concrete_function(x)], model
    )
    converter.allow_custom_ops = True
    return converter.convert()


def main(argv: Sequence[str]) -> None:
    """Writes the converted models."""
    if len(argv) < 2:
        raise app.UsageError("no model to write; write SIZE=FILE")
    model = train()
    for argument in argv[1:]:
        size, equals, path = argument.partition("=")
        if not equals or not size.isdecimal():
            raise app.UsageError(f"{argument!r} is not SIZE=FILE")
        with open(path, "wb") as file:
            file.write(convert(model, int(size)))


if __name__ == "__main__":
    app.run(main)
