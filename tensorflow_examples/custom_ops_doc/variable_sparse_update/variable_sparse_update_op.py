"""Changes elements of a `tf.Variable` in place: an op on its handle."""

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.variable_sparse_update import (
    gen_variable_sparse_update_op,
)

TensorLike = tf.types.experimental.TensorLike


def variable_sparse_update(
    variable: tf.Variable,
    indices: TensorLike,
    updates: TensorLike,
    operation: str = "assign",
    name: str | None = None,
) -> tf.Operation | None:
    """Assigns to, adds to or multiplies chosen elements of a variable.

    It takes time for what it changes, not for the variable. It is
    `tf.Variable.scatter_nd_update`, `scatter_nd_add` and a multiplication, but
    `updates` may be one number for all, an index out of range changes nothing,
    and an index that is there twice counts twice, in order.

    >>> v = tf.Variable([1, 2, 3, 4])
    >>> variable_sparse_update(v, [[1], [3]], 10, "multiply")
    >>> v.numpy()
    array([ 1, 20,  3, 40], dtype=int32)

    A call is atomic: it holds the variable's lock. What was read from the
    variable before keeps its value, since the variable lets go of memory that
    others share; what is read afterwards is a copy, as after
    `scatter_nd_update`.

    It is differentiable as `scatter_nd_update` is: a gradient that is taken
    through the variable is that of its new value, and `updates` gets none.
    `tf.tensor_scatter_nd_update` is a function and has both gradients, at the
    cost of a copy of the whole tensor.

    Args:
      variable: A variable on a CPU, of any shape with at least one dimension,
        and of numbers, `tf.bool` or `tf.string`.
      indices: `tf.int32` or `tf.int64`, of shape `[..., depth]` with `depth`
        from 1 to the variable's rank: coordinates of elements, or where there
        are fewer of them than dimensions, of slices.
      updates: Of the variable's type: a scalar, or of the shape
        `indices.shape[:-1] + variable.shape[depth:]`.
      operation: "assign", "add" or "multiply"; numbers take all three. Integers
        wrap where they overflow.
      name: A name for the operation.

    Returns:
      The operation in a graph, None in eager code.

    Raises:
      tf.errors.InvalidArgumentError: If an index is out of range, a shape or
        the operation does not fit. The variable stays as it was.
      ValueError: In a graph, if that is known when it is built.
      TypeError or ValueError: If `updates` is of another type.
      tf.errors.FailedPreconditionError: If the variable is not initialized.
      tf.errors.NotFoundError: If there is no kernel for the variable's type.
    """
    return gen_variable_sparse_update_op.examples_variable_sparse_update(
        resource=variable.handle,
        indices=indices,
        updates=tf.convert_to_tensor(updates, variable.dtype),
        operation=operation,
        name=name,
    )


tf.no_gradient("Examples>VariableSparseUpdate")
