"""Mistakes that a type checker must find: each in a line that ends in `# wrong`."""

from tensorflow_examples.custom_ops_doc.multiplex_2 import gen_multiplex_2_op
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    gen_simple_hash_table_op,
)
from tflite.custom.python.registerers import custom_op_names

gen_multiplex_2_op.examples_multiplex_dense([True], [1])  # wrong
gen_multiplex_2_op.examples_multiplex_dense([True], [1], [2], nam="m")  # wrong
gen_multiplex_2_op.examples_multiplex_dense([True], [1], object())  # wrong
gen_multiplex_2_op.examples_multiplexdense([True], [1], [2])  # wrong
create = gen_simple_hash_table_op.examples_simple_hash_table_create
create(1.5, "int32")  # wrong
count: int = custom_op_names()  # wrong
