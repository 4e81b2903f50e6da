"""Loads the kernel library of the guide's listings."""

import tensorflow as tf

gen_simple_hash_table_op = tf.load_op_library(
    tf.compat.v1.resource_loader.get_path_to_datafile(
        "simple_hash_table_kernel.so"
    )
)
