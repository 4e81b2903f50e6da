"""Finds out how an op of tf.raw_ops can be called with dense tensors.

TensorFlow says of an op which inputs and attributes it takes, not which shapes
fit together. So calls are tried, the plainest first, until the op's own shape
function accepts one.
"""

import dataclasses
import heapq
import inspect
import itertools
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2
from tensorflow.core.framework import op_def_pb2
from tensorflow.core.framework import types_pb2
from tensorflow.python.framework import op_def_registry

# How many calls of one op are tried.
_MAX_TRIES = 500

# The types tried for an attribute, in this order.
_DTYPES = (
    types_pb2.DT_FLOAT,
    types_pb2.DT_INT32,
    types_pb2.DT_BOOL,
    types_pb2.DT_INT64,
    types_pb2.DT_STRING,
    types_pb2.DT_UINT8,
    types_pb2.DT_COMPLEX64,
    types_pb2.DT_QINT8,
    types_pb2.DT_QUINT8,
    types_pb2.DT_QINT32,
)
_SHAPES = (
    (4, 4),
    (1, 4, 4, 4),
    (4,),
    (),
    (4, 4, 4),
    (1, 4, 4, 4, 4),
    (4, 3),
    (1, 4),
    (4, 4, 4, 4),
)
# Shapes of inputs that go by these names, tried before the others.
_NAMED_SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "alg": ((),),
    "b": ((4,),),
    "bias": ((4,),),
    "box_ind": ((4,),),
    "clip_value_max": ((),),
    "clip_value_min": ((),),
    "constant_values": ((),),
    "counter": ((2,),),
    "diagonals": ((3, 4),),
    "filter": ((2, 2, 4, 4), (2, 2, 2, 4, 4), (2, 2, 4)),
    "filter_backprop": ((2, 2, 4, 4),),
    "hash_table": ((),),
    "image_size": ((2,),),
    "iou_threshold": ((),),
    "key": ((1,),),
    "maindiag": ((1, 4),),
    "mean": ((4,),),
    "num_cols": ((),),
    "num_rows": ((),),
    "off_value": ((),),
    "offset": ((4,),),
    "offsets": ((4, 2),),
    "on_value": ((),),
    "padding_value": ((),),
    "reserve_space_1": ((4,),),
    "reserve_space_2": ((4,),),
    "reserve_space_3": ((4,),),
    "scale": ((4,),),
    "score_threshold": ((),),
    "scores": ((4,),),
    "seed": ((2,),),
    "soft_nms_sigma": ((),),
    "subdiag": ((1, 4),),
    "superdiag": ((1, 4),),
    "variance": ((4,),),
}
_SCALAR_PREFIXES = ("min", "max")

