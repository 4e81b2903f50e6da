"""Chooses between two tensors, element by element: an op without state."""

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.keras_layers import op_layer
from tensorflow_examples.custom_ops_doc.multiplex_2 import gen_multiplex_2_op
from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_scalars_op
from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_xla

# What `tf.experimental.dispatch_for_api` takes, to let `multiplex` have other
# arguments than tensors.
examples_multiplex_dense = gen_multiplex_2_op.examples_multiplex_dense


@op_layer.takes_keras_tensors
def multiplex(
    cond: tf.types.experimental.TensorLike,
    a: tf.types.experimental.TensorLike,
    b: tf.types.experimental.TensorLike,
    name: str | None = None,
) -> tf.Tensor:
    """Returns elements of `a` where `cond` holds, and of `b` elsewhere.

    This is `tf.where(cond, a, b)` without broadcasting. It is differentiable in
    `a` and `b`, any number of times.

    >>> multiplex([True, False, True], [1, 2, 3], [10, 20, 30])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([ 1, 20,  3], ...)>

    Args:
      cond: A `tf.bool` tensor of any shape, which may be empty.
      a: A tensor of the shape of `cond` and of any type that a CPU `tf.where`
        takes: numbers, `tf.bool`, `tf.string`, `tf.resource`, `tf.variant`.
      b: A tensor of the shape and type of `a`.
      name: A name for the operation.

    All three may be `tf.RaggedTensor`s of the same row splits.

    Returns:
      A tensor of the shape of the inputs and the type of `a`.

    Raises:
      tf.errors.InvalidArgumentError: If the shapes differ, or in eager code if
        `a` and `b` are tensors of different types.
      ValueError: If shapes are seen to differ while a graph is built.
      TypeError: If the types of `a` and `b` differ while a graph is built, or
        some but not all inputs are ragged.
    """
    if multiplex_xla.is_wanted(cond, a, b):
        return multiplex_xla.multiplex(cond, a, b, name)
    return examples_multiplex_dense(cond=cond, a=a, b=b, name=name)


@tf.experimental.dispatch_for_api(
    examples_multiplex_dense,
    {"cond": tf.RaggedTensor},
    {"a": tf.RaggedTensor},
    {"b": tf.RaggedTensor},
)
def _multiplex_ragged(cond, a, b, name=None):
    """Chooses between the values of ragged tensors, whose rows must agree."""
    for argument, value in (("cond", cond), ("a", a), ("b", b)):
        if not isinstance(value, tf.RaggedTensor):
            raise TypeError(
                "cond, a and b must all be ragged, or none: "
                f"{argument} is {value!r}"
            )
    return tf.ragged.map_flat_values(multiplex, cond, a, b, name=name)


@tf.RegisterGradient("Examples>MultiplexDense")
def _multiplex_grad(
    op: tf.Operation, grad: tf.Tensor | tf.IndexedSlices
) -> tuple[None, tf.Tensor | None, tf.Tensor | None]:
    """Passes each element of `grad` to the input that it was chosen from.

    The gradient is made of such an op itself, so it has a gradient too.

    Args:
      op: The operation to differentiate.
      grad: The cotangent of `output_values`.

    Returns:
      The cotangents of `cond` (which has none), `a` and `b`.
    """
    return None, *multiplex_scalars_op.cotangents(op, grad)
