"""Writes a .tflite model of one custom op, as single_op_model builds it."""

from collections.abc import Sequence

from absl import app
from absl import flags

from tflite.custom.python import single_op_model

_OP = flags.DEFINE_string("op", None, "name of the custom op", required=True)
_SHAPE = flags.DEFINE_list("shape", [], "its shape, such as 2,3; [] by default")
_DTYPE = flags.DEFINE_string("dtype", "float32", "type of input and output")
_OUTPUT = flags.DEFINE_string(
    "output", None, "where to write the .tflite file", required=True
)


def main(argv: Sequence[str]) -> None:
    """Writes the model to --output."""
    if len(argv) > 1:
        raise app.UsageError(f"unexpected arguments: {' '.join(argv[1:])}")
    model = single_op_model.single_op_model(
        _OP.value, [int(size) for size in _SHAPE.value], dtype=_DTYPE.value
    )
    with open(_OUTPUT.value, "wb") as file:
        file.write(model)


if __name__ == "__main__":
    app.run(main)
