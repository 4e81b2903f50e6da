"""Tests of the IsStateful flag, which TensorFlow sets for resources."""

import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import op_def_registry

from tensorflow_examples.custom_ops_doc.multiplex_2 import gen_multiplex_2_op
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    gen_resource_probe_op,
)
from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    gen_simple_hash_table_op,
)

# TensorFlow knows the ops of a library once it is loaded, as these modules do.
_LIBRARIES = (
    gen_multiplex_2_op,
    gen_resource_probe_op,
    gen_simple_hash_table_op,
)

_TABLE_OPS = ("Create", "Find", "Insert", "Remove", "Export", "Import")


def _has_resource(op_def):
    return any(
        arg.type == tf.resource.as_datatype_enum
        for arg in (*op_def.input_arg, *op_def.output_arg)
    )


class IsStatefulTest(parameterized.TestCase):
    @parameterized.parameters(*_TABLE_OPS)
    def test_flag_is_set_for_an_op_with_a_resource(self, op):
        op_def = op_def_registry.get(f"Examples>SimpleHashTable{op}")
        self.assertTrue(_has_resource(op_def))
        self.assertTrue(op_def.is_stateful)

    def test_flag_is_not_set_for_an_op_without_state(self):
        op_def = op_def_registry.get("Examples>MultiplexDense")
        self.assertFalse(_has_resource(op_def))
        self.assertFalse(op_def.is_stateful)

    def test_flag_is_set_where_an_op_without_a_resource_asks_for_it(self):
        op_def = op_def_registry.get("Testing>LiveResourceCount")
        self.assertFalse(_has_resource(op_def))
        self.assertTrue(op_def.is_stateful)

    def test_library_has_the_documents_six_ops_and_no_other(self):
        prefix = "examples_simple_hash_table_"
        self.assertCountEqual(
            [
                name
                for name in vars(gen_simple_hash_table_op)
                if name.startswith(prefix) and "eager" not in name
            ],
            [prefix + op.lower() for op in _TABLE_OPS],
        )


if __name__ == "__main__":
    tf.test.main()
