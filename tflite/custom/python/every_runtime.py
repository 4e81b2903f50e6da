"""Runs a model with custom ops in every runtime."""

from collections.abc import Sequence

import numpy as np
from ai_edge_litert import interpreter as litert
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.python import registerers
from tflite.custom.python.c_interpreter import CInterpreter


def _run_python(module, model: bytes, inputs: Sequence[np.ndarray]):
    interpreter = module.InterpreterWithCustomOps(
        model_content=model,
        custom_op_registerers=registerers.custom_op_registerers(),
    )
    details = interpreter.get_input_details()
    for detail, value in zip(details, inputs, strict=True):
        if tuple(detail["shape"]) != value.shape:
            interpreter.resize_tensor_input(detail["index"], value.shape)
    interpreter.allocate_tensors()
    for detail, value in zip(details, inputs, strict=True):
        interpreter.set_tensor(detail["index"], value)
    interpreter.invoke()
    # The interpreters in Python refuse to read some tensors without elements.
    return [
        interpreter.get_tensor(detail["index"])
        if np.all(detail["shape"])
        else np.empty(detail["shape"], detail["dtype"])
        for detail in interpreter.get_output_details()
    ]


def _run_c(model: bytes, inputs: Sequence[np.ndarray], count: int):
    interpreter = CInterpreter(model)
    for i, value in enumerate(inputs):
        if interpreter.inputs()[i].shape != value.shape:
            interpreter.resize(i, value.shape)
    for i, value in enumerate(inputs):
        interpreter.set_input(i, value)
    interpreter.invoke()
    return [interpreter.output(i) for i in range(count)]


def run_in_each(
    model: bytes, inputs: Sequence[np.ndarray]
) -> dict[str, list[np.ndarray]]:
    """Returns a model's outputs by the name of the runtime, tf.lite first.

    Args:
      model: contents of a .tflite file.
      inputs: its inputs. One that differs in shape from the model's is resized
        by itself, so the model must hold between these steps.

    Raises:
      RuntimeError, ValueError: the model cannot be prepared or run.
    """
    outputs = _run_python(tf_lite, model, inputs)
    return {
        "tf.lite": outputs,
        "ai_edge_litert": _run_python(litert, model, inputs),
        "the C library": _run_c(model, inputs, len(outputs)),
    }


def run_everywhere(
    model: bytes, inputs: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Returns the outputs of a model of our kernels, as run_in_each does.

    Raises:
      AssertionError: the runtimes do not give the same bits.
    """
    results = run_in_each(model, inputs)
    outputs = results.pop("tf.lite")
    for name, others in results.items():
        for i, (a, b) in enumerate(zip(outputs, others, strict=True)):
            if a.shape != b.shape or a.dtype != b.dtype:
                raise AssertionError(
                    f"output {i} is {a.dtype}{list(a.shape)} in tf.lite and"
                    f" {b.dtype}{list(b.shape)} in {name}"
                )
            if a.tobytes() != b.tobytes():
                raise AssertionError(
                    f"output {i} differs between tf.lite and {name}:\n{a}\n{b}"
                )
    return outputs
