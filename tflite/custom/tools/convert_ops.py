"""Converts ops alone and writes what became of each, a line an op.

A worker of scan_converter: writes a line of JSON with TensorFlow's version and
the ops that there are, then takes names of ops on stdin and answers each with a
line before it reads the next. It may crash on any op.
"""

import dataclasses
import itertools
import json
import os
import re
import sys
from typing import TextIO

import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema

from tflite.custom.tools import conversions
from tflite.custom.tools import op_calls

# How many calls of an op are looked at for one that becomes built-in ops.
_MAX_CALLS = 3

# Reasons, by what an error says; the first that matches.
_REASONS = (
    (r"has been removed in version", "Removed from TensorFlow"),
    (
        r"no value for attribute",
        "An attribute that has no plain value",
    ),
    (
        r"type.*(qint|quint)|(qint|quint)\d+.*type|!tf_type\.q",
        "Takes or gives TensorFlow's own quantized types",
    ),
    (
        r"neither a custom op nor a flex op",
        "Not even a custom op to the converter",
    ),
    (r"[Uu]nsupported (data )?type|not supported type", "A type TFLite lacks"),
    (r"Failed to legalize|failed to legalize", "Failed to legalize"),
)


def _operator_names(model: bytes) -> tuple[list[str], list[str]]:
    """Returns the built-in and the custom ops of a model, each once, sorted."""
    names = {
        value: name
        for name, value in vars(schema.BuiltinOperator).items()
        if isinstance(value, int)
    }
    builtin, custom = set(), set()
    for code in schema.ModelT.InitFromPackedBuf(model, 0).operatorCodes or []:
        number = max(code.builtinCode, code.deprecatedBuiltinCode)
        if number == schema.BuiltinOperator.CUSTOM:
            custom.add(code.customCode.decode())
        else:
            builtin.add(names[number])
    return sorted(builtin), sorted(custom)


def _reason(error: Exception, otherwise: str) -> str:
    text = str(error)
    for pattern, reason in _REASONS:
        if re.search(pattern, text):
            return reason
    return otherwise


def _sizes(shape: tf.TensorShape) -> tuple[int | None, ...] | None:
    return None if shape.rank is None else tuple(shape)


def _conversion(call: op_calls.Call) -> conversions.Conversion:
    try:
        function = call.function()
        converter = tf.lite.TFLiteConverter.from_concrete_functions([function])
        converter.allow_custom_ops = True
        builtin, custom = _operator_names(converter.convert())
    except Exception as error:  # Of any type, from several layers.
        return conversions.Conversion(
            call.op,
            str(call),
            error=_reason(error, "The converter fails otherwise"),
        )
    return conversions.Conversion(
        call.op,
        str(call),
        ", ".join(
            str(op_calls.Argument(each.dtype, _sizes(each.shape)))
            for each in tf.nest.flatten(function.outputs)
        ),
        tuple(builtin),
        tuple(custom),
    )


def convert_op(op: str) -> conversions.Conversion:
    """Returns what the converter makes of one op.

    The first call that converts stands for the op; one that becomes built-in
    ops stands before one with arguments of the same types that does not.

    Args:
      op: its name in tf.raw_ops.

    Raises:
      ValueError: there is no such op, or it does not take and give dense tensors.
    """
    problem = op_calls.why_not_dense(op)
    if problem:
        raise ValueError(f"op {op!r} {problem}")
    first = None
    try:
        for call in itertools.islice(op_calls.calls(op), _MAX_CALLS):
            if (
                first is not None
                and first[1].kind == conversions.CUSTOM
                and not call.is_like(first[0])
            ):
                continue
            conversion = _conversion(call)
            if conversion.kind == conversions.BUILTIN:
                return conversion
            if first is None or (
                first[1].kind == conversions.NOT_CONVERTIBLE
                and conversion.kind == conversions.CUSTOM
            ):
                first = (call, conversion)
    except op_calls.NoCallError as error:
        return conversions.Conversion(
            op, "", error=_reason(error, "No call found that the op accepts")
        )
    return first[1]


def serve(names: TextIO, answers: TextIO) -> None:
    """Answers each line of `names`, as the module says."""

    def answer(content: dict) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    answer({"version": tf.__version__, "ops": op_calls.dense_ops()})
    for line in names:
        try:
            answer(dataclasses.asdict(convert_op(line.strip())))
        except ValueError as error:
            answer({"refused": str(error)})


def main() -> None:
    """Serves stdin. The answers' descriptor is kept from the converter."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
