"""Keeps state in a `tf.Variable` and works on it with an op that has none."""

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op


def variable_and_stateless_op() -> None:
    """Doubles the elements of a variable that a dataset points at.

    Prints the variable, ten `tf.int64` ones at first, before each step and
    after the last.
    """
    n = 10
    v = tf.Variable(tf.ones(n, dtype=tf.int64), trainable=False)
    dataset = tf.data.Dataset.from_tensor_slices([5, 1, 7, 5])
    for position in dataset:
        print(v.numpy())
        cond = tf.one_hot(
            position, depth=n, on_value=True, off_value=False, dtype=bool
        )
        v.assign(multiplex_2_op.multiplex(cond, v * 2, v))
    print(v.numpy())


if __name__ == "__main__":
    variable_and_stateless_op()
