"""What a .tflite file says of its tensors, signatures and custom ops.

Reads the flatbuffer itself, so that nothing but numpy is needed.
"""

import dataclasses
import struct
from collections.abc import Iterator

from tflite.custom.python import tensor_details

# The built-in operator that stands for every custom one.
_CUSTOM = 32


class _Table:
    """A table of a flatbuffer that a runtime has verified."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position
        self._fields = position - self._read("<i", position)

    def _read(self, form: str, position: int):
        return struct.unpack_from(form, self._data, position)[0]

    def _follow(self, position: int) -> int:
        return position + self._read("<I", position)

    def _field(self, field: int) -> int | None:
        """Returns where a field is, or None if the table has none."""
        at = 4 + 2 * field
        if at >= self._read("<H", self._fields):
            return None
        offset = self._read("<H", self._fields + at)
        return self._position + offset if offset else None

    def number(self, field: int, form: str, default: int = 0) -> int:
        """Returns a number; `form` is the struct module's."""
        position = self._field(field)
        return default if position is None else self._read(form, position)

    def table(self, field: int) -> "_Table | None":
        """Returns a table, or None if there is none."""
        position = self._field(field)
        if position is None:
            return None
        return _Table(self._data, self._follow(position))

    def _vector(self, field: int) -> tuple[int, int]:
        """Returns where a vector begins, and its length."""
        position = self._field(field)
        if position is None:
            return 0, 0
        start = self._follow(position)
        return start + 4, self._read("<I", start)

    def tables(self, field: int) -> list["_Table"]:
        """Returns a vector of tables."""
        start, size = self._vector(field)
        return [
            _Table(self._data, self._follow(start + 4 * i)) for i in range(size)
        ]

    def numbers(self, field: int, form: str) -> tuple:
        """Returns a vector of numbers; `form` is one character of struct's."""
        start, size = self._vector(field)
        return struct.unpack_from(f"<{size}{form}", self._data, start)

    def text(self, field: int) -> str:
        """Returns a string."""
        start, size = self._vector(field)
        return self._data[start : start + size].decode(errors="replace")


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor as the file has it."""

    name: str
    type: int
    shape: tuple[int, ...]
    shape_signature: tuple[int, ...]
    quantization: tuple[float, int]

    def details(
        self, shape: tuple[int, ...] | None = None
    ) -> tensor_details.TensorDetails:
        """Returns it with the shape that it has in a runtime.

        Raises:
          TypeError: numpy has no such type.
        """
        return tensor_details.TensorDetails(
            name=self.name,
            shape=self.shape if shape is None else shape,
            dtype=tensor_details.numpy_dtype(self.type),
            shape_signature=self.shape_signature,
            quantization=self.quantization,
        )


@dataclasses.dataclass(frozen=True)
class Signature:
    """A signature: what its inputs and outputs are called, and the tensors."""

    key: str
    index: int  # Among the model's signatures.
    graph: int
    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]


@dataclasses.dataclass(frozen=True)
class ModelFile:
    """The first graph's inputs and outputs, the signatures, the custom ops.

    Attributes:
      inputs: the inputs of the first graph, in order.
      outputs: its outputs.
      signatures: by their keys.
      custom_ops: names and versions.
    """

    inputs: list[Tensor]
    outputs: list[Tensor]
    signatures: dict[str, Signature]
    custom_ops: list[tuple[str, int]]


def _tensor(table: _Table) -> Tensor:
    shape = table.numbers(0, "i")
    quantization = table.table(4)
    scales = quantization.numbers(2, "f") if quantization else ()
    zeros = quantization.numbers(3, "q") if quantization else ()
    # One for each channel has no place in a pair.
    pair = (
        (scales[0], zeros[0] if zeros else 0) if len(scales) == 1 else (0.0, 0)
    )
    return Tensor(
        name=table.text(3),
        type=table.number(1, "<b"),
        shape=shape,
        shape_signature=table.numbers(7, "i") or shape,
        quantization=pair,
    )


def _custom_ops(codes: list[_Table]) -> Iterator[tuple[str, int]]:
    for code in codes:
        builtin = max(code.number(0, "<b"), code.number(3, "<i"))
        if builtin == _CUSTOM:
            yield code.text(1), code.number(2, "<i", 1)


def read(model: bytes) -> ModelFile:
    """Reads a model that a runtime has verified.

    Args:
      model: contents of a .tflite file.

    Raises:
      ValueError: it is damaged.
    """
    try:
        return _read(model)
    except (IndexError, struct.error) as error:
        raise ValueError(f"the model is damaged: {error}") from error


def _read(model: bytes) -> ModelFile:
    root = _Table(model, struct.unpack_from("<I", model)[0])
    graphs = root.tables(2)
    tensors = [graph.tables(0) for graph in graphs]

    def named(graph: int, maps: list[_Table]) -> dict[str, Tensor]:
        return {
            each.text(0): _tensor(tensors[graph][each.number(1, "<I")])
            for each in maps
        }

    signatures = {}
    for index, table in enumerate(root.tables(7)):
        graph = table.number(4, "<I")
        signatures[table.text(2)] = Signature(
            key=table.text(2),
            index=index,
            graph=graph,
            inputs=named(graph, table.tables(0)),
            outputs=named(graph, table.tables(1)),
        )
    return ModelFile(
        inputs=[_tensor(tensors[0][i]) for i in graphs[0].numbers(1, "i")],
        outputs=[_tensor(tensors[0][i]) for i in graphs[0].numbers(2, "i")],
        signatures=signatures,
        custom_ops=list(_custom_ops(root.tables(1))),
    )
