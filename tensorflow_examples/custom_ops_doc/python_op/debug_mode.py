"""`DebugMode`: computes ops in ways that show where they break the contract."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import array_comparison
from tensorflow_examples.custom_ops_doc.python_op import evaluation
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import mode
from tensorflow_examples.custom_ops_doc.python_op import op as op_module
from tensorflow_examples.custom_ops_doc.python_op import shape_inference

# What `check_preallocated_output` may name, as in Theano.
STORAGE_KINDS = (
    "c_contiguous",
    "f_contiguous",
    "strided",
    "wrong_size",
    "initial",
    "previous",
)


class DebugModeError(Exception):
    """An op breaks the contract.

    Attributes:
      node: the Apply that was computed.
      role: "input" or "output", or None where it is the op as a whole.
      index: which input or output, or None.
    """

    def __init__(
        self,
        message: str,
        node: graph.Apply,
        role: str | None = None,
        index: int | None = None,
    ):
        super().__init__(message)
        self.node = node
        self.role = role
        self.index = index


class BadThunkOutput(DebugModeError):
    """Two computations of a node differ: an output is not what it should be."""


class BadDestroyMap(DebugModeError):
    """An input was changed that is not in `destroy_map`."""


class BadViewMap(DebugModeError):
    """An output shares memory with what it must not share it with."""


class InvalidValueError(DebugModeError):
    """An output is not of the dtype, rank or shape that is declared."""


class BadInferShape(InvalidValueError):
    """`infer_shape` gave another shape than the output has."""


class DebugMode(mode.Mode):
    """A context in which every computed Python op is checked.

        with DebugMode():
            op(x)

        f = function([x], op(x), mode=DebugMode())

    Each node is computed several times, on copies of its inputs, and must
    - leave the inputs as they are, bit for bit, except for `destroy_map`'s;
    - give outputs in memory of their own, except for `view_map`'s;
    - give the same outputs for the same inputs, bit for bit;
    - not let what is in `output_storage` influence the outputs;
    - give outputs of the declared number, dtypes and shapes, and of those that
      `infer_shape` tells;
    - give the same by `perform` and by `c_code` where it has both;
    - if it has a `make_thunk` of its own, set `compute_map`.
    An op that raises does so as without the mode.

    Attributes:
      check_py: whether `perform` is run where there is `c_code` too.
      check_c: whether `c_code` is run where there is `perform` too.
      check_agreement: whether the two must give the same, up to rounding.
      check_inputs: whether inputs must stay as they are.
      check_views: whether outputs must have memory of their own.
      check_determinism: whether the same must come out twice.
      check_preallocated_output: which storage is offered: some of
        "initial" (an array of one element, whatever the outputs' rank needs),
        "previous" (what the last call returned), "c_contiguous",
        "f_contiguous", "strided" (every second element, and backwards) and
        "wrong_size", with ":" between them; "ALL"; or "" for none. It is filled
        with NaN, or with the largest number.
      check_shapes: whether `infer_shape` must tell the truth.
      check_isfinite: whether NaN and infinity in an output are errors; NanGuardMode
        tells more about them.
    """

    errors = (DebugModeError,)

    def __init__(
        self,
        check_py: bool = True,
        check_c: bool = True,
        *,
        check_agreement: bool = True,
        check_inputs: bool = True,
        check_views: bool = True,
        check_determinism: bool = True,
        check_preallocated_output: str = "ALL",
        check_shapes: bool = True,
        check_isfinite: bool = False,
    ):
        """Makes a mode; see the class's attributes.

        Raises:
          ValueError: If `check_preallocated_output` names something else, or
            neither `check_py` nor `check_c` is True.
        """
        super().__init__()
        kinds = [k for k in check_preallocated_output.split(":") if k]
        for kind in kinds:
            if kind not in (*STORAGE_KINDS, "ALL"):
                raise ValueError(
                    f"check_preallocated_output must name some of "
                    f"{', '.join(STORAGE_KINDS)}, with : between them, or be "
                    f'"ALL" or "", but is {check_preallocated_output!r}'
                )
        if not (check_py or check_c):
            raise ValueError(
                "one of check_py and check_c must be True, but both are False"
            )
        self.check_py = check_py
        self.check_c = check_c
        self.check_agreement = check_agreement
        self.check_inputs = check_inputs
        self.check_views = check_views
        self.check_determinism = check_determinism
        self.check_preallocated_output = check_preallocated_output
        self.check_shapes = check_shapes
        self.check_isfinite = check_isfinite
        self._storage_kinds = STORAGE_KINDS if "ALL" in kinds else tuple(kinds)

    def check(self, node, inputs, run):
        """See the base class."""
        self.computed(node, inputs)
        # The caller's own arrays are safe with it by now.
        return run(inputs)

    def computed(
        self, node: graph.Apply, inputs: list[np.ndarray]
    ) -> list[np.ndarray]:
        """Checks a node, apart from TensorFlow.

        Args:
          node: the node.
          inputs: an array for each input.

        Returns:
          What the op gives, an array for each output.

        Raises:
          DebugModeError: If the op breaks the contract.
        """
        results = [
            (name, self._check_implementation(node, inputs, name, make))
            for name, make in self.implementations(node)
        ]
        if self.check_agreement and len(results) == 2:
            (first, xs), (second, ys) = results
            for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
                if not array_comparison.close(x, y):
                    raise BadThunkOutput(
                        f"{node.op}: {_output(node, i)} differs between {first} "
                        f"and {second}: {array_comparison.difference(x, y)}",
                        node,
                        "output",
                        i,
                    )
        return results[0][1]

    def implementations(self, node: graph.Apply) -> list[tuple[str, Callable]]:
        """Returns name and `make_thunk` of each way to compute a node."""
        op = node.op
        if type(op).make_thunk is not op_module.Op.make_thunk:
            return [("make_thunk", op.make_thunk)]
        has_py = type(op).perform is not op_module.Op.perform
        has_c = callable(getattr(op, "c_code", None))
        found = []
        if has_py and (self.check_py or not has_c):
            found.append(("perform", _with_impl(op, "py")))
        if has_c and (self.check_c or not has_py):
            make = _with_impl(op, "c")
            if not has_py or _can_make(make, node):
                found.append(("c_code", make))
        if not found:  # There is c_code, which cannot be compiled.
            found.append(("perform", _with_impl(op, "py")))
        return found

    def _check_implementation(self, node, inputs, name, make):
        """Checks one way to compute a node; returns the outputs."""
        given = [_writeable_copy(x) for x in inputs]
        outputs = _compute(node, given, name, make, None)
        if self.check_inputs:
            self._check_inputs(node, inputs, given, name)
        self._check_declared(node, outputs, name)
        if self.check_views:
            self._check_views(node, given, outputs, name)
        if self.check_shapes:
            self._check_shapes(node, inputs, outputs)
        # An op may keep its array, and write to it next time.
        values = [x.copy() for x in outputs]
        if self.check_determinism or self.check_views:
            again = _compute(
                node, [_writeable_copy(x) for x in inputs], name, make, None
            )
            if self.check_determinism:
                self._check_same(node, values, again, name)
            if self.check_views:
                self._check_kept(node, outputs, again, name)
        self._check_storage(node, inputs, values, name, make)
        return values

    def _check_inputs(self, node, inputs, given, name):
        destroyed = {i for used in node.op.destroy_map.values() for i in used}
        for i, (before, after) in enumerate(zip(inputs, given, strict=True)):
            if i not in destroyed and not array_comparison.identical(
                before, after
            ):
                raise BadDestroyMap(
                    f"{node.op}: {name} changed {_input(node, i)}: "
                    f"{array_comparison.difference(before, after)}. Work on a copy, or declare "
                    f"it in destroy_map",
                    node,
                    "input",
                    i,
                )

    def _check_declared(self, node, outputs, name):
        for i, (v, x) in enumerate(zip(node.outputs, outputs, strict=True)):
            wrong = None
            if x.dtype != v.type.numpy_dtype and not (
                v.type.numpy_dtype.kind == "O" and x.dtype.kind in "US"
            ):
                wrong = f"dtype {x.dtype}, but {v.type.dtype} is declared"
            elif v.type.shape is not None and len(v.type.shape) != x.ndim:
                wrong = (
                    f"rank {x.ndim} (shape {x.shape}), but rank "
                    f"{len(v.type.shape)} is declared"
                )
            elif not tf.TensorShape(v.type.shape).is_compatible_with(x.shape):
                wrong = f"shape {x.shape}, but {v.type} is declared"
            elif self.check_isfinite and x.dtype.kind in "fc":
                bad = ~np.isfinite(x)
                if bad.any():
                    wrong = f"{int(bad.sum())} values that are not finite"
            if wrong is not None:
                raise InvalidValueError(
                    f"{node.op}: {_output(node, i)} of {name} has {wrong}",
                    node,
                    "output",
                    i,
                )

    def _check_views(self, node, inputs, outputs, name):
        op = node.op
        for i, x in enumerate(outputs):
            allowed = {*op.view_map.get(i, ()), *op.destroy_map.get(i, ())}
            for j, y in enumerate(inputs):
                if j not in allowed and array_comparison.share_memory(x, y):
                    raise BadViewMap(
                        f"{op}: {_output(node, i)} of {name} shares memory with "
                        f"{_input(node, j)}. Return a copy, or declare it: "
                        f"view_map = {{{i}: [{j}]}}",
                        node,
                        "output",
                        i,
                    )
            for j, y in enumerate(outputs[:i]):
                # They may be views of one input that both declare.
                others = {*op.view_map.get(j, ()), *op.destroy_map.get(j, ())}
                if not allowed & others and array_comparison.share_memory(x, y):
                    raise BadViewMap(
                        f"{op}: {_output(node, i)} of {name} shares memory with "
                        f"{_output(node, j)}. Return a copy of one of them",
                        node,
                        "output",
                        i,
                    )

    def _check_kept(self, node, outputs, again, name):
        for i, x in enumerate(again):
            for j, y in enumerate(outputs):
                if array_comparison.share_memory(x, y):
                    raise BadViewMap(
                        f"{node.op}: {_output(node, i)} of {name} shares memory "
                        f"with {_output(node, j)} of the call before. Return a "
                        f"new array each time, not one that the op keeps",
                        node,
                        "output",
                        i,
                    )

    def _check_same(self, node, outputs, again, name):
        for i, (x, y) in enumerate(zip(outputs, again, strict=True)):
            if not array_comparison.identical(x, y):
                raise BadThunkOutput(
                    f"{node.op}: {_output(node, i)} of {name} differs between "
                    f"two calls with the same inputs: {array_comparison.difference(x, y)}. The "
                    f"outputs must depend on the inputs and __props__ alone",
                    node,
                    "output",
                    i,
                )

    def _check_shapes(self, node, inputs, outputs):
        if not shape_inference.has_infer_shape(node.op):
            return
        shapes = inferred_shapes(node, inputs)
        for i, (shape, x) in enumerate(zip(shapes, outputs, strict=True)):
            if shape is not None and shape != x.shape:
                given = ", ".join(str(y.shape) for y in inputs)
                raise BadInferShape(
                    f"{node.op}: infer_shape gave {_output(node, i)} the shape "
                    f"{shape}, but it has shape {x.shape}; the inputs' shapes: "
                    f"{given}",
                    node,
                    "output",
                    i,
                )

    def _check_storage(self, node, inputs, values, name, make):
        for kind, arrays in _storages(values, self._storage_kinds):
            storage = [[x] for x in arrays]
            given = [_writeable_copy(x) for x in inputs]
            try:
                outputs = _compute(node, given, name, make, storage)
            except DebugModeError:
                raise
            except Exception as e:
                described = ", ".join(map(_describe, arrays))
                raise BadThunkOutput(
                    f"{node.op}: {name} fails when output_storage holds arrays "
                    f"({kind}: {described}): {type(e).__name__}: {e}. They may "
                    f"have any shape and strides",
                    node,
                ) from e
            for i, (x, y) in enumerate(zip(values, outputs, strict=True)):
                if (
                    x.shape != y.shape
                    or x.dtype != y.dtype
                    or not array_comparison.close(x, y)
                ):
                    raise BadThunkOutput(
                        f"{node.op}: {_output(node, i)} of {name} depends on "
                        f"what output_storage held ({kind}: "
                        f"{_describe(arrays[i])}): {array_comparison.difference(x, y)}",
                        node,
                        "output",
                        i,
                    )


# Implementations.


def _with_impl(op, impl):
    def make(node, storage_map, compute_map, no_recycling):
        return op.make_thunk(
            node, storage_map, compute_map, no_recycling, impl=impl
        )

    return make


def _maps(node, inputs, storage):
    """Returns the storage_map and compute_map of a node."""
    storage_map = {v: [None] for v in (*node.inputs, *node.outputs)}
    compute_map = {v: [False] for v in storage_map}
    for v, x in zip(node.inputs, inputs, strict=True):
        storage_map[v] = [x]
        compute_map[v] = [True]
    for v, cell in zip(node.outputs, storage, strict=True):
        storage_map[v] = cell
    return storage_map, compute_map


def _can_make(make, node) -> bool:
    storage = [[None] for _ in node.outputs]
    try:
        make(node, *_maps(node, [None] * len(node.inputs), storage), [])
    except NotImplementedError:
        return False
    return True


def _compute(node, inputs, name, make, storage) -> list[np.ndarray]:
    """Computes a node, and returns what it left in the cells, as arrays."""
    if storage is None:
        storage = [[None] for _ in node.outputs]
    storage_map, compute_map = _maps(node, inputs, storage)
    thunk = make(node, storage_map, compute_map, [])
    thunk()
    outputs = []
    for i, v in enumerate(node.outputs):
        cell = storage_map[v]
        if len(cell) != 1:
            raise InvalidValueError(
                f"{node.op}: {name} must leave output_storage[{i}] a list of "
                f"one item, but it has {len(cell)}",
                node,
                "output",
                i,
            )
        if not compute_map[v][0]:
            raise BadThunkOutput(
                f"{node.op}: {name} did not set compute_map of "
                f"{_output(node, i)}",
                node,
                "output",
                i,
            )
        if cell[0] is None:
            raise InvalidValueError(
                f"{node.op}: {name} left {_output(node, i)} empty",
                node,
                "output",
                i,
            )
        outputs.append(np.asarray(cell[0]))
    return outputs


# Shapes.


def inferred_shapes(
    node: graph.Apply, inputs: list[np.ndarray]
) -> list[tuple[int, ...] | None]:
    """Returns the shapes that `infer_shape` tells for given inputs, as numbers.

    Args:
      node: the node.
      inputs: an array for each input; an `infer_shape` may ask for its value.

    Returns:
      For each output its shape, or None where `infer_shape` does not say.
    """
    with tf.init_scope():
        variables = []
        for v, x in zip(node.inputs, inputs, strict=True):
            variable = v.type()
            variable.tensor = tf.constant(x, v.type.tf_dtype)
            variables.append(variable)
        now = graph.Apply(node.op, variables, [v.type() for v in node.outputs])
        shapes = shape_inference.infer_shape(now, [x.shape for x in inputs])
        return [
            None if shape is None else tuple(map(_number, shape))
            for shape in shapes
        ]


def _number(dimension: Any) -> int:
    if isinstance(dimension, graph.Variable):
        dimension = evaluation.Evaluation().value(dimension)
    return int(dimension)


# Storage.


def _storages(
    values: list[np.ndarray], kinds: tuple[str, ...]
) -> Iterator[tuple[str, list[np.ndarray]]]:
    """Yields kinds of storage, and an array for each output."""
    for kind in kinds:
        if kind == "initial":
            yield kind, [_filled(x, (1,) * x.ndim) for x in values]
        elif kind == "previous":
            yield kind, [x.copy() for x in values]
        elif kind == "c_contiguous":
            yield kind, [_filled(x, x.shape) for x in values]
        elif kind == "f_contiguous":
            yield kind, [_filled(x, x.shape, order="F") for x in values]
        elif kind == "strided":
            for step in (2, -1, -2):
                yield kind, [_strided(x, step) for x in values]
        elif kind == "wrong_size":
            for change in (1, -1):
                yield (
                    kind,
                    [
                        _filled(x, tuple(max(0, n + change) for n in x.shape))
                        for x in values
                    ],
                )


def _filled(like: np.ndarray, shape, order="C") -> np.ndarray:
    return np.full(shape, _garbage(like.dtype), like.dtype, order)


def _strided(like: np.ndarray, step: int) -> np.ndarray:
    whole = _filled(like, tuple(n * abs(step) for n in like.shape))
    # The dots keep a scalar an array.
    return whole[(..., *(slice(None, None, step),) * like.ndim)]


def _garbage(dtype: np.dtype) -> Any:
    if dtype.kind == "O":
        return b"garbage"
    if dtype.kind == "b":
        return True
    if dtype.kind in "iu":
        return np.iinfo(dtype).max
    try:
        return np.array(np.nan).astype(dtype)[()]
    except (TypeError, ValueError):
        return np.ones((), dtype)[()]


def _writeable_copy(x: np.ndarray) -> np.ndarray:
    return np.array(x, order="C")


# Texts.


def _input(node, i):
    return mode.name_of(node.inputs[i], "input", i)


def _output(node, i):
    return mode.name_of(node.outputs[i], "output", i)


def _describe(x: np.ndarray) -> str:
    return f"{x.dtype}, shape {x.shape}, strides {x.strides}"