# Values for inputs that say what to do and not with what; the converter wants
# most of them constant.
_PARAMETERS: dict[str, tuple[Any, ...]] = {
    "alpha": (0.5,),
    "axis": (1, (1,)),
    "begin": ((0, 0),),
    "block_shape": ((2, 2),),
    "concat_dim": (1,),
    "crop_size": ((2, 2),),
    "crops": (((0, 0), (0, 0)),),
    "depth": (4,),
    "dim": (1,),
    "dimension": (1,),
    "dims": ((1,), (4, 4), 1),
    "end": ((2, 2),),
    "fft_length": ((4,), (4, 4), (4, 4, 4)),
    "input_sizes": ((1, 4, 4, 1), (1, 4, 4, 4, 1)),
    "filter_sizes": ((2, 2, 1, 1), (2, 2, 2, 1, 1)),
    "k": (2,),
    "lower": (0,),
    "maxlength": (4,),
    "minlength": (4,),
    "multiples": ((1, 2),),
    "nbins": (4,),
    "num_lower": (0,),
    "num_segments": (4,),
    "num_upper": (0,),
    "paddings": (((1, 1), (1, 1)), ((0, 0), (1, 1), (1, 1), (0, 0))),
    "perm": ((1, 0),),
    "reduction_indices": ((1,),),
    "segment_ids": ((0, 0, 1, 1),),
    "shape": ((4, 4), (16,)),
    "shift": (1,),
    "size": ((2, 2), 4),
    "size_splits": ((2, 2),),
    "sizes": ((4, 4),),
    "split_dim": (1,),
    "strides": ((1, 1),),
    "tensor_size": ((4, 4),),
    "value_range": ((0.0, 1.0),),
}
# The same for single ops, whose inputs have common names but other needs.
_OP_PARAMETERS: dict[tuple[str, str], tuple[Any, ...]] = {
    ("FakeQuantWithMinMaxVars", "max"): (1.0,),
    ("FakeQuantWithMinMaxVars", "min"): (-1.0,),
    ("FakeQuantWithMinMaxVarsPerChannel", "max"): ((1.0,) * 4,),
    ("FakeQuantWithMinMaxVarsPerChannel", "min"): ((-1.0,) * 4,),
    ("LinSpace", "num"): (4,),
    ("LinSpace", "start"): (0.0,),
    ("MatrixDiagV2", "k"): (0,),
    ("MatrixDiagV2", "num_cols"): (-1,),
    ("MatrixDiagV2", "num_rows"): (-1,),
    ("MatrixDiagV2", "padding_value"): (0.0,),
    ("MatrixDiagV3", "k"): (0,),
    ("MatrixDiagV3", "num_cols"): (-1,),
    ("MatrixDiagV3", "num_rows"): (-1,),
    ("MatrixDiagV3", "padding_value"): (0.0,),
    ("MatrixSetDiagV2", "k"): (0,),
    ("MatrixSetDiagV3", "k"): (0,),
}
_OP_SHAPES: dict[tuple[str, str], tuple[int, ...]] = {
    ("ScatterNd", "indices"): (4, 1),
}
# Tried for every other integer or bool that is not what the op works on.
_CONSTANTS: tuple[Any, ...] = (1, (1,), (1, 1), (4, 4), (0, 1, 2, 3))

# Attributes that have no default and a rank or a form of their own.
_ATTRIBUTES: dict[str, tuple[Any, ...]] = {
    "dilations": ([1, 1, 1, 1], [1, 1, 1, 1, 1]),
    "equation": ("ij,jk->ik", "ij->ji"),
    "is_training": (False,),  # What is converted has been trained.
    "ksize": ([1, 2, 2, 1], [1, 2, 2, 2, 1]),
    "ksizes": ([1, 2, 2, 1], [1, 2, 2, 2, 1]),
    "padding": ("SAME", "VALID"),
    "pooling_ratio": ([1.0, 1.5, 1.5, 1.0],),
    "rates": ([1, 1, 1, 1],),
    "strides": ([1, 1, 1, 1], [1, 1, 1, 1, 1]),
}
_BY_KIND: dict[str, tuple[Any, ...]] = {
    "bool": (False, True),
    "float": (1.0, 0.5),
    "int": (2, 1, 4),
    "list(bool)": ([False],),
    "list(float)": ([1.0], [1.0, 2.0, 3.0, 4.0]),
    "list(int)": ([1], [1, 1], [4]),
    "list(shape)": ([[4, 4]],),
    "list(string)": (["a"],),
    "list(type)": ([tf.float32], [tf.int32]),
    "shape": ([4, 4],),
    "string": ("", "a"),
}


