"""Builds .tflite models of one custom op."""

from collections.abc import Sequence

import flatbuffers
from ai_edge_litert import schema_py_generated as schema

_SCHEMA_VERSION = 3
_IDENTIFIER = b"TFL3"


def _tensor(
    name: str, shape: Sequence[int], dtype: str, signature: Sequence[int] | None
) -> schema.TensorT:
    tensor = schema.TensorT()
    tensor.name = name
    tensor.shape = list(shape)
    tensor.shapeSignature = None if signature is None else list(signature)
    tensor.type = getattr(schema.TensorType, dtype.upper())
    tensor.buffer = 0  # By convention the empty one.
    return tensor


def single_op_model(
    op: str,
    shape: Sequence[int],
    *,
    dtype: str = "float32",
    output_dtype: str | None = None,
    input_shapes: Sequence[Sequence[int]] | None = None,
    signature: Sequence[int] | None = None,
    inputs: int = 1,
    outputs: int = 1,
    version: int = 1,
    options: bytes = b"",
) -> bytes:
    """Returns a model that is one call of a custom op.

    Args:
      op: name of the custom op.
      shape: shape of every input and output.
      dtype: their type, by its name in the model schema, in any case.
      output_dtype: that of the outputs where it is another.
      input_shapes: the shape of each input where they are not all `shape`.
      signature: the shape with -1 for the dimensions that may change; none may
        where it is not given, though an interpreter resizes them all the same.
      inputs: how many inputs; they are named input_0, input_1, ...
      outputs: how many outputs; they are named output_0, output_1, ...
      version: version of the op.
      options: the op's custom options.
    """
    code = schema.OperatorCodeT()
    code.deprecatedBuiltinCode = schema.BuiltinOperator.CUSTOM
    code.builtinCode = schema.BuiltinOperator.CUSTOM
    code.customCode = op
    code.version = version

    operator = schema.OperatorT()
    operator.opcodeIndex = 0
    operator.inputs = list(range(inputs))
    operator.outputs = list(range(inputs, inputs + outputs))
    operator.customOptions = list(options)

    graph = schema.SubGraphT()
    graph.name = "main"
    graph.tensors = [
        _tensor(f"input_{i}", input_shape, dtype, signature)
        for i, input_shape in enumerate(input_shapes or [shape] * inputs)
    ] + [
        _tensor(f"output_{i}", shape, output_dtype or dtype, signature)
        for i in range(outputs)
    ]
    graph.inputs = operator.inputs
    graph.outputs = operator.outputs
    graph.operators = [operator]

    model = schema.ModelT()
    model.version = _SCHEMA_VERSION
    model.description = f"one {op}"
    model.operatorCodes = [code]
    model.subgraphs = [graph]
    model.buffers = [schema.BufferT()]

    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), _IDENTIFIER)
    return bytes(builder.Output())
