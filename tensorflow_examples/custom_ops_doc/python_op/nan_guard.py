"""`NanGuardMode`: stops at the first NaN, infinity or huge value."""

from __future__ import annotations

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import mode


class NanGuardError(AssertionError):
    """A value is NaN, infinite or huge.

    Attributes:
      node: the Apply that it is an input or output of.
      role: "input" or "output".
      index: which input or output.
      position: tuple of int, where in the array; the first one.
      value: the value.
    """

    def __init__(
        self,
        message: str,
        node: graph.Apply,
        role: str,
        index: int,
        position: tuple[int, ...],
        value: np.generic,
    ):
        super().__init__(message)
        self.node = node
        self.role = role
        self.index = index
        self.position = position
        self.value = value


class NanGuardMode(mode.Mode):
    """A context in which a bad number stops the computation where it appears.

    The inputs and outputs of each Python op that is computed are looked at, in
    eager code and in graphs:

        with NanGuardMode():
            model(batch)

        f = function([x], op(x), mode=NanGuardMode())

    A variable whose `tag.nan_guard_mode_check` is False is left out, be it an
    input or an output; `make_node` may set it on the outputs that it makes. The
    tag is the variable's: it follows a symbolic variable through `function`, and
    a tensor through the graph of a `tf.function`, but in eager code a bare
    tensor from one op to the next does not carry it. Integers are never bad.

    Attributes:
      nan_is_error: whether a NaN is an error.
      inf_is_error: whether an infinity is one.
      big_is_error: whether a finite value whose absolute value is above
        `big_value` is one.
      big_value: the bound, 1e10 as in Theano.
    """

    errors = (NanGuardError,)

    def __init__(
        self,
        nan_is_error: bool = True,
        inf_is_error: bool = True,
        big_is_error: bool = True,
        big_value: float = 1e10,
    ):
        """Makes a mode; see the class's attributes.

        Raises:
          ValueError: If nothing is an error, or `big_value` is not positive.
        """
        super().__init__()
        if not (nan_is_error or inf_is_error or big_is_error):
            raise ValueError(
                "one of nan_is_error, inf_is_error and big_is_error must be "
                "True, but all are False"
            )
        if not big_value > 0:
            raise ValueError(f"big_value must be positive, but is {big_value}")
        self.nan_is_error = nan_is_error
        self.inf_is_error = inf_is_error
        self.big_is_error = big_is_error
        self.big_value = big_value

    def check(self, node, inputs, run):
        """See the base class."""
        self._look("input", node, node.inputs, inputs)
        outputs = run(inputs)
        self._look("output", node, node.outputs, outputs)
        return outputs

    def _look(self, role, node, variables, arrays):
        for i, (v, array) in enumerate(zip(variables, arrays, strict=True)):
            tag = v._tag  # Asking for `tag` would make one.
            if tag is not None and not tag.nan_guard_mode_check:
                continue
            self._look_at(role, node, i, v, array)

    def _look_at(self, role, node, index, variable, array):
        if not _has_fractions(array.dtype) or array.size == 0:
            return
        if array.dtype.itemsize < 4:  # It may not reach `big_value`.
            array = array.astype(np.float32)
        magnitude = np.abs(array)
        # One pass is enough as long as all is well: NaN makes this false.
        limit = self.big_value if self.big_is_error else np.inf
        if magnitude.max() <= limit and (
            not self.inf_is_error or magnitude.max() < np.inf
        ):
            return
        kinds = [
            ("NaN", self.nan_is_error, np.isnan(array)),
            ("an infinity", self.inf_is_error, np.isinf(array)),
            (
                f"a value beyond {self.big_value:g}",
                self.big_is_error,
                np.isfinite(array) & (magnitude > self.big_value),
            ),
        ]
        bad = [
            (int(np.argmax(found)), what, int(found.sum()))
            for what, is_error, found in kinds
            if is_error and found.any()
        ]
        if not bad:
            return
        first, what, count = min(bad)
        position = tuple(map(int, np.unravel_index(first, array.shape)))
        value = array[position]
        where = f" at position {position}" if array.ndim else ""
        name = mode.name_of(variable, role, index)
        raise NanGuardError(
            f"{node.op}: {name} has {what}{where}: {value}; it is one of "
            f"{count} such among {array.size} values of shape {array.shape}. "
            f"Set variable.tag.nan_guard_mode_check = False where that is right",
            node,
            role,
            index,
            position,
            value,
        )


def _has_fractions(dtype: np.dtype) -> bool:
    # bfloat16 and its like are of kind "V" or "f", but no subclass of inexact.
    if dtype.kind in "biuOSUMm":
        return False
    try:
        np.isnan(np.zeros((), dtype))
    except TypeError:
        return False
    return True
