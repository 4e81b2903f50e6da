"""One interpreter for every runtime, with custom ops.

    interpreter = Interpreter("model.tflite", runtime="litert")
    (y,) = interpreter.run(x)

Needs no TensorFlow. See Interpreter for the runtimes.
"""

from tflite.custom.python import model_interpreter
from tflite.custom.python.model_interpreter import Interpreter

__all__ = ["RUNTIMES", "Interpreter"]


def _tflite() -> type[Interpreter]:
    from tflite.custom.python import c_interpreter

    return c_interpreter.CInterpreter


def _ai_edge_litert() -> type[Interpreter]:
    from tflite.custom.python import module_interpreter

    return module_interpreter.ModuleInterpreter


def _litert() -> type[Interpreter]:
    from tflite.custom.python import litert_model

    return litert_model.LiteRtModel


model_interpreter.CLASSES.update(
    tflite=_tflite, ai_edge_litert=_ai_edge_litert, litert=_litert
)
RUNTIMES = tuple(model_interpreter.CLASSES)
