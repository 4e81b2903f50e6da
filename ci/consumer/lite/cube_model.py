"""Writes a model with an op of this workspace and one of the rules': atan(cube(x))."""

import tensorflow as tf
from absl import app
from absl import flags

from cube import cube_op

_OUTPUT = flags.DEFINE_string(
    "output", None, "where to write the .tflite file", required=True
)


def main(argv: list[str]) -> None:
    """Converts the model and writes it."""
    del argv

    @tf.function(input_signature=[tf.TensorSpec([2, 3], name="x")])
    def model(x: tf.Tensor) -> tf.Tensor:
        return tf.atan(cube_op.cube(x))

    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [model.get_concrete_function()], model
    )
    converter.allow_custom_ops = True
    with open(_OUTPUT.value, "wb") as file:
        file.write(converter.convert())


if __name__ == "__main__":
    app.run(main)
