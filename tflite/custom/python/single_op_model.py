"""Builds .tflite models of one op, built-in or custom.

single_op_model("Atan", [1024, 64])
single_op_model(
    "CONV_2D",
    inputs=[
        Tensor([1, 8, 8, 3], signature=[-1, 8, 8, 3]),
        Tensor([4, 3, 3, 3], value=np.ones([4, 3, 3, 3], np.float32)),
        Tensor([4], value=[0.0] * 4),
    ],
    outputs=[Tensor([1, 8, 8, 4])],
    options={"padding": "SAME", "strideW": 1, "strideH": 1},
)
"""

import dataclasses
import difflib
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import flexbuffers

_SCHEMA_VERSION = 3
_IDENTIFIER = b"TFL3"
# What the schema demands of a buffer's data; kernels load vectors from there.
_BUFFER_ALIGNMENT = 16

# The numpy types of constants, by the schema's names. STRING is apart, and the
# types that share a byte or that numpy lacks cannot be constants.
_NUMPY = {
    "BOOL": np.bool_,
    "COMPLEX128": np.complex128,
    "COMPLEX64": np.complex64,
    "FLOAT16": np.float16,
    "FLOAT32": np.float32,
    "FLOAT64": np.float64,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "INT8": np.int8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "UINT8": np.uint8,
}

# The options of built-in ops whose table is not named after the op.
_OPTIONS = {
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "L2_POOL_2D": "Pool2DOptions",
    "MAXIMUM": "MaximumMinimumOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "MEAN": "ReducerOptions",
    "MINIMUM": "MaximumMinimumOptions",
    "MULTINOMIAL": "RandomOptions",
    "RANDOM_STANDARD_NORMAL": "RandomOptions",
    "RANDOM_UNIFORM": "RandomOptions",
    "REDUCE_ALL": "ReducerOptions",
    "REDUCE_ANY": "ReducerOptions",
    "REDUCE_MAX": "ReducerOptions",
    "REDUCE_MIN": "ReducerOptions",
    "REDUCE_PROD": "ReducerOptions",
    "SUM": "ReducerOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
}

# The options whose numbers have names, by the options' own.
_ENUMS = {
    "algorithm": schema.RngAlgorithm,
    "compareType": schema.StablehloComparisonType,
    "comparisonDirection": schema.StablehloComparisonDirection,
    "fusedActivationFunction": schema.ActivationFunctionType,
    "idxOutType": schema.TensorType,
    "inDataType": schema.TensorType,
    "kernelType": schema.LSTMKernelType,
    "keyDtype": schema.TensorType,
    "mode": schema.MirrorPadMode,
    "outDataType": schema.TensorType,
    "outType": schema.TensorType,
    "outputType": schema.TensorType,
    "padding": schema.Padding,
    "quantizedBiasType": schema.TensorType,
    "reduceFunction": schema.ReduceWindowFunction,
    "type": schema.LSHProjectionType,
    "valueDtype": schema.TensorType,
    "weightsFormat": schema.FullyConnectedOptionsWeightsFormat,
}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An input or output of the op.

    Attributes:
      shape: its shape.
      dtype: its type, by its name in the model schema, in any case.
      signature: the shape with -1 for the dimensions that may change; none may
        where it is not given, though an interpreter resizes them all the same.
      value: of a constant input, an array or nested lists of exactly `shape`.
        The op's other inputs are the model's.
      name: its name; input_0, output_0, ... where it is not given.
      quantization: scale and zero point of a quantized one.
    """

    shape: Sequence[int]
    dtype: str = "float32"
    signature: Sequence[int] | None = None
    value: Any = None
    name: str | None = None
    quantization: tuple[float, int] | None = None


class _AlignedBuffer(schema.BufferT):
    """A buffer whose data lies where the schema says.

    The schema's own class aligns data to its element, which is a byte.
    """

    def Pack(self, builder: flatbuffers.Builder) -> int:  # noqa: N802
        content = bytes(self.data)
        builder.StartVector(1, len(content), _BUFFER_ALIGNMENT)
        builder.head -= len(content)
        end = builder.head + len(content)
        builder.Bytes[builder.head : end] = content
        data = builder.EndVector()
        schema.BufferStart(builder)
        schema.BufferAddData(builder, data)
        return schema.BufferEnd(builder)


def type_name(dtype: np.dtype) -> str:
    """Returns a numpy type's name in the model schema; objects are strings."""
    return "string" if dtype.kind == "O" else dtype.name


def _numbers(enum: type) -> dict[str, int]:
    return {
        name: value
        for name, value in vars(enum).items()
        if isinstance(value, int) and not name.startswith("_")
    }


