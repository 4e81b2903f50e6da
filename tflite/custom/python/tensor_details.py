"""What an input or output of a model is, in every runtime alike."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

# By the model schema's TensorType.
_DTYPES = {
    0: np.float32,
    1: np.float16,
    2: np.int32,
    3: np.uint8,
    4: np.int64,
    5: np.object_,
    6: np.bool_,
    7: np.int16,
    8: np.complex64,
    9: np.int8,
    10: np.float64,
    11: np.complex128,
    12: np.uint64,
    15: np.uint32,
    16: np.uint16,
}


@dataclasses.dataclass(frozen=True)
class TensorDetails:
    """An input or output: its name, its shape now, its type and more.

    Attributes:
      name: the tensor's; a signature may have another for it.
      shape: its shape now.
      dtype: its type; np.object_ for strings, which are `bytes`.
      shape_signature: the shape with -1 for each dimension that may be resized.
      quantization: scale and zero point: a value is (stored - zero point) *
        scale. (0.0, 0) for what is not quantized.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    shape_signature: tuple[int, ...]
    quantization: tuple[float, int]

    def checked(self, role: str, value: np.ndarray) -> np.ndarray:
        """Returns a value of exactly this shape and type, contiguous.

        Strings may be `str`, which become UTF-8.

        Args:
          role: what the error calls the tensor, such as "input 0".
          value: the value.

        Raises:
          ValueError: it is of another shape or type.
        """
        value = np.asarray(value)
        if self.dtype == object and value.dtype.kind in "OSU":
            strings = np.empty(value.shape, object)
            for index, string in np.ndenumerate(value):
                strings[index] = (
                    string.encode()
                    if isinstance(string, str)
                    else bytes(string)
                )
            value = strings
        if value.shape != self.shape or value.dtype != self.dtype:
            raise ValueError(
                f"{role} is {self.dtype}{list(self.shape)}, the value"
                f" {value.dtype}{list(value.shape)}"
            )
        return np.ascontiguousarray(value).reshape(value.shape)


def numpy_dtype(tensor_type: int) -> np.dtype:
    """Returns the numpy type of a TensorType of the model's schema.

    Raises:
      TypeError: there is none.
    """
    if tensor_type not in _DTYPES:
        raise TypeError(f"tensors of type {tensor_type} are not supported")
    return np.dtype(_DTYPES[tensor_type])


def pack_strings(strings: np.ndarray) -> bytes:
    """Returns what a tensor with these strings, of `bytes`, has in memory.

    That is their number, where each begins and where the last ends, as int32,
    and their bytes.
    """
    flat = [bytes(string) for string in strings.ravel()]
    ends = np.cumsum([0, *map(len, flat)]) + 4 * (len(flat) + 2)
    return np.int32([len(flat), *ends]).tobytes() + b"".join(flat)


def unpack_strings(memory: bytes, shape: Sequence[int]) -> np.ndarray:
    """Returns the strings that pack_strings packed, in an array of a shape."""
    count = int(np.frombuffer(memory, np.int32, 1)[0]) if memory else 0
    ends: Any = np.frombuffer(memory, np.int32, count + 1, 4) if count else []
    strings = np.empty(count, object)
    for i in range(count):
        strings[i] = memory[ends[i] : ends[i + 1]]
    return strings.reshape(shape)