@dataclasses.dataclass(frozen=True)
class Argument:
    """One input of a call: a constant, or the caller's where value is None."""

    dtype: tf.DType
    shape: tuple[int | None, ...] | None
    value: Any = None

    def __str__(self) -> str:
        if self.value is not None:
            return (
                str(self.value)
                .replace("(", "[")
                .replace(")", "]")
                .replace(",]", "]")
            )
        if self.shape is None:
            return f"{self.dtype.name}[...]"
        sizes = ("?" if each is None else str(each) for each in self.shape)
        return f"{self.dtype.name}[{','.join(sizes)}]"


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of an op that its shape function accepts."""

    op: str
    inputs: dict[str, Argument | list[Argument]]
    attributes: dict[str, Any]

    def __str__(self) -> str:
        parts = []
        for name, argument in self.inputs.items():
            if isinstance(argument, list):
                text = f"[{', '.join(str(each) for each in argument)}]"
            else:
                text = str(argument)
            parts.append(f"{name}={text}")
        for name, value in self.attributes.items():
            value = value.name if isinstance(value, tf.DType) else value
            parts.append(f"{name}={value}")
        return ", ".join(parts)

    def function(self) -> tf.types.experimental.ConcreteFunction:
        """Returns a concrete function of the call alone.

        Raises:
          Exception: of whatever type; the op does not accept the call.
        """
        specs = [
            tf.TensorSpec(each.shape, each.dtype, name=f"arg_{i}")
            for i, each in enumerate(self._flat())
            if each.value is None
        ]

        @tf.function(autograph=False)
        def call(*arguments):
            rest = iter(arguments)
            return self.run(lambda _: next(rest))

        return call.get_concrete_function(*specs)

    def run(self, argument: Callable[[Argument], tf.Tensor]) -> Any:
        """Calls the op, with `argument` for each input that is no constant."""

        def tensor(each: Argument) -> tf.Tensor:
            if each.value is None:
                return argument(each)
            return tf.constant(each.value, each.dtype)

        inputs = {
            name: [tensor(each) for each in value]
            if isinstance(value, list)
            else tensor(value)
            for name, value in self.inputs.items()
        }
        return getattr(tf.raw_ops, self.op)(**inputs, **self.attributes)

    def is_like(self, other: "Call") -> bool:
        """Whether the inputs are of the same types."""
        return [each.dtype for each in self._flat()] == [
            each.dtype for each in other._flat()
        ]

    def _flat(self) -> Iterator[Argument]:
        for argument in self.inputs.values():
            yield from argument if isinstance(argument, list) else [argument]


class NoCallError(Exception):
    """The op accepted none of the calls that were tried."""


def why_not_dense(op: str) -> str | None:
    """Says why an op is none that takes and gives dense tensors, if so."""
    definition = op_def_registry.get(op)
    if definition is None:
        return "is not a registered op"
    opaque = {types_pb2.DT_RESOURCE, types_pb2.DT_VARIANT}
    for argument in [*definition.input_arg, *definition.output_arg]:
        if argument.is_ref or argument.type in opaque:
            return "takes or gives a handle"
    if any("func" in attr.type for attr in definition.attr):
        return "takes a function"
    if not definition.output_arg:
        return "gives nothing"
    return None


def dense_ops() -> list[str]:
    """Returns the ops of tf.raw_ops that take and give dense tensors."""
    return [
        name
        for name in sorted(dir(tf.raw_ops))
        if name[0].isupper() and why_not_dense(name) is None
    ]


def _best_first(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yields tuples of indices below `sizes`, those of small sum first."""
    start = (0,) * len(sizes)
    heap, seen = [(0, start)], {start}
    while heap:
        total, indices = heapq.heappop(heap)
        yield indices
        for i, size in enumerate(sizes):
            if indices[i] + 1 < size:
                following = (*indices[:i], indices[i] + 1, *indices[i + 1 :])
                if following not in seen:
                    seen.add(following)
                    heapq.heappush(heap, (total + 1, following))


def _same_rank(choices: list[list[Argument]]) -> Iterator[tuple[int, ...]]:
    """Yields the choices in which all inputs have one shape, if they can."""
    for shape in _SHAPES:
        yield tuple(
            next(
                (i for i, each in enumerate(options) if each.shape == shape), 0
            )
            # Parameters and inputs with a shape of their own keep it.
            if options[0].value is None and options[0].shape == _SHAPES[0]
            else 0
            for options in choices
        )