def _nearest(name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; the nearest is {near[0]!r}" if near else ""


def _number(enum: type, name: str, what: str) -> int:
    """The number of a name, in any case."""
    numbers = _numbers(enum)
    if name.upper() not in numbers:
        raise ValueError(
            f"{what} {name!r} is none of {', '.join(numbers)}"
            + _nearest(name.upper(), list(numbers))
        )
    return numbers[name.upper()]


def _strings(values: np.ndarray) -> bytes:
    """TFLite's form of strings: how many, where each begins, and all bytes."""
    encoded = [
        each if isinstance(each, bytes) else str(each).encode()
        for each in values.flat
    ]
    first = 4 * (len(encoded) + 2)
    ends = first + np.cumsum([0] + [len(each) for each in encoded])
    header = np.array([len(encoded), *ends], "<i4")
    return header.tobytes() + b"".join(encoded)


def _data(tensor: Tensor, name: str) -> bytes:
    dtype = tensor.dtype.upper()
    if dtype == "STRING":
        array = np.array(tensor.value, dtype=object)
    elif dtype in _NUMPY:
        array = np.asarray(tensor.value)
        if array.dtype != _NUMPY[dtype]:
            if isinstance(tensor.value, np.ndarray):
                raise ValueError(
                    f"{name} is {tensor.dtype}, its value {array.dtype}"
                )
            array = np.asarray(tensor.value, _NUMPY[dtype])
    else:
        raise ValueError(
            f"{name} is {tensor.dtype}, of which constants are not supported;"
            f" those of STRING, {', '.join(_NUMPY)} are"
        )
    if array.shape != tuple(tensor.shape):
        raise ValueError(
            f"{name} has shape {list(tensor.shape)}, its value"
            f" {list(array.shape)}"
        )
    if dtype == "STRING":
        return _strings(array)
    little_endian = array.astype(array.dtype.newbyteorder("<"))
    return little_endian.tobytes()


def _check_shape(tensor: Tensor, name: str) -> None:
    wrong = [size for size in tensor.shape if size < 0]
    if wrong:
        raise ValueError(
            f"{name} has shape {list(tensor.shape)}: sizes must be at least 0;"
            " a dimension that may change is -1 in the signature"
        )
    if tensor.signature is None:
        return
    fits = len(tensor.signature) == len(tensor.shape) and all(
        mine in (-1, size)
        for mine, size in zip(tensor.signature, tensor.shape, strict=True)
    )
    if not fits:
        raise ValueError(
            f"{name} has shape {list(tensor.shape)} and signature"
            f" {list(tensor.signature)}: each size must be -1 or that of the"
            " shape"
        )


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(each[:1].upper() + each[1:] for each in others)


def _options_table(op: str) -> str | None:
    """The name of the table with a built-in op's options, if it has any."""
    if op in _OPTIONS:
        return _OPTIONS[op]
    plain = op.replace("_", "").lower() + "options"
    for union in (schema.BuiltinOptions, schema.BuiltinOptions2):
        for name in _numbers(union):
            if name.lower() == plain:
                return name
    return None


def _set_builtin_options(
    operator: schema.OperatorT, op: str, options: Mapping[str, Any]
) -> None:
    table = _options_table(op)
    if table is None:
        if options:
            raise ValueError(f"{op} has no options: {', '.join(options)}")
        return
    content = getattr(schema, table + "T")()
    for given, value in options.items():
        name = _camel(given)
        if name not in vars(content):
            known = list(vars(content))
            raise ValueError(
                f"{op} has no option {given!r}, only {', '.join(known)}"
                + _nearest(name, known)
            )
        if isinstance(value, str) and name in _ENUMS:
            value = _number(_ENUMS[name], value, f"{op}'s {given}")
        setattr(content, name, value)
    if hasattr(schema.BuiltinOptions, table):
        operator.builtinOptionsType = getattr(schema.BuiltinOptions, table)
        operator.builtinOptions = content
    else:
        operator.builtinOptions2Type = getattr(schema.BuiltinOptions2, table)
        operator.builtinOptions2 = content


def _builtin_code(op: str, custom: bool | None) -> int | None:
    """The number of a built-in op; None for a custom one."""
    numbers = _numbers(schema.BuiltinOperator)
    for name in ("CUSTOM", "DELEGATE", "PLACEHOLDER_FOR_GREATER_OP_CODES"):
        numbers.pop(name, None)
    if custom:
        return None
    if op in numbers:
        return numbers[op]
    if custom is None and not op.isupper():
        return None
    raise ValueError(
        f"no built-in op is named {op!r}"
        + _nearest(op.upper(), list(numbers))
        + "; a custom op of that name needs custom=True"
    )


def _operator_code(
    op: str, builtin: int | None, version: int
) -> schema.OperatorCodeT:
    code = schema.OperatorCodeT()
    number = schema.BuiltinOperator.CUSTOM if builtin is None else builtin
    # The older of both fields is a byte and says so where that is too small.
    code.deprecatedBuiltinCode = min(
        number, schema.BuiltinOperator.PLACEHOLDER_FOR_GREATER_OP_CODES
    )
    code.builtinCode = number
    if builtin is None:
        code.customCode = op
    code.version = version
    return code


def _tensor_map(names: Sequence[str], indices: Sequence[int]) -> list:
    maps = []
    for index in indices:
        each = schema.TensorMapT()
        each.name, each.tensorIndex = names[index], index
        maps.append(each)
    return maps


def custom_op_model(
    op: str,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    options: bytes | Mapping[str, Any] = b"",
    version: int = 1,
) -> bytes:
    """Returns `single_op_model` of a custom op and tensors that differ in type.

    Args:
      op: name of the op.
      inputs: the inputs; those with a value become constants.
      outputs: the outputs.
      options: of the op: attributes, or the bytes that stand for them.
      version: of the op.
    """
    return single_op_model(
        op,
        inputs=inputs,
        outputs=outputs,
        options=options,
        version=version,
        custom=True,
    )


def single_op_model(
    op: str,
    shape: Sequence[int] | None = None,
    *,
    dtype: str = "float32",
    output_dtype: str | None = None,
    input_shapes: Sequence[Sequence[int]] | None = None,
    signature: Sequence[int] | None = None,
    inputs: int | Sequence[Tensor] = 1,
    outputs: int | Sequence[Tensor] = 1,
    version: int = 1,
    options: bytes | Mapping[str, Any] = b"",
    custom: bool | None = None,
    signature_key: str | None = None,
    description: str | None = None,
) -> bytes:
    """Returns a model that is one call of an op.

    Args:
      op: name of the op. One in capitals is a built-in's in the model schema,
        such as ADD; others are custom ops.
      shape: shape of every input and output that is given by number.
      dtype: their type, by its name in the model schema, in any case.
      output_dtype: that of the outputs where it is another.
      input_shapes: the shape of each input where they are not all `shape`.
      signature: their shape with -1 for the dimensions that may change.
      inputs: the inputs, or how many there are.
      outputs: the outputs, or how many there are.
      version: version of the op.
      options: a built-in's options by the names of its table in the schema,
        enumerations by number or name; of a custom op a dict, which becomes a
        flexbuffer, or the bytes themselves.
      custom: whether the op is a custom one, whatever its name looks like.
      signature_key: where given, the model has a signature of that name; its
        inputs and outputs are called as the tensors.
      description: of the model; "one ADD" and the like where it is not given.

    Raises:
      ValueError: a name, shape, type or value that does not fit.
    """
    builtin = _builtin_code(op, custom)

    if input_shapes is not None:
        inputs = [Tensor(each, dtype, signature) for each in input_shapes]

    def tensors(
        given: int | Sequence[Tensor], role: str, dtype: str
    ) -> list[Tensor]:
        if isinstance(given, int):
            if given and shape is None:
                raise ValueError(f"{given} {role}s need a shape")
            given = [Tensor(shape, dtype, signature) for _ in range(given)]
        return [
            dataclasses.replace(each, name=each.name or f"{role}_{i}")
            for i, each in enumerate(given)
        ]

    input_list, output_list = (
        tensors(inputs, "input", dtype),
        tensors(outputs, "output", output_dtype or dtype),
    )
    for each in output_list:
        if each.value is not None:
            raise ValueError(f"{each.name} is an output and has a value")

    buffers = [schema.BufferT()]  # By convention the empty one.
    packed, names = [], []
    for each in [*input_list, *output_list]:
        _check_shape(each, each.name)
        if each.name in names:
            raise ValueError(f"two tensors are named {each.name!r}")
        names.append(each.name)
        tensor = schema.TensorT()
        tensor.name = each.name
        tensor.shape = list(each.shape)
        if each.signature is not None:
            tensor.shapeSignature = list(each.signature)
        tensor.type = _number(
            schema.TensorType, each.dtype, f"{each.name}'s dtype"
        )
        if each.quantization is not None:
            scale, zero_point = each.quantization
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = [scale]
            tensor.quantization.zeroPoint = [zero_point]
        tensor.buffer = 0
        if each.value is not None:
            tensor.buffer = len(buffers)
            buffer = _AlignedBuffer()
            buffer.data = _data(each, each.name)
            buffers.append(buffer)
        packed.append(tensor)

    operator = schema.OperatorT()
    operator.opcodeIndex = 0
    operator.inputs = list(range(len(input_list)))
    operator.outputs = list(range(len(input_list), len(packed)))
    if builtin is None:
        if isinstance(options, Mapping):
            options = (
                bytes(flexbuffers.Dumps(dict(options))) if options else b""
            )
        operator.customOptions = list(options)
    elif isinstance(options, Mapping):
        _set_builtin_options(operator, op, options)
    elif options:
        raise ValueError(f"{op} is built in: its options are a dict, not bytes")
    else:
        _set_builtin_options(operator, op, {})

    graph = schema.SubGraphT()
    graph.name = "main"
    graph.tensors = packed
    graph.inputs = [i for i in operator.inputs if not packed[i].buffer]
    graph.outputs = operator.outputs
    graph.operators = [operator]

    model = schema.ModelT()
    model.version = _SCHEMA_VERSION
    model.description = f"one {op}" if description is None else description
    model.operatorCodes = [_operator_code(op, builtin, version)]
    model.subgraphs = [graph]
    model.buffers = buffers
    if signature_key is not None:
        entry = schema.SignatureDefT()
        entry.signatureKey = signature_key
        entry.subgraphIndex = 0
        entry.inputs = _tensor_map(names, graph.inputs)
        entry.outputs = _tensor_map(names, graph.outputs)
        model.signatureDefs = [entry]

    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), _IDENTIFIER)
    return bytes(builder.Output())
