"""Writes a .tflite model of one op, as single_op_model builds it.

    --op=Atan --shape=1024,64 --output=/tmp/atan.tflite
    --op=ADD --shape=4,4 --num_inputs=2 --output=/tmp/add.tflite
    --op=RESHAPE --input=float32[-1,4] --input='int32[2]=[2,2]'
        --result=float32[2,2] --options='{"newShape": [2, 2]}' --output=...

A tensor is TYPE[SIZES], of a constant with =VALUE in JSON. A size of -1 may
change; the model is written with 1 for it.
"""

import json
import os
import re
import sys
from collections.abc import Sequence

from absl import app
from absl import flags

from tflite.custom.python import single_op_model

_OP = flags.DEFINE_string(
    "op", None, "name of the op; in capitals of a built-in one", required=True
)
_SHAPE = flags.DEFINE_list(
    "shape", [], "shape of inputs and outputs, such as 2,3; [] by default"
)
_DTYPE = flags.DEFINE_string("dtype", "float32", "type of inputs and outputs")
_NUM_INPUTS = flags.DEFINE_integer(
    "num_inputs", 1, "how many inputs of --shape", lower_bound=0
)
_NUM_OUTPUTS = flags.DEFINE_integer(
    "num_outputs", 1, "how many outputs of --shape", lower_bound=0
)
_INPUTS = flags.DEFINE_multi_string(
    "input", [], "an input, such as float32[-1,4]; instead of --num_inputs"
)
_RESULTS = flags.DEFINE_multi_string(
    "result", [], "an output, such as float32[2]; instead of --num_outputs"
)
_OPTIONS = flags.DEFINE_string("options", "{}", "the op's options, in JSON")
_VERSION = flags.DEFINE_integer("version", 1, "version of the op")
_CUSTOM = flags.DEFINE_bool(
    "custom", None, "whether it is a custom op; by default as its name looks"
)
_SIGNATURE_KEY = flags.DEFINE_string(
    "signature_key", None, "name of the model's signature; none by default"
)
_DESCRIPTION = flags.DEFINE_string("description", None, "of the model")
_OUTPUT = flags.DEFINE_string(
    "output", None, "where to write the .tflite file", required=True
)

_TENSOR = re.compile(r"(\w+)\[((?:-?\d+(?:,-?\d+)*)?)\](?:=(.+))?", re.DOTALL)


def _json(text: str, flag: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{flag}: {text!r} is not JSON: {error}") from error


def parse_tensor(text: str) -> single_op_model.Tensor:
    """Returns the tensor that a flag describes.

    Raises:
      ValueError: the text is not of the form TYPE[SIZES] or TYPE[SIZES]=VALUE.
    """
    match = _TENSOR.fullmatch(text.replace(" ", ""))
    if match is None:
        raise ValueError(
            f"{text!r} is no tensor; one is float32[-1,4] or int32[2]=[1,2]"
        )
    sizes = [int(size) for size in match[2].split(",") if size]
    value = re.fullmatch(r"[^=]*=(.+)", text, re.DOTALL)
    return single_op_model.Tensor(
        shape=[1 if size == -1 else size for size in sizes],
        dtype=match[1],
        signature=sizes if -1 in sizes else None,
        value=_json(value[1], text) if value else None,
    )


def _model() -> bytes:
    options = _json(_OPTIONS.value, "--options")
    if not isinstance(options, dict):
        raise ValueError(f"--options: {_OPTIONS.value!r} is no JSON object")
    try:
        shape = [int(size) for size in _SHAPE.value]
    except ValueError as error:
        raise ValueError(
            f"--shape: {','.join(_SHAPE.value)!r} is no list of sizes"
        ) from error
    return single_op_model.single_op_model(
        _OP.value,
        shape,
        dtype=_DTYPE.value,
        inputs=[parse_tensor(each) for each in _INPUTS.value]
        or _NUM_INPUTS.value,
        outputs=[parse_tensor(each) for each in _RESULTS.value]
        or _NUM_OUTPUTS.value,
        options=options,
        version=_VERSION.value,
        custom=_CUSTOM.value,
        signature_key=_SIGNATURE_KEY.value,
        description=_DESCRIPTION.value,
    )


def main(argv: Sequence[str]) -> int:
    """Writes the model to --output."""
    try:
        if len(argv) > 1:
            raise ValueError(f"unexpected arguments: {' '.join(argv[1:])}")
        model = _model()
        folder = os.environ.get("BUILD_WORKING_DIRECTORY", "")
        with open(os.path.join(folder, _OUTPUT.value), "wb") as file:
            file.write(model)
    except (OSError, ValueError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    app.run(main)
