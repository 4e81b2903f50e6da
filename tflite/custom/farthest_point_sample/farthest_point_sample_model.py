"""Models with FarthestPointSample, an op that TensorFlow does not have.

    farthest_point_sample_model --output=FILE [--int8]

writes a small network for clouds of points: features of each point by a matrix
product, and those of the points that are far from each other.
"""

import os

import numpy as np
import tensorflow as tf
from absl import app
from absl import flags

from tflite.custom.python import registerers

_OUTPUT = flags.DEFINE_string("output", None, "where to write the .tflite file")
_INT8 = flags.DEFINE_bool("int8", False, "quantize what is around the op")

# The op's library, which is among this program's data.
REGISTERER = (
    "//tflite/custom/farthest_point_sample:farthest_point_sample_registerer.so"
)
NUM_POINTS = 64
NUM_SAMPLES = 8
NUM_FEATURES = 16


# The converter puts the custom op `name` in the place of a call of this function,
# because it is `tfl_fusable_op`; the other attributes become the op's options.
# The body is what TensorFlow itself runs, also to train.
@tf.function(
    experimental_implements=(
        'name: "FarthestPointSample"'
        ' attr { key: "tfl_fusable_op" value { b: true } }'
        f' attr {{ key: "num_samples" value {{ i: {NUM_SAMPLES} }} }}'
    )
)
def farthest_point_sample(points: tf.Tensor) -> tf.Tensor:
    """Returns the indices of points that are far from each other.

    Args:
      points: float32 `[batch, points, 3]`.

    Returns:
      int32 `[batch, NUM_SAMPLES]`.
    """
    last = tf.zeros_like(points[:, 0, 0], tf.int32)
    nearest = tf.fill(tf.shape(points)[:2], np.float32(np.inf))
    chosen = []
    for _ in range(NUM_SAMPLES):
        chosen.append(last)
        offset = points - tf.gather(points, last[:, None], batch_dims=1)
        nearest = tf.minimum(nearest, tf.reduce_sum(offset * offset, -1))
        last = tf.argmax(nearest, 1, tf.int32)
    return tf.stack(chosen, 1)


# What a graph needs that has the op by its name, such as one from elsewhere.
OP_DEF = """
name: "FarthestPointSample"
input_arg { name: "points" type: DT_FLOAT }
output_arg { name: "chosen" type: DT_INT32 }
attr { name: "num_samples" type: "int" }
"""


class PointNetwork(tf.Module):
    """Features of the points that are far from each other."""

    def __init__(self) -> None:
        super().__init__()
        weights = np.random.default_rng(1).standard_normal((3, NUM_FEATURES))
        self.weights = tf.constant(weights, tf.float32)

    @tf.function(
        input_signature=[tf.TensorSpec([1, NUM_POINTS, 3], name="points")]
    )
    def features(self, points: tf.Tensor) -> tf.Tensor:
        """Returns float32 `[1, NUM_SAMPLES, NUM_FEATURES]`."""
        features = tf.nn.relu(tf.einsum("bpc,cf->bpf", points, self.weights))
        chosen = farthest_point_sample(points)
        return tf.gather(features, chosen, batch_dims=1)


def samples():
    """Yields clouds of points, of which calibration learns the ranges."""
    generator = np.random.default_rng(2)
    for _ in range(16):
        yield [generator.uniform(-1, 1, (1, NUM_POINTS, 3)).astype(np.float32)]


def convert(int8: bool) -> bytes:
    """Returns the network as a .tflite file.

    Args:
      int8: whether to quantize what is around the op, which stays float32.
    """
    network = PointNetwork()
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [network.features.get_concrete_function()], network
    )
    converter.allow_custom_ops = True
    if int8:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = samples
        converter.target_spec.supported_ops = [
            tf.lite.OpsSet.TFLITE_BUILTINS_INT8
        ]
        # Calibration runs the model, and so needs the kernel.
        converter.target_spec._experimental_custom_op_registerers = (
            registerers.custom_op_registerers(REGISTERER)
        )
    return converter.convert()


def main(argv: list[str]) -> None:
    """Writes the model to --output."""
    del argv
    folder = os.environ.get("BUILD_WORKING_DIRECTORY", "")
    with open(os.path.join(folder, _OUTPUT.value), "wb") as file:
        file.write(convert(_INT8.value))


if __name__ == "__main__":
    flags.mark_flag_as_required("output")
    app.run(main)
