"""`multiplex` where scalars stand for arrays."""

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.keras_layers import op_layer
from tensorflow_examples.custom_ops_doc.multiplex_2 import gen_multiplex_2_op
from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_xla


@op_layer.takes_keras_tensors
def multiplex_scalars(
    cond: tf.types.experimental.TensorLike,
    a: tf.types.experimental.TensorLike,
    b: tf.types.experimental.TensorLike,
    name: str | None = None,
) -> tf.Tensor:
    """Returns elements of `a` where `cond` holds, and of `b` elsewhere.

    This is `multiplex_2_op.multiplex`, except that an input that is a scalar
    stands for an array of the shape of the others; no such array is made. It is
    differentiable in `a` and `b`, any number of times.

    >>> multiplex_scalars([True, False, True], [1, 2, 3], 0)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 0, 3], ...)>

    Args:
      cond: A `tf.bool` tensor of any shape.
      a: A tensor of the shape of `cond`, or either of them is a scalar; of the
        types that `multiplex` takes.
      b: A tensor of the shape of the others or a scalar, and of the type of `a`.
      name: A name for the operation.

    Returns:
      A tensor of the shape of the inputs that are no scalars and of the type of
      `a`.

    Raises:
      tf.errors.InvalidArgumentError: If the shapes of inputs that are no scalars
        differ, or in eager code if `a` and `b` are tensors of different types.
      ValueError: If shapes are seen to differ while a graph is built.
      TypeError: If the types of `a` and `b` differ while a graph is built.
    """
    if multiplex_xla.is_wanted(cond, a, b):
        return multiplex_xla.multiplex_scalars(cond, a, b, name)
    return gen_multiplex_2_op.examples_multiplex_scalars(
        cond=cond, a=a, b=b, name=name
    )


@tf.RegisterGradient("Examples>MultiplexScalars")
def _multiplex_scalars_grad(
    op: tf.Operation, grad: tf.Tensor | tf.IndexedSlices
) -> tuple[None, tf.Tensor | None, tf.Tensor | None]:
    """Passes each element of `grad` to the input that it was chosen from.

    Args:
      op: The operation to differentiate.
      grad: The cotangent of `output_values`.

    Returns:
      The cotangents of `cond` (which has none), `a` and `b`.
    """
    summed = [
        None if of is None else _sum_to_rank_of(values, of)
        for values, of in zip(op.inputs[1:], cotangents(op, grad), strict=True)
    ]
    return None, *summed


def cotangents(
    op: tf.Operation, grad: tf.Tensor | tf.IndexedSlices
) -> tuple[tf.Tensor | None, tf.Tensor | None]:
    """Returns those of `a` and `b`, before sums over what a scalar stood for.

    Args:
      op: The operation to differentiate, whose first input is `cond`.
      grad: The cotangent of its output.

    Returns:
      Tensors of the shape of the output; None for what nobody asks about.
    """
    cond = op.inputs[0]
    grad = tf.convert_to_tensor(grad)  # It may be a `tf.IndexedSlices`.
    # A variant has zeros only of the shape of what it holds.
    zeros = (
        tf.zeros_like(grad)
        if grad.dtype == tf.variant
        else tf.zeros([], grad.dtype)
    )
    # Eager code says which inputs nobody asks about.
    unwanted = getattr(op, "skip_input_indices", None) or ()
    return (
        None if 1 in unwanted else multiplex_scalars(cond, grad, zeros),
        None if 2 in unwanted else multiplex_scalars(cond, zeros, grad),
    )


def _sum_to_rank_of(values: tf.Tensor, cotangent: tf.Tensor) -> tf.Tensor:
    """Sums a cotangent over the elements that a scalar stood for."""
    if values.shape.rank is not None and values.shape.rank > 0:
        return cotangent
    # No axes where the rank, which a graph may not know, is that of the output.
    axes = tf.range(tf.rank(cotangent) - tf.rank(values))
    return tf.reduce_sum(cotangent, axes)
