"""Runs a model with custom ops in every runtime."""

from collections.abc import Sequence

import numpy as np
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.python.interpreter import Interpreter

# What Interpreter takes, by name. LiteRT's CompiledModel is not among them: it
# runs no model with strings, empty tensors or shapes that values decide.
RUNTIMES = {
    "tf.lite": tf_lite,
    "ai_edge_litert": "ai_edge_litert",
    "tflite": "tflite",
}


def _run(runtime, model: bytes, inputs: Sequence[np.ndarray]):
    try:
        return Interpreter(model, runtime=runtime).run(*inputs)
    except ValueError as error:
        raise RuntimeError(str(error)) from error


def run_in_each(
    model: bytes, inputs: Sequence[np.ndarray]
) -> dict[str, list[np.ndarray]]:
    """Returns a model's outputs by the name of the runtime, tf.lite first.

    Args:
      model: contents of a .tflite file.
      inputs: its inputs. One that differs in shape from the model's is resized
        by itself, so the model must hold between these steps.

    Raises:
      RuntimeError: the model cannot be prepared or run.
    """
    return {
        name: _run(runtime, model, inputs) for name, runtime in RUNTIMES.items()
    }


def content(array: np.ndarray) -> bytes | list:
    """Returns what differs where an array's bits or strings do."""
    # The bytes of objects are where these lie.
    return array.tolist() if array.dtype == object else array.tobytes()


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
            if content(a) != content(b):
                raise AssertionError(
                    f"output {i} differs between tf.lite and {name}:\n{a}\n{b}"
                )
    return outputs
