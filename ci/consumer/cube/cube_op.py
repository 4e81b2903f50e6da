"""The op Consumer>Cube."""

import tensorflow as tf

from cube import gen_cube_op


def cube(
    x: tf.types.experimental.TensorLike,
    name: str | None = None,
) -> tf.Tensor:
    """Returns the cube of each element.

    Args:
      x: a float32 or float64 tensor of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the shape and type of `x`.
    """
    return gen_cube_op.consumer_cube(
        x=x,
        name=name,
    )


@tf.RegisterGradient("Consumer>Cube")
def _cube_grad(op: tf.Operation, grad: tf.Tensor) -> tf.Tensor:
    """Gives the cotangent of the input: 3 * grad * x**2."""
    grad = tf.convert_to_tensor(grad)  # It may be a `tf.IndexedSlices`.
    return 3 * grad * tf.square(op.inputs[0])
