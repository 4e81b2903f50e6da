"""Writes the registration of just the kernels that some models need.

    ./bazelw run //tflite/custom/tools:select_ops -- model.tflite other.tflite

prints a C++ file that takes the place of custom_ops.cc. In a build,
tflite_selected_ops does the same.
"""

import dataclasses
import difflib
import os
import struct
import sys
from collections.abc import Sequence

from absl import app
from absl import flags
from ai_edge_litert import schema_py_generated as schema

_KERNELS = flags.DEFINE_string(
    "kernels",
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.txt"),
    "what list_kernels printed",
)
_OUTPUT = flags.DEFINE_string(
    "output", None, "where to write the C++ file; stdout by default"
)

_SOURCE = """\
// Written by select_ops for {models}. Do not edit.

#include "tflite/custom/custom_ops.h"

#include <vector>

#include "tflite/custom/register.h"

namespace tflite::custom {{

const std::vector<CustomOp>& ListedCustomOps() {{
  static const auto* const ops = new std::vector<CustomOp>{{
{entries}  }};
  return *ops;
}}

}}  // namespace tflite::custom
"""


@dataclasses.dataclass(frozen=True, order=True)
class CustomOp:
    """An op as a model asks for it."""

    name: str
    version: int


def parse_kernels(text: str) -> dict[CustomOp, str]:
    """Returns the kernels that list_kernels printed, with their functions."""
    kernels = {}
    for line in text.splitlines():
        # The name may hold anything, the others hold no spaces.
        name, version, function = line.rsplit(" ", 2)
        kernels[CustomOp(name, int(version))] = function
    return kernels


def custom_ops(model: bytes) -> set[CustomOp]:
    """Returns the custom ops that a model needs.

    Args:
      model: contents of a .tflite file.

    Raises:
      ValueError: they are no model, or a damaged one.
    """
    if model[4:8] != b"TFL3":
        raise ValueError("is no TFLite model")
    try:
        codes = schema.ModelT.InitFromPackedBuf(model, 0).operatorCodes or []
        return {
            CustomOp(code.customCode.decode(), code.version)
            for code in codes
            if max(code.builtinCode, code.deprecatedBuiltinCode)
            == schema.BuiltinOperator.CUSTOM
        }
    except (
        AttributeError,
        IndexError,
        OverflowError,
        TypeError,
        UnicodeDecodeError,
        ValueError,
        struct.error,
    ) as error:
        raise ValueError("is truncated or damaged") from error


def select(
    needed: dict[CustomOp, str], kernels: dict[CustomOp, str]
) -> list[str]:
    """Returns the functions of the ops that are needed, sorted.

    Args:
      needed: the ops, each with a model that needs it.
      kernels: the functions of all ops that there are.

    Raises:
      ValueError: there is no kernel for an op.
    """
    known = ", ".join(f"{op.name} {op.version}" for op in sorted(kernels))
    for op, model in sorted(needed.items()):
        if op in kernels:
            continue
        names = [each.name for each in kernels]
        near = difflib.get_close_matches(op.name, names, n=1)
        raise ValueError(
            f"{model} needs the custom op {op.name!r} (version {op.version}),"
            f" for which there is no kernel"
            + (f"; the nearest is {near[0]!r}" if near else "")
            + f"; there are (with versions): {known}"
        )
    return sorted(kernels[op] for op in needed)


def source(models: Sequence[str], functions: Sequence[str]) -> str:
    """Returns the C++ file.

    Args:
      models: their names, for the heading.
      functions: the ...OpRegistration functions of the kernels.
    """
    return _SOURCE.format(
        models=", ".join(models),
        entries="".join(
            f"      {{{function}External, {function}}},\n"
            for function in functions
        ),
    )


def _select_files(paths: Sequence[str]) -> str:
    if not paths:
        raise ValueError("name one or more .tflite files")
    folder = os.environ.get("BUILD_WORKING_DIRECTORY", "")
    needed = {}
    for path in paths:
        with open(os.path.join(folder, path), "rb") as file:
            model = file.read()
        try:
            needed |= dict.fromkeys(custom_ops(model), path)
        except ValueError as error:
            raise ValueError(f"{path} {error}") from error
    with open(_KERNELS.value, encoding="utf-8") as file:
        kernels = parse_kernels(file.read())
    return source(
        [os.path.basename(path) for path in paths], select(needed, kernels)
    )


def main(argv: Sequence[str]) -> int:
    """Writes the registration for the models that argv names."""
    try:
        text = _select_files(argv[1:])
        if _OUTPUT.value is None:
            print(text, end="")
        else:
            folder = os.environ.get("BUILD_WORKING_DIRECTORY", "")
            path = os.path.join(folder, _OUTPUT.value)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    except (OSError, ValueError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    app.run(main)
