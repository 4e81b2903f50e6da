"""Ops written in Python: the Op contract, on TensorFlow.

    from tensorflow_examples.custom_ops_doc.python_op import python_op

    class Double(python_op.Op):
        __props__ = ()

        def make_node(self, x):
            x = python_op.tensor.as_tensor_variable(x)
            return python_op.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * 2

    Double()(tf.constant([1.0, 2.0]))

This module has what an op and its users need; the tools that test ops are in
`unittest_tools`, `rop_lop_checker` and `opcheck`.
"""

from tensorflow_examples.custom_ops_doc.python_op import config as config
from tensorflow_examples.custom_ops_doc.python_op import tensor as tensor
from tensorflow_examples.custom_ops_doc.python_op.as_op import as_op as as_op
from tensorflow_examples.custom_ops_doc.python_op.derivatives import (
    DisconnectedInputError as DisconnectedInputError,
)
from tensorflow_examples.custom_ops_doc.python_op.derivatives import Lop as Lop
from tensorflow_examples.custom_ops_doc.python_op.derivatives import (
    NullTypeGradError as NullTypeGradError,
)
from tensorflow_examples.custom_ops_doc.python_op.derivatives import Rop as Rop
from tensorflow_examples.custom_ops_doc.python_op.derivatives import (
    grad as grad,
)
from tensorflow_examples.custom_ops_doc.python_op.derivatives import (
    grad_not_implemented as grad_not_implemented,
)
from tensorflow_examples.custom_ops_doc.python_op.derivatives import (
    grad_undefined as grad_undefined,
)
from tensorflow_examples.custom_ops_doc.python_op.function import (
    function as function,
)
from tensorflow_examples.custom_ops_doc.python_op.graph import Apply as Apply
from tensorflow_examples.custom_ops_doc.python_op.graph import (
    Variable as Variable,
)
from tensorflow_examples.custom_ops_doc.python_op.op import Op as Op
from tensorflow_examples.custom_ops_doc.python_op.tensor import shape as shape
from tensorflow_examples.custom_ops_doc.python_op.tensor_type import (
    DisconnectedType as DisconnectedType,
)
from tensorflow_examples.custom_ops_doc.python_op.tensor_type import (
    NullType as NullType,
)
from tensorflow_examples.custom_ops_doc.python_op.tensor_type import (
    TensorType as TensorType,
)
