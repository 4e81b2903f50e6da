"""Trains and converts the model y = atan(x + offset), whose offset is learned.

The data, the model and the loop are those of the TFLite guide on custom
operators. TFLite has no kernel for Atan, so that the converted model needs one
that is registered as a custom op.
"""

from collections.abc import Sequence

import tensorflow as tf
from absl import app
from absl import flags

_OUTPUT = flags.DEFINE_string(
    "output", None, "where to write the .tflite file", required=True
)

_X = (-8.0, 0.5, 2.0, 2.2, 201.0)
_Y = (-1.4288993, 0.98279375, 1.2490457, 1.2679114, 1.5658458)
_STEPS = 1000
_TRUE_OFFSET = 1.0
_TOLERANCE = 1e-4


class AtanModel(tf.Module):
    """y = atan(x + offset) for float32 x of shape [5]."""

    def __init__(self) -> None:
        super().__init__()
        self.offset = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([len(_X)], tf.float32)])
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


def convert(model: AtanModel) -> bytes:
    """Returns the model as a .tflite file in which Atan is a custom op."""
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [model.atan.get_concrete_function()], model
    )
    converter.allow_custom_ops = True
    return converter.convert()


def main(argv: Sequence[str]) -> None:
    """Writes the converted model to --output."""
    if len(argv) > 1:
        raise app.UsageError(f"unexpected arguments: {' '.join(argv[1:])}")
    with open(_OUTPUT.value, "wb") as file:
        file.write(convert(train()))


if __name__ == "__main__":
    app.run(main)
