"""Ops as layers of Keras functional models."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any

import tensorflow as tf


def has_keras_tensor(inputs: Sequence[Any]) -> bool:
    """Whether an op is being applied to the tensors of a functional model."""
    keras = sys.modules.get("keras")
    if keras is None:
        return False
    keras_tensor = keras.KerasTensor
    for x in inputs:
        if isinstance(x, keras_tensor):
            return True
    return False


def apply(
    op: Any,
    inputs: Sequence[Any],
    kwargs: dict[str, Any],
    name: str | None,
    op_class: type,
) -> list[Any]:
    """Applies an op to Keras tensors, as a layer; returns a list of them."""
    outputs = _layer_class(op_class)(op, kwargs, name=name)(*inputs)
    return outputs if isinstance(outputs, list) else [outputs]


_LAYER_CLASS = None


def _layer_class(op_class: type):
    """Returns the class of the layers, made once Keras is in use."""
    global _LAYER_CLASS
    if _LAYER_CLASS is not None:
        return _LAYER_CLASS
    keras = tf.keras

    @keras.utils.register_keras_serializable("python_op")
    class PythonOpLayer(keras.layers.Layer):
        """A layer that applies an Op.

        It can be saved where the op's class can be imported, and its `__props__`
        are its constructor's arguments.
        """

        def __init__(self, op, op_kwargs=None, **layer_kwargs):
            layer_kwargs.setdefault("autocast", False)
            super().__init__(**layer_kwargs)
            self.op = op
            self.op_kwargs = dict(op_kwargs or {})

        def call(self, *inputs):
            outputs = self.op(*inputs, return_list=True, **self.op_kwargs)
            return outputs if len(outputs) > 1 else outputs[0]

        def get_config(self):
            props = getattr(self.op, "__props__", ())
            return {
                **super().get_config(),
                "op_module": type(self.op).__module__,
                "op_class": type(self.op).__qualname__,
                "op_props": {p: getattr(self.op, p) for p in props},
                "op_kwargs": self.op_kwargs,
            }

        @classmethod
        def from_config(cls, config):
            config = dict(config)
            module, name = config.pop("op_module"), config.pop("op_class")
            found = importlib.import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
            if not (isinstance(found, type) and issubclass(found, op_class)):
                raise TypeError(
                    f"the layer's op is to be of class {module}.{name}, which is "
                    f"no Op"
                )
            return cls(found(**config.pop("op_props")), **config)

    _LAYER_CLASS = PythonOpLayer
    return PythonOpLayer