def _attribute_choices(
    attr: op_def_pb2.OpDef.AttrDef, from_inputs: bool
) -> tuple[Any, ...]:
    """Values for an attribute that has to be given."""
    if attr.type == "type":
        allowed = attr.allowed_values.list.type
        if attr.HasField("default_value"):
            default = attr.default_value.type
            if default == types_pb2.DT_INT64 and types_pb2.DT_INT32 in allowed:
                return (types_pb2.DT_INT32, default)  # TFLite's indices.
            return (default,)
        return tuple(
            each for each in _DTYPES if not allowed or each in allowed
        ) or tuple(allowed[:1])
    if attr.type == "list(type)" and from_inputs:
        return ([types_pb2.DT_FLOAT], [types_pb2.DT_FLOAT] * 2)
    if attr.type == "int" and from_inputs:
        least = max(attr.minimum if attr.has_minimum else 1, 1)
        return tuple(dict.fromkeys([max(least, 2), least]))
    if attr.name in _ATTRIBUTES:
        return _ATTRIBUTES[attr.name]
    if attr.allowed_values.list.s:
        return tuple(each.decode() for each in attr.allowed_values.list.s)
    if attr.type == "tensor":
        return (tf.make_tensor_proto([1.0, 2.0]),)
    return _BY_KIND.get(attr.type, ())


def _has_default(attr: op_def_pb2.OpDef.AttrDef) -> bool:
    return attr.HasField("default_value") and attr.default_value != (
        attr_value_pb2.AttrValue()
    )


def _argument_choices(
    op: str, name: str, dtype: int, is_data: bool
) -> list[Argument]:
    tf_dtype = tf.dtypes.as_dtype(dtype)
    if (op, name) in _OP_PARAMETERS:
        return [_constant(tf_dtype, each) for each in _OP_PARAMETERS[op, name]]
    if (op, name) in _OP_SHAPES:
        return [Argument(tf_dtype, _OP_SHAPES[op, name])]
    named = _NAMED_SHAPES.get(name, ())
    if name.startswith(_SCALAR_PREFIXES) and not is_data:
        named = ((),)
    free = [
        Argument(tf_dtype, shape) for shape in dict.fromkeys((*named, *_SHAPES))
    ]
    values = _PARAMETERS.get(name, ())
    if (
        not values
        and not named
        and not is_data
        and (tf_dtype.is_integer or tf_dtype.is_bool)
    ):
        # Which of both it is nothing tells.
        values = _CONSTANTS
        constants = [_constant(tf_dtype, value) for value in values]
        return [constants[0], free[0], *constants[1:], *free[1:]]
    if is_data or not (tf_dtype.is_integer or tf_dtype.is_floating):
        values = ()
    return [_constant(tf_dtype, value) for value in values] + free


def _constant(dtype: tf.DType, value: Any) -> Argument:
    if dtype.is_bool:
        value = tf.nest.map_structure(bool, value)
    elif dtype.is_integer:
        value = tf.nest.map_structure(int, value)
    shape = tf.constant(value, dtype).shape
    return Argument(dtype, tuple(shape), value)


