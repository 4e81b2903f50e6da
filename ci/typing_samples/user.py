"""What a user of the ops writes; a type checker must have nothing to say of it."""

from typing import assert_type

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.multiplex_2 import gen_multiplex_2_op
from tensorflow_examples.custom_ops_doc.python_op import gen_python_call_op
from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    gen_sharded_hash_table_op,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    gen_simple_hash_table_op,
)
from tflite.custom.python.registerers import custom_op_names

chosen = gen_multiplex_2_op.examples_multiplex_dense(
    cond=[True, False], a=np.array([1, 2]), b=tf.constant([10, 20]), name="m"
)
assert_type(chosen, tf.Tensor)

table = gen_simple_hash_table_op.examples_simple_hash_table_create(
    key_dtype=tf.string, value_dtype=tf.float32
)
assert_type(table, tf.Tensor)
gen_simple_hash_table_op.examples_simple_hash_table_insert(table, "key", 1.0)

sharded = gen_sharded_hash_table_op.examples_sharded_hash_table(
    key_dtype=tf.int64, value_dtype="float32", value_shape=[3]
)
assert_type(sharded, tf.Tensor)
gen_sharded_hash_table_op.examples_sharded_hash_table_clear(sharded)

print(gen_python_call_op.__doc__, ", ".join(custom_op_names()))
