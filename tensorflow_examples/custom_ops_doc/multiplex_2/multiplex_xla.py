"""`multiplex` of TensorFlow's own ops, where XLA compiles.

XLA compiles no op without a kernel for XLA, and a library that is built against
a released wheel registers none: see the folder's README. TensorFlow's ops have
one, so a graph that is built for XLA gets these.
"""

import tensorflow as tf
from tensorflow.python.ops import control_flow_util


def is_wanted(*inputs: object) -> bool:
    """Whether a graph for XLA is being built and all inputs are dense.

    `tf.function(jit_compile=True)` marks the graph that it traces, and those of
    functions and loops in it.
    """
    return (
        not tf.executing_eagerly()
        and control_flow_util.GraphOrParentsInXlaContext(
            tf.compat.v1.get_default_graph()
        )
        and not any(
            isinstance(x, (tf.RaggedTensor, tf.SparseTensor)) for x in inputs
        )
    )


def multiplex(
    cond: tf.types.experimental.TensorLike,
    a: tf.types.experimental.TensorLike,
    b: tf.types.experimental.TensorLike,
    name: str | None = None,
) -> tf.Tensor:
    """Does what `multiplex_2_op.multiplex` does; refuses what it refuses.

    Shapes that differ are an error while the graph is built or, if they are not
    known then, while XLA compiles it.
    """
    a = tf.convert_to_tensor(a)
    b = tf.convert_to_tensor(b, a.dtype)
    cond = tf.convert_to_tensor(cond, tf.bool)
    for y_name, y in (("b", b), ("cond", cond)):
        if not a.shape.is_compatible_with(y.shape):
            raise ValueError(
                f"a and {y_name} must have the same shape. "
                f"a shape: {a.shape} {y_name} shape: {y.shape}"
            )
    # Select wants two values of one shape, but takes a condition for each row as
    # well. As a value of it the condition has to have the shape too.
    cond = tf.raw_ops.Select(
        condition=True, x=cond, y=tf.zeros_like(a, tf.bool)
    )
    return tf.raw_ops.Select(condition=cond, x=a, y=b, name=name)


def multiplex_scalars(
    cond: tf.types.experimental.TensorLike,
    a: tf.types.experimental.TensorLike,
    b: tf.types.experimental.TensorLike,
    name: str | None = None,
) -> tf.Tensor:
    """Does what `multiplex_scalars_op.multiplex_scalars` does.

    Raises:
      ValueError: If the rank of an input is not known, so that nobody can tell
        whether it is a scalar.
    """
    a = tf.convert_to_tensor(a)
    b = tf.convert_to_tensor(b, a.dtype)
    inputs = {"cond": tf.convert_to_tensor(cond, tf.bool), "a": a, "b": b}
    for input_name, x in inputs.items():
        if x.shape.rank is None:
            raise ValueError(
                f"the rank of {input_name} must be known where XLA compiles: "
                f"{x}"
            )
    arrays = [x for x in inputs.values() if x.shape.rank > 0]
    if arrays:
        shape = tf.shape(arrays[0])
        for input_name, x in inputs.items():
            if x.shape.rank == 0:
                x = tf.fill(shape, x)
                x.set_shape(arrays[0].shape)
                inputs[input_name] = x
    return multiplex(**inputs, name=name)
