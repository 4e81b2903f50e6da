"""The graph of applied ops: `Variable`, `Constant` and `Apply`.

The graph is bipartite: an `Apply` has variables as inputs and outputs, and a
variable that an op computed knows the `Apply` as its `owner`. A variable stands
for a TensorFlow tensor (`variable.tensor`), or, where that is None, for one that
is still to come: then it is symbolic, and `function` evaluates it.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf


class Tag:
    """A bag of attributes that users of a variable or node may set."""

    # `nan_guard.NanGuardMode` skips a variable where this is False.
    nan_guard_mode_check = True


class _Tagged:
    """What has a `tag`, made when it is first asked for."""

    _tag: Tag | None = None

    @property
    def tag(self) -> Tag:
        """Attributes that belong to this object alone."""
        if self._tag is None:
            self._tag = Tag()
        return self._tag


class Variable(_Tagged):
    """A value in the graph.

    Attributes:
      type: what values it may take, for example a `TensorType`.
      owner: the `Apply` that computes it, or None.
      index: its position among the outputs of `owner`, or None.
      name: a text for people, or None.
      tensor: the `tf.Tensor` that it stands for; None while it is symbolic.
    """

    tensor: tf.Tensor | None = None

    def __init__(self, type: Any, owner=None, index=None, name=None):
        self.type = type
        self.owner = owner
        self.index = index
        self.name = name

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        if self.owner is not None:
            output = "" if len(self.owner.outputs) == 1 else f".{self.index}"
            return f"{self.owner.op}{output}"
        return f"<{self.type}>"

    def __repr__(self) -> str:
        return str(self)


class Apply(_Tagged):
    """The application of an op to inputs.

    Attributes:
      op: the op.
      inputs: list of its input Variables, in the op's order.
      outputs: list of its output Variables.
    """

    def __init__(
        self, op: Any, inputs: Sequence[Variable], outputs: Sequence[Variable]
    ):
        """Makes a node, and makes it the owner of `outputs`.

        Raises:
          TypeError: If an input or output is no Variable.
          ValueError: If an output is the output of another node already.
        """
        self.op = op
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        for role, variables in (("input", inputs), ("output", self.outputs)):
            for i, variable in enumerate(variables):
                if not isinstance(variable, Variable):
                    raise TypeError(
                        f"{role} {i} of the Apply of {op} must be a Variable, "
                        f"such as as_tensor_variable gives, but is a "
                        f"{type(variable).__name__}: {variable!r}"
                    )
        for i, variable in enumerate(self.outputs):
            if variable.owner is not None:
                raise ValueError(
                    f"output {i} of the Apply of {op} must be a new Variable, "
                    f"but is an output of {variable.owner.op} already"
                )
            variable.owner = self
            variable.index = i

    @property
    def nin(self) -> int:
        """The number of inputs."""
        return len(self.inputs)

    @property
    def nout(self) -> int:
        """The number of outputs."""
        return len(self.outputs)

    @property
    def out(self) -> Variable:
        """The output, or the one that `op.default_output` names."""
        return self.default_output()

    def default_output(self) -> Variable:
        """Returns the only output, or the one that `op.default_output` names.

        Raises:
          ValueError: If there are several, and none is named.
        """
        index = getattr(self.op, "default_output", None)
        if index is None:
            if len(self.outputs) != 1:
                raise ValueError(
                    f"{self.op} has {len(self.outputs)} outputs and no "
                    f"default_output"
                )
            index = 0
        return self.outputs[index]

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.inputs))})"

    def __repr__(self) -> str:
        return str(self)


def not_converted(function: Callable) -> Callable:
    """Marks a function as one that AutoGraph calls as it is.

    `tf.autograph.experimental.do_not_convert` wraps it instead, at a cost for
    every eager call.
    """
    function.autograph_info__ = {}
    return function


def applies_of(variables: Iterable[Variable]) -> list[Apply]:
    """Returns the nodes that `variables` come from, inputs before users."""
    order: list[Apply] = []
    seen: set[Hashable] = set()
    # A stack instead of recursion: a graph may be thousands of nodes deep.
    stack = [(v.owner, False) for v in reversed(list(variables))]
    while stack:
        node, inputs_done = stack.pop()
        if node is None or (id(node) in seen and not inputs_done):
            continue
        if inputs_done:
            order.append(node)
            continue
        seen.add(id(node))
        stack.append((node, True))
        stack.extend((v.owner, False) for v in reversed(node.inputs))
    return order


def read_only(array: np.ndarray) -> np.ndarray:
    """Returns a view of `array` that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def attached(owner: Any, attribute: str) -> dict:
    """Returns a dict that belongs to a `tf.Graph`, made when it is first asked for."""
    found = getattr(owner, attribute, None)
    if found is None:
        found = {}
        setattr(owner, attribute, found)
    return found


def control_flow_context(owner: Any) -> int:
    """Returns a key of the v1 loop or branch that a graph is being built in.

    What is made there is of no use outside of it.
    """
    return id(owner._get_control_flow_context())
