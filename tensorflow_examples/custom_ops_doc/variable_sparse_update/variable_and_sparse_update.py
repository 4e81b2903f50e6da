"""Does what multiplex_2's `variable_and_stateless_op` does, in place."""

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.variable_sparse_update import (
    variable_sparse_update_op,
)


def variable_and_sparse_update() -> None:
    """Doubles the elements of a variable that a dataset points at.

    Prints the variable, ten `tf.int64` ones at first, before each step and
    after the last.
    """
    n = 10
    v = tf.Variable(tf.ones(n, dtype=tf.int64), trainable=False)
    dataset = tf.data.Dataset.from_tensor_slices([5, 1, 7, 5])
    for position in dataset:
        print(v.numpy())
        variable_sparse_update_op.variable_sparse_update(
            v, [position], 2, "multiply"
        )
    print(v.numpy())


if __name__ == "__main__":
    variable_and_sparse_update()
