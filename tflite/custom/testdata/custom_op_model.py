"""Models of one custom op whose inputs and outputs differ in type and shape.

For tests of kernels with inputs that the converter would not write.
"""

import dataclasses
from collections.abc import Sequence

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import flexbuffers


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """A tensor: its shape, its type by NumPy's name, and a constant's value."""

    shape: Sequence[int]
    dtype: str = "float32"
    value: np.ndarray | None = None


def custom_op_model(
    op: str,
    inputs: Sequence[TensorSpec],
    outputs: Sequence[TensorSpec],
    options: dict[str, bool | int | float | str] | bytes = b"",
) -> bytes:
    """Returns a model that is one call of a custom op, version 1.

    Args:
      op: its name.
      inputs: those with a value become constants of the model, the others its
        inputs, in their order.
      outputs: what the op gives, and the model.
      options: of the op: attributes, or the bytes that stand for them.
    """
    code = schema.OperatorCodeT()
    code.deprecatedBuiltinCode = schema.BuiltinOperator.CUSTOM
    code.builtinCode = schema.BuiltinOperator.CUSTOM
    code.customCode = op
    code.version = 1

    buffers = [schema.BufferT()]
    tensors = []
    for i, spec in enumerate([*inputs, *outputs]):
        tensor = schema.TensorT()
        tensor.name = (
            f"input_{i}" if i < len(inputs) else f"output_{i - len(inputs)}"
        )
        tensor.shape = list(spec.shape)
        tensor.type = getattr(schema.TensorType, spec.dtype.upper())
        tensor.buffer = 0  # By convention the empty one.
        if spec.value is not None:
            tensor.buffer = len(buffers)
            buffer = schema.BufferT()
            buffer.data = list(np.asarray(spec.value, spec.dtype).tobytes())
            buffers.append(buffer)
        tensors.append(tensor)

    operator = schema.OperatorT()
    operator.inputs = list(range(len(inputs)))
    operator.outputs = list(range(len(inputs), len(tensors)))
    if isinstance(options, dict):
        options = bytes(flexbuffers.Dumps(options))
    operator.customOptions = list(options)

    graph = schema.SubGraphT()
    graph.name = "main"
    graph.tensors = tensors
    graph.inputs = [i for i, spec in enumerate(inputs) if spec.value is None]
    graph.outputs = operator.outputs
    graph.operators = [operator]

    model = schema.ModelT()
    model.version = 3
    model.description = f"one {op}"
    model.operatorCodes = [code]
    model.subgraphs = [graph]
    model.buffers = buffers

    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
