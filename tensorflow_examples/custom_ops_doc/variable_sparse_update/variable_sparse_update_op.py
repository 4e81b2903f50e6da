"""Changes elements of a `tf.Variable` in place: an op on its handle."""

from typing import Any

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

    Of a variable that each replica of a `tf.distribute.Strategy` has a copy of,
    every copy is changed; of one in shards, each shard has its part.

    Args:
      variable: A variable on a CPU, of any shape with at least one dimension,
        and of numbers, `tf.bool` or `tf.string`: a `tf.Variable`, a
        `keras.Variable`, or what a strategy makes of them.
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
      TypeError: If `variable` is none.
      ValueError: If one replica would change its copy of a variable that is the
        same in all, or if the replicas' copies are not the same, outside of
        `strategy.run`.
      TypeError or ValueError: If `updates` is of another type.
      tf.errors.FailedPreconditionError: If the variable is not initialized.
      tf.errors.NotFoundError: If there is no kernel for the variable's type.
    """
    if not isinstance(variable, tf.Variable):
        # Keras' variable has one, of which its `value` may be a copy of another
        # type.
        variable = getattr(variable, "_value", variable)
    if isinstance(variable, tf.distribute.DistributedValues):
        strategy = variable.distribute_strategy
        replica = tf.distribute.get_replica_context()
        in_replica = replica is not None and replica.strategy is strategy
        _require_whole_update(variable, in_replica)
        if not in_replica:
            with strategy.scope():
                return strategy.extended.update(
                    variable,
                    variable_sparse_update,
                    args=(indices, updates, operation, name),
                )
    elif isinstance(getattr(variable, "variables", None), (list, tuple)):
        return _update_shards(variable, indices, updates, operation, name)
    if not isinstance(getattr(variable, "handle", None), tf.Tensor):
        raise TypeError(
            "variable must be a tf.Variable that is a resource, a "
            "keras.Variable that has its value, or what a "
            f"tf.distribute.Strategy makes of either. It is: {variable!r}"
        )
    return gen_variable_sparse_update_op.examples_variable_sparse_update(
        resource=variable.handle,
        indices=indices,
        updates=tf.convert_to_tensor(updates, variable.dtype),
        operation=operation,
        name=name,
    )


def _require_whole_update(variable: tf.Variable, in_replica: bool) -> None:
    """Refuses to change a part of the copies that replicas have of a variable."""
    is_sum = variable.synchronization == tf.VariableSynchronization.ON_READ
    if is_sum and not in_replica:
        raise ValueError(
            f"{variable.name} has a value of its own in each replica, and when "
            f"it is read their {variable.aggregation.name}: it has no elements "
            "to change. Change the replicas' own, in a function that "
            "strategy.run calls"
        )
    if not is_sum and in_replica:
        raise ValueError(
            f"{variable.name} has the same value in each replica, of which "
            "this call would change one. Change it outside of strategy.run, or "
            "in a function that tf.distribute.get_replica_context().merge_call "
            "calls"
        )


def _update_shards(
    variable: Any,
    indices: TensorLike,
    updates: TensorLike,
    operation: str,
    name: str | None,
) -> tf.Operation | None:
    """Changes a variable whose rows are divided among others.

    The kernel checks each shard's part; what concerns them all is checked here,
    before one is changed.
    """
    with tf.name_scope(name or "variable_sparse_update"):
        indices = tf.convert_to_tensor(indices)
        updates = tf.convert_to_tensor(updates, variable.dtype)
        depth = indices.shape[-1] if indices.shape.rank else None
        if depth is None or not 1 <= depth <= variable.shape.rank:
            raise ValueError(
                "The last dimension of indices must be from 1 to the "
                f"variable's rank, {variable.shape.rank}. indices shape: "
                f"{indices.shape}"
            )
        slice_shape = variable.shape.as_list()[depth:]
        expected = indices.shape[:-1] + slice_shape
        is_one_update = updates.shape.rank == 0
        if not is_one_update and not updates.shape.is_compatible_with(expected):
            raise ValueError(
                f"updates must be a scalar or have the shape {expected}. "
                f"updates shape: {updates.shape}"
            )
        limits = tf.constant(variable.shape.as_list()[:depth], indices.dtype)
        checks = [
            tf.debugging.Assert(
                tf.reduce_all((indices >= 0) & (indices < limits)),
                [
                    "indices must be within the variable's shape, "
                    f"{variable.shape}. indices: ",
                    indices,
                ],
            )
        ]
        if not is_one_update:
            shape = tf.concat([tf.shape(indices)[:-1], slice_shape], axis=0)
            checks.append(
                tf.debugging.Assert(
                    (tf.rank(updates) == tf.size(shape))
                    & tf.reduce_all(tf.shape(updates) == shape),
                    [
                        "updates must be a scalar or have the shape ",
                        shape,
                        "updates shape: ",
                        tf.shape(updates),
                    ],
                )
            )
        with tf.control_dependencies([] if tf.executing_eagerly() else checks):
            indices = tf.reshape(indices, [-1, depth])
            if not is_one_update:
                updates = tf.reshape(updates, [-1, *slice_shape])
        done = []
        first_row = 0
        for shard in variable.variables:
            rows = indices[:, 0] - first_row
            chosen = (rows >= 0) & (rows < shard.shape[0])
            first = tf.one_hot(0, depth, first_row, 0, dtype=indices.dtype)
            done.append(
                variable_sparse_update(
                    shard,
                    tf.boolean_mask(indices, chosen) - first,
                    updates
                    if is_one_update
                    else tf.boolean_mask(updates, chosen),
                    operation,
                )
            )
            first_row += shard.shape[0]
        return None if tf.executing_eagerly() else tf.group(done)


tf.no_gradient("Examples>VariableSparseUpdate")
