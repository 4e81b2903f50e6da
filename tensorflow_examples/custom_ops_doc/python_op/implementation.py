"""How the values of a node are computed: make_thunk, c_code or perform.

A node is computed from arrays to arrays, by whichever implementation its op
has. Here are the checks of what comes out, the storage that goes round, and the
modes that look on (`debug_mode`, `nan_guard`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from typing import Protocol

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op import c_op
from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import graph

# Of an op: what is remembered of its implementation. It is not pickled.
CACHE_ATTRIBUTE = "_python_op_cache"

# Fills the storage of the outputs.
Compute = Callable[[graph.Apply, list[np.ndarray], list[list]], None]


class Mode(Protocol):
    """What looks on while nodes are computed."""

    def run(
        self,
        node: graph.Apply,
        inputs: list[np.ndarray],
        run: Callable[[list[np.ndarray], list[list] | None], list[np.ndarray]],
    ) -> list[np.ndarray]:
        """Computes a node by `run(inputs, storage)`, once or several times."""


# The modes of the process. They hold for all threads: TensorFlow computes a
# graph's nodes in threads of its own.
_modes: list[Mode] = []


def push_mode(mode: Mode) -> None:
    """Lets a mode look on from now on."""
    _modes.append(mode)


def pop_mode(mode: Mode) -> None:
    """Takes a mode away."""
    for i in reversed(range(len(_modes))):
        if _modes[i] is mode:
            del _modes[i]
            return


class _Cache:
    """What is remembered of an op's implementation."""

    def __init__(self, op: Any):
        from tensorflow_examples.custom_ops_doc.python_op import op as op_module

        self.overrides_thunk = (
            type(op).make_thunk is not op_module.Op.make_thunk
        )
        self.has_c_code = hasattr(op, "c_code")
        # Compiled c_code, or None where there is none, by the types of a node.
        self.compiled: dict[tuple, Compute | None] = {}
        # Storage that nobody uses at the moment, a list for each call at once.
        self.storage: list[list[list]] = []
        # Calls in a row that did not use what storage offered.
        self.declined = 0


def _cache(op: Any) -> _Cache:
    try:
        return op.__dict__[CACHE_ATTRIBUTE]
    except KeyError:
        return op.__dict__.setdefault(CACHE_ATTRIBUTE, _Cache(op))


