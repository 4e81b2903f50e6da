"""The table's ops as Python functions, which come from its kernel library."""

from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    gen_simple_hash_table_op,
)

__all__ = ["gen_simple_hash_table_op"]
