"""What an input or output of a model is, in every runtime alike."""

import dataclasses

import numpy as np

# By TfLiteType, whose numbers are LiteRT's element types too.
_DTYPES = {
    1: np.float32,
    2: np.int32,
    3: np.uint8,
    4: np.int64,
    6: np.bool_,
    7: np.int16,
    8: np.complex64,
    9: np.int8,
    10: np.float16,
    11: np.float64,
    12: np.complex128,
    13: np.uint64,
    16: np.uint32,
    17: np.uint16,
}


@dataclasses.dataclass(frozen=True)
class TensorDetails:
    """An input or output: its name, its shape now, and its type."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype

    def check(self, role: str, value: np.ndarray) -> None:
        """Raises ValueError unless the value is of exactly this shape and type.

        Args:
          role: what the error calls the tensor, such as "input 0".
          value: the value.
        """
        if value.shape != self.shape or value.dtype != self.dtype:
            raise ValueError(
                f"{role} is {self.dtype}{list(self.shape)}, the value"
                f" {value.dtype}{list(value.shape)}"
            )


def numpy_dtype(number: int) -> np.dtype:
    """Returns the numpy type of a TfLiteType.

    Raises:
      TypeError: it is not a number's.
    """
    if number not in _DTYPES:
        raise TypeError(f"tensors of TfLiteType {number} are not supported")
    return np.dtype(_DTYPES[number])