def compute(node: graph.Apply, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """Computes a node.

    Args:
      node: the node.
      inputs: an array for each input. They are not changed.

    Returns:
      An array for each output: C-contiguous, of the declared dtype and shape,
      sharing no memory with an input or with anything that lives on, except for
      storage that is not handed out again while the array lives. An output that
      is an input itself is returned as that very object.

    Raises:
      TypeError: If the op gave something else than it declares.
      Exception: What the op raises.
    """
    if not _modes:
        return _run_pooled(node, inputs)
    return _run_in_modes(node, inputs, len(_modes))


def _run_in_modes(node, inputs, depth):
    if depth == 0:
        return _run_pooled(node, inputs)
    try:
        mode = _modes[depth - 1]
    except IndexError:  # Another thread has just left it.
        return _run_in_modes(node, inputs, depth - 1)

    def run(inputs, storage=None):
        if storage is None:
            return _run_in_modes(node, inputs, depth - 1)
        return run_in_storage(node, inputs, storage)

    return mode.run(node, inputs, run)


def _run_pooled(node, inputs):
    cache = _cache(node.op)
    storage = _take_storage(cache, node)
    # Not the arrays: a reference would make them look used.
    offered = [id(cell[0]) if cell[0] is not None else 0 for cell in storage]
    outputs = run_in_storage(node, inputs, storage)
    _give_back_storage(cache, storage, offered)
    return outputs


def run_in_storage(
    node: graph.Apply, inputs: list[np.ndarray], storage: list[list]
) -> list[np.ndarray]:
    """Computes a node with given output storage, and checks what comes out."""
    op = node.op
    if op.destroy_map:
        destroyed = {i for used in op.destroy_map.values() for i in used}
        given = [
            x.copy() if i in destroyed else x for i, x in enumerate(inputs)
        ]
    else:
        given = list(inputs)
    _implementation(_cache(op), node)(node, given, storage)
    if len(storage) != len(node.outputs):
        raise TypeError(
            f"{op} must leave the length of output_storage as it was: "
            f"{len(node.outputs)}, not {len(storage)}"
        )
    outputs = []
    for i, cell in enumerate(storage):
        value = _checked(node, i, cell)
        outputs.append(_unshared(value, cell, inputs))
    return outputs


def _implementation(cache: _Cache, node: graph.Apply) -> Compute:
    op = node.op
    if cache.overrides_thunk:
        return _run_thunk
    if cache.has_c_code:
        key = tuple(v.type for v in (*node.inputs, *node.outputs))
        try:
            compiled = cache.compiled[key]
        except KeyError:
            compiled = _compiled(op, node)
            cache.compiled[key] = compiled
        if compiled is not None:
            return compiled
    return _perform


def _compiled(op: Any, node: graph.Apply) -> Compute | None:
    run = c_op.c_implementation(op, node)
    if run is None:
        return None
    return lambda node, inputs, storage: run(inputs, storage)


def _perform(node, inputs, storage):
    node.op.perform(node, inputs, storage)


def _run_thunk(node, inputs, storage):
    variables = (*node.inputs, *node.outputs)
    storage_map = {v: [None] for v in variables}
    compute_map = {v: [False] for v in variables}
    for v, x in zip(node.inputs, inputs, strict=True):
        storage_map[v][0] = x
        compute_map[v][0] = True
    for v, cell in zip(node.outputs, storage, strict=True):
        storage_map[v] = cell
    node.op.make_thunk(node, storage_map, compute_map, [])()
    for i, v in enumerate(node.outputs):
        if not compute_map[v][0]:
            raise TypeError(
                f"{node.op}: the thunk did not set compute_map of output {i}"
            )


def make_thunk(
    op: Any,
    node: graph.Apply,
    storage_map: dict,
    compute_map: dict,
    no_recycling: Sequence[graph.Variable],
    impl: str | None,
) -> Callable[[], None]:
    """The `Op.make_thunk` of ops that do not have one of their own."""
    if impl not in (None, "py", "c"):
        raise ValueError(f'impl must be "py", "c" or None, but is {impl!r}')
    run: Compute = _perform
    if impl != "py" and hasattr(op, "c_code"):
        run = _compiled(op, node) or _perform
    if impl == "c" and run is _perform:
        raise NotImplementedError(f"{op} has no c_code that could be compiled")
    inputs = [storage_map[v] for v in node.inputs]
    outputs = [storage_map[v] for v in node.outputs]

    def thunk():
        for v, cell in zip(node.outputs, outputs, strict=True):
            if v in no_recycling:
                cell[0] = None
        run(node, [cell[0] for cell in inputs], outputs)
        for v in node.outputs:
            compute_map[v][0] = True

    return thunk


# What comes out.


def _checked(node: graph.Apply, index: int, cell: list) -> np.ndarray:
    op, declared = node.op, node.outputs[index].type
    if len(cell) != 1 or cell[0] is None:
        raise TypeError(
            f"{op} left output {index} empty: output_storage[{index}][0] must "
            f"hold an array of type {declared}"
        )
    value = cell[0]
    array = np.asarray(value)
    if array.dtype != declared.numpy_dtype:
        if declared.numpy_dtype.kind == "O" and array.dtype.kind in "US":
            array = array.astype(object)
        else:
            raise TypeError(
                f"{op}: output {index} has dtype {array.dtype}, but "
                f"{declared.dtype} is declared"
            )
    shape = declared.shape
    if shape is not None and array.ndim != len(shape):
        raise TypeError(
            f"{op}: output {index} has rank {array.ndim} (shape "
            f"{array.shape}), but rank {len(shape)} is declared ({declared})"
        )
    if shape is not None and any(
        d is not None and d != n
        for d, n in zip(shape, array.shape, strict=True)
    ):
        raise TypeError(
            f"{op}: output {index} has shape {array.shape}, but {declared} is "
            f"declared"
        )
    return array


# References to an array that is in a cell and in `_unshared`'s `value`, as
# getrefcount counts them from there. Measured, since it varies with Python.
def _count_references() -> int:
    def unshared(value, cell):
        return sys.getrefcount(value)

    def caller(cell):
        value = _identity(cell)
        return unshared(value, cell)

    return caller([np.zeros(1)])


def _identity(cell):
    return cell[0]


_OWN_REFERENCES = _count_references()


def _unshared(
    value: np.ndarray, cell: list, inputs: Sequence[np.ndarray]
) -> np.ndarray:
    """Returns `value`, or a copy if its memory is somebody else's too."""
    for x in inputs:
        if value is x:
            return value
    # An op that keeps an array could change it later.
    if cell[0] is value and sys.getrefcount(value) > _OWN_REFERENCES:
        return value.copy()
    base = value.base
    if base is not None and (
        any(np.may_share_memory(value, x) for x in inputs)
        or not isinstance(base, np.ndarray)
        or sys.getrefcount(base) > 3
    ):
        return value.copy()
    if not value.flags.c_contiguous:
        return np.require(value, requirements="C")
    return value


# Storage that goes round.


def _take_storage(cache: _Cache, node: graph.Apply) -> list[list]:
    try:
        storage = cache.storage.pop()
    except IndexError:
        storage = []
    if len(storage) != len(node.outputs):
        return [[None] for _ in node.outputs]
    for cell, v in zip(storage, node.outputs, strict=True):
        if cell[0] is not None and (
            # Somebody, such as the tensor that was made of it, still has it.
            sys.getrefcount(cell[0]) > 2
            or cell[0].dtype != v.type.numpy_dtype
            or cell[0].ndim != v.type.ndim
        ):
            cell[0] = None
    return storage


def _give_back_storage(
    cache: _Cache, storage: list[list], offered: list[int]
) -> None:
    """Keeps the outputs for the next call, if the op is one that reuses them."""
    if cache.declined >= 3 or len(cache.storage) >= 4:
        return
    used = False
    if any(offered):
        used = any(
            before and before == id(cell[0])
            for cell, before in zip(storage, offered, strict=True)
        )
        cache.declined = 0 if used else cache.declined + 1
    for cell in storage:
        value = cell[0]
        if (
            not isinstance(value, np.ndarray)
            or not (value.base is None or _is_aligned(value))
            or not value.flags.writeable
            or value.nbytes > config.storage_reuse_limit
        ):
            cell[0] = None
        elif used and value.nbytes >= 1 << 16 and not _is_aligned(value):
            cell[0] = _aligned_like(value)
    cache.storage.append(storage)


# TensorFlow takes memory over without a copy where it is aligned so. NumPy's own
# is not, so an op that uses what it is offered is offered such memory.
_ALIGNMENT = 64


def _aligned_like(array: np.ndarray) -> np.ndarray:
    memory = np.empty(array.nbytes + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    aligned = memory[start : start + array.nbytes]
    return aligned.view(array.dtype).reshape(array.shape)


def _is_aligned(array: np.ndarray) -> bool:
    """Whether an array is one that `_aligned_like` made."""
    memory = array.base
    return (
        isinstance(memory, np.ndarray)
        and memory.dtype == np.uint8
        and memory.nbytes == array.nbytes + _ALIGNMENT
        and array.ctypes.data % _ALIGNMENT == 0
        and array.flags.c_contiguous
    )