def _typed_calls(
    definition: op_def_pb2.OpDef, attributes: dict[str, Any]
) -> Iterator[Call]:
    """Yields the calls with these attributes, plainest first."""
    names, choices, counts = [], [], []
    # What the op works on: its first input and whatever is of its type.
    data_type = None
    for argument in definition.input_arg:
        if argument.type_list_attr:
            dtypes = attributes[argument.type_list_attr]
        else:
            dtype = argument.type or attributes[argument.type_attr]
            dtypes = [dtype] * (
                attributes[argument.number_attr] if argument.number_attr else 1
            )
        is_list = bool(argument.number_attr or argument.type_list_attr)
        key = argument.type_attr or argument.type
        if data_type is None and argument.name not in _PARAMETERS:
            data_type = key
        is_data = key == data_type and argument.name not in _PARAMETERS
        names.append(argument.name)
        counts.append(dtypes if is_list else None)
        choices.append(
            _argument_choices(
                definition.name, argument.name, dtypes[0], is_data
            )
        )
    names = _parameter_names(definition.name, names)
    inferred = _inferred_attributes(definition)
    given = {
        name: tf.dtypes.as_dtype(value)
        if isinstance(value, int) and _is_type(definition, name)
        else value
        for name, value in attributes.items()
        if name not in inferred
    }
    sizes = [len(each) for each in choices]
    for indices in itertools.chain(_same_rank(choices), _best_first(sizes)):
        inputs = {}
        for name, options, index, dtypes in zip(
            names, choices, indices, counts, strict=True
        ):
            chosen = options[index]
            if dtypes is None:
                inputs[name] = chosen
            else:
                inputs[name] = [
                    dataclasses.replace(chosen, dtype=tf.dtypes.as_dtype(each))
                    for each in dtypes
                ]
        yield Call(definition.name, inputs, given)


def _parameter_names(op: str, inputs: list[str]) -> list[str]:
    """What tf.raw_ops calls the inputs: some have been renamed."""
    parameters = list(inspect.signature(getattr(tf.raw_ops, op)).parameters)
    renamed = iter(name for name in parameters if name not in inputs)
    return [name if name in parameters else next(renamed) for name in inputs]


def _inferred_attributes(definition: op_def_pb2.OpDef) -> set[str]:
    """The attributes that follow from the inputs and are not given."""
    return {
        name
        for argument in definition.input_arg
        for name in (
            argument.type_attr,
            argument.number_attr,
            argument.type_list_attr,
        )
        if name
    }


def _is_type(definition: op_def_pb2.OpDef, name: str) -> bool:
    return any(
        attr.name == name and attr.type == "type" for attr in definition.attr
    )


def _possible_calls(definition: op_def_pb2.OpDef) -> Iterator[Call]:
    from_inputs = _inferred_attributes(definition)
    needed = [
        attr
        for attr in definition.attr
        if attr.name in from_inputs
        or attr.name == "is_training"
        or not _has_default(attr)
    ]
    choices = [
        _attribute_choices(attr, attr.name in from_inputs) for attr in needed
    ]
    if not all(choices):
        lacking = [
            f"{attr.name} ({attr.type})"
            for attr, each in zip(needed, choices, strict=True)
            if not each
        ]
        raise NoCallError(f"no value for attribute {', '.join(lacking)}")
    streams = []
    for indices in itertools.islice(
        _best_first([len(each) for each in choices]), 24
    ):
        attributes = {
            attr.name: each[i]
            for attr, each, i in zip(needed, choices, indices, strict=True)
        }
        streams.append(_typed_calls(definition, attributes))
    # In turns, the early ones more often: no choice of attributes starves.
    while streams:
        for i, stream in enumerate(list(streams)):
            calls = list(itertools.islice(stream, max(1, 16 >> i)))
            if not calls:
                streams.remove(stream)
            yield from calls


def calls(op: str) -> Iterator[Call]:
    """Yields calls of an op that its shape function accepts, plainest first.

    Args:
      op: its name in tf.raw_ops.

    Raises:
      NoCallError: none was accepted; says what the op said to the first.
    """
    definition = op_def_registry.get(op)
    first_error = None
    found = False
    for call in itertools.islice(_possible_calls(definition), _MAX_TRIES):
        try:
            with tf.Graph().as_default():
                call.run(
                    lambda each: tf.compat.v1.placeholder(
                        each.dtype, each.shape
                    )
                )
        except Exception as error:  # noqa: BLE001  Each op raises its own.
            first_error = first_error or error
            if "has been removed in version" in str(error):
                break
            continue
        found = True
        yield call
    if not found:
        text = str(first_error).strip().splitlines()[:1]
        raise NoCallError(
            text[0] if text else type(first_error).__name__
        ) from first_error
