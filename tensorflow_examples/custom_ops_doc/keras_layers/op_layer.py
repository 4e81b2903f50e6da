"""Ops as layers of Keras models.

`takes_keras_tensors` lets a function of tensors be called with the symbolic
tensors of a functional model too: `multiplex(x > 0, x, -x)` with an `x` of
`keras.Input` adds a layer to the model, which `.keras` files save and load.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import TypeVar

import keras
import tensorflow as tf

_Function = TypeVar("_Function", bound=Callable[..., Any])


def has_keras_tensor(arguments: Iterable[Any]) -> bool:
    """Whether any argument is a symbolic tensor of a Keras model."""
    keras_tensor = keras.KerasTensor
    for x in arguments:
        if isinstance(x, keras_tensor):
            return True
    return False


def takes_keras_tensors(function: _Function) -> _Function:
    """Makes a function of tensors one of Keras tensors too.

    Called with a Keras tensor, it returns what an `OpLayer` of it returns. Shapes
    and types of the outputs are those of a graph, so of the op's shape function.

        @takes_keras_tensors
        def my_op(x, factor, name=None): ...

        x = keras.Input((3,))
        model = keras.Model(x, my_op(x, 2.0))

    A model that is saved names the function by its module and its name, so it is
    to be a function of a module, and who loads the model imports that first.

    Args:
      function: The function. Keras tensors are its arguments themselves, not
        items of lists among them.

    Returns:
      The function, which knows what it was made of as `__wrapped__`.
    """

    @functools.wraps(function)
    def with_keras_tensors(*args: Any, **kwargs: Any) -> Any:
        if has_keras_tensor(args) or has_keras_tensor(kwargs.values()):
            return apply(with_keras_tensors, args, kwargs)
        return function(*args, **kwargs)

    with_keras_tensors.takes_keras_tensors = True
    return with_keras_tensors


def apply(op: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Applies an op to arguments of which some are Keras tensors, as a layer.

    Args:
      op: What to call, as `OpLayer` has it.
      args: Its positional arguments.
      kwargs: Its others. `name` is the layer's.

    Returns:
      Keras tensors, as the op returns tensors.
    """
    arguments = {str(i): x for i, x in enumerate(args)}
    arguments.update(kwargs)
    name = arguments.pop("name", None)
    inputs = {
        key: x
        for key, x in arguments.items()
        if isinstance(x, keras.KerasTensor)
    }
    constants = {k: x for k, x in arguments.items() if k not in inputs}
    return OpLayer(op, list(inputs), constants, name=name)(*inputs.values())


@keras.saving.register_keras_serializable("custom_ops")
class OpLayer(keras.layers.Layer):
    """A layer that applies an op.

    XLA compiles no op that has no kernel for it, so `supports_jit` is False and
    `jit_compile="auto"` does not choose XLA for a model with such a layer.

    Attributes:
      op: What the layer calls: a function that `takes_keras_tensors` made, or an
        object that has an attribute of this name, such as an Op of python_op.
        What has a `__qualname__` is saved as that, another object as its class
        and its `__props__`, which are the arguments of the constructor.
      tensors: Which arguments of the op are the layer's inputs, in their order:
        names, or positions as strings of digits.
      constants: The op's other arguments, by name or position likewise.
    """

    def __init__(
        self,
        op: Any,
        tensors: Sequence[str],
        constants: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Makes a layer.

        Args:
          op: See the attributes.
          tensors: Likewise.
          constants: Likewise.
          **kwargs: Arguments of `keras.layers.Layer`. Inputs keep their type,
            unless `autocast` is True.

        Raises:
          RuntimeError: If Keras' backend is not TensorFlow.
          TypeError: If a constant is a variable, which the model would neither
            train nor save.
        """
        if keras.backend.backend() != "tensorflow":
            raise RuntimeError(
                f"{op!r} is TensorFlow's and Keras' backend is "
                f"{keras.backend.backend()}; set KERAS_BACKEND=tensorflow"
            )
        constants = dict(constants or {})
        for key, value in constants.items():
            if isinstance(value, (tf.Variable, keras.Variable)):
                raise TypeError(
                    f"argument {key} of {op!r} is a variable, which a model of "
                    "Keras tensors neither trains nor saves; call the op in a "
                    "layer of your own that has the variable"
                )
        kwargs.setdefault("autocast", False)
        super().__init__(**kwargs)
        self.supports_jit = False
        self.op = op
        self.tensors = list(tensors)
        self.constants = constants

    def call(self, *inputs: Any) -> Any:
        """Applies the op."""
        arguments = dict(self.constants)
        arguments.update(zip(self.tensors, inputs, strict=True))
        positions = sorted((k for k in arguments if k.isdigit()), key=int)
        args = [arguments.pop(k) for k in positions]
        return self.op(*args, **arguments)

    def compute_output_spec(self, *inputs: Any) -> Any:
        """Returns the outputs' shapes and types, which the op's graph has.

        Whether an input is sparse is not asked: Keras says so of `x * 0.1` too,
        and the op is one of dense tensors.
        """
        return super().compute_output_spec(
            *(keras.KerasTensor(x.shape, x.dtype) for x in inputs)
        )

    def get_config(self) -> dict[str, Any]:
        """Returns what `from_config` makes the layer of."""
        if hasattr(self.op, "__qualname__"):
            op = {"module": self.op.__module__, "name": self.op.__qualname__}
        else:
            op_class = type(self.op)
            op = {
                "module": op_class.__module__,
                "name": op_class.__qualname__,
                "props": {
                    p: getattr(self.op, p)
                    for p in getattr(self.op, "__props__", ())
                },
            }
        return {
            **super().get_config(),
            "op": op,
            "tensors": self.tensors,
            "constants": self.constants,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> OpLayer:
        """Makes a layer of what `get_config` returned.

        Raises:
          TypeError: If what is to be the op is no op, or of a module that was
            not imported.
        """
        config = dict(config)
        op = _op_of_config(config.pop("op"))
        constants = keras.saving.deserialize_keras_object(
            config.pop("constants")
        )
        return cls(op, constants=constants, **config)


def _op_of_config(config: Mapping[str, Any]) -> Any:
    """Finds the op. Imports nothing: a model's file may be anybody's."""
    module, name = config["module"], config["name"]
    found = sys.modules.get(module)
    if found is None:
        raise TypeError(
            f"the layer's op is {module}.{name}; import {module} before the "
            "model is loaded"
        )
    for part in name.split("."):
        found = getattr(found, part, None)
    if not getattr(found, "takes_keras_tensors", False):
        raise TypeError(
            f"the layer's op is to be {module}.{name}, which is no op that "
            "takes Keras tensors"
        )
    if "props" in config:
        found = found(**keras.saving.deserialize_keras_object(config["props"]))
    return found
