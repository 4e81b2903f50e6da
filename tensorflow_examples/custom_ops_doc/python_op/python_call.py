"""Calls Python from a graph: `python_call`, a `tf.numpy_function` that never blocks.

`tf.numpy_function` makes its call in a thread of the pool that runs ops. If the
call runs a `tf.function` in turn, that one needs such a thread too, and once all
of them wait so, nothing moves any more. Here, a call that would take the last
thread is made by another one.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import secrets
import sys
import threading
import traceback
from collections.abc import Callable
from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context

try:
    from tensorflow_examples.custom_ops_doc.python_op import gen_python_call_op
except ImportError:
    # The sources, without the library that the build makes of them.
    gen_python_call_op = None

_Function = Callable[..., Sequence[np.ndarray]]

# Every function that is in a graph. As with `tf.numpy_function` they stay: what
# TensorFlow makes of a graph may outlive it.
_functions: dict[int, _Function] = {}
# Another process must not take a graph's function for one of its own.
_tokens = itertools.count(secrets.randbits(60))
_starting = threading.Lock()
_library = None

# What TensorFlow's own call of Python makes of exceptions.
_CODES = (
    (ValueError, tf.errors.INVALID_ARGUMENT),
    (TypeError, tf.errors.INVALID_ARGUMENT),
    (StopIteration, tf.errors.OUT_OF_RANGE),
    (MemoryError, tf.errors.RESOURCE_EXHAUSTED),
    (NotImplementedError, tf.errors.UNIMPLEMENTED),
)


def python_call(
    function: _Function,
    inputs: Sequence[tf.Tensor],
    output_types: Sequence[tf.DType],
    name: str,
) -> list[tf.Tensor]:
    """Adds a call of a Python function to the graph that is being built.

    Args:
      function: takes a read-only array for each input, which shares its memory,
        and returns a C-contiguous array for each output. One that is an input
        itself is taken without a copy.
      inputs: tensors.
      output_types: the dtype of each output.
      name: a name for the operation.

    Returns:
      A tensor for each output, of unknown shape.
    """
    if gen_python_call_op is None:
        return tf.numpy_function(
            _copying(function), inputs, output_types, stateful=False, name=name
        )
    _start()
    token = next(_tokens)
    _functions[token] = function
    return gen_python_call_op.examples_python_call(
        inputs=inputs,
        Tout=output_types,
        token=token,
        op_name=getattr(function, "__name__", name),
        name=name,
    )


def _copying(function: _Function) -> _Function:
    """Returns the function as `tf.numpy_function` needs it."""

    def call(*arrays):
        arrays = [np.asarray(x) for x in arrays]
        for x in arrays:
            x.flags.writeable = False
        # An output is written to once nobody else needs it; an input is not.
        return [
            y.copy() if any(y is x for x in arrays) else y
            for y in function(*arrays)
        ]

    return call


class _Library:
    """The functions of the kernel library, which it is started with."""

    def __init__(self):
        # They live as long as the process: TensorFlow may call at any time.
        self._callback = ctypes.CFUNCTYPE(
            None,
            ctypes.c_void_p,
            ctypes.POINTER(ctypes.c_int64),
            ctypes.c_int64,
        )(_call)
        address = ctypes.cast(self._callback, ctypes.c_void_p).value
        num_threads = (
            context.context().inter_op_parallelism_threads
            or os.cpu_count()
            or 1
        )
        with tf.init_scope(), tf.device("CPU:0"):
            addresses = gen_python_call_op.examples_python_call_functions(
                callback=tf.constant(address, tf.int64),
                num_threads=tf.constant(num_threads, tf.int64),
            ).numpy()
        set_output, forward_input, keep_input, set_error = map(int, addresses)
        integer, pointer = ctypes.c_int64, ctypes.c_void_p
        arguments = (integer, pointer, integer, integer, pointer, pointer)
        # The first lets other threads run Python while it copies.
        self.set_large_output = ctypes.CFUNCTYPE(*arguments)(set_output)
        self.set_output = ctypes.PYFUNCTYPE(*arguments)(set_output)
        self.forward_input = ctypes.PYFUNCTYPE(None, pointer, integer, integer)(
            forward_input
        )
        self.keep_input = ctypes.PYFUNCTYPE(pointer, pointer, integer, pointer)(
            keep_input
        )
        self.set_error = ctypes.PYFUNCTYPE(
            None, pointer, integer, ctypes.c_char_p, integer
        )(set_error)


def _start() -> None:
    global _library
    if _library is None:
        with _starting:
            if _library is None:
                _library = _Library()


class _Kept:
    """The memory of an input, for as long as somebody keeps an array of it."""

    def __init__(self, tensor: int):
        self._tensor = tensor

    def __del__(self):
        _library.keep_input(None, 0, self._tensor)


def _call(call, description, size):
    """What the kernel calls. Its thread may be any."""
    try:
        description = description[:size]
        function = _functions.get(description[0])
        if function is None:
            message = b"The code of this Python op is in another process."
            _library.set_error(
                call, tf.errors.FAILED_PRECONDITION, message, len(message)
            )
            return
        arrays, buffers = _inputs(description)
        outputs = function(*arrays)
        for i, output in enumerate(outputs):
            if not _forward(call, i, output, arrays) and not _set_output(
                call, i, output
            ):
                return
        del outputs, output
        arrays.clear()
        _keep(call, buffers)
    except BaseException as e:
        code = next(
            (c for kind, c in _CODES if isinstance(e, kind)),
            tf.errors.UNKNOWN,
        )
        text = "".join(traceback.format_exception(e))
        message = f"{type(e).__name__}: {e}\n{text}".encode(
            errors="backslashreplace"
        )
        _library.set_error(call, code, message, len(message))


def _inputs(description):
    arrays, buffers = [], []
    at = 2
    for _ in range(description[1]):
        dtype, address, rank = description[at : at + 3]
        shape = description[at + 3 : at + 3 + rank]
        at += 3 + rank
        dtype = _numpy_dtype(dtype)
        if dtype.kind == "O":
            arrays.append(_strings(address, shape))
            buffers.append(None)
            continue
        count = dtype.itemsize
        for n in shape:
            count *= n
        buffer = (ctypes.c_char * count).from_address(address) if count else b""
        array = np.ndarray(shape, dtype, buffer)
        array.flags.writeable = False
        arrays.append(array)
        buffers.append(buffer if count else None)
    return arrays, buffers


_NUMPY_DTYPES: dict[int, np.dtype] = {}


def _numpy_dtype(enum: int) -> np.dtype:
    try:
        return _NUMPY_DTYPES[enum]
    except KeyError:
        dtype = np.dtype(tf.as_dtype(enum).as_numpy_dtype)
        return _NUMPY_DTYPES.setdefault(enum, dtype)


def _strings(address, shape):
    count = int(np.prod(shape, dtype=np.int64))
    elements = ctypes.cast(address, ctypes.POINTER(ctypes.c_int64))
    array = np.empty(count, object)
    for i in range(count):
        array[i] = ctypes.string_at(elements[2 * i], elements[2 * i + 1])
    array = array.reshape(shape)
    array.flags.writeable = False
    return array


def _forward(call, index, output, arrays) -> bool:
    if output.dtype.kind == "O":
        return False
    for i, x in enumerate(arrays):
        if output is x:
            _library.forward_input(call, index, i)
            return True
    return False


def _set_output(call, index, output) -> bool:
    shape = (ctypes.c_int64 * output.ndim)(*output.shape)
    if output.dtype.kind == "O":
        texts = [
            x if isinstance(x, bytes) else str(x).encode() for x in output.flat
        ]
        elements = (ctypes.c_int64 * (2 * len(texts)))()
        for i, text in enumerate(texts):
            elements[2 * i] = ctypes.cast(text, ctypes.c_void_p).value
            elements[2 * i + 1] = len(text)
        return _library.set_output(call, index, output.ndim, shape, elements)
    data = output.__array_interface__["data"][0]
    set_output = (
        _library.set_output
        if output.nbytes < 1 << 16
        else _library.set_large_output
    )
    return set_output(call, index, output.ndim, shape, data)


def _keep(call, buffers) -> None:
    """Keeps memory that the function did not let go of."""
    for i in range(len(buffers)):
        buffer = buffers[i]
        # One reference is the list's, one `buffer`, one the call's.
        if buffer is not None and sys.getrefcount(buffer) > 3:
            buffer._kept = _Kept(_library.keep_input(call, i, None))
